"""The executor of a run, by the options of ``pldcheck verify``."""

from __future__ import annotations

from collections.abc import Mapping

import click

from ..protocols import OwnMechanism
from ..theorems import Theorem
from ..verification.runs.client_executors import Scheduler
from ..verification.runs.executors import Cores, Executor, InProcess


def executor_of_options(
    workers: int | None,
    scheduler: str | None,
    cell_timeout: float,
    memory: float,
    patience: float,
    own_options: set[str],
    own: Mapping[str, Theorem],
) -> Executor:
    """Return the executor of a run.

    ``own_options`` are the options that are not left at their defaults, ``own`` the theorems that are not registered.
    """
    if any(one.protocol == OwnMechanism.name for one in own.values()):
        if own_options & {"workers", "scheduler"} and workers != 0:
            raise click.UsageError("a mechanism that a function computes is known to this process alone: --workers 0")
        workers = 0
    if scheduler is not None:
        if own_options & {"workers", "memory"}:
            raise click.UsageError("--workers and --memory are for this machine, a --scheduler has its own")
        return Scheduler(scheduler, cell_timeout, patience)
    if "patience" in own_options:
        raise click.UsageError("--patience is for a --scheduler: processes of this machine are begun anew at once")
    if workers != 0:
        return Cores(workers, cell_timeout, memory)
    if own_options & {"cell_timeout", "memory"}:
        raise click.UsageError("--cell-timeout and --memory are for processes of their own: --workers 1 or more")
    return InProcess()

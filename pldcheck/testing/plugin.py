"""The pytest plugin: options, the header line, the marker, and the fixture of stored results.

Loaded at every start of pytest where pldcheck is installed, so it imports nothing of pldcheck that computes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from shlex import quote
from typing import TYPE_CHECKING

import pytest

import pldcheck

from .. import testing
from . import plugin_settings

if TYPE_CHECKING:
    from .goldens import Goldens


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--pldcheck-quick``, ``--pldcheck-workers``, ``--pldcheck-update``, and the folder of goldens."""
    group = parser.getgroup("pldcheck", "certified checks of privacy theorems")
    group.addoption("--pldcheck-quick", action="store_true", help="first and last value of each axis of a grid only")
    group.addoption("--pldcheck-workers", type=int, metavar="N", help="threads (one a processor; with xdist, one)")
    group.addoption("--pldcheck-update", action="store_true", help="write goldens instead of comparing with them")
    parser.addini("pldcheck_results", "folder of goldens, from the root of the project", default="results")


def pytest_configure(config: pytest.Config) -> None:
    """The marker, and what assertions are to know of the command line."""
    config.addinivalue_line("markers", "pldcheck: computes certified intervals")
    quick, workers = config.getoption("pldcheck_quick"), config.getoption("pldcheck_workers")
    if workers is not None and workers < 1:
        raise pytest.UsageError(f"--pldcheck-workers must be at least 1, got {workers}")
    if quick and config.getoption("pldcheck_update"):
        raise pytest.UsageError("--pldcheck-update needs all of the grids; leave out --pldcheck-quick")
    if workers is None and hasattr(config, "workerinput"):
        workers = 1  # one of xdist's processes, of which there is one a processor already
    before = plugin_settings.use(plugin_settings.Settings(quick, workers))

    def restore() -> None:
        plugin_settings.use(before)

    config.add_cleanup(restore)


def pytest_report_header() -> str:
    """Return version and processors."""
    return f"pldcheck {pldcheck.__version__}, {os.cpu_count()} cores"


@pytest.fixture
def pldcheck_golden(request: pytest.FixtureRequest) -> Iterator[Goldens]:
    """Yield stored certified results: ``pldcheck_golden.check(report_or_intervals, "name")``."""
    config = request.config
    folder = config.rootpath / config.getini("pldcheck_results")
    update, quick = config.getoption("pldcheck_update"), config.getoption("pldcheck_quick")
    yield testing.Goldens(folder, update, quick, f"pytest {quote(request.node.nodeid)} --pldcheck-update")

"""Cases that are timed, the questions put to peers about them, and the rows that come of both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any

# A module tasks_<letter> has the cases of each.
TASKS = "abcdefg"
# What became of our own answer; of a peer's, see pldcheck.accounting.peers.
SUCCESS = ""
FAILURE = "failed"
LATE = "time limit"


@dataclass(frozen=True)
class Question:
    """A question to a peer: by an adapter of pldcheck.accounting.peers (``NAME`` or ``NAME:WAY``), or by a published
    code.

    ``arguments``: for an adapter, name, params and delta of a protocol, or a number of responses; for a code (``code``)
    what its script takes.
    """

    peer: str
    arguments: Mapping[str, Any]
    code: bool = False


@dataclass(frozen=True)
class Case:
    """One thing that is timed.

    Without a ``command`` the module of the task says what is run, in a worker.  A command is run in processes of its
    own: words after the interpreter, with {out} for a folder; it ends in ``status``.  Those with the same ``cache``
    share a folder of compiled kernels, empty at first.  ``bare``: the case of the same task that is its limit.
    ``curve``, ``x``: the cost curve it is a point of.  ``rounds``: at most so many.
    """

    task: str
    group: str
    name: str
    params: Mapping[str, Any] = field(default_factory=dict)
    peers: tuple[Question, ...] = ()
    command: tuple[str, ...] = ()
    status: int = 0
    cache: str = ""
    bare: str = ""
    curve: str = ""
    x: float | None = None
    rounds: int = 5


@dataclass(frozen=True)
class Row:
    """A case, beside one peer if it has any.

    ``seconds`` are medians (``least``: the smallest) over interleaved runs; ``first`` is the first one in its process,
    compiled kernels to be loaded.  ``width``: relative, certified; of a peer, that of its two ends, or what lies
    between its one end and the far certified one.  ``limit_...``: the work that cannot be done without, timed bare.
    ``ratio``: the peer's time over ours, at least that where it was cut.  ``top``: functions with their shares of our
    time.
    """

    task: str
    group: str
    case: str
    params: Mapping[str, Any]
    status: str = SUCCESS
    note: str = ""
    seconds: float | None = None
    least: float | None = None
    first: float | None = None
    runs: int = 0
    lower: float | None = None
    upper: float | None = None
    width: float | None = None
    megabytes: float | None = None
    curve: str = ""
    x: float | None = None
    limit_of: str = ""
    limit_count: float | None = None
    limit_bytes: float | None = None
    limit_seconds: float | None = None
    limit_ratio: float | None = None
    top: tuple[tuple[str, float], ...] = ()
    peer: str = ""
    peer_version: str = ""
    peer_seconds: float | None = None
    peer_least: float | None = None
    peer_runs: int = 0
    peer_lower: float | None = None
    peer_upper: float | None = None
    peer_width: float | None = None
    verdict: str = ""
    peer_note: str = ""
    ratio: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; infinities, for which JSON has no number, as text."""
        return {name: _plain(value) for name, value in asdict(self).items()}


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, float) and not isfinite(value) else value


def relative(lower: float | None, upper: float | None) -> float | None:
    """Return ``upper / lower - 1``; None where an end is missing."""
    if lower is None or upper is None:
        return None
    if upper == lower:
        return 0.0
    return upper / lower - 1.0 if lower > 0.0 else float("inf")

"""All peers on one point, beside the certified interval."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from html import escape
from time import perf_counter
from typing import Any

from ...core.data_frames import pandas
from ...core.errors import ParameterError
from ...core.interval import Interval
from ...core.outward_decimals import down, up
from .claim_judgement import judge
from .peer_point import Point, point
from .peer_processes import ANSWERED, MEMORY, SECONDS, Question, ask_all
from .peer_table import PEERS, installed, named

HEADS = ("peer", "version", "lower", "upper", "verdict", "seconds", "note")


@dataclass(frozen=True)
class Row:
    """One peer: what it claims, the verdict on it, and by how much at least; ``status`` and ``note`` as in its claim.

    ``verdict``: inside, loose, UNSOUND, undecided (the certified interval is too wide), or not judged.
    """

    peer: str
    version: str | None
    status: str
    lower: float | None
    upper: float | None
    adjacency: str | None
    verdict: str
    by: float
    why: str
    seconds: float | None
    note: str

    @property
    def cells(self) -> tuple[str, ...]:
        """As printed under HEADS."""
        verdict = self.verdict if self.status == ANSWERED else self.status
        return (
            self.peer,
            self.version or "-",
            "-" if self.lower is None else down(self.lower, 8),
            "-" if self.upper is None else up(self.upper, 8),
            f"{verdict}: {self.why}" if self.why and self.status == ANSWERED else verdict,
            "-" if self.seconds is None else f"{self.seconds:.2g}",
            self.note,
        )


@dataclass(frozen=True, repr=False)
class Comparison:
    """The certified ``interval`` of a point, the seconds it took, and a row for each peer."""

    point: Point
    adjacency: str
    interval: Interval
    seconds: float
    rows: tuple[Row, ...] = field(hash=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON; infinities as text."""
        return {
            "protocol": self.point.protocol,
            "params": dict(self.point.params),
            self.point.given: self.point.at,
            "adjacency": self.adjacency,
            "certified": {"lower": _plain(self.interval.lower), "upper": _plain(self.interval.upper)},
            "seconds": self.seconds,
            "rows": [{name: _plain(value) for name, value in asdict(row).items()} for row in self.rows],
        }

    def to_pandas(self):
        """Return a pandas DataFrame, one line a peer."""
        return pandas().DataFrame([asdict(row) for row in self.rows])

    @property
    def title(self) -> str:
        """The point and what is certified of it."""
        return f"{self.point}: {self.point.quantity} in {self.interval:}, adjacency {self.adjacency}"

    def table(self) -> list[str]:
        """Return the rows, aligned."""
        return aligned([HEADS, *(row.cells for row in self.rows)])

    def __repr__(self) -> str:
        return "\n".join([self.title, *self.table()])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in HEADS)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row.cells) + "</tr>" for row in self.rows
        )
        return f"<table><caption>{escape(self.title)}</caption><tr>{head}</tr>{body}</table>"


def compare(
    protocol: Any,
    delta: float | None = None,
    *,
    epsilon: float | None = None,
    peers: Iterable[str] | None = None,
    width: float | None = None,
    seconds: float = SECONDS,
    memory: float = MEMORY,
    python: Mapping[str, str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Return what other accountants say of a protocol at a delta (or an epsilon), against what is certified.

    Parameters
    ----------
    protocol : a protocol of :mod:`pldcheck.protocols`
    delta, epsilon : float
        One of them.
    peers : names, optional
        As in :data:`pldcheck.accounting.peers.PEERS`, or with a way of asking such as ``dp_accounting:rdp``; by
        default those that are installed.
    width : float, optional
        Relative width asked of the certified interval.
    seconds, memory : float
        Limits of each peer, in seconds and GiB; each runs in a process of its own.
    python : mapping of names to paths, optional
        Interpreters that have a peer, if it is not beside pldcheck.
    progress : callable, optional
        Told the number of peers asked, and of all.

    """
    at = point(protocol, delta, epsilon)
    paths = {named(name)[0].name: path for name, path in (python or {}).items()}
    chosen = [named(name) for name in (installed(paths) if peers is None else peers)]
    if peers is not None and not chosen:
        raise ParameterError("peers", f"at least one of {', '.join(PEERS)}", "none")
    for peer, _ in chosen:
        peer.interpreter(paths.get(peer.name))  # refused before anything is computed
    start = perf_counter()
    interval = at.interval(width)
    spent = perf_counter() - start
    rows = []
    for done, (peer, way) in enumerate(chosen, 1):
        path = paths.get(peer.name)
        (claim,) = ask_all(peer, [Question(at, way)], python=path, seconds=seconds, memory=memory)
        found = judge(claim, interval, at.adjacency)
        rows.append(
            Row(
                f"{peer.name}:{way}" if way else peer.name,
                claim.version,
                claim.status,
                claim.lower,
                claim.upper,
                claim.adjacency,
                found.verdict,
                found.by,
                found.why,
                claim.seconds,
                claim.note,
            )
        )
        if progress:
            progress(done, len(chosen))
    return Comparison(at, at.adjacency, interval, spent, tuple(rows))


def aligned(rows: Iterable[Iterable[str]]) -> list[str]:
    """Return lines of a table; the last column is as long as it is."""
    cells = [list(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in cells]


def _plain(value: Any) -> Any:
    return repr(value) if value in (float("inf"), float("-inf")) else value

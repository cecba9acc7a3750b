"""Comparison of the claims of all peers about one point with the certified interval."""

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
from .claim_judgement import CLOSE, LOOSE, judge
from .peer_point import Point, point
from .peer_processes import ANSWERED, MEMORY, SECONDS, Question, ask_all
from .peer_table import PEERS, installed_peers, parse_peer

# The digits of printed ends; a verdict may be about the last of them.
DIGITS = 12
# The heads of the columns of a printed comparison.
HEADS = ("peer", "version", "lower", "upper", "verdict", "seconds", "note")


# The printed word for a claim that is true and as tight as an interval can confirm.
VALID = "valid"


@dataclass(frozen=True)
class Row:
    """The claim of one peer, and the verdict on it.

    ``verdict`` is inside, loose, UNSOUND, undecided (the certified interval is too wide), or not judged; ``by`` is a
    lower bound of the relative distance from the certified interval, and ``why`` says it in words.  ``status`` and
    ``note`` are those of the :class:`~pldcheck.accounting.peers.Claim`.
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
    def word(self) -> str:
        """The printed verdict: a loose claim that is nearly as tight as possible is called valid."""
        return VALID if self.verdict == LOOSE and self.by <= CLOSE else self.verdict

    @property
    def cells(self) -> tuple[str, ...]:
        """The texts of the printed columns, in the order of HEADS."""
        verdict = self.word if self.status == ANSWERED else self.status
        return (
            self.peer,
            self.version or "-",
            "-" if self.lower is None else down(self.lower, DIGITS),
            "-" if self.upper is None else up(self.upper, DIGITS),
            f"{verdict}: {self.why}" if self.why and self.status == ANSWERED else verdict,
            "-" if self.seconds is None else f"{self.seconds:.2g}",
            self.note,
        )


@dataclass(frozen=True, repr=False)
class Comparison:
    """The result of :func:`compare`: the certified interval of a point, its computing time, and a row for each peer."""

    point: Point
    adjacency: str
    interval: Interval
    seconds: float
    rows: tuple[Row, ...] = field(hash=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain values that JSON can hold; infinite numbers are texts."""
        return {
            "protocol": self.point.protocol,
            "params": dict(self.point.params),
            self.point.at_name: self.point.at,
            "adjacency": self.adjacency,
            "certified": {"lower": _plain(self.interval.lower), "upper": _plain(self.interval.upper)},
            "seconds": self.seconds,
            "rows": [{name: _plain(value) for name, value in asdict(row).items()} for row in self.rows],
        }

    def to_pandas(self):
        """Return a pandas DataFrame with one line for each peer."""
        return pandas().DataFrame([asdict(row) for row in self.rows])

    @property
    def title(self) -> str:
        """The point, its certified interval, and the adjacency."""
        return f"{self.point}: {self.point.quantity} in {self.interval:}, adjacency {self.adjacency}"

    def table(self) -> list[str]:
        """Return the lines of the printed table."""
        return align_columns([HEADS, *(row.cells for row in self.rows)])

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
    """Return the claims of other accountants about a protocol, compared with the certified interval.

    Parameters
    ----------
    protocol : Protocol
        A protocol of :mod:`pldcheck.protocols` with its parameters.
    delta, epsilon : float
        The point: epsilon is computed at ``delta``, or delta at ``epsilon``; exactly one must be given.
    peers : iterable of str, optional
        Names of :data:`pldcheck.accounting.peers.PEERS`, or names with one of several accountants of a peer, such as
        ``dp_accounting:rdp``.  The default is all peers that are installed.
    width : float, optional
        The relative width of the certified interval.
    seconds, memory : float
        The limits of each peer, in seconds and GiB; each peer runs in a process of its own.
    python : mapping of names to paths, optional
        The interpreters of peers that are not installed beside pldcheck.
    progress : callable, optional
        A function that is called with the number of peers that have answered, and the number of all peers.

    Returns
    -------
    Comparison
        One row for each peer; a peer that fails has a row that says so.

    Raises
    ------
    ParameterError, UnknownNameError
        If the point, a peer or an interpreter is not allowed; this is checked before anything is computed.

    """
    at = point(protocol, delta, epsilon)
    paths = {parse_peer(name)[0].name: path for name, path in (python or {}).items()}
    pairs = [parse_peer(name) for name in (installed_peers(paths) if peers is None else peers)]
    if peers is not None and not pairs:
        raise ParameterError("peers", f"at least one of {', '.join(PEERS)}", "none")
    for peer, _ in pairs:
        peer.interpreter(paths.get(peer.name))  # raises an error before anything is computed
    start = perf_counter()
    interval = at.interval(width)
    duration = perf_counter() - start
    rows = []
    for count, (peer, way) in enumerate(pairs, 1):
        path = paths.get(peer.name)
        (claim,) = ask_all(peer, [Question(at, way)], python=path, seconds=seconds, memory=memory)
        judgement = judge(claim, interval, at.adjacency)
        rows.append(
            Row(
                f"{peer.name}:{way}" if way else peer.name,
                claim.version,
                claim.status,
                claim.lower,
                claim.upper,
                claim.adjacency,
                judgement.verdict,
                judgement.by,
                judgement.why,
                claim.seconds,
                claim.note,
            )
        )
        if progress:
            progress(count, len(pairs))
    return Comparison(at, at.adjacency, interval, duration, tuple(rows))


def align_columns(rows: Iterable[Iterable[str]]) -> list[str]:
    """Return the lines of a table with aligned columns; the last column is not padded."""
    cells = [list(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in cells]


def _plain(value: Any) -> Any:
    return repr(value) if value in (float("inf"), float("-inf")) else value

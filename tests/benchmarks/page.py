"""The page: aims, a line a case and peer, cost curves, and where the time beyond the bare work goes, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from . import table
from .aims import NEAR
from .case import Row

PROFILE = ("case", "seconds", "bare work", "its seconds", "times", "shares of our time")


def render(
    header: Mapping[str, Any], rows: Sequence[Row], fits: Sequence[dict[str, Any]], aims: Sequence[dict[str, Any]]
) -> bytes:
    """Return the whole page; its first lines say what it is of."""
    parts = [list(_head(header)), _section("Aims", table.AIMS, map(table.aim, aims))]
    cases = [row for row in rows if not row.curve]
    parts.append(_section("Cases", table.HEADS, map(table.cells, cases)))
    parts.append(_section("Cost curves", table.FITS, map(table.fit, fits)))
    # Up to there nothing needs to be explained.
    far_rows = {row.case: row for row in cases if row.limit_ratio and row.limit_ratio > NEAR and row.top}
    parts.append(_section(f"Beyond {NEAR:g} times the bare work", PROFILE, map(_profile, far_rows.values())))
    return ("\n\n".join("\n".join(part) for part in parts if part) + "\n").encode()


def _head(header: Mapping[str, Any]) -> Iterator[str]:
    machine, load = header["machine"], header["load"]
    commit = f" at {header['commit'][:12]}" if header["commit"] else ""
    yield "# Speed"
    yield ""
    yield f"`{header['command']}`, {header['seconds']:.0f} s, pldcheck {header['version']}{commit},"
    yield f"{header['created'][:10]}; {machine['cpu']}, {machine['cores']} cores, load {load['before']:.1f} before."
    yield ""
    yield "Medians of interleaved runs. Width: relative, certified; of a peer, of its two ends, or between its one end"
    yield f"and the far certified one. A peer was cut after {header['peer_seconds']:g} s: `>` says that ours is faster"
    yield "by more than that. `x limit`: times the bare work that the answer cannot do without, timed in the same run."


def _profile(row: Row) -> tuple[str, ...]:
    shares = ", ".join(f"{name} {share:.0%}" for name, share in row.top)
    times = (table.seconds(row.seconds), row.limit_of, table.seconds(row.limit_seconds), f"{row.limit_ratio:.3g}")
    return (row.case, *times, shares)


def _section(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a table under its title; nothing without rows."""
    lines = [_line(cells) for cells in rows]
    return [f"## {title}", "", _line(heads), _line(["---"] * len(heads)), *lines] if lines else []


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"

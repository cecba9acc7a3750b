"""The table at the end of a run."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from ..core.outward_decimals import safe
from ..verification import Report, Row, Verdict
from .decimal_ends import down, up

_STYLES = {
    Verdict.HOLDS: "green",
    Verdict.CONSISTENT: "green",
    Verdict.VIOLATED: "bold red",
    Verdict.UNDECIDED: "yellow",
    Verdict.OUT_OF_CONDITIONS: "dim",
    Verdict.NOT_JUDGED: "dim",
}


def table(report: Report) -> Table:
    """Return a table with a line for each theorem: cells, verdicts and tightness; it is at most 80 columns wide."""
    result = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    result.add_column("theorem", no_wrap=True, vertical="bottom")
    verdicts = tuple(report.counts)
    for name in ("cells", *verdicts, "min", "median", "max"):
        result.add_column(name.replace("OF-", "OF-\n"), justify="right", no_wrap=True, vertical="bottom")
    for entry in report.summary():
        verdict_counts = [(verdict, entry.counts.get(verdict, 0)) for verdict in verdicts]
        counts = [f"[{_STYLES[verdict]}]{count}[/]" if count else "0" for verdict, count in verdict_counts]
        tightness = [down(value, 3) for value in entry.tightness] if entry.tightness else ["–"] * 3
        # Names are input from outside: they are shown as they are, and not read as markup.
        result.add_row(Text(safe(entry.theorem)), str(entry.cells), *counts, *tightness)
    return result


def notes(report: Report) -> list[str]:
    """Return notes below the table: the meaning of tightness, and the first cells that do not hold."""
    lines = ["min, median, max: of the tightness, claimed epsilon / certified upper end"]
    infinite = max((entry.infinite for entry in report.summary()), default=0)
    if infinite:
        lines[0] += f", without up to {infinite} cells where it may be infinite"
    for verdict in (Verdict.VIOLATED, Verdict.UNDECIDED):
        rows = [row for row in report.rows if row.verdict is verdict]
        for row in rows[:3]:
            at = ", ".join(f"{name}={_plain(value)}" for name, value in row.params.items())
            lines.append(safe(f"{verdict}: {row.subject} at {at}: {row.reason or _contrast(row)}"))
        if len(rows) > 3:
            lines.append(f"{verdict}: {len(rows) - 3} more")
    return lines


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def _contrast(row: Row) -> str:
    assert row.analytic is not None and row.lower is not None and row.upper is not None
    return f"claims {row.analytic:.6g}, the truth is in [{down(row.lower)}, {up(row.upper)}]"

"""The table at the end of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.table import Table
from rich.text import Text

from ..core.outward_decimals import safe
from ..theorems import REGISTRY
from ..verification import Report, Row, Verdict
from ..verification.run_report import tightness_text
from ..verification.verdict import NOTABLE
from .decimal_ends import down, up

_STYLES = {
    Verdict.HOLDS: "green",
    Verdict.CONSISTENT: "green",
    Verdict.VIOLATED: "bold red",
    Verdict.UNDECIDED: "yellow",
    Verdict.UNJUDGEABLE: "yellow",
    Verdict.OUT_OF_CONDITIONS: "dim",
    Verdict.NOT_JUDGED: "dim",
}
# The columns of a terminal in which the longest verdict fits in one line of the header.
WIDE = 100
# The rows of a randomizer's table in a witness, and the most outputs of which all probabilities are printed.
RECORDS = ("record", "replacement", "others")
FEW_OUTPUTS = 8
# The words for quantities in sentences.
_QUANTITIES = {"renyi": "Rényi divergence"}


def table(report: Report, columns: int = 80) -> Table:
    """Return a table with a line for each theorem: cells, verdicts and tightness; 80 columns suffice for it."""
    result = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    result.add_column("theorem", no_wrap=True, vertical="bottom")
    verdicts = tuple(report.counts)
    for name in ("cells", *verdicts, "min", "median", "max"):
        head = name if columns >= WIDE else name.replace("OF-", "OF-\n")
        result.add_column(head, justify="right", no_wrap=True, vertical="bottom")
    for entry in report.summary():
        verdict_counts = [(verdict, entry.counts.get(verdict, 0)) for verdict in verdicts]
        counts = [f"[{_STYLES[verdict]}]{count}[/]" if count else "0" for verdict, count in verdict_counts]
        tightness = [tightness_text(value) for value in entry.tightness] if entry.tightness else ["–"] * 3
        # Names are input from outside: they are shown as they are, and not read as markup.
        result.add_row(Text(safe(entry.theorem)), str(entry.cells), *counts, *tightness)
    return result


def notes(report: Report) -> list[str]:
    """Return notes below the table: the conclusion, the meaning of tightness, and the first cells that do not hold."""
    lines = [_conclusion(report), _legend(report)]
    lines += _loosest(report)
    left_out = [f"{entry.infinite} of {entry.theorem}" for entry in report.summary() if entry.infinite]
    if left_out:
        why = "the certified lower end is 0, and no ratio to 0 is finite"
        lines.append(safe(f"left out of min, median and max, because {why}: {', '.join(left_out)}"))
    vacuous = [f"{part.vacuous} of {part.name}" for part in report.fold.parts if part.vacuous]
    if vacuous:
        counts = ", ".join(vacuous)
        lines.append(f"claims above eps0, which holds without a theorem (counted in min, median and max): {counts}")
    lines += _variants([entry.theorem for entry in report.summary()])
    for verdict, first in report.fold.notable.items():
        for place, (_, row) in enumerate(first.rows[:3]):
            lines.append(safe(f"{verdict}: {row.subject} at {_point(row)}: {row.reason or _contrast(row)}"))
            if place == 0 and verdict is Verdict.VIOLATED:
                lines += map(safe, _counterexample(row))
        if first.count > 3:
            lines.append(f"{verdict}: {first.count - 3} more")
    return lines


def _loosest(report: Report) -> list[str]:
    """Return a line with the cell of the largest tightness, if there are several cells that have one."""
    if report.fold.loosest is None or sum(part.tightness.count for part in report.fold.parts) < 2:
        return []
    tightness, _, row = report.fold.loosest
    return [safe(f"largest tightness: {tightness_text(tightness)}, of {row.subject} at {_point(row)}")]


def _point(row: Row) -> str:
    return ", ".join(f"{name}={_plain(value)}" for name, value in row.params.items())


def totals(header: Mapping[str, Any]) -> str:
    """Return how many verdicts came from how many intervals, or were stored, and how long the computation took."""
    cells, problems = header["cells"], header["problems"]
    if stored := header.get("resumed"):
        text = f"{cells:,} verdict{'' if cells == 1 else 's'}: {stored:,} were stored, {cells - stored:,} are new"
        return f"{text}; computed in {header['seconds']:.1f} s, not counting the start of Python"
    share = "" if cells == problems else ", since cells with the same parameters share one"
    count = (
        f"{cells} verdict{'' if cells == 1 else 's'} from {problems} certified interval{'' if problems == 1 else 's'}"
    )
    return f"{count}{share}; computed in {header['seconds']:.1f} s, not counting the start of Python"


def _variants(names: list[str]) -> list[str]:
    """Return the sources of theorems that are variants of another one of the run, such as thm-3.2-simple."""
    variants = [name for name in names if any(name.startswith(f"{other}-") for other in names) and name in REGISTRY]
    own = "a bound of pldcheck's own, in no paper"
    sources = {name: REGISTRY[name].source for name in variants}
    return [f"{name}: {own if source.key == 'pldcheck' else source.where}" for name, source in sources.items()]


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def _conclusion(report: Report) -> str:
    """Return the sentence on all cells together."""
    counts, cells = report.counts, len(report.rows)
    for verdict in NOTABLE:
        if counts.get(verdict):
            start = "" if verdict is Verdict.VIOLATED else "no violation, but "
            return f"{start}{counts[verdict]} of {_cells(cells)} {'is' if counts[verdict] == 1 else 'are'} {verdict}"
    outside = counts[Verdict.OUT_OF_CONDITIONS]
    return f"no violation in {_cells(cells)}" + (f", {outside} of them {Verdict.OUT_OF_CONDITIONS}" if outside else "")


def _cells(number: int) -> str:
    return f"{number} cell{'' if number == 1 else 's'}"


def _legend(report: Report) -> str:
    """Return what tightness is, by the quantities and relations that the theorems of the report have."""
    theorems = [REGISTRY[name] for name in report.theorems if name in REGISTRY]
    words = dict.fromkeys(_QUANTITIES.get(theorem.quantity, theorem.quantity) for theorem in theorems)
    ratio = f"claimed {' or '.join(words) or 'value'} / certified upper end"
    legend = f"min, median, max: tightness = {ratio}; 1: the claim equals the certified upper end"
    below = [theorem.id for theorem in theorems if theorem.relation == ">="]
    if below:
        legend += f"; {', '.join(below)}: a lower bound, which is right below 1"
    return legend


def _counterexample(row: Row) -> Iterator[str]:
    """Yield what attains the lower end: its name, and the probabilities of its outputs where they are few."""
    witness = row.witness or {}
    if witness.get("summary"):
        yield f"  attained by {witness['summary']}"
    laws = {name: witness[name] for name in RECORDS if isinstance(witness.get(name), list | tuple)}
    if laws and max(map(len, laws.values())) <= FEW_OUTPUTS:
        texts = (f"{name} ({', '.join(f'{mass:.4g}' for mass in law)})" for name, law in laws.items())
        yield f"  probabilities of its outputs, about: {'; '.join(texts)}"


def _contrast(row: Row) -> str:
    assert row.analytic is not None and row.lower is not None and row.upper is not None
    claim, truth = f"claims {row.analytic:.6g}", "the truth"
    if row.theorem and row.theorem in REGISTRY:
        theorem = REGISTRY[row.theorem]
        quantity = _QUANTITIES.get(theorem.quantity, theorem.quantity)
        claim, truth = f"claims {quantity} {theorem.relation} {row.analytic:.6g}", f"the true {quantity}"
    return f"{claim}, {truth} is in [{down(row.lower)}, {up(row.upper)}]"

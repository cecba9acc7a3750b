"""The content of a report as text: sentences, facts and tables that the page and its Markdown twin both print."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isinf
from statistics import median
from typing import Any

from ..core.outward_decimals import safe
from ..theorems import REGISTRY
from ..verification import Row, Verdict
from . import report_tables
from .claim_curves import quantity
from .decimal_ends import down, up
from .report_tables import NOTHING, Found, Table, count, several, symbol
from .results_folder import Folder


@dataclass(frozen=True)
class Digest:
    """A report without its figures."""

    title: str
    answer: str
    judged: str
    looseness: str
    counts: tuple[tuple[str, str], ...]
    facts: tuple[tuple[str, str], ...]
    damaged: tuple[tuple[str, str], ...]
    aside: tuple[str, ...]
    theorems: Table | None
    exceptions: Table | None
    answers: Table | None
    slowest: Table | None
    budgets: Table | None
    rows: Table | None
    sources: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]


def digest(folder: Folder, title: str | None = None) -> Digest:
    """Return the content of the report on a folder; equal files give equal reports."""
    found = [(stem, row) for stem, run in folder.runs.items() for row in run.rows]
    counts = Counter(row.verdict for _, row in found)
    claims = [each for each in found if each[1].theorem]
    return Digest(
        title=safe(" ".join((title or "Certified check of privacy amplification theorems").split())),
        answer=safe(_answer(claims)),
        judged=safe(_judged(folder, found)),
        looseness=_looseness(claims),
        counts=tuple((str(verdict), count(counts[verdict])) for verdict in Verdict if counts[verdict]),
        facts=tuple((name, safe(text)) for name, text in _facts(folder, found)),
        damaged=tuple((safe(name), safe(" ".join(why.split()))) for name, why in folder.damaged.items()),
        aside=tuple(map(safe, folder.aside)),
        theorems=report_tables.theorems(folder),
        exceptions=report_tables.exceptions(claims),
        answers=report_tables.answers([each for each in found if not each[1].theorem]),
        slowest=report_tables.slowest(found),
        budgets=report_tables.budgets(found),
        rows=report_tables.rows(found),
        sources=tuple(
            (safe(stem), tuple((safe(name), safe(text)) for name, text in _flat(run.header)))
            for stem, run in folder.runs.items()
        ),
    )


def _answer(claims: Sequence[Found]) -> str:
    counts = Counter(row.verdict for _, row in claims)
    holds, violated, undecided = (counts[name] for name in (Verdict.HOLDS, Verdict.VIOLATED, Verdict.UNDECIDED))
    agree = several(counts[Verdict.CONSISTENT], "claimed exact value is", "claimed exact values are")
    also = f"{agree} consistent with the truth, as narrowly as it is known." if counts[Verdict.CONSISTENT] else ""
    if also and not holds + violated + undecided:
        return also
    return f"{_decided(claims, counts, holds, violated, undecided)} {also}".rstrip()


def _decided(claims: Sequence[Found], counts: Counter[Verdict], holds: int, violated: int, undecided: int) -> str:
    if not claims:
        return "No theorem was judged."
    if not holds + violated:
        if not undecided:
            return (
                "No claim was judged: none of the cells is inside its theorem's conditions or was asked for a verdict."
            )
        return f"None of {several(undecided, 'claim', 'claims')} could be decided."
    rest = f"{count(undecided)} could not be decided" if undecided else "none is undecided"
    if not violated:
        held = "The one decided claim holds" if holds == 1 else f"All {count(holds)} decided claims hold"
        return f"{held}; none is violated, {rest}."
    false = Counter(row.theorem or "" for _, row in claims if row.verdict is Verdict.VIOLATED)
    names = [name for name, _ in false.most_common(6)]
    names += [f"{len(false) - 6} more"] if len(false) > 6 else []
    told = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    verb = "is" if violated == 1 else "are"
    others = f"the other {count(holds)} hold" if holds else "none holds"
    return f"{count(violated)} of {count(holds + violated)} decided claims {verb} violated ({told}); {others}, {rest}."


def _judged(folder: Folder, found: Sequence[Found]) -> str:
    theorems = {row.theorem for _, row in found if row.theorem}
    protocols = {row.protocol for _, row in found if not row.theorem}
    parts = [several(len(theorems), "theorem", "theorems")] if theorems else []
    parts += [several(len(protocols), "protocol", "protocols") + " without a theorem"] if protocols else []
    runs = f"{several(len(found), 'cell', 'cells')} in {several(len(folder.runs), 'run', 'runs')}"
    text = f"{' and '.join(parts)} at {runs} ({', '.join(folder.runs)})" if found else "No stored run"
    kinds = ((len(folder.shown[kind.name]), kind.name, kind.plural) for kind in folder.kinds if kind.is_on_the_page)
    more = [several(*kind) for kind in kinds if kind[0]]
    return f"{text}{'; ' if more else ''}{', '.join(more)}."


def _looseness(claims: Sequence[Found]) -> str:
    ratios: dict[str, list[float]] = {}
    for _, row in claims:
        if row.verdict is Verdict.HOLDS and row.tightness_lower and row.tightness_upper and relation(row) == "<=":
            ratios.setdefault(quantity(row), []).append(row.tightness_lower)
    if not ratios:
        return ""
    # Factors between tiny deltas say little; those between epsilons are the cost in practice.
    measured = "epsilon" if "epsilon" in ratios else max(ratios, key=lambda name: len(ratios[name]))
    found = sorted(ratios[measured])
    return (
        f"The {count(len(found))} upper bounds on {symbol(measured)} that hold where the truth is certainly positive "
        f"claim {down(found[0], 3)} to {up(found[-1], 3)} times its certified upper end: the median "
        f"{median(found):.3g} times, "
        f"one in ten {found[-(-9 * len(found) // 10) - 1]:.3g} times or more."
    )


def relation(row: Row) -> str:
    """Return what the theorem claims of its quantity: an upper bound unless it is known to claim something else."""
    return REGISTRY[row.theorem].relation if row.theorem and row.theorem in REGISTRY else "<="


def _facts(folder: Folder, found: Sequence[Found]) -> Iterator[tuple[str, str]]:
    yield "cells", count(len(found))
    widths = [row.upper / row.lower - 1.0 for _, row in found if row.lower and row.upper and not isinf(row.upper)]
    if widths:
        yield "median width of the intervals", f"{up(100.0 * median(widths), 2)} %"
    seconds = [run.header.get("seconds") for run in folder.runs.values()]
    known = [value for value in seconds if isinstance(value, int | float)]
    if known:
        yield "computing time", f"{sum(known):.4g} s"
    for name in ("version", "created"):
        values = sorted({str(run.header[name]) for run in folder.runs.values() if name in run.header})
        if values:
            yield name, values[0] if len(values) == 1 else f"{values[0]} to {values[-1]}"


def _flat(header: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the facts on a run's origin, whatever they are."""
    for name, value in header.items():
        if isinstance(value, Mapping):
            yield name, ", ".join(f"{key} {entry}" for key, entry in value.items())
        elif isinstance(value, list | tuple):
            yield name, ", ".join(map(str, value))
        else:
            yield name, NOTHING if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)

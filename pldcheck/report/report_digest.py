"""The content of a report as text: sentences, facts and tables that the page and its Markdown twin both print."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..core.outward_decimals import safe
from ..theorems import REGISTRY
from ..theorems.recalled import OWN, PUBLISHED
from ..verification import Verdict
from ..verification.problem import unjudgeable
from . import report_tables
from .claims_overview import WORDS, ClaimGroup, claim_groups
from .decimal_ends import down, near, up
from .exception_cells import Evidence, exceptions, no_evidence
from .page_fold import PageFold, standing
from .page_table import NOTHING, Table, page_number
from .report_tables import SIGNS, count, several, symbol
from .results_folder import Folder

# What stands between the words of a file's name.
SEPARATORS = re.compile(r"[^A-Za-z0-9]+")
# The most letters of a file's name in that of a table.
LONGEST = 40


@dataclass(frozen=True)
class Digest:
    """A report without its figures."""

    title: str
    claims: tuple[ClaimGroup, ...]
    scope: str
    left_out: str
    looseness: str
    counts: tuple[tuple[str, str], ...]
    facts: tuple[tuple[str, str], ...]
    damage: tuple[tuple[str, str], ...]
    aside: tuple[str, ...]
    theorems: Table | None
    theorem_studies: Table | None
    exceptions: Table | None
    answers: Table | None
    slowest: Table | None
    budgets: Table | None
    rows: Table | None
    studies: tuple[tuple[str, tuple[Table, ...]], ...]
    sources: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]

    @property
    def answer(self) -> str:
        """The findings on the theorems: a sentence for each group of them."""
        return " ".join(group.sentence for group in self.claims) or "No theorem was judged."

    @property
    def tables(self) -> tuple[Table, ...]:
        """All tables, those of ``studies`` by kind among them."""
        own = (
            self.theorems,
            self.theorem_studies,
            self.exceptions,
            self.answers,
            self.slowest,
            self.budgets,
            self.rows,
        )
        return (*filter(None, own), *(table for _, tables in self.studies for table in tables))

    def of_kind(self, kind: str) -> tuple[Table, ...]:
        """Return the tables of a kind of studies."""
        return dict(self.studies).get(kind, ())


def summary_lines(page: Digest) -> list[str]:
    """Return what was found out on the theorems, a line for each group of them and for each false one of a paper."""
    lines = []
    for group in page.claims:
        lines.append(group.sentence)
        lines += [f"  {SIGNS[Verdict.VIOLATED]} {one.heading}: {one.contrast}" for one in group.false if group.tells]
    return lines or [page.answer]


def digest(folder: Folder, title: str | None = None, evidence: Evidence = no_evidence) -> Digest:
    """Return the content of the report on a folder; equal files give equal reports.

    ``evidence`` returns the name of the file that shows the verdict of a row, which is looked for beside its run.
    """
    page = folder.page
    return Digest(
        title=safe(" ".join((title or "Certified check of privacy amplification theorems").split())),
        claims=claim_groups(page),
        scope=safe(_scope(folder, page)),
        left_out=_left_out(page),
        looseness=_looseness(page),
        counts=tuple((str(verdict), count(page.counts[verdict])) for verdict in Verdict if page.counts[verdict]),
        facts=tuple((name, safe(text)) for name, text in _facts(folder, page)),
        damage=tuple((safe(name), safe(" ".join(why.split()))) for name, why in folder.damage.items()),
        aside=tuple(map(safe, folder.aside)),
        theorems=report_tables.theorems(folder),
        theorem_studies=report_tables.studies_of_theorems(folder),
        exceptions=exceptions(folder, evidence),
        answers=report_tables.answers(page),
        slowest=report_tables.slowest(page),
        budgets=report_tables.budgets(page),
        rows=report_tables.rows(page),
        studies=tuple(_studies(folder)),
        sources=tuple(
            (safe(stem), tuple((safe(name), safe(text)) for name, text in _flat(run.header)))
            for stem, run in folder.runs.items()
        ),
    )


def _studies(folder: Folder) -> Iterator[tuple[str, tuple[Table, ...]]]:
    """Yield the tables of each kind; their names are those of the files, as far as these can be in a reference."""
    names: set[str] = set()
    for kind in folder.kinds:
        tables: list[Table] = []
        for stem, result in folder.results[kind.name].items() if kind.tables else ():
            words = SEPARATORS.sub("-", stem)[:LONGEST].strip("-").lower()
            own = (
                words if kind.name in (words.split("-")[0], words.split("-")[-1]) else f"{kind.name}-{words}".strip("-")
            )
            name = own
            while name in names:
                name = f"{own}-{len(names)}"
            names.add(name)
            tables += filter(None, kind.tables(name, result))  # type: ignore[misc]
        if tables:
            yield kind.name, tuple(tables)


def _scope(folder: Folder, page: PageFold) -> str:
    """Return what was judged, and in which runs."""
    papers = {REGISTRY[name].source.url for name in page.verdicts if standing(name) not in ("", OWN)}
    where = f" of {several(len(papers), 'paper', 'papers')}" if papers else ""
    parts = [f"{several(len(page.verdicts), 'theorem', 'theorems')}{where}"] if page.verdicts else []
    protocols = page.protocols
    parts += [several(len(protocols), "protocol", "protocols") + " without a theorem"] if protocols else []
    runs = f"{several(page.rows, 'cell', 'cells')} in {several(len(folder.runs), 'run', 'runs')}"
    return f"{' and '.join(parts)} at {runs} ({', '.join(folder.runs)})." if page.rows else "No stored run."


def _left_out(page: PageFold) -> str:
    """Return which theorems of the same papers are in no run, and why."""
    papers = {REGISTRY[name].source.key for name in page.verdicts if name in REGISTRY}
    left_out = [name for name in unjudgeable() if REGISTRY[name].source.key in papers]
    why = "in no run, since no protocol here is what they are about"
    names = f"{why} ({', '.join(left_out)})"
    return f"{several(len(left_out), 'theorem', 'theorems')} of the same papers: {names}." if left_out else ""


def _looseness(page: PageFold) -> str:
    """Return how many times the truth the upper bounds that hold claim: the published ones, if there are any.

    Ratios are rounded down, as the claims are so many times the truth at least.
    """
    if not page.ratios:
        return ""
    group = next(name for name in WORDS if any(key[0] == name for key in page.ratios))
    ratios = {name: own for (key, name), own in page.ratios.items() if key == group}
    # Factors between tiny deltas say little; those between epsilons are the cost in practice.
    name = "epsilon" if "epsilon" in ratios else max(ratios, key=lambda name: ratios[name].count)
    factors = ratios[name]
    kind = "published upper bounds" if group == PUBLISHED else "upper bounds"
    half, tenth = (
        page_number(down(value, 3)) for value in (factors.median, factors.value_at(-(-9 * factors.count // 10) - 1))
    )
    cells = several(factors.count, "cell", "cells")
    return (
        f"How tight {'the rest is' if page.first_violated else 'they are'}: where {kind} on {symbol(name)} hold "
        f"({cells}), they claim {half} times the certified upper end in the median, {tenth} times or more in one cell "
        "of ten."
    )


def _facts(folder: Folder, page: PageFold) -> Iterator[tuple[str, str]]:
    kinds = ((len(folder.results[kind.name]), kind.one, kind.many) for kind in folder.kinds)
    if more := ", ".join(several(*kind) for kind in kinds if kind[0]):
        yield "also here", more
    if page.widths.count:
        yield "median width of the intervals", f"{up(100.0 * page.widths.median, 2)} %"
    seconds = [run.header.get("seconds") for run in folder.runs.values()]
    numbers = [value for value in seconds if isinstance(value, int | float)]
    if numbers:
        yield "computing time", f"{page_number(near(sum(numbers), 4))} s"
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
        elif isinstance(value, float):
            yield name, page_number(near(value, 4))
        else:
            yield name, NOTHING if value is None else str(value)

"""The content of a report as text: sentences, facts and tables that the page and its Markdown twin both print."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..core.outward_decimals import safe
from ..theorems import REGISTRY
from ..theorems.recalled import PUBLISHED, STANDINGS
from ..verification import Verdict
from ..verification.problem import unjudgeable
from . import report_tables
from .decimal_ends import down, up
from .exception_cells import Evidence, exceptions, no_evidence
from .page_fold import PageFold, standing
from .page_table import NOTHING, Table
from .report_tables import count, several, symbol
from .results_folder import Folder

# What stands between the words of a file's name.
SEPARATORS = re.compile(r"[^A-Za-z0-9]+")
# The most letters of a file's name in that of a table.
LONGEST = 40


@dataclass(frozen=True)
class Digest:
    """A report without its figures."""

    title: str
    answer: str
    scope: str
    looseness: str
    counts: tuple[tuple[str, str], ...]
    facts: tuple[tuple[str, str], ...]
    damage: tuple[tuple[str, str], ...]
    aside: tuple[str, ...]
    theorems: Table | None
    exceptions: Table | None
    answers: Table | None
    slowest: Table | None
    budgets: Table | None
    rows: Table | None
    studies: tuple[tuple[str, tuple[Table, ...]], ...]
    sources: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]

    @property
    def tables(self) -> tuple[Table, ...]:
        """All tables, those of ``studies`` by kind among them."""
        own = (self.theorems, self.exceptions, self.answers, self.slowest, self.budgets, self.rows)
        return (*filter(None, own), *(table for _, tables in self.studies for table in tables))

    def of_kind(self, kind: str) -> tuple[Table, ...]:
        """Return the tables of a kind of studies."""
        return dict(self.studies).get(kind, ())


def digest(folder: Folder, title: str | None = None, evidence: Evidence = no_evidence) -> Digest:
    """Return the content of the report on a folder; equal files give equal reports.

    ``evidence`` returns the name of the file that shows the verdict of a row, which is looked for beside its run.
    """
    page = folder.page
    return Digest(
        title=safe(" ".join((title or "Certified check of privacy amplification theorems").split())),
        answer=safe(_answer(page)),
        scope=safe(_scope(folder, page)),
        looseness=_looseness(page),
        counts=tuple((str(verdict), count(page.counts[verdict])) for verdict in Verdict if page.counts[verdict]),
        facts=tuple((name, safe(text)) for name, text in _facts(folder, page)),
        damage=tuple((safe(name), safe(" ".join(why.split()))) for name, why in folder.damage.items()),
        aside=tuple(map(safe, folder.aside)),
        theorems=report_tables.theorems(folder),
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


def _answer(page: PageFold) -> str:
    """Return what was found out on the claims: on published ones first, and apart from them on all others."""
    if not page.claim_counts:
        return "No theorem was judged."
    groups = {name: page.claim_counts[name] for name in ("", *STANDINGS) if name in page.claim_counts}
    kinds = {name: f"{name} " if name and set(groups) != {PUBLISHED} else "" for name in groups}
    sentences = [_sentence_on(page, name, kinds[name]) for name in groups if set(groups[name]) != {Verdict.CONSISTENT}]
    whole: Counter[Verdict] = sum(groups.values(), Counter())
    if whole[Verdict.CONSISTENT]:
        agree = several(whole[Verdict.CONSISTENT], "claimed exact value is", "claimed exact values are")
        sentences.append(f"{agree} consistent with the truth, as narrowly as it is known.")
    if whole[Verdict.UNJUDGEABLE]:
        sentences.append(f"{several(whole[Verdict.UNJUDGEABLE], 'claim', 'claims')} cannot be judged.")
    return " ".join(sentences)


def _sentence_on(page: PageFold, name: str, kind: str) -> str:
    """Return the sentence on the claims with a standing, which ``kind`` says."""
    counts = page.claim_counts[name]
    holds, wrong, open_claims = (counts[one] for one in (Verdict.HOLDS, Verdict.VIOLATED, Verdict.UNDECIDED))
    if not holds + wrong:
        if not open_claims:
            return (
                f"No {kind}claim was judged: none of the cells is inside its theorem's conditions or was asked for a "
                "verdict."
            )
        return f"None of {several(open_claims, f'{kind}claim', f'{kind}claims')} could be decided."
    rest = f"{count(open_claims)} could not be decided" if open_claims else "none is undecided"
    if not wrong:
        head = f"The one decided {kind}claim holds" if holds == 1 else f"All {count(holds)} decided {kind}claims hold"
        return f"{head}; none is violated, {rest}."
    false = Counter({one: many for one, many in page.false.items() if standing(one) == name})
    names = [one for one, _ in false.most_common(6)]
    names += [f"{len(false) - 6} more"] if len(false) > 6 else []
    which = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    verb = "is" if wrong == 1 else "are"
    others = f"the other {count(holds)} hold" if holds else "none holds"
    return f"{count(wrong)} of {count(holds + wrong)} decided {kind}claims {verb} violated ({which}); {others}, {rest}."


def _scope(folder: Folder, page: PageFold) -> str:
    parts = [several(len(page.theorems), "theorem", "theorems")] if page.theorems else []
    protocols = page.protocols
    parts += [several(len(protocols), "protocol", "protocols") + " without a theorem"] if protocols else []
    runs = f"{several(page.rows, 'cell', 'cells')} in {several(len(folder.runs), 'run', 'runs')}"
    text = f"{' and '.join(parts)} at {runs} ({', '.join(folder.runs)})" if page.rows else "No stored run"
    kinds = ((len(folder.results[kind.name]), kind.one, kind.many) for kind in folder.kinds)
    more = [several(*kind) for kind in kinds if kind[0]]
    papers = {REGISTRY[name].source.key for name in page.theorems if name in REGISTRY}
    left_out = [name for name in unjudgeable() if REGISTRY[name].source.key in papers]
    why = "in no run, since no protocol here is what they are about"
    rest = f" {several(len(left_out), 'theorem', 'theorems')} of the same papers: {why} ({', '.join(left_out)})."
    return f"{text}{'; ' if more else ''}{', '.join(more)}.{rest if left_out else ''}"


def _looseness(page: PageFold) -> str:
    if not page.ratios:
        return ""
    # Factors between tiny deltas say little; those between epsilons are the cost in practice.
    name = "epsilon" if "epsilon" in page.ratios else max(page.ratios, key=lambda name: page.ratios[name].count)
    factors = page.ratios[name]
    return (
        f"The {count(factors.count)} upper bounds on {symbol(name)} that hold where the truth is certainly "
        f"positive claim {down(factors.least, 3)} to {up(factors.most, 3)} times its certified upper end: the median "
        f"{factors.median:.3g} times, "
        f"one in ten {factors.value_at(-(-9 * factors.count // 10) - 1):.3g} times or more."
    )


def _facts(folder: Folder, page: PageFold) -> Iterator[tuple[str, str]]:
    yield "cells", count(page.rows)
    if page.widths.count:
        yield "median width of the intervals", f"{up(100.0 * page.widths.median, 2)} %"
    seconds = [run.header.get("seconds") for run in folder.runs.values()]
    numbers = [value for value in seconds if isinstance(value, int | float)]
    if numbers:
        yield "computing time", f"{sum(numbers):.4g} s"
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

"""The result of a run in bounded memory: counts, tightness and telling cells of each theorem, from rows one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from heapq import heappush, heappushpop
from typing import Generic, TypeVar

from ..core.streaming_quantiles import Quantiles
from .tightness_map import JudgedRow, RatioDots
from .vacuous_claims import budgeted, is_vacuous
from .verdict import NOTABLE, Verdict

# Verdicts that few runs have, of exact values and of cells that are not judged or cannot be; counted if they occur.
RARE = frozenset({Verdict.CONSISTENT, Verdict.UNJUDGEABLE, Verdict.NOT_JUDGED})
# Verdicts after which a claim can be compared with the truth.
DECISIVE = frozenset({Verdict.HOLDS, Verdict.CONSISTENT, Verdict.VIOLATED})
# The number of first cells that are kept of each of them: as many as a report lists.
FIRST = 100

AnyRow = TypeVar("AnyRow", bound=JudgedRow)


@dataclass(frozen=True)
class Summary:
    """The counts of verdicts and the tightness of one theorem, or of one protocol.

    ``counts`` maps each verdict to its number of rows.  ``tightness`` is the least, the median and the largest
    ``analytic / upper`` over the decided cells in which the truth is certainly positive; ``infinite`` is the number of
    the other decided cells, in which the ratio of claim and truth may be infinite.  The median is exact for up to
    100,000 cells, and at most 0.1 % below the exact one for more.
    """

    theorem: str
    counts: Mapping[Verdict, int] = field(hash=False)
    tightness: tuple[float, float, float] | None
    infinite: int

    @property
    def cells(self) -> int:
        """The number of rows."""
        return sum(self.counts.values())

    def to_dict(self) -> dict[str, object]:
        """Return the summary as plain values that JSON can hold."""
        least, middle, most = self.tightness or (None, None, None)
        return {
            "theorem": self.theorem,
            "cells": self.cells,
            "counts": {str(verdict): count for verdict, count in self.counts.items()},
            "tightness": {"min": least, "median": middle, "max": most, "infinite": self.infinite},
        }


@dataclass
class FirstRows(Generic[AnyRow]):
    """The rows with the smallest indices among those that are added, at most ``FIRST`` of them, in any order."""

    count: int = 0
    _heap: list[tuple[int, AnyRow]] = field(default_factory=list)

    def add(self, index: int, row: AnyRow) -> None:
        """Add a row; no two rows have one index."""
        self.count += 1
        if len(self._heap) < FIRST:
            heappush(self._heap, (-index, row))
        elif -index > self._heap[0][0]:
            heappushpop(self._heap, (-index, row))

    @property
    def rows(self) -> list[tuple[int, AnyRow]]:
        """The rows with their indices, ascending."""
        return sorted(((-index, row) for index, row in self._heap), key=lambda pair: pair[0])


@dataclass
class SubjectFold(Generic[AnyRow]):
    """The rows of one theorem, or of one protocol.

    ``first`` and ``last`` are the indices between which they lie; ``vacuous`` counts claims above the budget of the one
    message in which the record is used.
    """

    name: str
    first: int
    last: int
    vacuous: int = 0
    counts: Counter[Verdict] = field(default_factory=Counter)
    tightness: Quantiles = field(default_factory=Quantiles)
    decisive: int = 0
    dots: RatioDots = field(default_factory=RatioDots)

    def __post_init__(self) -> None:
        self._budgeted = budgeted(self.name)

    def add(self, index: int, row: AnyRow) -> None:
        """Add a row."""
        self.first, self.last = min(self.first, index), max(self.last, index)
        self.counts[row.verdict] += 1
        self.dots.add(row)
        if self._budgeted is not None and row.theorem is not None:
            self.vacuous += is_vacuous(self._budgeted, row.params, row.analytic)
        if row.verdict in DECISIVE:
            self.decisive += 1
            if row.tightness_lower and row.tightness_upper:
                self.tightness.add(row.tightness_lower)

    def summary(self) -> Summary:
        """Return the counts and the tightness."""
        ratios = self.tightness
        tightness = (ratios.least, ratios.median, ratios.most) if ratios.count else None
        return Summary(self.name, ordered_counts(self.counts), tightness, self.decisive - ratios.count)


@dataclass
class RunFold(Generic[AnyRow]):
    """The result of a run; rows are added in any order, each with its index in the run.

    ``loosest`` is the decided row with the largest tightness and ``tightest`` the one with the least, each with its
    tightness and its index; of equal ones the first in the run.
    """

    subjects: dict[str, SubjectFold[AnyRow]] = field(default_factory=dict)
    notable: dict[Verdict, FirstRows[AnyRow]] = field(
        default_factory=lambda: {verdict: FirstRows() for verdict in NOTABLE}
    )
    loosest: tuple[float, int, AnyRow] | None = None
    tightest: tuple[float, int, AnyRow] | None = None

    def add(self, index: int, row: AnyRow) -> None:
        """Add a row."""
        name, verdict = row.subject, row.verdict
        if name not in self.subjects:
            self.subjects[name] = SubjectFold(name, index, index)
        self.subjects[name].add(index, row)
        if verdict in self.notable:
            self.notable[verdict].add(index, row)
        ratio = row.tightness_lower
        if verdict in DECISIVE and ratio and row.tightness_upper:
            if self.loosest is None or (ratio, -index) > (self.loosest[0], -self.loosest[1]):
                self.loosest = (ratio, index, row)
            if self.tightest is None or (ratio, index) < self.tightest[:2]:
                self.tightest = (ratio, index, row)

    @property
    def parts(self) -> list[SubjectFold[AnyRow]]:
        """The theorems and protocols in the order of the run."""
        return sorted(self.subjects.values(), key=lambda part: part.first)

    @property
    def counts(self) -> dict[Verdict, int]:
        """The number of rows with each verdict."""
        whole: Counter[Verdict] = Counter()
        for part in self.subjects.values():
            whole.update(part.counts)
        return ordered_counts(whole)


def fold_rows(rows: Iterable[AnyRow]) -> RunFold[AnyRow]:
    """Return the result of rows in their order."""
    fold: RunFold[AnyRow] = RunFold()
    for index, row in enumerate(rows):
        fold.add(index, row)
    return fold


def ordered_counts(counts: Mapping[Verdict, int]) -> dict[Verdict, int]:
    """Return counts in the order of the verdicts, without rare ones that do not occur."""
    return {verdict: counts.get(verdict, 0) for verdict in Verdict if counts.get(verdict) or verdict not in RARE}

"""The content of a report in bounded memory, from the rows of all runs one by one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from heapq import heappush, heappushpop
from math import inf, isinf

from ..core.streaming_quantiles import Quantiles
from ..theorems import REGISTRY
from ..verification import Report, Row, Verdict
from ..verification.run_fold import RunFold
from ..verification.verdict import NOTABLE, OPEN
from .claim_curves import quantity

# A run's name and one of its rows.
Entry = tuple[str, Row]

# The most violated cells, undecided ones, and answers without a theorem that are kept; the number of omitted ones is
# stated.
KEPT = 5000
# Lines of the table of the slowest cells.
SLOWEST = 10
# The most rows of each kind that are kept of a theorem in a large run: violated and undecided ones, the tightest, the
# loosest, and others.
TELLING = 200
# The parts of an error budget.
PARTS = ("discretisation", "truncation", "rounding")


@dataclass
class FirstEntries:
    """The first entries among many, at most ``most`` of them, and the number of all."""

    most: int
    count: int = 0
    entries: list[Entry] = field(default_factory=list)

    def add(self, entry: Entry) -> None:
        """Add an entry."""
        self.count += 1
        if len(self.entries) < self.most:
            self.entries.append(entry)


@dataclass
class BudgetPart:
    """One part of the errors of all cells: its shares, the largest share and its cell, and the largest part."""

    shares: Quantiles = field(default_factory=Quantiles)
    share: float = -1.0
    where: Entry | None = None
    most: float = 0.0

    def add(self, part: float, whole: float, entry: Entry) -> None:
        """Add the part of a cell, whose error is ``whole``."""
        self.most = max(self.most, part)
        if 0.0 < whole < inf:
            share = part / whole
            self.shares.add(share)
            if share > self.share:
                self.share, self.where = share, entry


@dataclass
class TellingRows:
    """Rows of one theorem in a large run: the first wrong ones, the tightest and loosest ones, and the first others."""

    wrong: list[tuple[int, Row]] = field(default_factory=list)
    others: list[tuple[int, Row]] = field(default_factory=list)
    tightest: list[tuple[float, int, Row]] = field(default_factory=list)
    loosest: list[tuple[float, int, Row]] = field(default_factory=list)

    def add(self, index: int, row: Row) -> None:
        """Add a row; rows come in the order of the run."""
        ratio = row.tightness_lower
        if row.verdict in NOTABLE:
            if len(self.wrong) < TELLING:
                self.wrong.append((index, row))
        elif ratio:
            _keep(self.tightest, (-ratio, -index, row))
            _keep(self.loosest, (ratio, index, row))
        elif len(self.others) < TELLING:
            self.others.append((index, row))

    @property
    def rows(self) -> list[tuple[int, Row]]:
        """The rows with their indices, each once."""
        ends = {abs(index): row for _, index, row in (*self.tightest, *self.loosest)}
        return [*self.wrong, *self.others, *ends.items()]


def _keep(heap: list[tuple[float, int, Row]], entry: tuple[float, int, Row]) -> None:
    """Add an entry to the largest ones, of which the least is dropped if they are too many."""
    if len(heap) < TELLING:
        heappush(heap, entry)
    elif entry[:2] > heap[0][:2]:
        heappushpop(heap, entry)


@dataclass
class PageFold:
    """The rows of all runs as far as a report says something of them.

    ``counts`` are of all rows and ``verdicts`` of those with a theorem, by its name.  ``first_violated`` has, by the
    theorem, the first violated cell in each run.  ``ratios`` are the tightnesses of upper bounds that hold, by the
    standing of the theorem and the quantity.  ``wrong`` and ``undecided`` are claims, ``answers`` rows without a
    theorem.  ``telling`` are all rows, but of large runs a sample.  ``files`` has the names of the runs' files.
    """

    counts: Counter[Verdict] = field(default_factory=Counter)
    verdicts: dict[str, Counter[Verdict]] = field(default_factory=dict)
    first_violated: dict[str, list[Entry]] = field(default_factory=dict)
    protocols: set[str] = field(default_factory=set)
    ratios: dict[tuple[str, str], Quantiles] = field(default_factory=dict)
    widths: Quantiles = field(default_factory=Quantiles)
    wrong: FirstEntries = field(default_factory=lambda: FirstEntries(KEPT))
    undecided: FirstEntries = field(default_factory=lambda: FirstEntries(KEPT))
    answers: FirstEntries = field(default_factory=lambda: FirstEntries(KEPT))
    times: dict[tuple[str, float], Row] = field(default_factory=dict)
    budgets: dict[str, BudgetPart] = field(default_factory=lambda: {name: BudgetPart() for name in PARTS})
    telling: list[Entry] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.counts.total()

    @property
    def slowest(self) -> list[tuple[float, str, Row]]:
        """The rows whose intervals took longest; of theorems that share an interval, and its time, the first."""
        order = sorted(self.times.items(), key=lambda item: -item[0][1])[:SLOWEST]
        return [(seconds, stem, row) for (stem, seconds), row in order]

    def add_run(self, stem: str, run: Report, file: str) -> Report:
        """Add the rows of a run, which are read once, and return the run; a large one knows its result then."""
        self.files[stem] = file
        if not run.is_large:
            for row in run.rows:
                self._add(stem, row)
                self.telling.append((stem, row))
            return run
        fold: RunFold[Row] = RunFold()
        groups: dict[str, TellingRows] = {}
        for index, row in enumerate(run.rows):
            fold.add(index, row)
            self._add(stem, row)
            groups.setdefault(row.subject, TellingRows()).add(index, row)
        rows = [pair for group in groups.values() for pair in group.rows]
        self.telling += [(stem, row) for _, row in sorted(rows, key=lambda pair: pair[0])]
        return replace(run, known_fold=fold)

    def _add(self, stem: str, row: Row) -> None:
        entry, verdict = (stem, row), row.verdict
        self.counts[verdict] += 1
        if row.theorem:
            self.verdicts.setdefault(row.theorem, Counter())[verdict] += 1
            if verdict is Verdict.VIOLATED:
                self.wrong.add(entry)
                first = self.first_violated.setdefault(row.theorem, [])
                if stem not in (name for name, _ in first):
                    first.append(entry)
            elif verdict in OPEN:
                self.undecided.add(entry)
            elif verdict is Verdict.HOLDS and row.tightness_lower and row.tightness_upper and relation(row) == "<=":
                key = standing(row.theorem), quantity(row)
                self.ratios.setdefault(key, Quantiles()).add(row.tightness_lower)
        else:
            self.protocols.add(str(row.protocol))
            self.answers.add(entry)
        if row.lower and row.upper and not isinf(row.upper):
            self.widths.add(row.upper / row.lower - 1.0)
        if row.seconds > 0.0 and (stem, row.seconds) not in self.times:
            self.times[stem, row.seconds] = row
            if len(self.times) > 4 * SLOWEST:
                self.times = {(name, seconds): slow for seconds, name, slow in self.slowest}
        if row.budget:
            parts = (row.budget.discretisation, row.budget.truncation, row.budget.rounding)
            for name, part in zip(PARTS, parts, strict=True):
                self.budgets[name].add(part, sum(parts), entry)


def standing(theorem: str) -> str:
    """Return what a registered theorem is; no text for any other."""
    return REGISTRY[theorem].standing if theorem in REGISTRY else ""


def relation(row: Row) -> str:
    """Return what the theorem claims of its quantity: an upper bound unless it is known to claim something else."""
    return REGISTRY[row.theorem].relation if row.theorem and row.theorem in REGISTRY else "<="

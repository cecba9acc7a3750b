"""The tally of a run while it goes on: cells, verdicts, the time that is left, workers, and the slowest cells."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..core.outward_decimals import safe
from ..verification import Row, Verdict
from ..verification.runs.rows_of_cells import Standing

# The share of the items that must be finished before the time that is left is estimated, and the seconds that they
# must have taken: the first few items are no sample of all.
LEAST_SHARE = 0.1
LEAST_SECONDS = 5.0
# The slowest cells that are named, and the seconds that such a cell has taken at least.
SLOWEST = 3
SLOW = 1.0


def time_left(count: int, total: int, seconds: float) -> str:
    """Return an estimate of the time that is left, in words; no text where too little is finished for one."""
    if count < LEAST_SHARE * total or seconds < LEAST_SECONDS:
        return ""
    return f"{seconds * (total - count) / count:.0f} s left"


def verdict_text(counts: dict[Verdict, int]) -> str:
    """Return how often each verdict was given."""
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)


@dataclass
class Tally:
    """The rows of a run so far, of which a few are kept.

    ``standing`` is what the run itself says; without it, the time that is left follows from the number of cells.
    """

    total: int = 0
    standing: Standing | None = None
    counts: dict[Verdict, int] = field(default_factory=lambda: dict.fromkeys(Verdict, 0))
    count: int = 0
    slowest: list[Row] = field(default_factory=list)

    def add(self, row: Row, total: int) -> None:
        """Count a row; of rows that share an answer one is kept."""
        self.counts[row.verdict] += 1
        self.count += 1
        self.total = total
        least = self.slowest[-1].seconds if len(self.slowest) == SLOWEST else SLOW
        if row.seconds > least and all(other.seconds != row.seconds for other in self.slowest):
            self.slowest = sorted([*self.slowest, row], key=lambda one: -one.seconds)[:SLOWEST]

    def left(self, seconds: float) -> str:
        """Return the time that is left after so many seconds, in words; from expected costs once all are known."""
        standing = self.standing
        if standing and standing.planned and standing.looked_at >= self.total and seconds >= LEAST_SECONDS:
            return f"{standing.seconds_left:.0f} s left"
        return time_left(self.count, self.total, seconds)

    def rate(self, seconds: float) -> str:
        """Return the number of cells a second."""
        return f"{self.count / max(seconds, 1e-9):.3g}"

    def workers(self) -> str:
        """Return the number of workers in words; no text for one."""
        return f"{self.standing.workers} workers" if self.standing and self.standing.workers > 1 else ""

    def slowest_text(self) -> str:
        """Return the slowest cells in words; no text if none is slow."""
        if not self.slowest:
            return ""
        return "slowest: " + "; ".join(map(_place, self.slowest))

    def line(self, seconds: float) -> str:
        """Return all of it on one line."""
        parts = [f"{self.count} of {self.total} cells", f"{self.rate(seconds)} a second"]
        parts += [word for word in (self.left(seconds), self.workers()) if word]
        texts = [f"{', '.join(parts)}: {verdict_text(self.counts)}"]
        texts += [text] if (text := self.slowest_text()) else []
        return "; ".join(texts)

    def farewell(self, words: Sequence[str]) -> list[str]:
        """Return the lines for a run that is interrupted: what is stored, and the command that goes on."""
        verdicts = f": {verdict_text(self.counts)}" if self.count else ""
        stored = self.standing.stored if self.standing else 0
        text = f"{stored + self.count} of {stored + self.total} cells are finished and stored"
        lines = [f"{text}, {self.count} of them by this run{verdicts}" if stored else f"{text}{verdicts}"]
        lines += [text] if (text := self.slowest_text()) else []
        more = [word for word in words if word != "--overwrite"]
        more += [] if "--resume" in more else ["--resume"]
        return [*lines, safe(f"to go on: {shlex.join(('pldcheck', *more))}")]


def _place(row: Row) -> str:
    at = ", ".join(f"{name}={value}" for name, value in row.params.items())
    return safe(f"{row.seconds:.1f} s for {row.subject} at {at}")

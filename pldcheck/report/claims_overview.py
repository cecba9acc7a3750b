"""The findings of a report on its theorems: published ones first, and all others apart from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from ..core.outward_decimals import safe
from ..theorems import REGISTRY
from ..theorems.recalled import APPROXIMATION, MISREAD, OWN, PUBLISHED, RECALLED
from ..verification import Row, Verdict
from ..verification.run_fold import DECISIVE
from ..verification.verdict import OPEN
from .claim_curves import quantity
from .decimal_ends import down, near, up
from .page_fold import Entry, PageFold, relation, standing
from .page_table import page_number
from .report_tables import SHOWN, count, parameters, several, symbol

# The words for one theorem and for many of each standing, in the order of the report, published ones first.
WORDS = {
    PUBLISHED: ("published theorem", "published theorems"),
    "": ("theorem that is not registered", "theorems that are not registered"),
    APPROXIMATION: ("published approximation", "published approximations"),
    OWN: ("bound of pldcheck's own", "bounds of pldcheck's own"),
    RECALLED: ("theorem as recalled", "theorems as recalled"),
    MISREAD: ("deliberately false reading", "deliberately false readings"),
}
# What is said of those that are violated; an approximation that is too small is no false theorem.
WRONG = {APPROXIMATION: ("is no bound", "are no bounds")}
# What a reader has to know of theorems of a standing.
REMARKS = {
    APPROXIMATION: "Their papers do not call them bounds; here they are judged as if they did.",
    RECALLED: "They were registered from memory: a verdict is on the formula here, not on its paper.",
    MISREAD: "No author claims them: they are here to see that a false bound is found.",
}
# The digits of the two numbers that contradict each other.
DIGITS = 4


@dataclass(frozen=True)
class FalseClaim:
    """A violated theorem: its place in print, the first cell that contradicts it in words, and the runs it is in."""

    theorem: str
    source: str
    contrast: str
    runs: str

    @property
    def heading(self) -> str:
        """The name, and the place in print if there is one."""
        return f"{self.theorem}, {self.source}" if self.source else self.theorem


@dataclass(frozen=True)
class ClaimGroup:
    """The theorems of one standing: the result in a sentence, a remark on all of them, and those that are false."""

    standing: str
    sentence: str
    remark: str
    false: tuple[FalseClaim, ...]

    @property
    def tells(self) -> bool:
        """Whether a false theorem is news: a reading that was registered because it is false is none."""
        return self.standing != MISREAD


def claim_groups(page: PageFold) -> tuple[ClaimGroup, ...]:
    """Return what was found out on the theorems of each standing that there is."""
    return tuple(_groups(page))


def _groups(page: PageFold) -> Iterator[ClaimGroup]:
    for name in WORDS:
        verdicts = {theorem: counts for theorem, counts in page.verdicts.items() if standing(theorem) == name}
        if verdicts:
            false = tuple(_false_claim(page, theorem) for theorem in verdicts if theorem in page.first_violated)
            yield ClaimGroup(name, _sentence(verdicts, name), REMARKS.get(name, ""), false)


def _sentence(verdicts: dict[str, Counter[Verdict]], name: str) -> str:
    """Return how many theorems are false, at how many cells the others hold, and what is left open."""
    one, many = WORDS[name]
    is_wrong, are_wrong = WRONG.get(name, ("is false", "are false"))
    cells = sum(verdicts.values(), Counter())
    decided = [counts for counts in verdicts.values() if any(counts[verdict] for verdict in DECISIVE)]
    others = [counts for counts in decided if not counts[Verdict.VIOLATED]]
    wrong = len(decided) - len(others)
    rest = sum(cells[verdict] for verdict in OPEN)
    parts = []
    if wrong:
        verb = is_wrong if wrong == 1 else are_wrong
        parts.append(f"{count(wrong)} of {several(len(decided), one, many)} {verb}")
    if others:
        every = "both" if len(others) == 2 else f"all {count(len(others))}"
        number = f"the other {count(len(others))}" if wrong else f"{every} {many}"
        single = "the other one" if wrong else f"the one {one}"
        parts.append(_good(others, single if len(others) == 1 else number, len(others) == 1))
    if not decided:
        words, whose = several(len(verdicts), one, many), "its" if len(verdicts) == 1 else "their"
        if not rest:
            return f"No verdict on {words}: no cell is inside {whose} conditions, or was judged."
        parts.append(f"none of {words} could be judged" if len(verdicts) > 1 else f"the one {one} could not be judged")
    if rest:
        parts.append(f"{several(rest, 'cell is', 'cells are')} open")
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _good(others: list[Counter[Verdict]], who: str, is_one: bool) -> str:
    """Return that theorems hold, or agree with the truth, which is not the same, and at how many cells."""
    true, alike = (sum(counts[verdict] for counts in others) for verdict in (Verdict.HOLDS, Verdict.CONSISTENT))
    s = "s" if is_one else ""
    agree = f"agree{s} with the truth, as narrowly as it is known,"
    if not alike:
        return f"{who} hold{s} at every decided cell ({several(true, 'cell', 'cells')})"
    if not true:
        return f"{who} {agree} at {several(alike, 'cell', 'cells')}"
    return f"{who} hold{s} at {several(true, 'cell', 'cells')} and {agree} at {several(alike, 'other', 'others')}"


def _false_claim(page: PageFold, name: str) -> FalseClaim:
    entries = page.first_violated[name]
    counts = page.verdicts[name]
    decided = sum(counts[verdict] for verdict in DECISIVE)
    source = REGISTRY[name].source if name in REGISTRY else None
    at = f"{_contrast(entries[0])}; {count(counts[Verdict.VIOLATED])} of {several(decided, 'cell', 'cells')}"
    return FalseClaim(
        safe(name),
        f"{source.citation}, {source.where}" if source else "",
        safe(f"{at} violate it" if decided > 1 else f"{at} violates it"),
        safe(", ".join(stem for stem, _ in entries)),
    )


def _contrast(entry: Entry) -> str:
    """Return the claim, to the nearest, and the certified end that contradicts it, rounded outward."""
    row: Row = entry[1]
    claim, lower, upper = row.analytic or 0.0, row.lower or 0.0, row.upper or 0.0
    truth = f"at least {page_number(down(lower, DIGITS))}"
    if claim > lower:
        truth = f"at most {page_number(up(upper, DIGITS))}"
    said = f"{symbol(quantity(row))} {SHOWN[relation(row)]} {page_number(near(claim, DIGITS))}"
    return f"claims {said}, the truth is {truth}, at {parameters(row)}"

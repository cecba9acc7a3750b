"""The kill table in words: a line a theorem and kind of change, then what no guard notices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from .guards import AUDIT, GOLDENS, GUARDS, INDEPENDENT, POINTS, SOUNDNESS
from .kill_table import CAUGHT, EQUIVALENT, FATES, STILLBORN, SURVIVED, UNREACHED, Fate, Mutation

ABOUT = {
    SOUNDNESS: "the stored certified interval contradicts the changed claim, or no longer that of a false theorem",
    GOLDENS: "a stored run has another value of the formula, or says that it is outside its conditions",
    POINTS: "what is pinned in mutation.json is another: the relation, a value, or the delta it is claimed at",
    AUDIT: "a line of the audited proof is the formula, and would be no longer",
}
FATE_WORDS = {
    CAUGHT: "noticed by one guard at least",
    EQUIVALENT: "says the same at every point tried, some of which come to what is changed",
    UNREACHED: "no point tried comes to what is changed: nothing is known of it",
    SURVIVED: "says something else somewhere, and no guard notices",
    STILLBORN: "has no value anywhere",
}
HEADS = ("theorem", "kind of change", "mutants", *GUARDS, CAUGHT, EQUIVALENT, UNREACHED, SURVIVED, STILLBORN)


def rows(found: Mutation) -> Iterator[tuple[str, ...]]:
    """Yield a line a theorem and kind, as text."""
    for theorem, kinds in found.counts().items():
        for kind, counts in kinds.items():
            total = sum(counts.get(fate, 0) for fate in FATES)
            numbers = (total, *(counts.get(name, 0) for name in HEADS[3:]))
            yield (theorem, kind, *map(str, numbers))


def lines(found: Mutation) -> Iterator[str]:
    """For a screen: an aligned line a theorem, then survivors."""
    heads = ("theorem", "mutants", *GUARDS, EQUIVALENT, UNREACHED, SURVIVED, STILLBORN)
    table = [heads, *_by_theorem(found)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for line in table:
        cells = [
            line[0].ljust(widths[0]),
            *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)),
        ]
        yield "  ".join(cells)
    yield summary(found)
    yield from (f"survived: {told(one)}" for one in found.survivors)


def _by_theorem(found: Mutation) -> Iterator[tuple[str, ...]]:
    for theorem, kinds in found.counts().items():
        counts = sum((Counter(counter) for counter in kinds.values()), Counter())
        shown = (*GUARDS, EQUIVALENT, UNREACHED, SURVIVED)
        numbers = (sum(counts[fate] for fate in FATES), *(counts[name] for name in shown))
        yield (theorem, *map(str, numbers), str(counts[STILLBORN]))


def summary(found: Mutation) -> str:
    """Return one sentence."""
    counts = Counter(one.fate for one in found.fates)
    alive = counts[CAUGHT] + counts[SURVIVED]
    independent = sum(bool({*one.noticed} & {*INDEPENDENT}) for one in found.fates)
    return (
        f"{counts[CAUGHT]} of {alive} mutants that say something else are noticed, {counts[SURVIVED]} are not: "
        f"{independent} by the certified truth or an audited proof, {counts[CAUGHT] - independent} by stored values of "
        f"the formula itself alone; {counts[EQUIVALENT]} are equivalent, {counts[UNREACHED]} reached by no point, "
        f"{counts[STILLBORN]} have no value anywhere"
    )


def told(one: Fate) -> str:
    """Return a mutant on a line."""
    mutant = one.mutant
    change = f"{mutant.before} -> {mutant.after or 'nothing'}"
    return f"{mutant.theorem}, {mutant.kind} in {mutant.place}: {change}" + (f": {one.why}" if one.why else "")


def markdown(found: Mutation) -> str:
    """Return the whole table, equivalent mutants and survivors by name."""
    return "\n".join(_markdown(found)) + "\n"


def _markdown(found: Mutation) -> Iterator[str]:
    yield "# Which guard notices a wrong formula"
    yield ""
    yield f"**{summary(found)}.**"
    yield ""
    yield "Every registered formula is changed in one place at a time, and each guard is asked whether it notices:"
    yield ""
    yield from (f"- {name}: {ABOUT[name]}" for name in GUARDS)
    yield ""
    yield (
        "Soundness and audit are independent of the formula; goldens and points are what it said before, and notice "
        "that it has changed, not that it was wrong from the start. "
        "The truth does not change with a formula, so the intervals are those of the stored runs. Points are drawn "
        "inside the conditions, so that each branch of a formula is taken by one of them, beyond each condition and on "
        "both sides of its limit; where none of them tells a mutant from the theorem, one of as many others is pinned "
        "that does. So what is called equivalent says the same at all of them, which is no "
        "proof, and what the points notice alone is what the suites have no cell for."
    )
    if found.wide:
        yield f"{found.wide} stored intervals were left out, being wider than they need be to judge by."
    yield ""
    yield from (f"- {fate}: {FATE_WORDS[fate]}" for fate in FATES)
    yield ""
    yield "## By theorem and kind of change"
    yield ""
    yield f"| {' | '.join(HEADS)} |"
    yield "|---|---|" + "--:|" * (len(HEADS) - 2)
    yield from (f"| {' | '.join(row)} |" for row in rows(found))
    alone = [(name, sum(set(one.noticed) == {name} for one in found.fates)) for name in GUARDS]
    yield ""
    yield "Noticed by one guard alone: " + ", ".join(f"{name} {count}" for name, count in alone) + "."
    heads = ((SURVIVED, "Survivors"), (UNREACHED, "Reached by no point"), (EQUIVALENT, "Equivalent mutants"))
    for fate, head in heads:
        yield from ("", f"## {head}", "")
        ones = found.having(fate)
        yield from (f"- {_code(told(one))}" for one in ones)
        if not ones:
            yield "None."


def _code(text: str) -> str:
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}"

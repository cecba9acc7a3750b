"""The kill table in words: a line for each theorem and kind of change, then the mutants that no guard notices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from .guards import AUDIT, GOLDENS, GUARDS, INDEPENDENT, POINTS, SOUNDNESS
from .kill_table import CAUGHT, EQUIVALENT, FATES, STILLBORN, SURVIVED, UNREACHED, Fate, Mutation

# The way in which each guard notices a mutant.
ABOUT = {
    SOUNDNESS: "a certified interval contradicts the changed claim, or agrees with the changed form of a false one",
    GOLDENS: "a stored run has another value of the formula, or has the point outside the conditions",
    POINTS: "mutation.json has another relation, another value, or another delta of the claim",
    AUDIT: "a line of the audited proof equals the formula, and differs from the changed one",
}
# The meaning of each fate.
FATE_WORDS = {
    CAUGHT: "at least one guard notices the mutant",
    EQUIVALENT: "the outcomes are the same at all points, some of which reach the change",
    UNREACHED: "no point reaches the change, so that nothing is known of the mutant",
    SURVIVED: "the outcome differs at some point, and no guard notices it",
    STILLBORN: "the mutant has no value at any point",
}
# The headings of the table.
HEADS = ("theorem", "kind of change", "mutants", *GUARDS, CAUGHT, EQUIVALENT, UNREACHED, SURVIVED, STILLBORN)


def rows(answer: Mutation) -> Iterator[tuple[str, ...]]:
    """Yield the cells of each line of the table, by theorem and kind of change."""
    for theorem, kinds in answer.counts().items():
        for kind, counts in kinds.items():
            total = sum(counts.get(fate, 0) for fate in FATES)
            numbers = (total, *(counts.get(name, 0) for name in HEADS[3:]))
            yield (theorem, kind, *map(str, numbers))


def lines(answer: Mutation) -> Iterator[str]:
    """Yield lines for a terminal: a line for each theorem, a summary, then the survivors."""
    heads = ("theorem", "mutants", *GUARDS, EQUIVALENT, UNREACHED, SURVIVED, STILLBORN)
    table = [heads, *_by_theorem(answer)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for line in table:
        cells = [
            line[0].ljust(widths[0]),
            *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)),
        ]
        yield "  ".join(cells)
    yield summary(answer)
    yield from (f"survived: {fate_text(one)}" for one in answer.survivors)


def _by_theorem(answer: Mutation) -> Iterator[tuple[str, ...]]:
    for theorem, kinds in answer.counts().items():
        counts = sum((Counter(counter) for counter in kinds.values()), Counter())
        names = (*GUARDS, EQUIVALENT, UNREACHED, SURVIVED)
        numbers = (sum(counts[fate] for fate in FATES), *(counts[name] for name in names))
        yield (theorem, *map(str, numbers), str(counts[STILLBORN]))


def summary(answer: Mutation) -> str:
    """Return the summary of all fates in one sentence."""
    counts = Counter(one.fate for one in answer.fates)
    alive = counts[CAUGHT] + counts[SURVIVED]
    independent = sum(bool({*one.noticed} & {*INDEPENDENT}) for one in answer.fates)
    return (
        f"{counts[CAUGHT]} of {alive} mutants that differ from their theorem are noticed, {counts[SURVIVED]} are not: "
        f"the certified truth or an audited proof notices {independent}, only stored values of the formula notice "
        f"{counts[CAUGHT] - independent}; {counts[EQUIVALENT]} are equivalent, {counts[UNREACHED]} are reached by no "
        f"point, {counts[STILLBORN]} have no value at any point"
    )


def fate_text(one: Fate) -> str:
    """Return a mutant and its fate on one line."""
    mutant = one.mutant
    change = f"{mutant.before} -> {mutant.after or 'nothing'}"
    return f"{mutant.theorem}, {mutant.kind} in {mutant.place}: {change}" + (f": {one.why}" if one.why else "")


def markdown(answer: Mutation) -> str:
    """Return the table as a document in Markdown, with the survivors and the equivalent mutants by name."""
    return "\n".join(_markdown(answer)) + "\n"


def _markdown(answer: Mutation) -> Iterator[str]:
    yield "# Mutants of the registered formulas"
    yield ""
    yield f"**{summary(answer)}.**"
    yield ""
    yield "Every registered formula is changed in one place at a time.  These guards may notice the change:"
    yield ""
    yield from (f"- {name}: {ABOUT[name]}" for name in GUARDS)
    yield ""
    yield (
        "Soundness and audit are independent of the formula. Goldens and points are stored values of the formula: they "
        "notice that it has changed, not that it was wrong from the start. The true value does not depend on a "
        "formula, so the intervals are those of the stored runs. Points are drawn inside the conditions, such that "
        "every branch of a formula is taken at one of them, beyond each condition, and on both sides of its limit. "
        "Where none of them separates a mutant from its theorem, a point that does is sought among as many others and "
        "pinned. An equivalent mutant therefore has the same outcomes at all these points, which is not a proof; and "
        "the mutants that only points notice are those for which the suites have no cell."
    )
    if answer.wide:
        yield f"{answer.wide} stored intervals are too wide to judge a mutant by and are left out."
    yield ""
    yield from (f"- {fate}: {FATE_WORDS[fate]}" for fate in FATES)
    yield ""
    yield "## By theorem and kind of change"
    yield ""
    yield f"| {' | '.join(HEADS)} |"
    yield "|---|---|" + "--:|" * (len(HEADS) - 2)
    yield from (f"| {' | '.join(row)} |" for row in rows(answer))
    alone = [(name, sum(set(one.noticed) == {name} for one in answer.fates)) for name in GUARDS]
    yield ""
    yield "Some are noticed by one guard only: " + ", ".join(f"{name} {count}" for name, count in alone) + "."
    heads = ((SURVIVED, "Survivors"), (UNREACHED, "Mutants that no point reaches"), (EQUIVALENT, "Equivalent mutants"))
    for fate, head in heads:
        yield from ("", f"## {head}", "")
        group = answer.having(fate)
        yield from (f"- {_code(fate_text(one))}" for one in group)
        if not group:
            yield "None."


def _code(text: str) -> str:
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}"

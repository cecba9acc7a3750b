"""The kill table in words: a line for each theorem, a summary, then the mutants that no guard notices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from .guards import GUARDS, INDEPENDENT
from .kill_table import CAUGHT, EQUIVALENT, FATES, STILLBORN, SURVIVED, UNREACHED, Fate, Mutation


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

"""Tables of findings about the papers, of mutants, and of the certificates beside the rows of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from ...report.page_table import Table, make_table
from ..findings.finding import HEADS, Kind

# The most theorems of a finding that are named.
MOST_NAMED = 4
# The most reasons for rows without a file that are named.
MOST_REASONS = 3


def findings(name: str, values: Mapping[str, Any]) -> Iterator[Table | None]:
    """Yield the findings of each kind, in order of consequence."""
    for kind in Kind:
        lines = [
            (str(one["title"]), _several(one["theorems"]), str(one["text"]), str(one["where"]), str(one["command"]))
            for one in values["findings"]
            if one["kind"] == kind.name.lower()
        ]
        heads = ("subject", "theorems", "finding", "source", "command")
        yield make_table(f"{name}-{kind.name.lower()}", HEADS[kind], heads, lines, ())


def _several(names: list[Any]) -> str:
    more = [f"and {len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
    return ", ".join([*map(str, names[:MOST_NAMED]), *more])


def mutants(name: str, values: Mapping[str, Any]) -> Iterator[Table | None]:
    """Yield how many changes of each formula are noticed, and by which guards, and the changes that nothing notices."""
    totals = Counter(str(one["theorem"]) for one in values["mutants"])
    counts: dict[str, Counter[str]] = {
        theorem: sum(map(Counter, kinds.values()), Counter()) for theorem, kinds in values["counts"].items()
    }
    columns = [column for column in values["total"] if any(one[column] for one in counts.values())]
    lines = [
        (theorem, str(totals[theorem]), *(str(one[column]) for column in columns), f"pldcheck mutate {theorem}")
        for theorem, one in counts.items()
    ]
    heads = ("theorem", "mutants", *columns, "command")
    note = (
        "Every formula is changed in one place at a time. Soundness (the certified truth) and audit are independent of "
        "the formula; goldens and points are stored values of it. Of a stillborn mutant no point has a value."
    )
    caption = "Changes of the registered formulas, and the guards that notice them"
    yield make_table(f"{name}-guards", caption, heads, lines, range(1, 2 + len(columns)), note)
    survivors = [
        (str(one["theorem"]), *(str(one[part]) for part in ("kind", "place", "before", "after")))
        for one in values["mutants"]
        if one["fate"] == "survived"
    ]
    heads = ("theorem", "kind of change", "place", "before", "after")
    yield make_table(f"{name}-survivors", "Changes that no guard notices", heads, survivors, ())


def certificates(name: str, values: Mapping[str, Any]) -> Iterator[Table | None]:
    """Yield how many rows of a run have a file that proves them, and why the others have none."""
    without = Counter(values["without"])
    reasons = "; ".join(f"{number} times: {reason}" for reason, number in without.most_common(MOST_REASONS))
    line = (
        str(values["suite"]),
        *(str(values[part]) for part in ("certificates", "stronger", "witnesses")),
        *(str(sum(without.values())), reasons or "–", f"{float(values['seconds']):.3g}", str(values["command"])),
    )
    heads = (
        *("suite", "certificates", "of them for a smaller number than the theorem's", "witnesses"),
        *("rows without a file", "remark", "seconds", "command"),
    )
    note = (
        "A certificate proves that a theorem holds at a cell, a witness that it is false there; programs of the "
        "standard library check both."
    )
    yield make_table(f"{name}-files", "Files beside the rows of a run", heads, [line], (1, 2, 3, 4, 6), note)

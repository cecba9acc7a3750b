"""Tables of audits of proofs, and of which theorem implies which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...report.page_table import NOTHING, Table, make_table
from .cell_texts import high, low, near, point

# The verdicts on steps, from the best to the worst, of which an audit has a count each.
STEP_VERDICTS = ("proved", "equal", "measured", "holds", "vacuous", "undecided", "fails")
# What the steps of a proof say together.
CONCLUSIONS = {True: "✓ no step fails", False: "✗ a step fails", None: "? undecided"}
# The order of proofs in the table: those with a step that fails first.
ORDER = {False: 0, None: 1, True: 2}
# Where one theorem is implied by another, in the order of the table; other comparisons are in the file of the table.
IMPLIED = ("equal", "implied")


def audits(name: str, values: Mapping[str, Any]) -> Iterator[Table | None]:
    """Yield the audits, a line a proof, and the steps that fail with the points where they do."""
    seen = [verdict for verdict in STEP_VERDICTS if any(verdict in audit["counts"] for audit in values["audits"])]
    lines = [
        (
            str(audit["theorem"]),
            CONCLUSIONS[audit["holds"]],
            str(audit["title"]),
            *(str(audit["counts"].get(verdict, 0)) for verdict in seen),
            str(sum(bool(step["by_hand"]) for step in audit["steps"])),
            f"pldcheck audit {audit['theorem']}",
        )
        for audit in sorted(values["audits"], key=lambda audit: ORDER[audit["holds"]])
    ]
    heads = ("theorem", "proof", "title", *seen, "proved with a part by hand", "command")
    note = (
        "Proved: on the whole range, in ball arithmetic. Equal, measured: at points alone. A theorem of which a step "
        "fails somewhere in its range may hold all the same."
    )
    numeric = range(3, 4 + len(seen))
    yield make_table(f"{name}-proofs", "Steps of the proofs, a line a proof", heads, lines, numeric, note)
    yield _failing(name, values)


def _failing(name: str, values: Mapping[str, Any]) -> Table | None:
    lines = []
    for audit in values["audits"]:
        for step in audit["steps"]:
            if step["verdict"] in ("fails", "undecided"):
                example = step["counterexample"]
                ends = (
                    (low(example["left"]["lower"]), high(example["right"]["upper"])) if example else (NOTHING, NOTHING)
                )
                where = point(example["point"]) if example else NOTHING
                claimed = (str(step["id"]), str(step["name"]), str(step["source"]), str(step["statement"]))
                lines.append((str(audit["theorem"]), str(step["verdict"]), *claimed, where, *ends))
    heads = ("theorem", "outcome", "step", "what it says", "source", "formula", "at", "left at least", "right at most")
    note = "Every step is an inequality, left ≤ right; the point is the simplest that was reached where it is false."
    caption = "Steps that fail or are undecided"
    return make_table(f"{name}-failing", caption, heads, lines, (7, 8), note, row_head=2)


def dominance(name: str, values: Mapping[str, Any]) -> Iterator[Table | None]:
    """Yield which theorem is implied by which, over the grids of the built-in suites."""
    every = [_comparison(one) for one in values["comparisons"]]
    lines = [line for line in every if line[1] in IMPLIED]
    heads = (
        *("theorem", "order", "other theorem", "quantity", "points", "inside both", "implied at", "equal at"),
        *("least ratio", "largest ratio", "where it turns"),
    )
    rest = len(every) - len(lines)
    note = (
        "Ratio: the bound of the theorem over that of the other; of lower bounds the other way round. A theorem is "
        "implied where the other one claims as much or more, through the reductions between what they are stated for; "
        f"nothing is said of other points. {rest} more pairs, of which neither implies the other or which no point has "
        "inside both, are in the CSV file alone, with the place where the order turns. pldcheck dominance ID says why."
    )
    caption = "Theorems that another one implies, or equals, at points inside the conditions of both"
    numeric = range(4, 10)
    yield make_table(f"{name}-implied", caption, heads, lines or every, numeric, note, every=every if lines else ())


def _comparison(one: Mapping[str, Any]) -> tuple[str, ...]:
    turn = one["turn"]
    where = NOTHING
    if turn:
        where = f"{turn['parameter']} from {near(turn['low'])} to {near(turn['high'])}, {point(turn['params'])}"
    return (
        *(str(one[part]) for part in ("theorem", "order", "other", "quantity")),
        *(str(one[part]) for part in ("points", "inside", "implied", "equal")),
        *(low(one["least"], 4), high(one["largest"], 4), where),
    )

"""Tables of what was measured: attacks and simulations, which are empirical, and speeds and widths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import median
from typing import Any

from ...core.errors import PldcheckError
from ...core.outward_decimals import up
from ...report.page_table import NOTHING, Table, make_table
from .cell_texts import high, low, near, point

# The signs before a number that was aimed at.
AT_MOST = {True: "≤", False: "≥"}


def attacks(name: str, values: Mapping[str, Any]) -> Iterator[Table | None]:
    """Yield the attacks of a grid against the certified intervals."""
    lines = [
        (
            str(row["verdict"]),
            *(near(row[part]) for part in ("steps", "eps0", "delta")),
            *(low(row["certified_lower"]), high(row["certified_upper"]), low(row["epsilon_lower"])),
            *(low(row["attained_lower"]), high(row["attained_upper"]), low(row["by_events"])),
            str(row["randomizer"]),
        )
        for row in values["rows"]
    ]
    heads = (
        *(
            "outcome",
            "steps",
            "eps0",
            "delta",
            "certified lower end",
            "certified upper end",
            "epsilon is above (empirical)",
        ),
        *(
            "this attack reaches at least (empirical)",
            "at most (empirical)",
            "by events alone (empirical)",
            "randomizer",
        ),
    )
    note = (
        f"{values['params'].get('transcripts', NOTHING)} transcripts an attack. Certified ends hold for sure, "
        "empirical ones with a confidence."
    )
    yield make_table(f"{name}-grid", str(values["title"]), heads, lines, range(1, 10), note, row_head=1)


def simulations(name: str, values: Mapping[str, Any]) -> Iterator[Table | None]:
    """Yield the slopes of measured risks beside the stated exponents, or the parameters of any other simulation."""
    lines = [
        (
            *(str(one["title"]), {True: "yes", False: "no"}.get(one["holds"], NOTHING)),
            *(str(one[part]) for part in ("statement", "population", "axis")),
            *(near(one["exponent"]), low(one["slope"]["lower"]), high(one["slope"]["upper"])),
        )
        for one in values.get("sweeps") or ()
    ]
    heads = (
        *("model", "no risk above the statement", "theorem", "population", "over"),
        *("stated exponent", "slope at least", "slope at most"),
    )
    caption = f"Excess risk of {values['protocol']} against the statement (empirical)"
    note = f"{point(values['params'])}; slopes are by least squares, with a confidence and no proof."
    yield make_table(f"{name}-slopes", caption, heads, lines, (5, 6, 7), note)
    if not lines:
        pairs = [(str(key), near(value)) for key, value in values["params"].items()]
        yield make_table(f"{name}-parameters", f"Simulation of {values['protocol']}", ("parameter", "value"), pairs, ())


def speeds(name: str, values: Mapping[str, Any]) -> Iterator[Table | None]:
    """Yield what was aimed at and what was reached."""
    lines = [
        (
            *(str(one["aim"]), "yes" if one["met"] else "no", str(one["task"])),
            *(f"{AT_MOST[one['at_most']]} {near(one['target'])} {one['unit']}", near(one["figure"])),
        )
        for one in sorted((one for one in values["lines"] if one["kind"] == "aim"), key=lambda one: bool(one["met"]))
    ]
    note = f"{sum(one['kind'] == 'row' for one in values['lines'])} cases, {_origin(values)}"
    heads = ("aim", "met", "task", "target", "figure")
    yield make_table(f"{name}-aims", "Speed: what was aimed at, and what was measured", heads, lines, (4,), note)
    if not any(one["kind"] == "row" for one in values["lines"]):
        raise PldcheckError("the benchmarks have no rows")


def widths(name: str, values: Mapping[str, Any]) -> Iterator[Table | None]:
    """Yield how wide the intervals of epsilon are, a line a group of questions."""
    rows = values["lines"]
    lines = []
    for group in dict.fromkeys(str(row["group"]) for row in rows):
        each = [row for row in rows if row["group"] == group]
        answers = [row for row in each if not row["status"]]
        finite = [float(row["width"]) for row in answers if row["width"] is not None]
        share = (up(100.0 * median(finite), 2), up(100.0 * max(finite), 2)) if finite else (NOTHING, NOTHING)
        seconds = near(float(f"{max(float(row['seconds']) for row in answers):.3g}")) if answers else NOTHING
        lines.append((group, str(len(each)), str(len(answers)), str(len(answers) - len(finite)), *share, seconds))
    heads = (
        *("questions", "asked", "answered in time", "of them without a lower end"),
        *("median width in %", "largest width in %", "most seconds"),
    )
    note = f"Width: upper end over lower end, less one. {_origin(values)}"
    yield make_table(f"{name}-groups", "Widths of certified intervals of ε", heads, lines, range(1, 7), note)


def _origin(values: Mapping[str, Any]) -> str:
    return f"{values['command']}, {str(values['created'])[:10]}, {values['machine']['cpu']}"

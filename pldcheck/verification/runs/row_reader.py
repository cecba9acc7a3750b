"""The validating reader of stored rows, which resumed runs, reports and witness files use.

It accepts a line only if its digest fits, no key is unknown or missing, the parameters are in their domains, the ends
are in order, and the verdict is the one that follows from the claim and the ends.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import lru_cache
from math import inf
from typing import Any

from ...core import sealed_files
from ...core.errors import ParameterError
from ...core.interval import Interval
from ...core.parameters import PARAMETERS
from ...core.sealed_files import DamageError
from ...theorems import GIVEN, REGISTRY, Theorem
from .. import Row, Verdict, judge_theorem

# The kind of a line that holds a cell's row.
CELL = "cell"
# The kind of a file's first line.
HEADER = "header"
NOT_A_ROW = "not a row that pldcheck verify writes"
# The keys of a line that are no part of the row.
BESIDES = {"kind", "digest"}
# The keys that a row may lack.
OPTIONAL = {"witness"}
# The keys of every row.
KEYS = set(Row(None, {}, Verdict.NOT_JUDGED).to_dict())
# The texts of verdicts.
VERDICTS = {str(verdict) for verdict in Verdict}
# The keys of an error budget.
BUDGET = {"discretisation", "truncation", "rounding"}
# The texts that stand for infinite numbers, which JSON lacks.
INFINITE = {"inf": inf, "-inf": -inf}
# The verdicts that need an interval.
DECISIVE = (Verdict.HOLDS, Verdict.VIOLATED)
# The largest double: integers beyond it cannot be ends.
LARGEST = sys.float_info.max
# The most numbers of parameters that are known to be in their domains.
KEPT = 1 << 16
# The largest length of a text; reasons and names have a few hundred letters.
LONGEST = 100_000


def line(content: bytes | str) -> dict[str, Any]:
    """Return the values of one sealed line of a run; raise DamageError if it is damaged or of no known ``kind``."""
    try:
        values = sealed_files.unseal(content)
    except DamageError:
        if sealed_files.parse(content).get("kind") not in (CELL, HEADER):
            raise DamageError(NOT_A_ROW) from None
        raise
    if values.get("kind") not in (CELL, HEADER):
        raise DamageError(NOT_A_ROW)
    return values


def row(values: Mapping[str, Any]) -> Row:
    """Return the row of a line; raise DamageError with a reason that quotes nothing of the content."""
    _need(KEYS <= values.keys() <= KEYS | BESIDES | OPTIONAL, "keys are missing or unknown")
    for name in ("theorem", "protocol", "reason", "cell"):
        _need(values[name] is None or _is_text(values[name]), f"{name} is not a text")
    _need(isinstance(values["quantity"], str) and values["quantity"] in GIVEN, "its quantity is unknown")
    _need((values["theorem"] is None) != (values["protocol"] is None), "it names not exactly one theorem or protocol")
    _need(isinstance(values["verdict"], str) and values["verdict"] in VERDICTS, "its verdict is unknown")
    _need(isinstance(values["params"], dict), "its parameters are not named")
    for name, value in values["params"].items():
        if type(value) in (int, float):
            _check_number(name, value)
        else:
            _check_parameter(name, value)
    ends = {name: _number(values[name], name) for name in ("analytic", "lower", "upper")}
    seconds = _number(values["seconds"], "seconds")
    _need(seconds is not None and 0.0 <= seconds < inf, "its seconds are not a time")
    budget, witness = values["budget"], values.get("witness")
    if budget is not None:
        _need(isinstance(budget, dict) and set(budget) == BUDGET, "its budget has other parts")
        _need(all((_number(value, "budget") or 0.0) >= 0.0 for value in budget.values()), "its budget is negative")
    _need(witness is None or isinstance(witness, dict), "its witness is not an object")
    entry = Row.from_dict(values)
    for name in ("tightness_lower", "tightness_upper"):
        _need(values[name] == getattr(entry, name), f"its {name} does not follow from its ends")
    _check_ends(entry, ends["lower"], ends["upper"])
    return entry


def fits(entry: Row, theorem: Theorem) -> bool:
    """Return whether the verdict of a row is the one that follows from its claim and its ends."""
    if entry.lower is None or entry.upper is None:
        return entry.verdict not in DECISIVE
    if entry.analytic is None:
        return entry.theorem is None and entry.verdict is Verdict.NOT_JUDGED
    truth = Interval(entry.lower, entry.upper, theorem.quantity)
    return entry.verdict is judge_theorem(theorem, entry.analytic, truth)


def _check_ends(entry: Row, lower: float | None, upper: float | None) -> None:
    _need((lower is None) == (upper is None), "one end is missing")
    if lower is not None and upper is not None:
        _need(lower <= upper, "its lower end is above its upper end")
    theorem = REGISTRY.get(entry.theorem) if entry.theorem else None
    if theorem is not None:
        _need(
            tuple(entry.params) == theorem.parameters or set(entry.params) == {*theorem.parameters},
            "its parameters are not those of its theorem",
        )
        _need(fits(entry, theorem), "its verdict does not follow from its ends")
    elif entry.theorem is None:
        _need(entry.analytic is None and entry.verdict not in DECISIVE, "a verdict without a theorem")
    elif entry.lower is None:
        _need(entry.verdict not in DECISIVE, "a verdict without an interval")


@lru_cache(maxsize=KEPT, typed=True)
def _check_number(name: str, value: float) -> None:
    """Check the number of a parameter, as rows have the same few ones again and again."""
    _check_parameter(name, value)


def _check_parameter(name: str, value: Any) -> None:
    if name not in PARAMETERS:
        parts = value if isinstance(value, list) else [value]
        numbers = all(type(part) in (int, float) or part is None for part in parts)
        _need(numbers or all(_is_text(part) for part in parts), f"{_safe_name(name)} is neither text nor number")
        return
    if value is None:  # the parameter has its default
        return
    _need(type(value) in (int, float), f"{name} is not a number")
    try:
        _need(PARAMETERS[name].parse(value) == value, f"{name} is out of range")
    except ParameterError:
        raise DamageError(f"{name} is out of range") from None


def _number(value: Any, name: str) -> float | None:
    if isinstance(value, str) and value in INFINITE:
        return INFINITE[value]
    _need(value is None or (type(value) in (int, float) and abs(value) <= LARGEST), f"{name} is not a number")
    return None if value is None else float(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST


def _safe_name(name: str) -> str:
    return "a parameter" if len(name) > 40 or not name.isidentifier() else name


def _need(condition: object, complaint: str) -> None:
    if not condition:
        raise DamageError(complaint)

"""One validating reader of stored rows, for whoever resumes, reports or writes witnesses.

A line is a row as it was written, and a row that can have been: the digest fits, nothing is unknown or missing,
parameters are in their domains, ends are in order, and the verdict is the one that follows from them.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from math import inf
from typing import Any

from ...core import sealed_files
from ...core.errors import ParameterError
from ...core.interval import Interval
from ...core.parameters import PARAMETERS
from ...core.sealed_files import Spoiled
from ...theorems import GIVEN, REGISTRY, Theorem
from .. import Row, Verdict, judge_theorem

CELL = "cell"
HEADER = "header"
# What a row's line has besides the row itself; a witness is only there if it is known.
BESIDES = {"kind", "digest"}
OPTIONAL = {"witness"}
KEYS = set(Row(None, {}, Verdict.NOT_JUDGED).to_dict())
VERDICTS = {str(verdict) for verdict in Verdict}
BUDGET = {"discretisation", "truncation", "rounding"}
INFINITE = {"inf": inf, "-inf": -inf}
# Verdicts that are said of an interval.
DECIDED = (Verdict.HOLDS, Verdict.VIOLATED)
# The largest double: whole numbers beyond it are no ends.
LARGEST = sys.float_info.max
# Letters of a text at most; reasons and names have a few hundred.
LONGEST = 100_000


def line(content: bytes | str) -> dict[str, Any]:
    """Return the values of one line of a run, sealed; ``kind`` says what of.  Raises Spoiled."""
    values = sealed_files.unseal(content)
    if values.get("kind") not in (CELL, HEADER):
        raise Spoiled("neither a header nor a row")
    return values


def row(values: Mapping[str, Any]) -> Row:
    """Return the row of a line.  Raises Spoiled with the reason, in which nothing of the content is quoted."""
    _need(KEYS <= values.keys() <= KEYS | BESIDES | OPTIONAL, "keys are missing or unknown")
    for name in ("theorem", "protocol", "reason", "cell"):
        _need(values[name] is None or _is_text(values[name]), f"{name} is no text")
    _need(isinstance(values["quantity"], str) and values["quantity"] in GIVEN, "its quantity is none")
    _need((values["theorem"] is None) != (values["protocol"] is None), "it is not of a theorem or a protocol")
    _need(isinstance(values["verdict"], str) and values["verdict"] in VERDICTS, "its verdict is none")
    _need(isinstance(values["params"], dict), "its parameters are none")
    for name, value in values["params"].items():
        _check_parameter(name, value)
    ends = {name: _number(values[name], name) for name in ("analytic", "lower", "upper")}
    seconds = _number(values["seconds"], "seconds")
    _need(seconds is not None and 0.0 <= seconds < inf, "its seconds are no time")
    budget, witness = values["budget"], values.get("witness")
    if budget is not None:
        _need(isinstance(budget, dict) and set(budget) == BUDGET, "its budget is none")
        _need(all((_number(value, "budget") or 0.0) >= 0.0 for value in budget.values()), "its budget is negative")
    _need(witness is None or isinstance(witness, dict), "its witness is none")
    made = Row.from_dict(values)
    for name in ("tightness_lower", "tightness_upper"):
        _need(values[name] == getattr(made, name), f"its {name} is that of other ends")
    _check_ends(made, ends["lower"], ends["upper"])
    return made


def fits(made: Row, theorem: Theorem) -> bool:
    """Return whether the verdict of a row is the one that follows from its claim and its ends."""
    if made.lower is None or made.upper is None:
        return made.verdict not in DECIDED
    if made.analytic is None:
        return made.theorem is None and made.verdict is Verdict.NOT_JUDGED
    truth = Interval(made.lower, made.upper, theorem.quantity)
    return made.verdict is judge_theorem(theorem, made.analytic, truth)


def _check_ends(made: Row, lower: float | None, upper: float | None) -> None:
    _need((lower is None) == (upper is None), "one end is missing")
    if lower is not None and upper is not None:
        _need(lower <= upper, "its lower end is above its upper end")
    known = REGISTRY.get(made.theorem) if made.theorem else None
    if known is not None:
        _need(tuple(made.params) == known.parameters or set(made.params) == {*known.parameters}, "not its parameters")
        _need(fits(made, known), "its verdict is not what its ends say")
    elif made.theorem is None:
        _need(made.analytic is None and made.verdict not in DECIDED, "a verdict without a theorem")
    elif made.lower is None:
        _need(made.verdict not in DECIDED, "a verdict without an interval")


def _check_parameter(name: str, value: Any) -> None:
    if name not in PARAMETERS:
        parts = value if isinstance(value, list) else [value]
        numbers = all(type(part) in (int, float) or part is None for part in parts)
        _need(numbers or all(_is_text(part) for part in parts), f"{_short(name)} is neither text nor number")
        return
    if value is None:  # left at its default
        return
    _need(type(value) in (int, float), f"{name} is no number")
    try:
        _need(PARAMETERS[name].parse(value) == value, f"{name} is out of range")
    except ParameterError:
        raise Spoiled(f"{name} is out of range") from None


def _number(value: Any, name: str) -> float | None:
    if isinstance(value, str) and value in INFINITE:
        return INFINITE[value]
    _need(value is None or (type(value) in (int, float) and abs(value) <= LARGEST), f"{name} is no number")
    return None if value is None else float(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST


def _short(name: str) -> str:
    return "a parameter" if len(name) > 40 or not name.isidentifier() else name


def _need(condition: object, complaint: str) -> None:
    if not condition:
        raise Spoiled(complaint)

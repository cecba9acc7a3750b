"""Findings from what runs, audits, comparisons and mutants have left: nothing is typed in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...report.decimal_ends import down, up
from ...theorems import REGISTRY
from ...verification import Row, Verdict
from ..dominance import Comparison, Order
from .finding import Finding, Kind
from .referee_remarks import APPROXIMATE, CASES, TWO_READINGS

# Digits of numbers in sentences; certified ends are rounded outward.
DIGITS = 5
FAILS = "fails"
PROVED = "proved"
# A step that forgets a parameter is told of where it is all but an equality at one end of its range, right over left,
# in the median.  Sides divided by a common factor may lack it for no such reason.
EVEN = 1.05
# And where it loses by this factor at the other end.
LOSING = 1.2
SIGNS = {"<=": "at most", ">=": "at least", "=": "exactly"}


def false_statements(suite: str, rows: Iterable[Row]) -> Iterator[Finding]:
    """Of each theorem that a run contradicts, the smallest counterexample and the worst one."""
    by: dict[str, list[Row]] = {}
    for row in rows:
        if row.verdict is Verdict.VIOLATED and row.theorem:
            by.setdefault(row.theorem, []).append(row)
    for name, wrong in by.items():
        theorem = REGISTRY[name]
        least = min(wrong, key=lambda row: [float(value) for value in row.params.values()])
        worst = max(wrong, key=_times)
        witness = f" It is attained by {least.witness['summary']}." if least.witness else ""
        case = "A case of {}, {}: the same mistake, not a second one. ".format(*CASES[name]) if name in CASES else ""
        limit = f"{APPROXIMATE[name]} " if name in APPROXIMATE else ""
        yield Finding(
            Kind.LIMIT if limit else Kind.FALSE,
            (name,),
            theorem.title.removesuffix(" (false)"),
            f"{limit}{case}{_claim(name, least)} {_truth(least)}{witness} {_worst(worst)} "
            f"{len(wrong)} of the cells tried are violated.",
            str(theorem.source),
            f"verify --suite {suite} --theorem {name} --out checked --quiet",
            1,
            {"smallest": _row(least), "worst": _row(worst), "cells": len(wrong)},
        )


def _times(row: Row) -> float:
    return row.lower / row.analytic if row.lower and row.analytic else 0.0


def _claim(name: str, row: Row) -> str:
    theorem = REGISTRY[name]
    assert row.analytic is not None
    said = down(row.analytic, DIGITS) if theorem.relation == ">=" else up(row.analytic, DIGITS)
    return f"At {_at(row.params)} it says that {theorem.quantity} is {SIGNS[theorem.relation]} {said}."


def _truth(row: Row) -> str:
    assert row.lower is not None
    return f"It is at least {down(row.lower, DIGITS)}."


def _worst(row: Row) -> str:
    return f"At {_at(row.params)} the truth is at least {down(_times(row), 3)} times what it says."


def _row(row: Row) -> dict[str, Any]:
    return {"params": dict(row.params), "claimed": row.analytic, "lower": row.lower, "upper": row.upper}


def failing_steps(audits: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """Yield steps that certainly fail somewhere in the range they are claimed for, each told once."""
    two = _two_readings(audits)
    for step, theorems in _steps(audits):
        found = step["counterexample"]
        if step["verdict"] != FAILS or not found or step["id"] in two:
            continue
        limits = [text for text in map(_limit, step["thresholds"]) if text]
        yield Finding(
            Kind.STEP,
            theorems,
            step["name"],
            " ".join([f"{_contrast(found)}{_premises(step)}", *limits, step["notes"]]).strip(),
            step["source"],
            f"audit {theorems[0]}",
            1,
            {"step": step["id"], "statement": step["statement"], "counterexample": found, "limits": step["thresholds"]},
        )


def failing_readings(audits: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """Yield other meanings of a text which fail where the one that the proof supports holds."""
    two = _two_readings(audits)
    for step, theorems in _steps(audits):
        if step["id"] in two and step["counterexample"]:
            other, why = two[step["id"]]
            yield Finding(
                Kind.READING,
                theorems,
                step["name"],
                f"{why} So read, the step fails: {_lower(_contrast(step['counterexample']))}{_premises(step)} "
                f"Read as {step_name(other)}, it is proved.",
                step["source"],
                f"audit {theorems[0]}",
                1,
                {"step": step["id"], "statement": step["statement"], "counterexample": step["counterexample"]},
            )
        if step["verdict"] == FAILS:
            continue
        for reading in step["readings"]:
            if reading["verdict"] != FAILS or not reading["counterexample"]:
                continue
            yield Finding(
                Kind.READING,
                theorems,
                f"{step['name']}: {reading['name']}",
                f"So read, the step fails: {_lower(_contrast(reading['counterexample']))} "
                "As its proof supports it, the step holds.",
                step["source"],
                f"audit {theorems[0]}",
                _status(audits, theorems[0]),
                {"step": step["id"], "statement": step["statement"], "counterexample": reading["counterexample"]},
            )


def spare_conditions(audits: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """Premises without which a step is proved."""
    for step, theorems in _steps(audits):
        needs = step["needs"]
        if step["verdict"] == FAILS or not needs or not needs["sufficient"]:
            continue
        kept = min(needs["sufficient"], key=len)
        spare = [text for text in step["premises"] if text not in kept]
        if not spare:
            continue
        rest = f"under {' and '.join(kept)} alone" if kept else "without any condition"
        yield Finding(
            Kind.CONDITION,
            theorems,
            step["name"],
            f"The step is proved on its whole box {rest}; it is stated with {' and '.join(step['premises'])}.",
            step["source"],
            f"audit {theorems[0]}",
            _status(audits, theorems[0]),
            {"step": step["id"], "statement": step["statement"], "needed": kept, "spare": spare},
        )


def forgotten(audits: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """Yield parameters of a theorem that the left side of a step has and the right side has not."""
    for step, theorems in _steps(audits):
        for one in step["ignored"] if step["verdict"] != FAILS else ():
            # A slot's weight is what a theorem on check-ins calls their probability.
            names = {"weight", "check_in_prob"} if one["parameter"] == "weight" else {one["parameter"]}
            about = tuple(name for name in theorems if name in REGISTRY and names & {*REGISTRY[name].parameters})
            if not about or None in one["middle"] or not min(one["middle"]) <= EVEN < LOSING <= max(one["middle"]):
                continue
            ends = [
                f"{times:.3g} times the left one at {one['parameter']} = {_exact(end)}"
                for end, times in zip(one["ends"], one["middle"], strict=True)
            ]
            yield Finding(
                Kind.FORGOTTEN,
                about,
                f"{step['name']}: {one['parameter']}",
                f"The right side no longer depends on {one['parameter']}. Over the points of the grid, its median is "
                f"{' and '.join(ends)}.",
                step["source"],
                f"audit {about[0]}",
                _status(audits, about[0]),
                {"step": step["id"], "statement": step["statement"], **one},
            )


def dominated(comparisons: Iterable[Comparison]) -> Iterator[Finding]:
    """Theorems of papers that another theorem of a paper implies at every point of the grid."""
    by: dict[str, list[Comparison]] = {}
    for one in comparisons:
        if one.everywhere and one.order is Order.IMPLIED:
            by.setdefault(one.theorem, []).append(one)
    for name, found in by.items():
        best = min(found, key=_directness)
        others = [one.other for one in found if one is not best]
        assert best.least is not None and best.largest is not None
        because = "; ".join(reduction.reason for reduction in best.reductions) or "both are about the same protocol"
        times = f"is {down(best.least, 4)} to {up(best.largest, 4)} times that of {best.other}"
        if best.least == best.largest == 1:
            times = f"is that of {best.other}, which claims it at a smaller delta"
        yield Finding(
            Kind.DOMINATED,
            (name, best.other),
            f"{name} is implied by {best.other}",
            f"At all {best.points} points of its grid inside its conditions its bound {times} "
            f"({because})." + (f" Others that imply it there: {', '.join(others)}." if others else ""),
            str(REGISTRY[name].source),
            f"dominance {name}",
            0,
            best.to_dict(),
        )


def _directness(one: Comparison) -> tuple[int, bool, float]:
    """Return the most direct one first, then one of the same paper, then the best."""
    same = REGISTRY[one.theorem].source.key == REGISTRY[one.other].source.key
    return len(one.reductions), not same, -(one.largest or 0)


def guards(facts: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield what the mutants told."""
    if not facts:
        return
    mutants = facts["mutants"]
    noticed = [one for one in mutants if one["noticed"]]
    alone: dict[str, int] = {}
    for one in noticed:
        if len(one["noticed"]) == 1:
            name = one["noticed"][0]
            alone[name] = alone.get(name, 0) + 1
    survived = sum(one["fate"] == "survived" for one in mutants)
    said = ", ".join(f"{count} by {name} alone" for name, count in sorted(alone.items()))
    sound = sum("soundness" in one["noticed"] for one in noticed)
    independent = sum(bool({*one["noticed"]} & {"soundness", "audit"}) for one in noticed)
    unreached = sum(one["fate"] == "unreached" for one in mutants)
    unseen = f" {unreached} are reached by no point: nothing is known of them." if unreached else ""
    yield Finding(
        Kind.GUARDS,
        tuple(facts["counts"]),
        "Formulas made wrong on purpose",
        f"Of {len(mutants)} formulas made wrong in one place, {len(noticed)} are noticed and {survived} are not; the "
        f"others say the same or nothing.{unseen} {independent} are noticed by a guard that does not come from the "
        f"formula, the certified truth or an audited proof; the other {len(noticed) - independent} by its own stored "
        f"values alone, which notice a change and not a mistake. The certified truth notices {sound}, since a larger "
        f"upper bound is still true. Noticed by one guard only: {said}.",
        "the registry",
        "mutate",
        0,
        {"total": facts["total"], "alone": alone},
    )


def step_name(step: Mapping[str, Any]) -> str:
    """Return a step in a sentence."""
    return f'"{step["name"]}"'


def _two_readings(audits: Sequence[Mapping[str, Any]]) -> dict[str, tuple[Mapping[str, Any], str]]:
    """Return the steps that fail and are one of two readings, with the other one, where that is proved."""
    steps = {step["id"]: step for step, _ in _steps(audits)}
    return {
        name: (steps[other], why)
        for name, (other, why) in TWO_READINGS.items()
        if steps.get(name, {}).get("verdict") == FAILS and steps.get(other, {}).get("verdict") == PROVED
    }


def _steps(audits: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], tuple[str, ...]]]:
    """Yield each step once, with the theorems whose proofs have it."""
    users: dict[str, list[str]] = {}
    steps: dict[str, Mapping[str, Any]] = {}
    for report in audits:
        for step in report["steps"]:
            users.setdefault(step["id"], []).append(report["theorem"])
            steps[step["id"]] = step
    for name, step in steps.items():
        yield step, tuple(users[name])


def _status(audits: Sequence[Mapping[str, Any]], theorem: str) -> int:
    """With which the audit of the theorem ends: 1 if any of its steps fails."""
    steps = next(report["steps"] for report in audits if report["theorem"] == theorem)
    return int(any(step["verdict"] == FAILS for step in steps))


def _contrast(found: Mapping[str, Any]) -> str:
    left, right = found["left"], found["right"]
    return (
        f"At {_at(found['point'])} the left side is at least {_end(left['lower'], down)} and the right side at most "
        f"{_end(right['upper'], up)}."
    )


def _end(value: float | None, rounded: Any) -> str:
    return "infinite" if value is None else rounded(value, DIGITS)


def _premises(step: Mapping[str, Any]) -> str:
    return f" It is claimed for {' and '.join(step['premises'])}." if step["premises"] else ""


def _limit(threshold: Mapping[str, Any]) -> str:
    """Return how far the step is proved in one parameter, and where it fails."""
    proved, fails = threshold["proved"], threshold["fails"]
    if proved is None or fails is None:
        return ""
    name, high = threshold["parameter"], threshold["end"] == "high"
    holds = (down if high else up)(proved, DIGITS)  # inside what is proved
    dropped = f", without {' and '.join(threshold['dropped'])}" if threshold["dropped"] else ""
    span = f"up to {holds}" if high else f"from {holds} on"
    return f"It is proved for {name} {span} and fails at {_exact(fails)}{dropped}."


def _at(params: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {_exact(value)}" for name, value in params.items())


def _exact(value: Any) -> str:
    """Return all digits: what is certified is certified there and nowhere else."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 1e7 else str(value)


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]

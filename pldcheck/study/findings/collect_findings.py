"""Findings, computed from the results of runs, audits, comparisons and mutants; no number is typed in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...report.decimal_ends import down, up
from ...theorems import REGISTRY
from ...theorems.recalled import MISREAD, RECALLED
from ...verification import Row, Verdict
from ..dominance import Comparison, Order
from .finding import Finding, Kind

# Theorems that are special cases of another: the other theorem, and the parameters.  They share one mistake.
CASES: Mapping[str, tuple[str, str]] = {
    "krr-merged": ("vr-wang", "at the total variation distance of K-ary response, with the same gap in its proof"),
}
# Steps that are one of two readings of a text: the step that is the other reading, and the reason for the two.
TWO_READINGS: Mapping[str, tuple[str, str]] = {
    "A.4/absorbed-4": ("A.4/absorbed-100", "One sentence of the proof says delta <= 1/4, the next one delta <= 1/100."),
    "A.4/simple-4": ("A.4/simple-100", "The statement says delta <= 1/100, one sentence of its proof delta <= 1/4."),
    "3.3/half-relaxed": (
        "3.3/half",
        "The text says that epsilon_1 is at most 1/2, and then uses this for the larger bound of (6).",
    ),
}
# Digits of certified ends in sentences, where they are rounded outward.
DIGITS = 5
# The verdict of an audit on a step that certainly fails.
FAILS = "fails"
# The verdict of an audit on a step that is proved on its whole box.
PROVED = "proved"
# A step that discards a parameter is reported if the median of right / left is at most this at one end of the range:
# there the step is tight.  Sides that were divided by a common factor may lack a parameter without any loss.
EVEN = 1.05
# The step is reported if, besides, the median is at least this at the other end: there the step loses.
LOSING = 1.2
# The relations of theorems in words.
SIGNS = {"<=": "at most", ">=": "at least", "=": "exactly"}


def false_statements(suite: str, rows: Iterable[Row]) -> Iterator[Finding]:
    """Yield a finding for each theorem that a run contradicts, with the smallest counterexample and the worst one."""
    by: dict[str, list[Row]] = {}
    for row in rows:
        if row.verdict is Verdict.VIOLATED and row.theorem:
            by.setdefault(row.theorem, []).append(row)
    for name, wrong in by.items():
        theorem = REGISTRY[name]
        least = min(wrong, key=lambda row: [float(value) for value in row.params.values()])
        worst = max(wrong, key=_times)
        witness = f" This value is attained by {least.witness['summary']}." if least.witness else ""
        case = "This is {} {}: both have one mistake in common. ".format(*CASES[name]) if name in CASES else ""
        limit = f"{theorem.approximation} " if theorem.approximation else ""
        kind = Kind.RECALLED if _is_recalled(name) else Kind.LIMIT if limit else Kind.FALSE
        yield Finding(
            kind,
            (name,),
            theorem.title.removesuffix(" (false)"),
            f"{limit}{case}{_claim(name, least)} {_truth(least)}{witness} {_worst(worst)} "
            f"The claim is violated at {len(wrong)} of the cells of the suite.",
            str(theorem.source),
            f"verify --suite {suite} --theorem {name} --out checked --quiet",
            1,
            {"smallest": _row(least), "worst": _row(worst), "cells": len(wrong)},
        )


def _times(row: Row) -> float:
    return row.lower / row.analytic if row.lower and row.analytic else 0.0


def _is_recalled(name: str) -> bool:
    """Return whether a statement was not read in print, so that nothing is said of its paper."""
    return REGISTRY[name].standing in (RECALLED, MISREAD)


def _claim(name: str, row: Row) -> str:
    theorem = REGISTRY[name]
    assert row.analytic is not None
    claim = down(row.analytic, DIGITS) if theorem.relation == ">=" else up(row.analytic, DIGITS)
    relation = SIGNS[theorem.relation]
    subject = "formula, as recalled," if _is_recalled(name) else "theorem"
    return f"At {_at(row.params)} the {subject} claims that {theorem.quantity} is {relation} {claim}."


def _truth(row: Row) -> str:
    assert row.lower is not None
    return f"The true value is at least {down(row.lower, DIGITS)}."


def _worst(row: Row) -> str:
    return f"At {_at(row.params)} the true value is at least {down(_times(row), 3)} times the claimed one."


def _row(row: Row) -> dict[str, Any]:
    return {"params": dict(row.params), "claimed": row.analytic, "lower": row.lower, "upper": row.upper}


def failing_steps(audits: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """Yield a finding for each step that certainly fails somewhere in the range for which it is claimed."""
    two = _two_readings(audits)
    for step, theorems in _steps(audits):
        counterexample = step["counterexample"]
        if step["verdict"] != FAILS or not counterexample or step["id"] in two:
            continue
        limits = [text for text in map(_limit, step["thresholds"]) if text]
        yield Finding(
            Kind.STEP,
            theorems,
            step["name"],
            " ".join([f"{_contrast(counterexample)}{_premises(step)}", *limits, step["notes"]]).strip(),
            step["source"],
            f"audit {theorems[0]}",
            1,
            {
                "step": step["id"],
                "statement": step["statement"],
                "counterexample": counterexample,
                "limits": step["thresholds"],
            },
        )


def failing_readings(audits: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """Yield a finding for each meaning of a text that fails, where the meaning that the proof supports holds."""
    two = _two_readings(audits)
    for step, theorems in _steps(audits):
        if step["id"] in two and step["counterexample"]:
            other, why = two[step["id"]]
            yield Finding(
                Kind.READING,
                theorems,
                step["name"],
                f"{why} In this reading the step fails: {_lower(_contrast(step['counterexample']))}{_premises(step)} "
                f"In the other reading, {step_name(other)}, it is proved.",
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
                f"In this reading the step fails: {_lower(_contrast(reading['counterexample']))} "
                "In the reading that the proof supports, the step holds.",
                step["source"],
                f"audit {theorems[0]}",
                _status(audits, theorems[0]),
                {"step": step["id"], "statement": step["statement"], "counterexample": reading["counterexample"]},
            )


def spare_conditions(audits: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """Yield a finding for each step that is proved without some of its premises."""
    for step, theorems in _steps(audits):
        needs = step["needs"]
        if step["verdict"] == FAILS or not needs or not needs["sufficient"]:
            continue
        premises = min(needs["sufficient"], key=len)
        spare = [text for text in step["premises"] if text not in premises]
        if not spare:
            continue
        rest = f"under {' and '.join(premises)} alone" if premises else "without any condition"
        yield Finding(
            Kind.CONDITION,
            theorems,
            step["name"],
            f"The step is proved on its whole box {rest}; the text states it with {' and '.join(step['premises'])}.",
            step["source"],
            f"audit {theorems[0]}",
            _status(audits, theorems[0]),
            {"step": step["id"], "statement": step["statement"], "needed": premises, "spare": spare},
        )


def discarded_parameters(audits: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """Yield a finding for each parameter of a theorem that a step discards: its right side does not depend on it."""
    for step, theorems in _steps(audits):
        for one in step["ignored"] if step["verdict"] != FAILS else ():
            # The weight of a slot is the check-in probability of theorems on check-ins.
            names = {"weight", "check_in_prob"} if one["parameter"] == "weight" else {one["parameter"]}
            about = tuple(name for name in theorems if name in REGISTRY and names & {*REGISTRY[name].parameters})
            if not about or None in one["middle"] or not min(one["middle"]) <= EVEN < LOSING <= max(one["middle"]):
                continue
            ends = [
                f"{times:.3g} times the left side at {one['parameter']} = {_exact(end)}"
                for end, times in zip(one["ends"], one["middle"], strict=True)
            ]
            yield Finding(
                Kind.PARAMETER,
                about,
                f"{step['name']}: {one['parameter']}",
                f"The right side does not depend on {one['parameter']}. In the median over the grid it is "
                f"{' and '.join(ends)}.",
                step["source"],
                f"audit {about[0]}",
                _status(audits, about[0]),
                {"step": step["id"], "statement": step["statement"], **one},
            )


def implied_theorems(comparisons: Iterable[Comparison]) -> Iterator[Finding]:
    """Yield a finding for each theorem that another theorem implies at every point of the grid."""
    by: dict[str, list[Comparison]] = {}
    for one in comparisons:
        if one.everywhere and one.order is Order.IMPLIED:
            by.setdefault(one.theorem, []).append(one)
    for name, implying in by.items():
        best = min(implying, key=_directness)
        others = [one.other for one in implying if one is not best]
        assert best.least is not None and best.largest is not None
        because = "; ".join(reduction.reason for reduction in best.reductions) or "both concern the same protocol"
        times = f"is {down(best.least, 4)} to {up(best.largest, 4)} times that of {best.other}"
        if best.least == best.largest == 1:
            times = f"equals that of {best.other}, which holds at a smaller delta"
        yield Finding(
            Kind.DOMINATED,
            (name, best.other),
            f"{name} is implied by {best.other}",
            f"At all {best.points} points of its grid that satisfy its conditions, its bound {times} "
            f"({because})." + (f" These imply it there as well: {', '.join(others)}." if others else ""),
            str(REGISTRY[name].source),
            f"dominance {name}",
            0,
            best.to_dict(),
        )


def _directness(one: Comparison) -> tuple[int, bool, float]:
    """Return a key that puts the most direct comparison first, then one in the same paper, then the best bound."""
    same = REGISTRY[one.theorem].source.key == REGISTRY[one.other].source.key
    return len(one.reductions), not same, -(one.largest or 0)


def guards(facts: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield the finding on mutants of the registered formulas: how many of them each guard notices."""
    if not facts:
        return
    mutants = facts["mutants"]
    kills = [one for one in mutants if one["noticed"]]
    alone: dict[str, int] = {}
    for one in kills:
        if len(one["noticed"]) == 1:
            name = one["noticed"][0]
            alone[name] = alone.get(name, 0) + 1
    survivors = sum(one["fate"] == "survived" for one in mutants)
    counts = ", ".join(f"{count} by {name}" for name, count in sorted(alone.items()))
    sound = sum("soundness" in one["noticed"] for one in kills)
    independent = sum(bool({*one["noticed"]} & {"soundness", "audit"}) for one in kills)
    out_of_reach = sum(one["fate"] == "unreached" for one in mutants)
    unknown = f" No point reaches {out_of_reach} of them, and nothing is known of these." if out_of_reach else ""
    yield Finding(
        Kind.GUARDS,
        tuple(facts["counts"]),
        "Formulas with a deliberate mistake",
        f"Of {len(mutants)} formulas with a mistake in one place, {len(kills)} are noticed and {survivors} are not; "
        f"the others have the same values or none.{unknown} A guard that is independent of the formula (the certified "
        f"truth or an audited proof) notices {independent}; only stored values of the formula notice the other "
        f"{len(kills) - independent}, and these detect a change rather than a mistake. The certified truth notices "
        f"{sound}; it cannot notice an upper bound that became larger. Some are noticed by one guard only: {counts}.",
        "the registry",
        "mutate",
        0,
        {"total": facts["total"], "alone": alone},
    )


def step_name(step: Mapping[str, Any]) -> str:
    """Return the name of a step in quotation marks."""
    return f'"{step["name"]}"'


def _two_readings(audits: Sequence[Mapping[str, Any]]) -> dict[str, tuple[Mapping[str, Any], str]]:
    """Return the failing steps whose other reading is proved, with that reading and the reason for the two."""
    steps = {step["id"]: step for step, _ in _steps(audits)}
    return {
        name: (steps[other], why)
        for name, (other, why) in TWO_READINGS.items()
        if steps.get(name, {}).get("verdict") == FAILS and steps.get(other, {}).get("verdict") == PROVED
    }


def _steps(audits: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], tuple[str, ...]]]:
    """Yield each step once, with the theorems whose proofs contain it."""
    users: dict[str, list[str]] = {}
    steps: dict[str, Mapping[str, Any]] = {}
    for report in audits:
        for step in report["steps"]:
            users.setdefault(step["id"], []).append(report["theorem"])
            steps[step["id"]] = step
    for name, step in steps.items():
        yield step, tuple(users[name])


def _status(audits: Sequence[Mapping[str, Any]], theorem: str) -> int:
    """Return the exit status of the audit of a theorem: 1 if any of its steps fails."""
    steps = next(report["steps"] for report in audits if report["theorem"] == theorem)
    return int(any(step["verdict"] == FAILS for step in steps))


def _contrast(counterexample: Mapping[str, Any]) -> str:
    left, right = counterexample["left"], counterexample["right"]
    return (
        f"At {_at(counterexample['point'])} the left side is at least {_end(left['lower'], down)} and the right side "
        f"is at most {_end(right['upper'], up)}."
    )


def _end(value: float | None, round_out: Any) -> str:
    return "infinite" if value is None else round_out(value, DIGITS)


def _premises(step: Mapping[str, Any]) -> str:
    return f" The step is claimed for {' and '.join(step['premises'])}." if step["premises"] else ""


def _limit(threshold: Mapping[str, Any]) -> str:
    """Return a sentence on how far a step is proved in a parameter and where it fails; empty if either is unknown."""
    last, fails = threshold["proved"], threshold["fails"]
    if last is None or fails is None:
        return ""
    name, high = threshold["parameter"], threshold["end"] == "high"
    holds = (down if high else up)(last, DIGITS)  # rounded into the range that is proved
    without = f" (without the premise {' and '.join(threshold['dropped'])})" if threshold["dropped"] else ""
    span = f"up to {holds}" if high else f"from {holds} on"
    return f"It is proved for {name} {span} and fails at {_exact(fails)}{without}."


def _at(params: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {_exact(value)}" for name, value in params.items())


def _exact(value: Any) -> str:
    """Return a number with all digits: the certified statement holds at this value only."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 1e7 else str(value)


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]

"""What other accountants' tests expect, stored line by line, and whether pldcheck's certified intervals agree.

Each line of ``peer_expectations.jsonl`` is one number, or one discrete law of losses, that a test of dp_accounting,
prv_accountant or Opacus states: ``peer`` and ``test`` say where, ``of`` is the mechanism (see ``pairs_of_peers``),
``asks`` the quantity, ``at`` its argument, ``says`` what is expected, and ``within`` the tolerance there.  ``kind``:

* ``exact``: the truth is within the tolerance of what is said;
* ``upper``, ``lower``: what is said is a bound of the truth, and ``why`` says what sort of bound;
* ``estimate``: it is neither, and ``why`` says what it is: here, certainly too little for a guarantee;
* ``false``: what is said is not so, and ``why`` says how that comes;
* ``refusal``: it is an error, for parameters out of their range;
* ``refused there``: it is refused there, and answered here;
* ``not asked``: pldcheck refuses it, for the reason ``why``.

The numbers are those of google/differential-privacy (b5b0286e, August 2026), microsoft/prv_accountant (a844f720,
October 2023) and pytorch/opacus (4d0ebc84, September 2025).  Left out are expectations about what is no answer of an
accountant: losses at single outputs, bins, cuts and convolutions by themselves, searches on invented functions, and
comparisons of an accountant with itself that state no number; of one sweep of 500 epsilons every tenth is asked.

A law of losses on a grid is that of a rounding, up (``upper``), down (``lower``), or so that delta is kept at each
loss of the grid (``exact``); so it states delta at each of its losses.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import exp, expm1, inf
from pathlib import Path
from typing import Any

from dp_accounting import UnsupportedEventError
from pairs_of_peers import accountant_of, loss_of, number, protocol_of

from pldcheck.core.errors import PldcheckError
from pldcheck.core.interval import Interval
from pldcheck.pld.certain_levels import delta_of_infinity, epsilon_of_zero

FILE = Path(__file__).with_suffix(".jsonl")
# What is left out of a line where it is so.
USUAL = {"kind": "exact"}
USUAL_OF = {"sensitivity": 1.0, "rate": 1.0, "way": "both"}
# Each mass of a law is compared with this relative and absolute tolerance, as numpy.isclose has them.
OF_MASS = 1e-5
OF_SMALL_MASS = 1e-8
# What is computed here of an end is rounded: a few units of 2^-53 of numbers up to 1.
ROUNDED = 1e-15
# The order that stands for 1, of which the divergence is the limit; the next larger one that is answered well.
FIRST_ORDER = 1.000001
# The epsilons at which deltas are computed for a trade-off function, and for Gaussian parameters.
POINTS = 201
POINTS_OF_MU = 65
INSIDE, EXPLAINED, NOT_ASKED, CONTRADICTED = "inside", "explained", "not asked", "contradicted"


@dataclass(frozen=True)
class Expectation:
    """One line."""

    peer: str
    test: str
    of: dict[str, Any]
    asks: str
    at: Any = None
    says: Any = None
    within: float | None = None
    kind: str = "exact"
    why: str = ""


def expectations() -> list[Expectation]:
    """Return all lines of the file."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return [Expectation(**{**row, "of": _with_usual(row["of"])}) for row in map(json.loads, lines)]


def _with_usual(of: dict[str, Any]) -> dict[str, Any]:
    if "noise" not in of:
        return of
    whole = USUAL_OF | of
    return whole | {"parts": [[_with_usual(part), times] for part, times in of["parts"]]} if "parts" in of else whole


# The outcome for each kind; only what is false there is contradicted.
OUTCOMES = {
    "exact": INSIDE,
    "refusal": INSIDE,
    "upper": EXPLAINED,
    "lower": EXPLAINED,
    "estimate": EXPLAINED,
    "refused there": EXPLAINED,
    "false": CONTRADICTED,
    "not asked": NOT_ASKED,
}
# Expectations called exact whose certified intervals are wide: far tails of trade-off functions, between whose deltas
# lines are drawn, selections whose loss is bounded alone, and an edge at which delta jumps.
WIDE = (
    "test_gaussian_tpr_at_extreme_fpr",
    "test_randomized_response_tpr_at_extreme_fprs",
    "test_exponential_mechanism_basic",
    "test_epsilon_delta_basic",
    "test_compute_rdp_poisson_sampled_gaussian",
)
# Other intervals are no wider than this, relatively, or twice the tolerance.
NARROW = 1e-3
# Absolutely, an interval about 0 is no wider.
LEAST_WIDTH = 1e-12


def judge(one: Expectation) -> tuple[str, str]:
    """Return the outcome for one expectation, and in words what was answered."""
    if one.asks == "supports":
        return _judge_support(one)
    if one.kind in ("refusal", "refused there", "not asked"):
        return _judge_refusal(one)
    questions = list(_questions(one))
    bad = [text for holds, text in questions if not holds]
    if bad:
        return CONTRADICTED, "; ".join(bad)
    outcome = INSIDE if one.kind == "exact" else EXPLAINED
    return outcome, "; ".join(text for _, text in questions)


def _judge_support(one: Expectation) -> tuple[str, str]:
    try:
        accountant_of(one.of)
        answers = True
    except (PldcheckError, UnsupportedEventError) as error:
        answers, reason = False, str(error)
    if answers == one.says:
        return INSIDE, f"answered: {answers}"
    return (EXPLAINED, "answered here") if answers else (NOT_ASKED, reason)


def _judge_refusal(one: Expectation) -> tuple[str, str]:
    try:
        answer = loss_of(one.of) if one.asks == "refusal" and "noise" in one.of else ask(one)
    except (PldcheckError, UnsupportedEventError) as error:
        return (NOT_ASKED if one.kind == "not asked" else INSIDE), str(error)
    return (EXPLAINED if one.kind == "refused there" else CONTRADICTED), str(answer)


def _questions(one: Expectation) -> Iterator[tuple[bool, str]]:
    """Yield for each number whether it agrees with the certified interval, and a text that has both."""
    if one.asks == "curve of losses":
        yield from _of_law(one)
    elif one.asks in ("noise", "budget"):
        yield from _of_parameter(one)
    else:
        yield _agrees(one.kind, ask(one), number(one.says), one.within or 0.0)


def _agrees(kind: str, interval: Interval, says: float, within: float) -> tuple[bool, str]:
    below = kind != "lower" or interval.upper >= says - within
    above = kind != "upper" or interval.lower <= says + within
    if kind == "estimate":
        return interval.lower > says + within, f"{says!r} is no bound beside {tuple(interval)}"
    near = kind not in ("exact", "false") or interval.lower <= says + within and interval.upper >= says - within
    return below and above and near, f"{says!r} +- {within:.1g} as {kind} beside {tuple(interval)}"


def is_narrow(interval: Interval, says: float, within: float) -> bool:
    """Return whether a certified interval tells more than that the truth is somewhere near."""
    if says == inf:
        return interval.lower == inf
    return interval.upper - interval.lower <= 2.0 * within + NARROW * abs(says) + LEAST_WIDTH


def ask(one: Expectation) -> Interval:
    """Return the certified interval of what one line asks."""
    at = number(one.at)
    if one.asks == "delta" and "noise" in one.of:
        return delta_at(one.of, at)
    if "noise" in one.of:
        return ASKED[one.asks](_meant(one.of), at)
    accountant = accountant_of(one.of)
    if one.asks in ("epsilon", "delta"):
        return getattr(accountant, one.asks)(at)
    if one.asks == "refusal":
        return accountant.epsilon(0.5)
    shown = accountant.delta(inf)
    if shown.upper == 1.0:  # what is released as it is has no loss that is composed
        return Interval(shown.lower, 1.0, "tpr") if one.asks == "tpr" else Interval(inf, inf, one.asks)
    return ASKED[one.asks](accountant.loss, at)


def _meant(of: dict[str, Any]) -> Any:
    whole = loss_of(of)
    return whole if of["way"] == "both" else whole.one_way


def delta_at(of: dict[str, Any], epsilon: float) -> Interval:
    """Return delta at any epsilon: below 0 it is that of the exchanged pair, as both curves are one."""
    whole = loss_of(of)
    meant = whole if of["way"] == "both" else whole.one_way
    if epsilon == inf:
        return delta_of_infinity(meant)
    if epsilon >= 0.0:
        return meant.delta(epsilon)
    exchanged = whole if of["way"] == "both" else whole.reversed.one_way
    share, above = exp(epsilon), exchanged.delta(-epsilon)
    low, high = (share * end - expm1(epsilon) for end in above)
    return Interval(max(low - ROUNDED, 0.0), high + ROUNDED, "delta")


def _epsilon(loss: Any, delta: float) -> Interval:
    return epsilon_of_zero(loss) if delta == 0.0 else loss.epsilon(delta)


def _renyi(loss: Any, order: float) -> Interval:
    if loss is None:
        return Interval(0.0, 0.0, "renyi")
    return epsilon_of_zero(loss) if order == inf else loss.renyi(max(order, FIRST_ORDER))


def _gdp(loss: Any, _: None) -> Interval:
    return protocol_of(loss).gdp(points=POINTS_OF_MU).dominating


ASKED: dict[str, Callable[[Any, Any], Interval]] = {
    "epsilon": _epsilon,
    "renyi": _renyi,
    "tpr": lambda loss, rate: protocol_of(loss).tradeoff(points=POINTS).tpr(rate),
    "gdp": _gdp,
}


def _of_law(one: Expectation) -> Iterator[tuple[bool, str]]:
    """Yield the answer at each loss of a law on a grid."""
    masses = [(step * one.at, mass) for step, mass in one.says if step != "inf"]
    infinity = one.says[-1][1]
    if infinity == "rest":
        infinity = 1.0 - sum(mass for _, mass in masses)
    within = OF_SMALL_MASS * (len(masses) + 5) + OF_MASS
    for epsilon, _ in masses:
        says = infinity + sum(-mass * expm1(epsilon - loss) for loss, mass in masses if loss > epsilon)
        holds, text = _agrees(one.kind, delta_at(one.of, epsilon), says, within)
        yield holds, f"at {epsilon:g}: {text}"


def _of_parameter(one: Expectation) -> Iterator[tuple[bool, str]]:
    """Yield whether the parameter suffices for the guarantee, and whether a worse one does not."""
    (name,) = (key for key, value in one.of.items() if value == "?")
    epsilon, delta = one.at
    # More noise is a larger scale, but a smaller parameter of discrete Laplace noise, and a smaller budget.
    sign = 1.0 if name in ("scale", "sigma") else -1.0
    for side, needed in ((1.0, one.kind != "estimate"), (-1.0, one.kind == "exact"), (0.0, one.kind == "estimate")):
        if not needed:
            continue
        value = one.says + side * sign * one.within
        of = one.of | {name: value}
        answer = _epsilon(_meant(of), 0.0) if delta == 0.0 else delta_at(of, epsilon)
        limit = epsilon if delta == 0.0 else delta
        # What is no more than an estimate does not suffice.
        holds = answer.lower <= limit if side > 0.0 else answer.upper >= limit if side else answer.lower > limit
        yield holds, f"{name} = {value!r} has {tuple(answer)} beside {limit!r}"

r"""One hidden slot behind (eps0, delta0)-DP randomizers: upper and lower ends of the cost of delta0.

With x = e^eps0, :math:`\kappa = e^\epsilon`, and :math:`\delta_*(\epsilon; \epsilon_0, w)` the worst of eps0-DP
randomizers, three upper ends, of which the least is taken:

**Nearby.**  :mod:`pldcheck.hidden_slot.approximate.near_pure`: hardly more than the sum of the pure delta and w delta0.
(A randomizer on many inputs need not be that close to a pure one on all of them: hence the factor 8 of Balle et al.
2020, Lemma A.3.  Here slot by slot only three inputs matter.)

**The square.**  :mod:`pldcheck.hidden_slot.approximate.square_steps`: d and d' are each compared with g alone, at the
cost w delta0.

**One slot.**  :math:`\delta(\epsilon) \le w (\delta_0 + (1-\delta_0) (x - \kappa_1)_+/(1+x))`,
:math:`\kappa_1 = 1 + (\kappa-1)/w`.  *Proof.*  P - kappa P' is the mean over the slots of the same for a known slot,
and there it is :math:`w [\beta (\nu - \kappa_1 \nu') + (1-\beta) (\nu - \kappa_1 \mu)]` with
:math:`\beta = \kappa/\kappa_1` (advanced joint convexity: Balle, Barthe, Gaboardi 2018, Theorem 2); the pair that
dominates all (eps0, delta0)-DP pairs (Kairouz, Oh, Viswanath 2017) bounds both.  From epsilon = log(1 + w(x - 1)) on
this is w delta0.

From below, an eps0-DP randomizer that with probability delta0 says instead whether the record is d or d' (on g it never
does) is (eps0, delta0)-DP, and

.. math:: \delta(\epsilon) \ge w \delta_0 + (1 - w \delta_0)\, \delta_*(\epsilon; \epsilon_0, \tilde w), \quad
          \tilde w = w \frac{1-\delta_0}{1-w\delta_0}.

So epsilon(delta) is infinite for delta < w delta0, and for no other.

Zero-out adjacency: A of :mod:`pldcheck.hidden_slot.approximate.square_steps` in every slot is the worst, in both
directions, and attained.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from math import exp, expm1, inf
from typing import Any

import numpy as np

from ...core.directed import UNIT
from ...core.interval import UNDERFLOW, ErrorBudget, Interval, checked_lower
from ...core.roots import halve
from ...pld.gain_stoploss import excess
from ..worst import worst_intervals, worst_lower
from ..worst.epsilon_bracket import crossing, first_below, last_above
from ..worst.slot_problem import Slot, one_slot
from . import near_pure, zero_out_exact
from .square_steps import ROUNDING, gains, pair, square

# Relative error of a few operations on parameters.
FEW_OPERATIONS = 16 * UNIT
# Absolute error of products of subnormal results.
SUBNORMAL = 4.0 * 2.0**-1074
# Least delta for which a pure randomizer is inverted.
LEAST_DELTA = 1e-300
# Relative precision of a root; the ends around it are certified separately.
ROOT_PRECISION = 1e-6
# Relative precision of a root of a curve known up to round-off; the ends around it are certified separately.
EXACT_PRECISION = 1e-11
# Relative width of delta at which no other upper end is tried.
ENOUGH_WIDTH = 0.02
# The source of lower ends.
REVELATION = "eps0-DP randomizers that reveal the record with probability delta0"
# The source of upper ends by pure randomizers nearby.
NEARBY_PURE = "replacement by nearby eps0-DP randomizers"
# The source of upper ends that compare both records with the reference alone.
SQUARE = "a law that dominates the likelihood ratios of both records at once"
# The source of upper ends by one slot.
ONE_SLOT = "reveal which slot holds the record"
# The sources of both ends for zero-out adjacency.
EXACT_SOURCES = ("the dominating pair", "the dominating pair")

# The two ends of delta at an epsilon.
Ends = tuple[float, float]


def least(slot: Slot, delta0: float) -> Fraction:
    """Return the least delta at any epsilon: w delta0."""
    return Fraction(slot.weight) * Fraction(delta0)


def pure_slot(slot: Slot, delta0: float) -> Slot:
    """Return the slot of the pure randomizer that is used unless the record is revealed; its weight is rounded down."""
    weight = slot.weight * (1.0 - delta0) / (1.0 - slot.weight * delta0)
    return Slot(slot.steps, slot.eps0, weight * (1.0 - FEW_OPERATIONS))


def square_upper(slot: Slot, delta0: float, epsilon: float) -> float:
    """Return the upper end that compares d and d' with g separately; 1 where it is not computed."""
    atoms = square(slot.eps0, delta0)
    if atoms is None:
        return 1.0
    first, second, masses = atoms
    value = _stoploss(slot, gains(slot, epsilon, first, second), masses)[1]
    return value + slot.weight * delta0 * (1.0 + FEW_OPERATIONS)


def one_slot_upper(slot: Slot, delta0: float, epsilon: float) -> float:
    """Return the upper end of delta for a record whose slot is known."""
    revelation = slot.weight * delta0 * (1.0 + FEW_OPERATIONS) + UNDERFLOW
    return min(revelation + one_slot(slot, epsilon)[1] * (1.0 - delta0) * (1.0 + FEW_OPERATIONS), 1.0)


def delta_upper(slot: Slot, delta0: float, epsilon: float, enough: float, width: float) -> tuple[float, str]:
    """Return the least upper end of delta(epsilon) and the name of its bound; replacement adjacency.

    Expensive bounds are not tried once one is at most ``enough``.
    """
    bounds = [(one_slot_upper(slot, delta0, epsilon), ONE_SLOT)]
    if epsilon < slot.cap and bounds[0][0] > enough:

        def pure(near: Slot, pure_epsilon: float) -> float:
            return worst_intervals.delta(near, "replace", pure_epsilon, width).upper

        bounds.append((near_pure.delta_upper(slot, delta0, epsilon, pure), NEARBY_PURE))
        if min(bounds)[0] > enough:
            bounds.append((square_upper(slot, delta0, epsilon), SQUARE))
    return min(bounds)


def delta(slot: Slot, adjacency: str, delta0: float, epsilon: float, width: float) -> Interval:
    """Return the interval of delta(epsilon)."""
    if adjacency == "zero-out":
        low, high = _zero_out(slot, delta0, epsilon)
        return Interval(low, high, "delta", ErrorBudget(0.0, 0.0, high - low), None, EXACT_SOURCES)
    pure = worst_intervals.delta(pure_slot(slot, delta0), adjacency, epsilon, width)
    low = _lower(slot, delta0, pure.lower)
    high, source = delta_upper(slot, delta0, epsilon, low * (1.0 + max(2.0 * width, ENOUGH_WIDTH)), width)
    proof = _witness(slot, delta0, epsilon, low, pure.witness)
    return Interval(low, high, "delta", ErrorBudget(high - low, 0.0, 0.0), proof, (REVELATION, source))


def epsilon(slot: Slot, adjacency: str, delta0: float, delta: float, width: float) -> Interval:
    """Return the interval of epsilon(delta); infinite for delta < w delta0."""
    if Fraction(delta) < least(slot, delta0):
        return Interval(inf, inf, "epsilon", ErrorBudget(0.0, 0.0, 0.0), None, (REVELATION, ONE_SLOT))
    if adjacency == "zero-out":
        return _zero_out_epsilon(slot, delta0, delta)
    pure = worst_intervals.epsilon(pure_slot(slot, delta0), adjacency, _pure_target(slot, delta0, delta), width)
    low = pure.lower
    bounds = [(slot.cap, ONE_SLOT), (near_pure.epsilon_upper(slot, delta0, delta, width), NEARBY_PURE)]
    for curve, source in ((one_slot_upper, ONE_SLOT), (square_upper, SQUARE)):
        best = min(bounds)[0]
        if best <= low * (1.0 + 2.0 * width):
            break
        if curve(slot, delta0, best * (1.0 - ROOT_PRECISION)) <= delta:
            bounds.append(
                (
                    _first_below(
                        slot, cache(lambda trial, upper_curve=curve: upper_curve(slot, delta0, trial)), delta, best
                    ),
                    source,
                )
            )
    high, source = min(bounds)
    pure_delta = max(worst_lower.single_law(pure_slot(slot, delta0), high, law).delta for law in range(3))
    budget = ErrorBudget.between(_lower(slot, delta0, pure_delta), delta)
    proof = _witness(slot, delta0, low, delta, pure.witness)
    return Interval(low, high, "epsilon", budget, proof, (REVELATION, source))


def square_epsilon(slot: Slot, delta0: float, delta: float) -> float:
    """Return the epsilon of the upper end that compares d and d' with g separately."""
    return _first_below(slot, cache(lambda trial: square_upper(slot, delta0, trial)), delta, slot.cap)


def _lower(slot: Slot, delta0: float, pure: float) -> float:
    """Return the lower end w delta0 + (1 - w delta0) pure, rounded down."""
    revelation = slot.weight * delta0
    return max((revelation + (1.0 - revelation) * pure) * (1.0 - FEW_OPERATIONS) - SUBNORMAL, 0.0)


def _pure_target(slot: Slot, delta0: float, delta: float) -> float:
    """Return (delta - w delta0)/(1 - w delta0) >= 0, rounded up: the delta at which the pure randomizer is inverted."""
    revelation = least(slot, delta0)
    return max(float((Fraction(delta) - revelation) / (1 - revelation)) * (1.0 + FEW_OPERATIONS), LEAST_DELTA)


def _first_below(slot: Slot, curve: Callable[[float], float], delta: float, guess: float) -> float:
    """Return an epsilon from which on ``curve``, decreasing, is at most ``delta``."""
    if curve(0.0) <= delta:
        return 0.0
    root = crossing(curve, delta, slot.cap, 0.9 * guess, ROOT_PRECISION)
    return first_below(curve, delta, root, slot.cap, ROOT_PRECISION)


def _last_above(curve: Callable[[float], float], delta: float, low: float, high: float) -> float:
    """Return an epsilon with curve(epsilon) > delta, by bisection."""
    return halve(lambda epsilon: curve(epsilon) > delta, low, high, relative=EXACT_PRECISION)[0]


def _stoploss(slot: Slot, values: np.ndarray, masses: np.ndarray) -> Ends:
    """Return both ends of E(mean)_+ of ``steps`` independent gains whose mean is not positive."""
    # The mean is at most the largest gain, which is known up to its rounding.
    most = float(values.max()) + ROUNDING * float(np.abs(values).max())
    if values.max() <= 0.0:
        return 0.0, max(most, 0.0)
    positive = masses > 0.0
    doubt = ROUNDING * float(np.max(np.abs(values[positive])))
    ends = excess([(values[positive], masses[positive], slot.steps, doubt)], ROUNDING).times(1.0 / slot.steps, 4)
    return ends.lower, min(ends.upper, max(most, 0.0))


def _zero_out(slot: Slot, delta0: float, epsilon: float) -> Ends:
    """Return delta(epsilon) for zero-out adjacency: the larger of removing the record and adding it."""
    revelation = slot.weight * delta0
    if epsilon >= slot.cap:
        return max(revelation * (1.0 - FEW_OPERATIONS) - SUBNORMAL, 0.0), min(
            revelation * (1.0 + FEW_OPERATIONS) + UNDERFLOW, 1.0
        )
    zeros_range = zero_out_exact.window(slot, delta0, epsilon)
    if zeros_range is not None:
        removal, addition = (
            end(slot, delta0, epsilon, zeros_range) for end in (zero_out_exact.removal, zero_out_exact.addition)
        )
    else:
        removal, addition = _zero_out_by_inversion(slot, delta0, epsilon)
    low = max(removal[0] + revelation * (1.0 - FEW_OPERATIONS), addition[0])
    high = max(removal[1] + revelation * (1.0 + FEW_OPERATIONS), addition[1]) + UNDERFLOW
    return max(low * (1.0 - FEW_OPERATIONS) - SUBNORMAL, 0.0), min(
        high * (1.0 + FEW_OPERATIONS), one_slot_upper(slot, delta0, epsilon)
    )


def _zero_out_by_inversion(slot: Slot, delta0: float, epsilon: float) -> tuple[Ends, Ends]:
    """Return the ends for removing and adding by Fourier inversion, where the zeros are too many to enumerate."""
    values, masses = pair(slot.eps0, delta0)
    removal = _stoploss(slot, gains(slot, epsilon, values, np.zeros(3)), masses)
    addition = gains(slot, epsilon, np.zeros(3), values)
    rise, fall = slot.weight * delta0 * exp(epsilon), expm1(epsilon)
    if rise <= fall * (1.0 - FEW_OPERATIONS):
        return removal, _stoploss(slot, addition, masses)
    # Its mean is positive: E X_+ = E X + E(-X)_+.
    low, high = _stoploss(slot, -addition, masses)
    doubt = FEW_OPERATIONS * (rise + fall)
    return removal, (max(low + rise - fall - doubt, 0.0), high + rise - fall + doubt)


def _zero_out_epsilon(slot: Slot, delta0: float, delta: float) -> Interval:
    ends = cache(lambda trial: _zero_out(slot, delta0, trial))
    low, high = ends(0.0)
    if high <= delta:
        return Interval(0.0, 0.0, "epsilon", ErrorBudget(0.0, 0.0, high - low), None, EXACT_SOURCES)
    root = crossing(lambda trial: ends(trial)[0], delta, slot.cap, 0.5 * slot.cap, EXACT_PRECISION)
    low = last_above(lambda trial: ends(trial)[0], delta, root, slot.cap, EXACT_PRECISION)
    high = first_below(lambda trial: ends(trial)[1], delta, root, slot.cap, EXACT_PRECISION)
    if high == slot.cap:  # the root is too near the cap for the scale of ``crossing``
        low = _last_above(lambda trial: ends(trial)[0], delta, low, high)
    least_there, most_there = ends(high)
    budget = ErrorBudget(0.0, 0.0, most_there - checked_lower(least_there, most_there))
    return Interval(low, high, "epsilon", budget, None, EXACT_SOURCES)


def _witness(slot: Slot, delta0: float, epsilon: float, delta_lower: float, pure: Any) -> dict[str, Any]:
    """Return the randomizer behind the lower end."""
    summary = "reveals the record or its replacement with probability delta0"
    return {
        "kind": "revealing",
        "summary": f"{summary}, else {pure['summary']}" if pure else summary,
        "steps": slot.steps,
        "eps0": slot.eps0,
        "delta0": delta0,
        "weight": slot.weight,
        "adjacency": "replace",
        "epsilon": epsilon,
        "delta_lower": delta_lower,
        "event": "likelihood ratio of record to replacement above e^epsilon",
        "otherwise": pure,
    }

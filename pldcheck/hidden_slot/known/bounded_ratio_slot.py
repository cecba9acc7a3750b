r"""One hidden slot of a known randomizer with bounded ratios: K-ary response, tables, Laplace noise replaced.

With R_i, R_j the laws of an output on the record and on its replacement, R_o that on the slot's own record, p the
probability that the record is used, m the steps and c = e^epsilon,

.. math:: \delta(\epsilon) = \frac pm E\Big(\sum_{t=1}^m g_t - \frac{1-p}p m (c - 1)\Big)_+, \quad
          g = \frac{R_i - c R_j}{R_o}(y), \ y \sim R_o .

For one o this is attained.  Which o a slot has may depend on earlier outputs: a law that dominates the gains of every o
in convex order (the largest of their stop-loss transforms is that of one) dominates whatever the slots hold; so do
blocks of slots with the best choice of every o (:mod:`pldcheck.hidden_slot.known.reference_blocks`), which are nearer.
A record that is present or not has R_o in the place of R_j or of R_i, whatever the slot's own o is.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache, partial
from math import inf
from typing import Any

import numpy as np

from ...core.directed import UNIT, Ends, float_above, float_below
from ...pld.curve_candidates import Candidate, Candidates
from ...pld.gain_stoploss import excess
from . import adaptive_references, laplace_references, reference_blocks
from .binary_digits import doubles
from .bounded_ratio_laws import Neighbours, RandomizerLaws
from .least_dominating_law import join
from .output_probabilities import Gains, LaplaceJoin, Outputs, Question

# Units granted to a value and to a mass that are rounded to doubles once: half of one, and as much again by the places
# that values are short of.
ROUNDING = 4 * UNIT
# Largest relative error of the integers: half of their places are left, and 60 of these above the smallest.
PLACES = Fraction(1, 2**58)
# The name of upper ends by the recursion over the slots' own records.
ADAPTIVE_BLOCKS = "blocks of slots, each against the best adaptive choice of the slots' own records"
# Relative distance of epsilons that need not be told apart by these upper ends, which take up to a second each.
APART = 2e-4
# Standard deviations of the sum of gains at which the search for an epsilon starts.
START_DEVIATIONS = 3.0


def candidates(randomizer_laws: RandomizerLaws, steps: int, weight: float, width: float) -> Candidates:
    """Return all candidates for one hidden slot among ``steps``."""
    if steps == 1:
        alone = single_slot_curve(randomizer_laws)
        return Candidates([alone], [alone], randomizer_laws.largest)
    below = [
        attained_curve(message, steps, weight, width) for one in randomizer_laws.neighbours for message in one.each
    ]
    # Upper bounds are those of the worst neighbours.
    above = dominating_curve(randomizer_laws, randomizer_laws.neighbours, steps, weight, width)
    if adaptive_references.are_few([one.dominating for one in randomizer_laws.neighbours], steps):
        below.append(above)
        return Candidates([above], below, randomizer_laws.largest)
    kinds = randomizer_laws.neighbours
    more = [adaptive_curve(randomizer_laws, kinds, steps, weight, width)] if have_references(kinds) else []
    return Candidates([above, *more], below, randomizer_laws.largest)


def single_slot_curve(randomizer_laws: RandomizerLaws) -> Candidate:
    """Return the curve of a single slot, with the mechanism that attains it."""
    alone, worst = randomizer_laws.alone, randomizer_laws.neighbours[0]

    def witness(quantity: str, argument: float) -> dict[str, Any]:
        epsilon = alone.epsilon(argument)[0] if quantity == "epsilon" else argument
        return _witness(alone.worst_outputs(epsilon), 1, alone.weight, quantity, argument)

    return Candidate(f"{worst.name.partition(',')[0]}, the slot revealed", alone.delta, alone.epsilon, witness)


def dominating_curve(
    randomizer_laws: RandomizerLaws, kinds: Sequence[Neighbours], steps: int, weight: float, width: float
) -> Candidate:
    """Return the largest of the curves of several kinds of neighbours, at most that of a single slot."""
    are_few = adaptive_references.are_few([kind.dominating for kind in kinds], steps)

    def delta(epsilon: float) -> Ends:
        alone = randomizer_laws.alone.delta(epsilon)
        if steps == 1:
            return alone
        if are_few:
            each = [adaptive_references.delta(kind.each, steps, weight, epsilon) for kind in kinds]
            return Ends(max(ends.lower for ends in each), max(ends.upper for ends in each), 0.0, 1e-14)
        question = Question(epsilon, weight)
        laws = (
            (join([one.gains(question) for one in kind.dominating], kind.dominating[0].bits), kind) for kind in kinds
        )
        each = [_ends(law, kind.dominating[0].bits, steps, weight, width) for law, kind in laws]
        worst = max(each, key=lambda ends: ends.upper)
        return worst if worst.upper <= alone.upper else Ends(min(worst.lower, alone.upper), alone.upper, 0.0, 0.0)

    name = kinds[0].name.partition(",")[0]
    start = max(_start(one, steps, weight) for kind in kinds for one in kind.each)
    return Candidate(f"{name}, on its worst inputs" if len(kinds) > 1 else kinds[0].name, delta, start=start)


def adaptive_curve(
    randomizer_laws: RandomizerLaws,
    kinds: Sequence[Neighbours],
    steps: int,
    weight: float,
    width: float,
    shapes: reference_blocks.Shapes = reference_blocks.SHAPES,
    most_work: float = reference_blocks.MOST_WORK,
) -> Candidate:
    """Return upper ends by blocks of slots with the best choice of their own records, for the worst of the kinds.

    ``shapes`` and ``most_work`` say how near, and at which cost (:mod:`.reference_blocks`).
    """

    @lru_cache(maxsize=64)
    def delta(epsilon: float) -> Ends:
        question, worst = Question(epsilon, weight), Ends(0.0, 0.0, 0.0, 0.0)
        joined = [
            (dominating_curve(randomizer_laws, [kind], steps, weight, width).delta(epsilon), kind) for kind in kinds
        ]
        trials: dict[frozenset[tuple[tuple[int, int], ...]], Ends] = {}
        for ends, kind in sorted(joined, key=lambda one: one[0].upper, reverse=True):
            if ends.upper <= worst.upper:
                break
            bits = kind.dominating[0].bits
            laws = [law for one in kind.dominating for law in _reference_laws(one, question)]
            key = frozenset(tuple(sorted(zip(*law, strict=True))) for law in laws)
            if key not in trials:  # two kinds have the same laws where outputs are exchanged
                trials[key] = reference_blocks.delta_upper(laws, bits, steps, weight, width, shapes, most_work)
            worst = max(worst, min(ends, trials[key], key=lambda one: one.upper), key=lambda one: one.upper)
        return Ends(0.0, worst.upper, worst.truncation, worst.rounding)

    return Candidate(ADAPTIVE_BLOCKS, delta, apart=APART)


def _reference_laws(outputs: Outputs | LaplaceJoin, question: Question) -> list[Gains]:
    """Return the laws of gains of one record that slots may hold, or those that dominate all of them."""
    if isinstance(outputs, LaplaceJoin):
        return laplace_references.laws(outputs.noise, question)
    return [outputs.gains(question)]


def have_references(kinds: Sequence[Neighbours]) -> bool:
    """Return whether slots may hold several records."""
    return any(len(kind.dominating) > 1 or isinstance(kind.dominating[0], LaplaceJoin) for kind in kinds)


def attained_curve(outputs: Outputs, steps: int, weight: float, width: float) -> Candidate:
    """Return the curve of slots that all hold one record."""

    def delta(epsilon: float) -> Ends:
        return _ends(outputs.gains(Question(epsilon, weight)), outputs.bits, steps, weight, width)

    witness = partial(_witness, outputs, steps, weight)
    return Candidate(outputs.name, delta, None, witness, _start(outputs, steps, weight))


def _start(outputs: Outputs, steps: int, weight: float) -> float:
    """Return an estimate of an epsilon, at which a search starts."""
    p, q, w = outputs.rows
    with np.errstate(all="ignore"):
        estimate = START_DEVIATIONS * weight * float(np.sqrt(np.sum((p - q) ** 2 / w) / steps))
    return estimate if 0.0 < estimate < inf else START_DEVIATIONS * weight


def _ends(law: Gains, bits: int, steps: int, weight: float, width: float) -> Ends:
    """Return both ends of w/m E(sum of the gains)_+, ``steps`` of them.

    The unit is the largest gain.  A gain so low that all others at their largest do not compensate it is raised to the
    value that they just compensate: the sum stays at most 0, and rounded numbers are not larger than the others' gains.
    """
    values, masses = law
    possible = masses > 0
    values, masses = values[possible], masses[possible]
    top, doubt = int(values.max()), 1 << bits // 2
    if top <= -doubt:
        return Ends(0.0, 0.0, 0.0, 0.0)
    unit = Fraction(weight) * max(top, doubt) / (1 << bits)
    if top <= doubt << 60:  # epsilon is the largest loss, up to round-off far below a double's
        most = float_above(2 * unit)
        return Ends(0.0, most, 0.0, most)
    if steps == 1:
        value = Fraction(int((values * masses)[values > 0].sum()), 1 << 2 * bits) * Fraction(weight)
        lower, upper = float_below(value * (1 - PLACES)), float_above(value * (1 + PLACES))
        return Ends(lower, upper, 0.0, upper - lower)
    values = np.maximum(values, -(steps - 1) * top)
    shares = np.array([one / top for one in values])
    share_ends = excess([(shares, doubles(masses, bits), steps, ROUNDING * np.abs(shares))], ROUNDING, width)
    unit /= steps
    lower, upper = float_below(Fraction(share_ends.lower) * unit), float_above(Fraction(share_ends.upper) * unit)
    return Ends(
        min(lower, 1.0), min(upper, 1.0), share_ends.truncation * float(unit), share_ends.rounding * float(unit)
    )


def _witness(outputs: Outputs, steps: int, weight: float, quantity: str, argument: float) -> dict[str, Any]:
    """Return a slot's output probabilities for the record, its replacement, and the slot's own record."""
    record, replacement, own = outputs.rows
    return {
        "kind": "hidden-slot",
        "summary": outputs.name,
        "steps": steps,
        "weight": weight,
        "record": record.tolist(),
        "replacement": replacement.tolist(),
        "reference": own.tolist(),
    }

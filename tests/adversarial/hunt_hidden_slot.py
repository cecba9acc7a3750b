"""The worst case over all adaptive randomizers in one hidden slot, against the recursion on multisets in balls."""

import math
import random
from collections.abc import Callable
from fractions import Fraction

from flint import arb, ctx

from pldcheck.protocols import HiddenSlot

from .. import naive
from .cells import Cell, ends, log_uniform


def any_eps0(draw: random.Random) -> float:
    """Return an eps0 that is small, next to log 2, or large."""
    return draw.choice(
        [
            log_uniform(draw, 1e-14, 1.0),
            math.log(2.0) * (1.0 + draw.choice([1, -1]) * 10.0 ** -draw.randint(1, 16)),
            draw.uniform(1.0, 14.0),
            draw.uniform(14.0, 20.0),
            20.0,
        ]
    )


def any_weight(draw: random.Random) -> float:
    """Return a weight: 1, next to it, or next to 0."""
    next_to_one, next_to_zero = 1.0 - 10.0 ** -draw.randint(1, 16), 10.0 ** -draw.randint(1, 14)
    return draw.choice([1.0, 1.0, next_to_one, next_to_zero, draw.random()]) or 1.0


def largest_loss(eps0: float, weight: float) -> float:
    return math.log1p(weight * math.expm1(eps0))


def any_epsilon(draw: random.Random, cap: float) -> float:
    """Return an epsilon: zero, next to zero, next to the largest loss or between."""
    return draw.choice(
        [
            0.0,
            cap * 10.0 ** -draw.randint(1, 15),
            cap * (1.0 - 10.0 ** -draw.randint(1, 16)),
            cap * (1.0 + 10.0 ** -draw.randint(8, 16)),
            cap * draw.random(),
        ]
    )


def invert(curve: Callable[[float], arb], delta: Fraction, ends: list[float]) -> tuple[float, float]:
    """Return an enclosure of the least epsilon with curve(epsilon) <= delta, as narrow as it takes to judge
    the ends.
    """
    low, high = ends
    target = arb(delta.numerator) / delta.denominator
    least, most = 0.0, math.inf
    if low > 0.0 and low < math.inf:
        if curve(low) < target:
            return 0.0, math.nextafter(low, 0.0)
        least = low
    if high < math.inf:
        if curve(high) > target:
            return math.nextafter(high, math.inf), math.inf
        most = high
    return min(least, most), most


def epsilon_cell(question: str, answer: Callable, curve: Callable[[float], arb], delta: float, width=math.inf) -> Cell:
    """Return a cell of epsilon(delta) whose truth is where ``curve`` passes delta."""
    ends: list[float] = []

    def ask_epsilon():
        ends[:] = list(answer())
        return ends

    return Cell(question, ask_epsilon, lambda: invert(curve, Fraction(delta), ends), width)


def few_steps_delta(draw: random.Random) -> Cell:
    m, eps0, weight = draw.randint(1, 5), any_eps0(draw), any_weight(draw)
    epsilon = any_epsilon(draw, largest_loss(eps0, weight))
    return Cell(
        f"HiddenSlot({m}, {eps0!r}, {weight!r}).delta({epsilon!r})",
        lambda: HiddenSlot(m, eps0, weight).delta(epsilon),
        lambda: ends(naive.hidden_slot_delta(m, eps0, epsilon, weight)),
    )


def few_steps_epsilon(draw: random.Random) -> Cell:
    m, eps0, weight = draw.randint(1, 5), any_eps0(draw), any_weight(draw)
    delta = _any_delta(draw, float(naive.hidden_slot_delta(m, eps0, 0.0, weight)))
    return epsilon_cell(
        f"HiddenSlot({m}, {eps0!r}, {weight!r}).epsilon({delta!r})",
        lambda: HiddenSlot(m, eps0, weight).epsilon(delta),
        lambda epsilon: naive.hidden_slot_delta(m, eps0, epsilon, weight),
        delta,
    )


def _any_delta(draw: random.Random, most: float) -> float:
    """Return a delta next to delta(0), from both sides, or far below."""
    most = min(max(most, 1e-280), 0.999)
    return draw.choice(
        [
            min(most * (1.0 + draw.choice([1, -1]) * 10.0 ** -draw.randint(1, 16)), 0.9999),
            most * 10.0 ** -draw.randint(1, 20),
            max(most * 10.0 ** -draw.randint(20, 300), 5e-324),
            most * draw.uniform(1e-3, 1.0),
        ]
    )


def zero_out_delta(draw: random.Random) -> Cell:
    m, eps0, weight = draw.choice([1, 2, 3, 60, 61, draw.randint(1, 200)]), any_eps0(draw), any_weight(draw)
    epsilon = any_epsilon(draw, largest_loss(eps0, weight))

    def truth():
        both = [naive.two_point_delta(m, eps0, epsilon, weight, law) for law in ("BE", "CF")]
        return ends(both[0].max(both[1]))

    return Cell(
        f"HiddenSlot({m}, {eps0!r}, {weight!r}, 'zero-out').delta({epsilon!r})",
        lambda: HiddenSlot(m, eps0, weight, "zero-out").delta(epsilon),
        truth,
    )


def zero_out_epsilon(draw: random.Random) -> Cell:
    m, eps0, weight = draw.choice([1, 2, 3, 60, 61, draw.randint(1, 100)]), any_eps0(draw), any_weight(draw)

    def curve(epsilon):
        return naive.two_point_delta(m, eps0, epsilon, weight, "BE").max(
            naive.two_point_delta(m, eps0, epsilon, weight, "CF")
        )

    delta = _any_delta(draw, float(curve(0.0)))
    return epsilon_cell(
        f"HiddenSlot({m}, {eps0!r}, {weight!r}, 'zero-out').epsilon({delta!r})",
        lambda: HiddenSlot(m, eps0, weight, "zero-out").epsilon(delta),
        curve,
        delta,
    )


def many_steps_delta(draw: random.Random) -> Cell:
    """Return a cell: any randomizer is at least as bad as BE, CF and ACE, and no worse than with one slot."""
    m, eps0, weight = draw.choice([6, 17, 60, 61, 62, 100]), any_eps0(draw), any_weight(draw)
    epsilon = any_epsilon(draw, largest_loss(eps0, weight))

    def truth():
        divergence_reached = [naive.two_point_delta(m, eps0, epsilon, weight, law) for law in ("BE", "CF")]
        divergence_reached += [naive.three_point_delta(m, eps0, epsilon, weight)]
        return max(ends(one)[0] for one in divergence_reached), ends(
            naive.randomized_response_delta(eps0, epsilon, weight)
        )[1]

    return Cell(
        f"HiddenSlot({m}, {eps0!r}, {weight!r}).delta({epsilon!r})",
        lambda: HiddenSlot(m, eps0, weight).delta(epsilon),
        truth,
    )


def attained_by(witness: dict, x: Fraction, kappa: Fraction) -> Fraction:
    """Return what a witness on unmerged states attains: histories of the same u have the same future."""
    m, w = witness["steps"], Fraction(witness["weight"])
    laws = {}
    for name, table in witness["laws"].items():
        total = sum(x**power for power in table["reference"])
        rows = zip(table["reference"], table["record"], table["replacement"], strict=True)
        laws[name] = [(x**p / total, x ** (r - p) - 1 - kappa * (x ** (s - p) - 1)) for p, r, s in rows]
    slices = witness.get("policy") or [{"to_go": m, "thresholds": [], "laws": [witness["law"]]}]
    states = {(1 - kappa) * m / w: Fraction(1)}
    for t in range(m):
        piece = next(piece for piece in slices if piece["to_go"] >= m - t)
        after: dict[Fraction, Fraction] = {}
        for u, chance in states.items():
            law = piece["laws"][sum(1 for threshold in piece["thresholds"] if u >= Fraction(threshold))]
            for p, s in laws[law]:
                after[u + s] = after.get(u + s, Fraction(0)) + chance * p
        states = after
    return w / m * sum((chance * u for u, chance in states.items() if u > 0), Fraction(0))


def at_most_one_slot(draw: random.Random) -> Cell:
    """Return a cell: no upper end is above that of one slot, in closed form, but for its own last digits."""
    m, eps0, weight = draw.choice([1, 2, 10, 60, 61, 100, 3000, 10**6, 10**12]), any_eps0(draw), any_weight(draw)
    epsilon = any_epsilon(draw, largest_loss(eps0, weight))
    adjacency = draw.choice(["replace", "zero-out"])

    def answer():
        upper = HiddenSlot(m, eps0, weight, adjacency).delta(epsilon).upper
        return upper, upper

    def truth():
        ctx.prec = 200
        x, kappa, w = arb(eps0).exp(), arb(epsilon).exp(), arb(weight)
        most = (1 - kappa + w * (x - 1)).max(arb(0)) / (x + 1)
        # a few units of the two terms whose difference it is, in whichever form it is smaller, and of underflow
        terms = (w * (x - 1) + kappa - 1).min(w * abs(x - kappa) + (1 - w) * (kappa - 1))
        return Fraction(0), ends(most + 2**-48 * terms / (x + 1) + arb("1e-299"))[1]

    return Cell(f"upper end of HiddenSlot({m}, {eps0!r}, {weight!r}, {adjacency!r}).delta({epsilon!r})", answer, truth)


def witness_claim(draw: random.Random) -> Cell:
    """Return a cell: a witness attains what it claims: its outputs enumerated in fractions, with x and kappa
    enclosed.
    """
    m, eps0, weight = draw.randint(1, 12), any_eps0(draw), any_weight(draw)
    slot = HiddenSlot(m, eps0, weight)
    if draw.random() < 0.5:
        epsilon = any_epsilon(draw, largest_loss(eps0, weight))
        question, answer = f"delta({epsilon!r})", lambda: slot.delta(epsilon)
    else:
        delta = _any_delta(draw, largest_loss(eps0, weight) / 4)
        question, answer = f"epsilon({delta!r})", lambda: slot.epsilon(delta)
    values: list[Fraction] = []

    def answer_of_witness():
        witness = answer().witness
        if witness is None:
            values[:] = [Fraction(0)]
            return 0.0, 0.0
        ctx.prec = 200
        x, kappa = (sum(ends(arb(e).exp())) / 2 for e in (eps0, witness["epsilon"]))
        values[:] = [attained_by(witness, x, kappa)]
        return witness["delta_lower"], 1.0

    question = f"witness of HiddenSlot({m}, {eps0!r}, {weight!r}).{question}"
    return Cell(question, answer_of_witness, lambda: (values[0], values[0]))


HUNTS = {
    "hidden slot: delta, few steps": few_steps_delta,
    "hidden slot: epsilon, few steps": few_steps_epsilon,
    "hidden slot: zero-out, delta": zero_out_delta,
    "hidden slot: zero-out, epsilon": zero_out_epsilon,
    "hidden slot: delta, many steps": many_steps_delta,
    "hidden slot: at most one slot": at_most_one_slot,
    "hidden slot: witness": witness_claim,
}

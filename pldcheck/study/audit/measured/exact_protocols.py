r"""Small protocols enumerated in rational arithmetic, for the steps of a proof that speak of laws.

Records are bits, answered through binary randomized response at :math:`x = e^{\epsilon_0}`, in integers or balls: the
sequence s of answers to records d has weight :math:`x^{\#\{k : s_k = d_k\}}`, of a total of :math:`(x + 1)^n`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import permutations, product
from math import comb, factorial, inf, nextafter, prod
from typing import Any

from flint import arb, ctx, fmpq

from ....core.directed import float_above, float_below
from ....core.interval import Interval
from ....protocols import Protocol
from ..spans import exactly

# Bits of the balls, far more than the 53 of a float: the sums here have at most a few thousand terms.
BITS = 192
# The ratio e^eps0 of binary randomized response, a whole number so that all laws are rational.
RATIO = 3
# Relative distance by which a float parameter is moved to the safe side of the real number that it stands for.
NUDGE = 1e-12

# A check: both sides of a measured step at a point, as certified intervals.
Check = Callable[..., tuple[Interval, Interval]]
Records = tuple[Any, ...]
Law = Mapping[Any, Fraction]


def enclose(value: int | Fraction | arb, quantity: str) -> Interval:
    """Return an interval of floats that contains a number; both ends are the number if it is a float."""
    if isinstance(value, int | Fraction):
        return Interval(float_below(Fraction(value)), float_above(Fraction(value)), quantity)
    low, high = float(value.lower()), float(value.upper())
    return Interval(
        low if value.lower() >= low else nextafter(low, -inf),
        high if value.upper() <= high else nextafter(high, inf),
        quantity,
    )


def vanishes(value: int | Fraction, quantity: str = "error") -> tuple[Interval, Interval]:
    """Return both sides of the claim that a number of at least 0 is 0."""
    return enclose(value, quantity), enclose(0, quantity)


def same_law(p: Law, q: Law) -> tuple[Interval, Interval]:
    """Return both sides of the claim that two laws are one."""
    return vanishes(distance(p, q), "total variation")


def true_and_claimed(protocol: Protocol, delta: float, formula: Callable[[arb], arb]) -> tuple[Interval, Interval]:
    """Return the certified epsilon(delta) of a protocol, and a formula of log(1/delta) that is to bound it."""
    with ctx.workprec(BITS):
        return protocol.epsilon(delta), enclose(formula(-exactly(delta).log()), "epsilon")


def nudged(protocol: Callable[..., Protocol], budgets: Sequence[float], delta: float) -> Interval:
    """Return epsilon(delta) of a protocol that grows with its budgets, each rounded from a real number."""
    low, high = (protocol(*(budget * (1 + slip) for budget in budgets)) for slip in (-NUDGE, NUDGE))
    return Interval(low.epsilon(delta).lower, high.epsilon(delta).upper)


def swap_records(records: Records, place: int) -> Records:
    """Return the records with the one in place 0 and the one in another place exchanged."""
    order = list(records)
    order[0], order[place] = order[place], order[0]
    return tuple(order)


def mixture(laws: Iterable[Law]) -> Law:
    """Return the uniform mixture of laws."""
    total: Counter[Any] = Counter()
    count = 0
    for law in laws:
        count += 1
        for outcome, mass in law.items():
            total[outcome] += mass  # type: ignore[assignment]
    return {outcome: Fraction(mass) / count for outcome, mass in total.items()}


def response_law(records: Records, ratio: int) -> Law:
    """Return the law of the sequence of answers to a sequence of records."""
    scale = (ratio + 1) ** len(records)
    return {
        answers: Fraction(ratio ** sum(map(int.__eq__, answers, records)), scale)
        for answers in product((0, 1), repeat=len(records))
    }


def bin_law(records: Records, sizes: Sequence[int], ratio: int) -> Law:
    """Return the law of the number of ones in each bin; the records fill the bins in their order."""
    law: Counter[Any] = Counter()
    for answers, mass in response_law(records, ratio).items():
        law[_sums(answers, sizes)] += mass  # type: ignore[assignment]
    return law  # type: ignore[return-value]


def _sums(answers: Records, sizes: Sequence[int]) -> tuple[int, ...]:
    starts = [sum(sizes[:place]) for place in range(len(sizes) + 1)]
    return tuple(sum(answers[low:high]) for low, high in zip(starts, starts[1:], strict=False))


def all_orders(records: Records) -> Iterator[Records]:
    """Return every order of the records, as often as it occurs."""
    return permutations(records)


def distance(p: Law, q: Law) -> Fraction:
    """Return the total variation distance of two laws."""
    return sum((max(p.get(at, Fraction(0)) - q.get(at, Fraction(0)), Fraction(0)) for at in {*p, *q}), Fraction(0))


def hockey_stick(p: Law, q: Law, kappa: arb) -> arb:
    """Return the hockey-stick divergence of two laws at kappa = e^epsilon, in a ball."""
    return sum((arb(0).max(ball(mass) - kappa * ball(q.get(at, Fraction(0)))) for at, mass in p.items()), arb(0))


def ball(value: Fraction) -> arb:
    """Return a rational number in a ball."""
    return arb(fmpq(value.numerator, value.denominator))


def composition_divergence(budgets: Sequence[arb], epsilon: arb) -> arb:
    """Return the hockey-stick divergence of randomized responses with these budgets, outcome by outcome."""
    total = arb(0)
    for signs in product((0, 1), repeat=len(budgets)):
        p = q = arb(1)
        for sign, budget in zip(signs, budgets, strict=True):
            high, low = 1 / (1 + (-budget).exp()), 1 / (1 + budget.exp())
            p, q = p * (low if sign else high), q * (high if sign else low)
        total += arb(0).max(p - epsilon.exp() * q)
    return total


def loads(clients: int, steps: int) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """Yield the loads of the slots in decreasing order, with their probabilities, every client in a uniform slot."""
    for parts in _partitions(clients, clients, steps):
        full = parts + (0,) * (steps - len(parts))
        arrangements = factorial(steps) // prod(factorial(count) for count in Counter(full).values())
        ways = factorial(clients) // prod(factorial(load) for load in full)
        yield full, Fraction(arrangements * ways, steps**clients)


def _partitions(total: int, largest: int, most: int) -> Iterator[tuple[int, ...]]:
    if total == 0:
        yield ()
    elif most:
        for first in range(min(total, largest), 0, -1):
            for rest in _partitions(total - first, first, most - 1):
                yield (first, *rest)


def inverse_load(clients: int, steps: int) -> Fraction:
    """Return E[1/S; S > 0] for S the load of one slot, binomial with n trials at 1/m."""
    return sum(
        (Fraction(comb(clients, k) * (steps - 1) ** (clients - k), k * steps**clients) for k in range(1, clients + 1)),
        Fraction(0),
    )

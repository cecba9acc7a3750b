"""Checks of measured steps of the proofs of Balle et al. (2020) on random swapping: both sides at a point."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from flint import ctx

from ....core.interval import Interval
from ....protocols import Swap
from ....theorems.balle20.proofs.swap_bins import swapped_into_bins
from ....theorems.balle20.proofs.swap_posterior import by_likelihoods_sharp, envelope
from ....theorems.shared_steps import x
from ..spans import exactly
from .exact_protocols import (
    BITS,
    NUDGE,
    RATIO,
    Check,
    Law,
    Records,
    bin_law,
    composition_divergence,
    distance,
    enclose,
    mixture,
    swap_records,
    true_and_claimed,
    vanishes,
)


def _sizes(first: int, second: int, third: int) -> tuple[int, ...]:
    return tuple(size for size in (first, second, third) if size)


def _place(sizes: tuple[int, ...], bin_: int) -> range:
    return range(sum(sizes[:bin_]), sum(sizes[: bin_ + 1]))


def _answer_law(records: Records) -> Law:
    """Return the law of the number of ones that the records of one bin answer."""
    return {ones[0]: mass for ones, mass in bin_law(records, (len(records),), RATIO).items()}


def _swaps(records: Records, sizes: tuple[int, ...]) -> list[Law]:
    """Return the law of the bins' answers, for each place that the first record is swapped into."""
    return [bin_law(swap_records(records, place), sizes, RATIO) for place in range(len(records))]


def _slot_by_slot(records: Records, sizes: tuple[int, ...], answer: Any) -> Law:
    """Return the law of the bins' answers when each is drawn from ``answer`` with the posterior of the place so far."""
    likely = _swaps(records, sizes)
    laws: dict[Any, Fraction] = {(): Fraction(1)}
    for bin_, size in enumerate(sizes):
        longer: dict[Any, Fraction] = {}
        for past, mass in laws.items():
            likelihoods = [sum((p for out, p in law.items() if out[:bin_] == past), Fraction(0)) for law in likely]
            law = answer(records, sizes, bin_, [likelihood / sum(likelihoods) for likelihood in likelihoods])
            longer |= {(*past, ones): mass * law[ones] for ones in range(size + 1)}
        laws = longer
    return laws


def _uniform(records: Records, sizes: tuple[int, ...], bin_: int, posterior: list[Fraction]) -> Law:
    """Return the law of a bin's answer in the proof: the user's record replaces a uniform one."""
    mine = [records[k] for k in _place(sizes, bin_)]
    share = sum(posterior[k] for k in _place(sizes, bin_))
    replaced_law = mixture(_answer_law((*mine[:k], records[0], *mine[k + 1 :])) for k in range(len(mine)))
    return {ones: share * replaced_law[ones] + (1 - share) * mass for ones, mass in _answer_law(tuple(mine)).items()}


def _by_bayes(records: Records, sizes: tuple[int, ...], bin_: int, posterior: list[Fraction]) -> Law:
    """Return the law of a bin's answer by Bayes: the place of the swap is drawn from its posterior."""
    law: Counter[int] = Counter()
    for k, chance in enumerate(posterior):
        after = swap_records(records, k)
        for ones, mass in _answer_law(tuple(after[j] for j in _place(sizes, bin_))).items():
            law[ones] += chance * mass  # type: ignore[assignment]
    return law  # type: ignore[return-value]


def _uniform_later(records: Records, sizes: tuple[int, ...], bin_: int, posterior: list[Fraction]) -> Law:
    """Return the law of a bin's answer by Bayes for the first bin, and in the proof for the others."""
    return (_uniform if bin_ else _by_bayes)(records, sizes, bin_, posterior)


def _law_by(answer: Any) -> Any:
    def check(first: int, second: int, third: int) -> tuple[Interval, Interval]:
        sizes = _sizes(first, second, third)
        worst = Fraction(0)
        for records in product((0, 1), repeat=sum(sizes)):
            truth = mixture(_swaps(records, sizes))
            worst = max(worst, distance(truth, _slot_by_slot(records, sizes, answer)))
        return vanishes(worst, "total variation")

    return check


def _posterior(first: int, second: int, third: int, bin_: int) -> tuple[Interval, Interval]:
    sizes = _sizes(first, second, third)
    n, worst = sum(sizes), Fraction(0)
    for records in product((0, 1), repeat=n):
        likely = _swaps(records, sizes)
        by_place: list[Counter[Any]] = [Counter() for _ in likely]
        for law, prefixes in zip(likely, by_place, strict=True):
            for out, mass in law.items():
                prefixes[out[:bin_]] += mass  # type: ignore[assignment]
        for past in by_place[0]:
            mine = sum(by_place[k][past] for k in _place(sizes, bin_))
            worst = max(worst, Fraction(mine) / sum(prefixes[past] for prefixes in by_place))
    before, load, after = sum(sizes[:bin_]), sizes[bin_], sum(sizes[bin_ + 1 :])
    bound = load / (load + Fraction(before, RATIO**2) + Fraction(after, RATIO))
    return enclose(worst, "probability"), enclose(bound, "probability")


def _composition(bins: int, eps0: float, delta: float) -> tuple[Interval, Interval]:
    with ctx.workprec(BITS):
        scale = x(exactly(eps0)) ** 2 * exactly(eps0).expm1() / (bins * (bins + 1) // 2)
        budgets = [(scale * load).log1p() for load in range(1, bins + 1)]
        drifts = sum(budget * (budget / 2).tanh() for budget in budgets)
        squares = sum(budget**2 for budget in budgets)
        bound = drifts + (-2 * exactly(delta).log() * squares).sqrt()
        return enclose(composition_divergence(budgets, bound), "delta"), enclose(exactly(delta), "delta")


def _claim(clients: int, eps0: float, delta: float) -> tuple[Interval, Interval]:
    def formula(log_inverse: Any) -> Any:
        return swapped_into_bins(exactly(eps0), clients, exactly(clients).sqrt(), log_inverse)

    return true_and_claimed(Swap(clients, eps0), delta, formula)


def _change_count(clients: int, position: int, other: int) -> int:
    """Return the number of places before ``position`` at which swaps with it and with ``other`` differ (from 1)."""
    records = tuple(range(1, clients + 1))
    one, two = (swap_records(records, place - 1) for place in (position, other))
    return sum(a != b for a, b in zip(one[: position - 1], two[: position - 1], strict=True))


def _differ_before(clients: int, position: int) -> tuple[Interval, Interval]:
    most = max(_change_count(clients, position, other) for other in range(1, position))
    return enclose(most, "places"), enclose(2, "places")


def _differ_first(clients: int, position: int) -> tuple[Interval, Interval]:
    return enclose(_change_count(clients, position, 1), "places"), enclose(2, "places")


def _differ_after(clients: int, position: int) -> tuple[Interval, Interval]:
    most = max(_change_count(clients, position, other) for other in range(position + 1, clients + 1))
    return enclose(most, "places"), enclose(1, "places")


def _largest_posterior(clients: int, position: int, eps0: float) -> Any:
    """Return the largest posterior over all randomizers.

    The posterior is a quotient of linear functions of each density, so that it is extreme where each is 1 or x.
    """
    records = tuple(range(clients))
    shapes = set()
    for first in product((0, 1), repeat=clients):
        for later in product(product((0, 1), repeat=2), repeat=position - 2):
            # The exponent of the density of outputs 1..i-1 when the record is swapped into each of the places.
            powers = [
                first[place] + sum(pair[0] if place == k else pair[1] for k, pair in enumerate(later, start=1))
                for place in records
            ]
            shapes.add(tuple(sorted(power - powers[position - 1] for power in powers)))
    budget = exactly(eps0)
    best = exactly(0.0)
    for shape in shapes:
        best = best.max(1 / sum((power * budget).exp() for power in shape))
    return best


def _largest(clients: int, position: int, eps0: float) -> tuple[Interval, Interval]:
    with ctx.workprec(BITS):
        largest = _largest_posterior(clients, position, eps0)
        return enclose(largest, "probability"), enclose(envelope(exactly(eps0), clients, position), "probability")


def _first_counted_once(clients: int, position: int, eps0: float) -> tuple[Interval, Interval]:
    with ctx.workprec(BITS):
        largest = _largest_posterior(clients, position, eps0)
        return enclose(largest * (1 - exactly(NUDGE)), "probability"), enclose(
            by_likelihoods_sharp(exactly(eps0), clients, position), "probability"
        )


CHECKS: Mapping[str, Check] = {
    "A.5/bins": _law_by(_uniform),
    "A.5/posterior": _posterior,
    "A.5/composition": _composition,
    "A.5/claim": _claim,
    "A.7/differ-before": _differ_before,
    "A.7/differ-first": _differ_first,
    "A.7/differ-after": _differ_after,
    "A.7/posterior": _largest,
}

READINGS: Mapping[str, Mapping[str, Check]] = {
    "A.5/bins": {
        "the first bin as swapped": _law_by(_uniform_later),
        "the first bin as swapped, the record replaced drawn from its posterior": _law_by(_by_bayes),
    },
    "A.7/posterior": {"x for x^2 at j = 1": _first_counted_once},
}

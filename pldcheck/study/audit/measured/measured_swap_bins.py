"""Checks of the measured steps of :mod:`pldcheck.theorems.balle20.proofs.swap_bins`: both sides at a point."""

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
from ....theorems.shared_steps import x
from ..spans import exactly
from . import exact_protocols
from .check_type import Check
from .exact_protocols import BITS, RATIO, enclose


def _sizes(first: int, second: int, third: int) -> tuple[int, ...]:
    return tuple(size for size in (first, second, third) if size)


def _place(sizes: tuple[int, ...], bin_: int) -> range:
    return range(sum(sizes[:bin_]), sum(sizes[: bin_ + 1]))


def _answer_law(records: exact_protocols.Records) -> exact_protocols.Law:
    """Return the law of the number of ones that the records of one bin answer."""
    return {ones[0]: mass for ones, mass in exact_protocols.bin_law(records, (len(records),), RATIO).items()}


def _swaps(records: exact_protocols.Records, sizes: tuple[int, ...]) -> list[exact_protocols.Law]:
    """Return the law of the bins' answers, for each place that the first record is swapped into."""
    return [
        exact_protocols.bin_law(exact_protocols.swap_records(records, place), sizes, RATIO)
        for place in range(len(records))
    ]


def _slot_by_slot(records: exact_protocols.Records, sizes: tuple[int, ...], answer: Any) -> exact_protocols.Law:
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


def _uniform(
    records: exact_protocols.Records, sizes: tuple[int, ...], bin_: int, posterior: list[Fraction]
) -> exact_protocols.Law:
    """Return the law of a bin's answer in the proof: the user's record replaces a uniform one."""
    mine = [records[k] for k in _place(sizes, bin_)]
    share = sum(posterior[k] for k in _place(sizes, bin_))
    replaced_law = exact_protocols.mixture(
        _answer_law((*mine[:k], records[0], *mine[k + 1 :])) for k in range(len(mine))
    )
    return {ones: share * replaced_law[ones] + (1 - share) * mass for ones, mass in _answer_law(tuple(mine)).items()}


def _by_bayes(
    records: exact_protocols.Records, sizes: tuple[int, ...], bin_: int, posterior: list[Fraction]
) -> exact_protocols.Law:
    """Return the law of a bin's answer by Bayes: the place of the swap is drawn from its posterior."""
    law: Counter[int] = Counter()
    for k, chance in enumerate(posterior):
        after = exact_protocols.swap_records(records, k)
        for ones, mass in _answer_law(tuple(after[j] for j in _place(sizes, bin_))).items():
            law[ones] += chance * mass  # type: ignore[assignment]
    return law  # type: ignore[return-value]


def _uniform_later(
    records: exact_protocols.Records, sizes: tuple[int, ...], bin_: int, posterior: list[Fraction]
) -> exact_protocols.Law:
    """Return the law of a bin's answer by Bayes for the first bin, and in the proof for the others."""
    return (_uniform if bin_ else _by_bayes)(records, sizes, bin_, posterior)


def _law_by(answer: Any) -> Any:
    def check(first: int, second: int, third: int) -> tuple[Interval, Interval]:
        sizes = _sizes(first, second, third)
        worst = Fraction(0)
        for records in product((0, 1), repeat=sum(sizes)):
            truth = exact_protocols.mixture(_swaps(records, sizes))
            worst = max(worst, exact_protocols.distance(truth, _slot_by_slot(records, sizes, answer)))
        return enclose(worst, "total variation"), enclose(0, "total variation")

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
        return enclose(exact_protocols.composition_divergence(budgets, bound), "delta"), enclose(
            exactly(delta), "delta"
        )


def _epsilon_and_claim(clients: int, eps0: float, delta: float) -> tuple[Interval, Interval]:
    with ctx.workprec(BITS):
        norm = exactly(clients).sqrt()
        right = swapped_into_bins(exactly(eps0), clients, norm, -exactly(delta).log())
        return Swap(clients, eps0).epsilon(delta), enclose(right, "epsilon")


CHECKS: Mapping[str, Check] = {
    "A.5/bins": _law_by(_uniform),
    "A.5/posterior": _posterior,
    "A.5/composition": _composition,
    "A.5/claim": _epsilon_and_claim,
}

READINGS: Mapping[str, Mapping[str, Check]] = {
    "A.5/bins": {
        "the first bin as swapped": _law_by(_uniform_later),
        "the first bin as swapped, the record replaced drawn from its posterior": _law_by(_by_bayes),
    },
}

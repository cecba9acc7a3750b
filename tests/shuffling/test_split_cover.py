"""All splits of the other clients between two values, against the exact worst split and against enumeration."""

import random
from fractions import Fraction

import pytest

from pldcheck.core.directed import Ends
from pldcheck.protocols import Shuffle
from pldcheck.shuffling import known_messages, split_cover
from pldcheck.shuffling.split_cover import NAME, Splits, candidate

# The first of the relative widths that are tried.
NARROW = 1.001


def _law(count: int, up: Fraction) -> list[Fraction]:
    law = [Fraction(1)]
    for _ in range(count):
        law = [(law[i] if i < len(law) else 0) * (1 - up) + (law[i - 1] * up if i else 0) for i in range(len(law) + 1)]
    return law


def _sum(first: list[Fraction], second: list[Fraction]) -> list[Fraction]:
    total = [Fraction(0)] * (len(first) + len(second) - 1)
    for i, p in enumerate(first):
        for j, q in enumerate(second):
            total[i + j] += p * q
    return total


@pytest.mark.parametrize(("up", "kappa"), [("3/4", "1"), ("3/4", "7/4"), ("9/10", "2"), ("3/5", "101/100")])
def test_fewer_others_reveal_more(up, kappa):
    """By enumeration in fractions, over all numbers of others up to seven of each kind."""
    up, kappa, divergences = Fraction(up), Fraction(kappa), {}
    for a in range(8):
        for b in range(8):
            others = _sum(_law(a, up), _law(b, 1 - up))
            ones, zeros = _sum(others, [1 - up, up]), _sum(others, [up, 1 - up])
            divergences[a, b] = sum(max(p - kappa * q, 0) for p, q in zip(ones, zeros, strict=True))
    for (a, b), value in divergences.items():
        assert value <= divergences.get((a - 1, b), value) and value <= divergences.get((a, b - 1), value)


def _exact(clients: int, eps0: float, epsilon: float) -> Ends:
    """Both ends of the worst split by the sums of another kernel, which visits every split and shares no code."""
    return known_messages._binary(clients, eps0).delta(epsilon)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(12))
def test_delta_contains_the_worst_split(seed):
    rng = random.Random(seed)
    for _ in range(2):
        clients, eps0 = rng.randint(300, 4000), rng.uniform(0.2, 5.0)
        epsilon = eps0 * 10 ** rng.uniform(-3, -0.5)
        ends, exact = candidate(clients, eps0, 0.1 * eps0).delta(epsilon), _exact(clients, eps0, epsilon)
        assert ends.lower <= exact.upper and ends.upper >= exact.lower, (clients, eps0, epsilon)
        if exact.lower > 1e-200:
            assert ends.upper <= ends.lower * 1.2, (clients, eps0, epsilon)


@pytest.mark.parametrize("seed", range(8))
def test_epsilon_contains_that_of_the_worst_split(seed):
    rng = random.Random(100 + seed)
    clients, eps0, delta = rng.randint(2000, 40_000), rng.uniform(0.2, 4.0), 10 ** rng.uniform(-12, -3)
    lower, upper, _ = candidate(clients, eps0, 0.1 * eps0).epsilon(delta)
    assert _exact(clients, eps0, lower).upper >= delta >= _exact(clients, eps0, upper).lower
    assert upper <= lower * NARROW * (1.0 + 1e-9)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("clients", "eps0", "delta"),
    [(10**6, 1.0, 1e-8), (10**6, 8.0, 1e-6), (10**9, 0.1, 1e-10), (10**12, 2.0, 1e-12), (10**12, 8.0, 1e-12)],
)
def test_shuffles_of_many_clients_are_narrow(clients, eps0, delta):
    answer = Shuffle(clients, eps0, "rr").epsilon(delta)
    assert 0.0 < answer.lower <= answer.upper <= answer.lower * NARROW * (1.0 + 1e-9)
    assert NAME in answer.sources


@pytest.mark.nightly
def test_both_ways_of_counting_agree_where_one_follows_the_other(monkeypatch):
    exact = Shuffle(9000, 1.5, "rr").epsilon(1e-7)
    monkeypatch.setattr(known_messages, "MOST_SPLIT", 1000)
    covered = Shuffle(9000, 1.5, "rr").epsilon(1e-7)
    assert covered.lower <= exact.upper and covered.upper >= exact.lower
    assert exact.width < 1e-9 < covered.width < 1.1e-3 * exact.upper


def test_a_cover_that_would_take_too_many_cells_is_given_up(monkeypatch):
    monkeypatch.setattr(split_cover, "MOST_CELLS", 20)
    lower, upper, _ = candidate(10**9, 0.1, 1e-5).epsilon(1e-10)
    assert 0.0 < lower * 1.01 < upper < 0.1


@pytest.mark.parametrize("first", [0, 400, 990])
def test_cells_bound_all_their_splits(first):
    splits = Splits(1000, 2.0)
    bound = splits._bound(0.1, first, first + 10).upper
    assert all(splits.at(0.1, split).lower < bound for split in range(first, first + 11))


@pytest.mark.parametrize("eps0", [1.0, 4.0])
def test_a_split_above_the_level_is_named(eps0):
    """The level is just below the worst split, which holds nearly all others at the record's value."""
    splits = Splits(999_999, eps0)
    worst = splits.likely_worst(0.005 * eps0**2)
    assert worst > 0.99 * splits.others
    level = 0.9999 * splits.at(0.005 * eps0**2, worst).lower
    outcome = splits.search(0.005 * eps0**2, level)
    assert not outcome.covers and outcome.split is not None
    assert splits.at(0.005 * eps0**2, outcome.split).lower > level


def test_beyond_the_largest_loss_nothing_is_left():
    assert candidate(10**6, 1.0, 0.005).delta(1.0).upper == 0.0

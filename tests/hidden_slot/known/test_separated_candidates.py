"""Candidate steps of uses that are far apart: laws of uses and candidates by enumeration in fractions."""

import itertools
from fractions import Fraction
from math import prod

import pytest

from pldcheck.hidden_slot.known.separated_candidates import Candidates, best_candidates, candidate_law

# Steps, the distance of uses, that of candidates, and the rate.
RUNS = [(7, 2, 2, 0.25), (8, 3, 3, 0.1), (6, 2, 1, 0.25), (9, 5, 2, 0.125), (8, 4, 3, 0.5), (5, 8, 8, 0.3)]


def coefficients(rate, share, gap, count):
    """Return the first coefficients of 1/(1 - (1 - p) z + a z^m)."""
    a, h = rate * (1 - share) / share, [Fraction(1)]
    for n in range(1, count):
        h.append((1 - rate) * h[-1] - (a * h[n - gap] if n >= gap else 0))
    return h


def laws_of_candidates(steps, gap, rate, share):
    """Return the probability of every set of candidates: a gap has rate/share times a coefficient."""
    h = coefficients(rate, share, gap, steps + 1)
    chance = [rate / share * value for value in h]  # of the first step 1 + n, and of the gap m + n
    at_least = [1 - sum(chance[:n]) for n in range(steps + 2)]
    laws = {}
    for size in range(steps + 1):
        for places in itertools.combinations(range(1, steps + 1), size):
            law, last = Fraction(1), 1 - gap
            for place in places:
                law *= chance[place - last - gap] if place - last >= gap else 0
                last = place
            law *= at_least[max(steps + 1 - last - gap, 0)]
            if law:
                laws[places] = law
    return laws


def law_of_uses(steps, separation, rate):
    """Return the probability of every set of uses, step by step."""
    states = {((), 1): Fraction(1)}
    for step in range(1, steps + 1):
        later = {}
        for (used, free_from), chance in states.items():
            moves = [((used, free_from), chance)]
            if step >= free_from:
                moves = [((used, free_from), chance * (1 - rate)), (((*used, step), step + separation), chance * rate)]
            for state, mass in moves:
                later[state] = later.get(state, 0) + mass
        states = later
    law = {}
    for (used, _), chance in states.items():
        law[used] = law.get(used, 0) + chance
    return law


def joint_law(one, share):
    """Return the probability of candidates and uses: a use has the weight q/v, and the other candidates 1 - q."""
    rate, joint = Fraction(one.rate), {}
    for candidates, law in laws_of_candidates(one.steps, one.gap, rate, share).items():
        for size in range(len(candidates) + 1):
            for used in itertools.combinations(candidates, size):
                if any(b - a < one.separation for a, b in itertools.pairwise(used)):
                    continue
                mass = law * share**size * (1 - share) ** (len(candidates) - size)
                for place in used:
                    waits = min(one.steps, place + one.separation - 1) - min(one.steps, place + one.gap - 1)
                    mass /= (1 - rate) ** waits
                joint[candidates, used] = mass
    return joint


@pytest.mark.parametrize(("steps", "separation", "gap", "rate"), RUNS)
def test_uses_among_candidates_have_the_law_of_the_record(steps, separation, gap, rate):
    one = Candidates(steps, separation, gap, rate)
    joint = joint_law(one, Fraction(one.share))
    law = {}
    for (_, used), mass in joint.items():
        assert mass >= 0
        law[used] = law.get(used, 0) + mass
    assert {used: mass for used, mass in law.items() if mass} == law_of_uses(steps, separation, Fraction(rate))
    # Given the candidates and all other uses, one is used with at most the chance, and some one with hardly less.
    odds = [
        Fraction(joint.get((candidates, tuple(sorted({*used, place}))), 0)) / mass
        for (candidates, used), mass in joint.items()
        for place in set(candidates) - set(used)
    ]
    most = max(odds) / (1 + max(odds))
    assert most <= Fraction(one.chance)
    if steps > separation + 1 or separation == gap:
        assert float(most) >= one.chance * (1 - 1e-9)


@pytest.mark.parametrize(("steps", "separation", "gap", "rate"), RUNS)
def test_numbers_of_candidates_are_at_most_as_large_as_their_bounds(steps, separation, gap, rate):
    one = Candidates(steps, separation, gap, rate)
    joint, renewal = (
        joint_law(one, Fraction(one.share)),
        laws_of_candidates(steps, gap, Fraction(rate), Fraction(one.share)),
    )
    for count in range(one.most + 2):
        exact = sum(mass for (candidates, _), mass in joint.items() if len(candidates) >= count)
        bound = sum(mass for candidates, mass in renewal.items() if len(candidates) >= count)
        assert exact <= bound <= Fraction(one.at_least(count)) * (1 + (count == 0))
        assert one.at_least(count) <= float(bound) * (1 + 1e-9) + 1e-280
        if 0 < count <= one.most:
            assert bound <= Fraction(one._exponential(count)) and one._exponential(count) <= 60.0 * float(bound) + 1e-9
    counts, chances, more = candidate_law(one, 1e-9)
    for count in range(1, one.most + 1):
        exact = sum(mass for (candidates, _), mass in joint.items() if len(candidates) >= count)
        ours = sum(Fraction(p) for k, p in zip(counts, chances, strict=True) if k >= count) + Fraction(more)
        assert exact <= ours


@pytest.mark.parametrize(("gap", "rate"), [(1, 0.3), (2, 0.25), (8, 0.01), (8, 0.5), (30, 1e-4)])
def test_the_least_share_leaves_all_gaps_a_probability_and_a_lower_one_does_not(gap, rate):
    share = Fraction(Candidates(100, gap, gap, rate).share)
    assert min(coefficients(Fraction(rate), share, gap, 12 * gap)) >= 0
    lower = coefficients(Fraction(rate), Fraction(0.8 * float(share)), gap, 12 * gap)
    assert min(lower) < 0
    assert rate <= share <= 1


@pytest.mark.nightly
def test_many_candidates_have_bounds_near_each_other():
    one = Candidates(1000, 8, 8, 0.01)
    assert one._tails is not None and Candidates(10**6, 8, 8, 0.01)._tails is None
    mean = sum(one.at_least(count) for count in range(1, one.most + 1))
    # The mean gap is that of uses, (m - 1 + 1/p), times q.
    assert abs(mean / (1000 / (107 * one.share)) - 1.0) < 0.02
    for count in (50, 55, 60, 70):
        assert one._tails[count] <= one._exponential(count) <= 20.0 * one._tails[count]


@pytest.mark.nightly
def test_all_uses_are_revealed_where_every_chance_is_taken():
    one = Candidates(12, 3, 3, 1.0)
    assert (one.share, one.chance, one.most) == (1.0, 1.0, 4) and one.at_least(4) >= 1.0 >= one.at_least(5) == 0.0
    assert best_candidates(1000, 64, 8, 0.003).gap < 64 and best_candidates(1000, 8, 8, 0.003).gap == 8


@pytest.mark.nightly
@pytest.mark.parametrize(("steps", "separation", "gap", "rate"), [(5, 3, 1, 0.25), (6, 4, 2, 0.5), (7, 2, 2, 0.25)])
def test_given_the_candidates_samples_of_them_are_above_in_convex_order(steps, separation, gap, rate):
    one = Candidates(steps, separation, gap, rate)
    joint, chance = joint_law(one, Fraction(one.share)), Fraction(one.chance)
    ratios = ((Fraction(1, 2), Fraction(4, 5)), (Fraction(3), Fraction(1, 5)))  # of a step, with mean 1
    for candidates in {candidates for candidates, _ in joint}:
        law = {used: mass for (others, used), mass in joint.items() if others == candidates}
        outcomes = []
        for drawn in itertools.product(ratios, repeat=len(candidates)):
            ratio_of = dict(zip(candidates, (ratio for ratio, _ in drawn), strict=True))
            mass, uses, samples = prod(p for _, p in drawn), Fraction(0), Fraction(1)
            for used, weight in law.items():
                uses += weight / sum(law.values()) * prod(ratio_of[place] for place in used)
            for ratio, _ in drawn:
                samples *= 1 - chance + chance * ratio
            outcomes.append((mass, uses, samples))
        for kappa in {value for _, *values in outcomes for value in values}:
            ours, theirs = (sum(entry[0] * max(entry[i] - kappa, 0) for entry in outcomes) for i in (1, 2))
            assert ours <= theirs

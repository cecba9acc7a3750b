"""Likelihoods of transcripts against enumeration: all hidden slots, all outputs, in rationals."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from pldcheck import HiddenSlot
from pldcheck.core.errors import ParameterError
from pldcheck.study.attack import event_limits, proposal_tilt, weighted_limits
from pldcheck.study.attack.attack_targets import of_witness
from pldcheck.study.attack.hidden_records import Law, OneLaw, Tilt

X = Fraction(3)
# Rows (record, replacement, slot's own) of randomizers with likelihood ratios within 3.
TABLES = {
    "two": ([X / 4, 1 / (1 + X)], [1 / (1 + X), X / 4], [1 / (1 + X), X / 4]),
    "three": ([X / 5, 1 / (2 + X), 1 / (2 + X)], [1 / (2 + X), X / 5, 1 / (2 + X)], [1 / (2 + X), 1 / (2 + X), X / 5]),
    "five": (
        [Fraction(n, 20) for n in (6, 5, 4, 3, 2)],
        [Fraction(n, 20) for n in (2, 3, 4, 5, 6)],
        [Fraction(n, 20) for n in (4, 4, 5, 4, 3)],
    ),
}
WEIGHTS = (Fraction(1), Fraction(1, 4))


def slots(name, m, weight):
    record, replacement, own = (np.array([float(p) for p in row]) for row in TABLES[name])
    return OneLaw(name, m, float(weight), Law(own, np.array([record, replacement])))


def likelihood(path, row, own, weight):
    """Return P(path), the record hidden in one uniform slot and used there with this probability: by enumeration."""
    m, total = len(path), Fraction(0)
    for slot in range(m):
        for is_there, chance in ((True, weight), (False, 1 - weight)):
            rows = [row if is_there and i == slot else own for i in range(m)]
            total += chance / m * math.prod((rows[i][y] for i, y in enumerate(path)), start=Fraction(1))
    return total


def chained_likelihood(path, row, own, weight):
    """Return the same, output by output, through the posteriors of the slots."""
    m = len(path)
    posterior, product = [Fraction(1, m)] * m, Fraction(1)
    for i, y in enumerate(path):
        mixture = weight * row[y] + (1 - weight) * own[y]
        likelihoods = [mixture if slot == i else own[y] for slot in range(m)]
        step = sum(p * q for p, q in zip(posterior, likelihoods, strict=True))
        posterior = [p * q / step for p, q in zip(posterior, likelihoods, strict=True)]
        product *= step
    return product


@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize(("name", "m"), [("two", 5), ("three", 3), ("five", 2)])
def test_sums_are_the_likelihood_ratios(name, m, weight):
    record, replacement, own = TABLES[name]
    target = slots(name, m, weight)
    for path in itertools.product(range(len(own)), repeat=m):
        reference = math.prod((own[y] for y in path), start=Fraction(1))
        sums = target.law.gains[list(path)].sum(axis=0) * float(weight) / m
        for row, value in ((record, sums[0]), (replacement, sums[1])):
            exact = likelihood(path, row, own, weight)
            assert exact == chained_likelihood(path, row, own, weight)
            assert 1.0 + value == pytest.approx(float(exact / reference), rel=1e-14)


def delta(name, m, weight, kappa):
    """Return delta at e^epsilon = kappa by enumeration."""
    record, replacement, own = TABLES[name]
    paths = itertools.product(range(len(own)), repeat=m)
    gaps = (
        likelihood(path, record, own, weight) - kappa * likelihood(path, replacement, own, weight) for path in paths
    )
    return sum(max(gap, 0) for gap in gaps)


@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize(("name", "m"), [("two", 6), ("three", 4), ("five", 3)])
@pytest.mark.parametrize("above", [1.0, 1.05])
def test_values_have_the_mean_delta_and_keep_their_bound(name, m, weight, above):
    # Over everything that the proposal can draw, not a sample.
    target, base = slots(name, m, weight), 0.3 * proposal_tilt.largest(slots(name, m, weight))
    proposal, epsilon = proposal_tilt.tilt(target, base), above * base
    masses, cumulant = target.law.tilted(proposal.epsilon, proposal.theta)
    total = largest = 0.0
    for path in itertools.product(range(masses.size), repeat=m):
        sums = target.law.gains[list(path)].sum(axis=0)
        weight_of = m * cumulant - proposal.theta * (sums[0] - math.exp(base) * sums[1])
        share = float(weight) / m
        gain = share * (sums[0] - math.exp(epsilon) * sums[1]) - math.expm1(epsilon)
        value = max(gain, 0.0) * math.exp(weight_of)
        total += math.prod(masses[list(path)]) * value
        largest = max(largest, value)
    exact = float(delta(name, m, weight, Fraction(math.exp(epsilon))))
    assert total == pytest.approx(exact, rel=1e-12)
    assert largest <= math.exp(proposal.log_bound)
    # The bound is of use: within a factor of the largest value, and of delta.
    assert math.exp(proposal.log_bound) < 30.0 * largest and above > 1.0 or math.exp(proposal.log_bound) < 60.0 * exact


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("weight", WEIGHTS)
def test_drawn_values_agree_with_enumeration(name, weight):
    target, m = slots(name, 3, weight), 3
    base = 0.4 * proposal_tilt.largest(target)
    proposal = proposal_tilt.tilt(target, base)
    transcripts = target.draw_tilted(proposal, 12345, 200_000)
    values = weighted_limits.values(transcripts, proposal, base) * math.exp(proposal.log_bound + weighted_limits.HAIR)
    exact = float(delta(name, m, weight, Fraction(math.exp(base))))
    # Six standard errors.
    assert abs(values.mean() - exact) <= 6 * values.std() / math.sqrt(values.size) + 1e-9 * exact
    assert values.std() / math.sqrt(values.size) < 0.02 * exact


@pytest.mark.parametrize("party", [0, 1])
@pytest.mark.parametrize("weight", WEIGHTS)
def test_transcripts_have_the_laws_of_both_records(party, weight):
    record, replacement, own = TABLES["three"]
    target, count = slots("three", 3, weight), 100_000
    transcripts = target.plain(party, 777, count)
    tallies = {}
    for key in zip(transcripts.record.round(9).tolist(), transcripts.replacement.round(9).tolist(), strict=True):
        tallies[key] = tallies.get(key, 0) + 1
    exact = {}
    for path in itertools.product(range(3), repeat=3):
        key = tuple((target.law.gains[list(path)].sum(axis=0) * float(weight) / 3).round(9).tolist())
        exact[key] = exact.get(key, 0) + likelihood(path, (record, replacement)[party], own, weight)
    assert tallies.keys() <= exact.keys()
    for key, p in exact.items():
        # Seven standard deviations of a count.
        assert abs(tallies.get(key, 0) - count * float(p)) < 7 * math.sqrt(count * float(p * (1 - p))) + 7


@pytest.mark.nightly
@pytest.mark.parametrize("m", [2, 5])
def test_a_policy_is_worth_its_witness(m):
    # The exact recursion's policy, whose delta is known to all digits.
    slot, epsilon = HiddenSlot(m, 1.3, 0.8), 0.3
    interval = slot.delta(epsilon)
    target = of_witness(interval.witness)
    proposal = proposal_tilt.tilt(target, epsilon)
    transcripts = target.draw_tilted(proposal, 4, 300_000)
    values = weighted_limits.values(transcripts, proposal, epsilon) * math.exp(
        proposal.log_bound + weighted_limits.HAIR
    )
    error = values.std() / math.sqrt(values.size)
    assert abs(values.mean() - interval.lower) < 6 * error + 1e-9 and error < 0.01 * interval.lower
    # And so do plain transcripts, where the test is right as often as it should be.
    scores = event_limits.Scores(target.plain(0, 5, 300_000).scores(), target.plain(1, 6, 300_000).scores())
    advantage = (scores.record > epsilon).mean() - math.exp(epsilon) * (scores.replacement > epsilon).mean()
    assert abs(advantage - interval.lower) < 6 * (1 + math.exp(epsilon)) / math.sqrt(300_000)


def test_a_value_above_its_bound_is_not_passed_over():
    target = slots("two", 4, 1)
    proposal = proposal_tilt.tilt(target, 0.2)
    transcripts = target.draw_tilted(proposal, 1, 1000)
    wrong = Tilt(proposal.epsilon, proposal.theta, proposal.log_bound - 5.0)
    with pytest.raises(ArithmeticError, match="exceeds its bound"):
        weighted_limits.values(transcripts, wrong, 0.2)


@pytest.mark.nightly
def test_limits_fail_as_rarely_as_they_say():
    # Zero-out adjacency, exact to ten digits; every limit is allowed to fail once in ten, 150 seeds.
    slot, delta, failure, seeds = HiddenSlot(40, 1.0, adjacency="zero-out"), 1e-5, 0.1, 150
    interval = slot.epsilon(delta)
    target, failures = of_witness(interval.witness), np.zeros(4)
    for seed in range(seeds):
        plan = weighted_limits.plan(target, delta, interval.lower, seed, 1_000, failure)
        transcripts = target.draw_tilted(plan.tilt, weighted_limits.key(seed, weighted_limits.MAIN), 1_000)
        epsilons = weighted_limits.epsilon_limits(transcripts, plan, delta, proposal_tilt.largest(target), failure)
        deltas = weighted_limits.delta_limits(transcripts, plan, plan.at, failure)
        exact = slot.delta(plan.at)
        failures += [
            epsilons.lower > interval.upper,
            epsilons.upper < interval.lower,
            deltas.lower > exact.upper,
            deltas.upper < exact.lower,
        ]
    # No more than one in ten, P(Bin(150, 0.1) > 30) = 1e-4; and some do: they are not far from what they could be.
    assert (failures <= 30).all() and failures.sum() >= 4, failures


def test_a_randomizer_that_cannot_be_attacked_is_named():
    rows = {"record": [0.5, 0.5], "replacement": [1.0, 0.0], "reference": [1.0, 0.0]}
    with pytest.raises(ParameterError, match="for an attack, got 'table of two'"):
        of_witness({"kind": "hidden-slot", "steps": 3, "weight": 1.0, "summary": "table of two", **rows})

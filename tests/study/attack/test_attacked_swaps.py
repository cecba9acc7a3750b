"""Swapping with two groups of others against the protocol itself, enumerated in rationals."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from pldcheck.protocols import Swap
from pldcheck.shuffling import subset_selection
from pldcheck.study.attack import attack, proposal_tilt, weighted_limits
from pldcheck.study.attack.attack_targets import law_of
from pldcheck.study.attack.attacked_swaps import NAME, TwoGroupSwap

EPS0 = 1.2
X = Fraction(math.exp(EPS0))
# Ternary randomized response in the order A, C, E of the law: on the third value, the record, its replacement.
OWN_LAW = [X / (2 + X), 1 / (2 + X), 1 / (2 + X)]
ROWS = ([1 / (2 + X), X / (2 + X), 1 / (2 + X)], [1 / (2 + X), 1 / (2 + X), X / (2 + X)])
# What the first place says, on a record of the first group and of the second.
FIRSTS = ([X / (1 + X), 1 / (1 + X)], [1 / (1 + X), X / (1 + X)])


def law(party, clients, first):
    """Return {(c, outputs of the other places): probability}, the record or its replacement swapped with a uniform
    place.
    """
    chances = {}
    groups = [0] * first + [1] * (clients - 1 - first)
    for c, path in itertools.product((0, 1), itertools.product(range(3), repeat=clients - 1)):
        total = FIRSTS[party][c] * math.prod(OWN_LAW[y] for y in path)
        for place, group in enumerate(groups):
            rows = [ROWS[party] if i == place else OWN_LAW for i in range(clients - 1)]
            total += FIRSTS[group][c] * math.prod(row[y] for row, y in zip(rows, path, strict=True))
        chances[c, path] = total / clients
    return chances


def swap_target(clients, first):
    return TwoGroupSwap(clients, EPS0, law_of("ACE", EPS0), first)


SIZES = [(2, 0), (3, 1), (5, 1), (5, 4)]


@pytest.mark.parametrize(("clients", "first"), SIZES)
def test_ratios_and_values_agree_with_enumeration_of_all_transcripts(clients, first):
    target, epsilon = swap_target(clients, first), 0.4
    records, replacements = (law(party, clients, first) for party in (0, 1))
    assert sum(records.values()) == sum(replacements.values()) == 1
    kappa = Fraction(math.exp(epsilon))
    delta = sum(max(records[key] - kappa * replacements[key], 0) for key in records)
    bound, mean = target.proposal(epsilon).log_bound, 0.0
    for (c, path), p in records.items():
        gains = target.law.gains[list(path)]
        shares = np.repeat(target.shares(c), [first, clients - 1 - first])
        transcripts = target._transcripts(np.array([c]), (shares @ gains)[None, :], np.zeros(1))
        alone = math.prod(OWN_LAW[y] for y in path) / 2
        assert 1.0 + transcripts.record[0] == pytest.approx(float(p / alone), rel=1e-13)
        assert 1.0 + transcripts.replacement[0] == pytest.approx(float(replacements[c, path] / alone), rel=1e-13)
        theta = target._steepness(c, epsilon)[0]
        tilts = [proposal_tilt.tilted_law(target.law, epsilon, theta * share) for share in target.shares(c)]
        sizes = first, clients - 1 - first
        total = sum(size * cumulant for size, (_, cumulant) in zip(sizes, tilts, strict=True))
        steps = shares * (gains[:, 0] - math.exp(epsilon) * gains[:, 1])
        value = max(transcripts.gain(epsilon)[0], 0.0) * math.exp(total - theta * steps.sum())
        assert value <= math.exp(bound)
        rows = [tilts[0 if i < first else 1][0] for i in range(clients - 1)]
        mean += 0.5 * math.prod(row[y] for row, y in zip(rows, path, strict=True)) * value
    assert mean == pytest.approx(float(delta), rel=1e-12)


@pytest.mark.parametrize(("clients", "first"), SIZES)
def test_samples_of_values_and_transcripts_agree_with_enumeration(clients, first):
    target, epsilon, count = swap_target(clients, first), 0.4, 200_001
    records, replacements = (law(party, clients, first) for party in (0, 1))
    delta = float(sum(max(p - Fraction(math.exp(epsilon)) * replacements[key], 0) for key, p in records.items()))
    proposal = target.proposal(epsilon)
    values = weighted_limits.values(target.draw_tilted(proposal, 8, count), proposal, epsilon)
    values = values * math.exp(proposal.log_bound + weighted_limits.HAIR)
    assert abs(values.mean() - delta) < 6 * values.std() / math.sqrt(count) + 1e-9 < 0.03 * delta
    for party, exact in enumerate((records, replacements)):
        transcripts = target.plain(party, 9 + party, count)
        scores = transcripts.scores()
        above = float(sum(exact[key] for key, p in records.items() if p > replacements[key] * Fraction(1 + 1e-9)))
        assert abs((scores > 1e-9).mean() - above) < 6 * 0.5 / math.sqrt(count)


@pytest.mark.nightly
def test_swapping_is_attacked_with_two_groups():
    estimate = attack(Swap(500, 1.0), delta=1e-6, transcripts=20_000)
    assert estimate.randomizer == NAME and estimate.certified.sources[0] == subset_selection.NAME
    # The random subset, which is certified, attains a little more.
    assert 0.95 * estimate.certified.lower <= estimate.attained.upper
    assert estimate.attained.lower <= estimate.certified.upper
    assert not estimate.exceeds and estimate.attained.upper < 1.02 * estimate.attained.lower
    # The others alike, as with the last model only, show less.
    last = attack(Swap(500, 1.0), delta=1e-6, transcripts=20_000, view="last")
    assert last.attained.upper < 0.95 * estimate.attained.lower

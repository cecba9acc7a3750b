"""Transcripts against the same draws in Python's own integers, slot by slot."""

import math

import numpy as np
import pytest

from pldcheck.hidden_slot.worst.threshold_policies import Policy
from pldcheck.kernels import slot_transcripts as kernels
from pldcheck.study.attack import transcript_blocks

WHOLE = 2**64


def draw_of(key, place):
    """Return a draw of splitmix64 (Steele, Lea, Flood 2014) in integers."""
    z = (key + (place + 1) * 0x9E3779B97F4A7C15) % WHOLE
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % WHOLE
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % WHOLE
    return z ^ (z >> 31)


def hidden_at(key, transcript, steps, use_limit):
    """Return the slot the record is used in, or None."""
    base = transcript * (steps + 2)
    if draw_of(key, base + steps + 1) >= use_limit:
        return None
    return math.floor(((draw_of(key, base + steps) >> 11) + 0.5) / 2**53 * steps)


def outputs(key, transcript, steps, limits, hidden_limits, use_limit):
    """Return the outputs of all slots: how many cumulative limits each draw is at or above."""
    slot = hidden_at(key, transcript, steps, use_limit)
    base = transcript * (steps + 2)
    rows = [hidden_limits if i == slot else limits for i in range(steps)]
    return [sum(draw_of(key, base + i) >= int(c) for c in row) for i, row in enumerate(rows)]


def test_the_generator_gives_its_published_numbers():
    # The first outputs from seed 1234567, as on https://rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64
    reference = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert [draw_of(1234567, place) for place in range(4)] == reference
    assert [int(kernels.draw(np.uint64(1234567), np.uint64(place))) for place in range(4)] == reference


@pytest.mark.parametrize("steps", [1, 2, 17])
@pytest.mark.parametrize("weight", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("masses", [(0.5, 0.5), (0.2, 0.3, 0.5), (0.1, 0.2, 0.3, 0.4)])
def test_sums_over_few_outputs_agree_with_transcripts_one_by_one(steps, weight, masses):
    limits, hidden_limits = (transcript_blocks.limits(np.array(row), 3) for row in (masses, masses[::-1]))
    gains = np.arange(8.0).reshape(4, 2) ** 2 - 3.0
    gains[len(masses) :] = gains[len(masses) - 1]
    sums, use_limit = np.empty((50, 2)), transcript_blocks.limit(weight)
    kernels.few_sums(np.uint64(99), 7, steps, limits, hidden_limits, np.uint64(use_limit), gains, sums)
    for t in range(50):
        outcome = outputs(99, 7 + t, steps, limits, hidden_limits, use_limit)
        assert max(outcome) < len(masses)
        assert sums[t] == pytest.approx(gains[outcome].sum(axis=0), rel=1e-14)


@pytest.mark.parametrize("steps", [1, 13])
@pytest.mark.parametrize("weight", [0.0, 0.7])
def test_sums_over_many_outputs_agree_with_transcripts_one_by_one(steps, weight):
    masses = np.array([0.05, 1e-9, 0.3, 0.15, 0.5 - 1e-9])
    rows = masses[::-1]
    own, other = transcript_blocks.aliases(masses, 3)
    hidden_limits, gains = transcript_blocks.limits(rows, 4), np.arange(10.0).reshape(5, 2)
    sums, use_limit = np.empty((60, 2)), transcript_blocks.limit(weight)
    kernels.many_sums(np.uint64(5), 0, steps, 3, own, other, hidden_limits, np.uint64(use_limit), gains, sums)
    for t in range(60):
        slot, base, total = hidden_at(5, t, steps, use_limit), t * (steps + 2), np.zeros(2)
        for i in range(steps):
            u = draw_of(5, base + i)
            column = u >> 61
            output = column if (u << 3) % WHOLE < int(own[column]) else int(other[column])
            if i == slot:
                output = sum(u >= int(c) for c in hidden_limits)
            total += gains[output]
        assert sums[t] == pytest.approx(total, rel=1e-14)


@pytest.mark.parametrize("size", [2, 5, 64, 440])
def test_the_alias_table_is_the_law(size):
    masses = np.exp(-0.5 * np.linspace(-8.0, 8.0, size) ** 2)
    masses /= masses.sum()
    bits = math.ceil(math.log2(size))
    own, other = transcript_blocks.aliases(masses, bits)
    weights = [0] * 2**bits
    for column in range(2**bits):
        weights[column] += int(own[column])
        weights[int(other[column])] += WHOLE - int(own[column])
    for output in range(2**bits):
        exact = masses[output] if output < size else 0.0
        assert weights[output] / (WHOLE * 2**bits) == pytest.approx(exact, rel=1e-12, abs=1e-18)


def test_a_policy_is_followed():
    # Three steps to go: BE below 0.1, CF from there on.  Later: ACE below -1, else BE.
    times, starts = np.array([2, 5]), np.array([0, 2, 4])
    thresholds, laws = np.array([-np.inf, -1.0, -np.inf, 0.1]), np.array([2, 0, 0, 1])
    moves, start = np.array([-0.7, 0.4, 1.3, -0.9, -0.2]), 0.05
    limits = np.array(
        [transcript_blocks.limits(np.array(row), 2) for row in ([0.6, 0.4], [0.3, 0.7], [0.5, 0.25, 0.25])]
    )
    hidden_limits = np.array(
        [transcript_blocks.limits(np.array(row), 2) for row in ([0.1, 0.9], [0.8, 0.2], [0.2, 0.6, 0.2])]
    )
    counts, uses = np.empty((400, 5), np.int64), np.empty((400, 3), np.int64)
    use_limit = transcript_blocks.limit(0.8)
    policy = Policy(times, starts, thresholds, laws)
    kernels.policy_counts(
        np.uint64(3), 0, 5, start, moves, limits, hidden_limits, np.uint64(use_limit), policy, counts, uses
    )
    for t in range(400):
        slot, place, histogram, uses_of_parts = hidden_at(3, t, 5, use_limit), start, [0] * 5, [0] * 3
        for i in range(5):
            to_go = 5 - i
            law = (0 if place < 0.1 else 1) if to_go > 2 else (2 if place < -1.0 else 0)
            row = hidden_limits[law] if i == slot else limits[law]
            output = sum(draw_of(3, t * 7 + i) >= int(c) for c in row)
            vertex = "ABCEF".index(("BE", "CF", "ACE")[law][output])
            place += moves[vertex]
            histogram[vertex] += 1
            uses_of_parts[law] += 1
        assert counts[t].tolist() == histogram and uses[t].tolist() == uses_of_parts
    assert (uses.sum(axis=0) > 100).all()


def test_any_split_gives_the_same_bits():
    limits, gains = transcript_blocks.limits(np.array([0.3, 0.3, 0.4]), 3), np.arange(8.0).reshape(4, 2)
    whole, parts = np.empty((90, 2)), np.empty((90, 2))
    use_limit = np.uint64(transcript_blocks.limit(0.5))
    kernels.few_sums(np.uint64(1), 0, 40, limits, limits[::-1].copy(), use_limit, gains, whole)
    for first, last in ((60, 90), (0, 11), (11, 60)):
        kernels.few_sums(np.uint64(1), first, 40, limits, limits[::-1].copy(), use_limit, gains, parts[first:last])
    assert (whole == parts).all()

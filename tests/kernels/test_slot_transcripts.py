"""Transcripts against the same draws in Python's own integers, slot by slot."""

import math

import numpy as np

from pldcheck.hidden_slot.worst.threshold_policies import Policy
from pldcheck.kernels import slot_transcripts as kernels
from pldcheck.study.attack import hidden_records

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


def test_a_policy_is_followed():
    # Three steps to go: BE below 0.1, CF from there on.  Later: ACE below -1, else BE.
    times, starts = np.array([2, 5]), np.array([0, 2, 4])
    thresholds, laws = np.array([-np.inf, -1.0, -np.inf, 0.1]), np.array([2, 0, 0, 1])
    moves, start = np.array([-0.7, 0.4, 1.3, -0.9, -0.2]), 0.05
    limits = np.array([hidden_records.limits(np.array(row)) for row in ([0.6, 0.4], [0.3, 0.7], [0.5, 0.25, 0.25])])
    hidden_limits = np.array(
        [hidden_records.limits(np.array(row)) for row in ([0.1, 0.9], [0.8, 0.2], [0.2, 0.6, 0.2])]
    )
    counts, uses = np.empty((400, 5), np.int64), np.empty((400, 3), np.int64)
    use_limit = int(0.8 * WHOLE)
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

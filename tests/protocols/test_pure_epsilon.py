"""Epsilon at delta = 0: the largest loss, against enumeration, closed forms, tiny deltas and where delta ends."""

from collections import Counter
from fractions import Fraction as F
from itertools import product
from math import inf

import mpmath
import pytest

from pldcheck import (
    Averaged,
    BallsInBins,
    CheckIn,
    Composition,
    Gaussian,
    HiddenSlot,
    Laplace,
    MatrixMechanism,
    RandomAllocation,
    RandomizedResponse,
    Shuffle,
    ShuffledBatches,
    SlidingWindow,
    SubsampledGaussian,
    Swap,
)
from pldcheck.core.errors import ParameterError, Unsupported


def response(x, answer, value):
    return (x if answer == value else 1) / (x + 1)


def largest_of_slots(x, w):
    """Return the largest ratio of two slots with binary responses: all references, outputs and directions."""
    ratios = []
    for references, outputs in product(product((0, 1), repeat=2), repeat=2):
        masses = []
        for record in (0, 1):
            base = [response(x, one, reference) for one, reference in zip(outputs, references, strict=True)]
            own = [response(x, one, record) for one in outputs]
            masses.append((1 - w) * base[0] * base[1] + w / 2 * (own[0] * base[1] + base[0] * own[1]))
        ratios += [masses[0] / masses[1], masses[1] / masses[0]]
    return max(ratios)


def largest_of_shuffle(x):
    """Return the largest ratio of the number of ones among three shuffled binary responses."""
    ratios = []
    for others in product((0, 1), repeat=2):
        laws = [[mpmath.mpf(0)] * 4 for _ in range(2)]
        for record, outputs in product((0, 1), product((0, 1), repeat=3)):
            values = (record, *others)
            laws[record][sum(outputs)] += mpmath.fprod(map(lambda one, v: response(x, one, v), outputs, values))
        ratios += [max(p / q, q / p) for p, q in zip(*laws, strict=True)]
    return max(ratios)


def closed_forms():
    """Return protocols with their pure epsilons, to 40 digits."""
    x, w, eps0 = mpmath.exp(0.7), mpmath.mpf(0.3), mpmath.mpf(0.7)
    slot, shuffle = mpmath.log(largest_of_slots(x, w)), mpmath.log(largest_of_shuffle(x))
    of_three = mpmath.log(1 + w * (x - 1)) * 3
    return {
        HiddenSlot(2, 0.7, 0.3, randomizer="rr"): slot,
        HiddenSlot(2, 0.7, 0.3): slot,
        HiddenSlot(2, 0.7, 0.3, "zero-out"): slot,
        HiddenSlot(9, 0.7, 0.3, "zero-out", randomizer="laplace"): slot,
        HiddenSlot(9, 0.7, 0.3, epochs=3, randomizer="krr:4"): of_three,
        CheckIn(9, 0.7, 0.3, epochs=3): of_three,
        SlidingWindow(4, 7, 0.7): eps0,
        Shuffle(3, 0.7, "rr"): shuffle,
        Shuffle(3, 0.7): shuffle,
        Shuffle(3, 0.7, "tv:0.1"): shuffle,
        Shuffle(3, 0.7, "laplace", 5): eps0 * 5,
        Swap(3, 0.7): eps0,
        Averaged(3, 2, 0.7): eps0,
        RandomizedResponse(7, 0.3): w * 7,
        Laplace(2.0, 3): mpmath.mpf(1.5),
        Composition(("laplace:2*3", "rr:0.5")): mpmath.mpf(2),
    }


INFINITE = (
    *(Gaussian(1.0), Composition(("rr:1", "discrete-gaussian:3")), Composition(("rr:1:1e-9",)), BallsInBins(3, 1.0)),
    *(HiddenSlot(3, 1.0, delta0=1e-9), HiddenSlot(3, randomizer="gaussian:1"), Shuffle(3, 1.0, "gaussian:1")),
    *(RandomAllocation(3, 1.0), ShuffledBatches(3, 1.0), SubsampledGaussian(1.0, 0.1, 3)),
    MatrixMechanism(3, 1.0, "identity"),
)


def test_pure_epsilon_is_the_largest_loss():
    with mpmath.workdps(40):
        digits = mpmath.mpf("1e-35")  # the oracle's own
        for protocol, truth in closed_forms().items():
            pure = protocol.epsilon(0)
            assert pure.lower <= truth + digits and truth - digits <= pure.upper <= pure.lower * (1 + 1e-13), protocol
            assert protocol.epsilon("0") == protocol.epsilon([0.0]).intervals[0] == pure
    for protocol in INFINITE:
        assert tuple(protocol.epsilon(0.0)) == (inf, inf)
    assert Laplace(2.0).for_group(3).epsilon(0).upper == pytest.approx(1.5, rel=1e-15)
    assert tuple(RandomizedResponse(1, 0.5).for_group(3).epsilon(0)) == (0.5, 1.5)
    unknown = (
        CheckIn(3, 1.0, clients=5),
        RandomAllocation(3, 1.0, check_in_prob=0.5, adjacency="add"),
    )
    for protocol in unknown:
        with pytest.raises(Unsupported, match="has no epsilon at delta = 0: it is not known here.* a delta above 0$"):
            protocol.epsilon(0)
    for refused in (False, "x", None, -1e-9, "1e-400"):
        with pytest.raises(ParameterError, match="^delta must be "):
            Laplace(1.0).epsilon(refused)


def test_a_shuffled_table_has_its_largest_ratio(tmp_path):
    path = tmp_path / "table.txt"
    path.write_text("1 2 5\n3 4 1\n2 2 4\n".replace("1 2 5", ".125 .25 .625").replace("3 4 1", ".375 .5 .125"))
    path.write_text(".125 .25 .625\n.375 .5 .125\n.25 .25 .5\n")
    rows = [[F(1, 8), F(1, 4), F(5, 8)], [F(3, 8), F(1, 2), F(1, 8)], [F(1, 4), F(1, 4), F(1, 2)]]
    counts = []
    for data in product(rows, repeat=3):
        law = Counter()
        for outputs in product(range(3), repeat=3):
            law[tuple(sorted(outputs))] += data[0][outputs[0]] * data[1][outputs[1]] * data[2][outputs[2]]
        counts.append((data[1:], law))
    truth = max(p[s] / q[s] for (a, p), (b, q) in product(counts, repeat=2) if a == b for s in p)
    with mpmath.workdps(40):
        exact = mpmath.log(mpmath.mpf(truth.numerator) / truth.denominator) * 2
        pure = Shuffle(3, 2.0, f"table:{path}", rounds=2).epsilon(0)
        assert pure.lower <= exact <= pure.upper <= pure.lower * (1 + 1e-13)
    path.write_text("0 .5 .5\n.25 .25 .5\n")
    assert tuple(Shuffle(3, 2.0, f"table:{path}").epsilon(0)) == (inf, inf)


@pytest.mark.nightly
def test_delta_ends_at_the_pure_epsilon():
    for protocol in closed_forms():
        pure, near = protocol.epsilon(0), protocol.epsilon(1e-200)
        assert near.lower <= pure.upper and near.upper <= pure.upper * (1 + 1e-9)
        assert protocol.delta(pure.upper).lower == 0.0 < protocol.delta(pure.lower * 0.9).lower
    for protocol in INFINITE:
        assert protocol.epsilon(1e-12).upper > 1.0

"""Epochs of a hidden slot, composed from its curve and from single laws."""

from itertools import product
from math import exp

import pytest

from pldcheck.core.errors import ParameterError
from pldcheck.protocols import CheckIn, HiddenSlot


def brute_force(m, eps0, epochs, epsilon):
    """Return the largest delta of two single laws used in every slot of every epoch, by enumeration of all outputs."""
    x = exp(eps0)
    laws = {
        "BE": [((1, 1 / x), x / (x + 1)), ((1, x), 1 / (x + 1))],
        "ACE": [((1 / x, 1 / x), x / (x + 2)), ((x, 1), 1 / (x + 2)), ((1, x), 1 / (x + 2))],
    }
    best = 0.0
    for law in laws.values():
        epoch = {}
        for outputs in product(law, repeat=m):
            chance, one, other = 1.0, 0.0, 0.0
            for (a, b), p in outputs:
                chance, one, other = chance * p, one + a / m, other + b / m
            key = (round(chance * one, 15), round(chance * other, 15))
            epoch[key] = epoch.get(key, 0) + 1
        pairs = [(p, q, n) for (p, q), n in epoch.items()]
        for flip in (False, True):
            total = 0.0
            for choice in product(pairs, repeat=epochs):
                p, q, n = 1.0, 1.0, 1
                for one, other, copies in choice:
                    p, q, n = p * one, q * other, n * copies
                p, q = (q, p) if flip else (p, q)
                total += n * max(p - exp(epsilon) * q, 0.0)
            best = max(best, total)
    return best


@pytest.mark.parametrize(("m", "eps0", "epochs"), [(3, 1.0, 2), (4, 0.5, 2), (2, 2.0, 3)])
def test_single_laws_lie_inside(m, eps0, epochs):
    for epsilon in (0.1, 0.4):
        interval = HiddenSlot(m, eps0, epochs=epochs).delta(epsilon)
        divergence_reached = brute_force(m, eps0, epochs, epsilon)
        assert divergence_reached <= interval.upper
        # BE and ACE, each with its worse direction, are what the lower end is made of.
        assert interval.lower == pytest.approx(divergence_reached, rel=1e-3)
        assert interval.upper <= 1.35 * interval.lower


@pytest.mark.parametrize("slot", [HiddenSlot(50, 1.0), HiddenSlot(1000, 2.0, 0.5), HiddenSlot(20, 0.5, 0.1)])
def test_one_epoch_through_its_curve_contains_the_direct_answer(slot):
    from pldcheck.hidden_slot import worst_epochs as epochs

    for delta in (1e-4, 1e-8):
        direct, interval = slot.epsilon(delta), epochs.epsilon(slot.problem.slot, 1, delta)
        assert interval.lower <= direct.upper and direct.lower <= interval.upper
        assert interval.relative_width < 0.06


@pytest.mark.nightly
def test_many_epochs_grow_like_their_root():
    narrow = [HiddenSlot(200, 1.0, epochs=epochs).epsilon(1e-6) for epochs in (4, 16, 64)]
    assert all(interval.relative_width < 0.03 for interval in narrow)
    for fewer, more in zip(narrow, narrow[1:], strict=False):
        assert 1.9 < more.lower / fewer.upper and more.upper / fewer.lower < 2.8


@pytest.mark.nightly
def test_check_ins_hand_their_epochs_on():
    assert CheckIn(100, 1.0, 0.1, 5).reduced == HiddenSlot(100, 1.0, 0.1, epochs=5)
    assert CheckIn(100, 1.0, 0.1, 5).epsilon(1e-6) == HiddenSlot(100, 1.0, 0.1, epochs=5).epsilon(1e-6)


def test_epochs_that_cannot_be_answered_are_refused():
    with pytest.raises(ParameterError, match="epochs must be 1 with adjacency zero-out, got 2"):
        HiddenSlot(10, 1.0, adjacency="zero-out", epochs=2)
    with pytest.raises(ParameterError, match="epochs must be an integer"):
        CheckIn(10, 1.0, epochs=0)

"""Ends of epochs and of slack in the randomizers: closed forms, caps and weights that are rounded the certified way."""

import random
from fractions import Fraction

import pytest
from flint import arb

from pldcheck.hidden_slot import worst_epochs
from pldcheck.hidden_slot.approximate import approximate_slot
from pldcheck.hidden_slot.worst.slot_problem import Slot
from pldcheck.protocols import HiddenSlot

RANDOM = random.Random(9)


def test_the_largest_loss_of_all_epochs_is_rounded_up():
    roundings = 0
    for _ in range(300):
        slot, count = (
            Slot(5, RANDOM.uniform(0.01, 20.0), RANDOM.choice([1.0, RANDOM.random()])),
            RANDOM.randrange(2, 999),
        )
        exact = count * Fraction(slot.cap)
        most = worst_epochs.largest_loss(slot, count)
        assert exact <= Fraction(most) <= exact * (1 + Fraction(1, 2**51))
        roundings += Fraction(most) != exact
    assert roundings > 100


def test_the_weight_beside_a_reveal_is_rounded_down():
    for _ in range(500):
        weight, delta0 = RANDOM.choice([1.0, RANDOM.random()]), 10.0 ** RANDOM.uniform(-12, -0.01)
        w, d = Fraction(weight), Fraction(delta0)
        exact = w * (1 - d) / (1 - w * d)
        slot_weight = approximate_slot.pure_slot(Slot(3, 1.0, weight), delta0).weight
        assert exact * (1 - Fraction(1, 10**14)) <= Fraction(slot_weight) <= exact


@pytest.mark.parametrize("weight", [1.0, 0.5, 1e-3])
@pytest.mark.parametrize("delta0", [0.0, 1e-9, 0.1, 0.7])
def test_the_loss_of_one_slot_lies_above_its_closed_form(weight, delta0):
    eps0 = 1.25
    slot = Slot(1, eps0, weight)
    law = worst_epochs.one_slot_loss(slot, delta0)
    w, d, x = arb(weight), arb(delta0), arb(eps0).exp()
    for share in (0.0, 0.3, 0.9, 0.999, 1.5):
        epsilon = share * slot.cap
        gain = (w * (x - 1) - arb(epsilon).expm1()).max(arb(0)) / (x + 1)
        truth = w * d + (1 - d) * gain
        for ask in (lambda loss, at=epsilon: loss.delta(at), lambda loss, at=epsilon: loss.one_way.delta(at)):
            upper = law.upper(ask)
            assert truth.lower() <= arb(upper)
            assert upper <= float(truth) * (1 + 1e-9) + 1e-15


def test_no_upper_end_of_one_slot_is_above_one():
    for delta0 in (1.0 - 2.0**-53, 0.999999):
        for eps0 in (1e-9, 1.0, 20.0):
            assert approximate_slot.one_slot_upper(Slot(1, eps0, 1.0), delta0, 0.0) <= 1.0


def test_the_best_law_of_epochs_counts():
    slot, delta = Slot(30, 5.0, 0.5), 1e-3
    adversaries = worst_epochs.adversaries(slot)
    ends = sorted(one.lower(lambda loss: loss.compose(2).epsilon(delta)) for one in adversaries)
    assert len(ends) == 2 and ends[1] > 1.01 * ends[0]
    interval = HiddenSlot(30, 5.0, 0.5, epochs=2).epsilon(delta)
    assert interval.lower >= 0.999 * ends[1]


@pytest.mark.parametrize(
    ("eps0", "weight", "count"),
    [(1.8e-9, 1.0, 30), (8.3e-9, 1.4e-6, 2), (3e-9, 2.5e-6, 7), (11.4, 0.255, 30), (0.004, 1.0, 2)],
)
def test_no_epsilon_of_epochs_is_above_all_losses(eps0, weight, count):
    """A composed loss of next to nothing is known to an absolute error only; the largest one is known relatively."""
    interval = worst_epochs.epsilon(Slot(1, eps0, weight), count, 1e-106)
    largest = count * (arb(weight) * arb(eps0).expm1()).log1p()
    # This is a bound of the width: twelve roundings are charged to one epoch's largest loss, and what is composed is
    # known to twenty, so that the largest loss must have been the end.
    assert interval.upper <= float(largest.upper()) * (1 + 16 * 2.0**-53)
    assert worst_epochs.delta(Slot(1, eps0, weight), count, interval.upper).upper <= 1e-106

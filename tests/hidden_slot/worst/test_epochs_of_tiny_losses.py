"""Epochs whose losses are far below a round-off of one: the distance of a ratio from one tells them, not the ratio."""

from fractions import Fraction
from itertools import product
from math import comb
from random import Random

import pytest
from flint import arb, ctx

from pldcheck.hidden_slot import worst_epochs
from pldcheck.hidden_slot.worst.slot_problem import Slot
from pldcheck.pld import PrivacyLossDistribution
from pldcheck.pld.law_bounds import LawBounds
from pldcheck.protocols import CheckIn, HiddenSlot


def _epoch(m, eps0, weight):
    """Return (P, Q) of ACE used in every slot, output by output."""
    x, w = arb(eps0).exp(), arb(weight)
    pairs = []
    for c in range(m + 1):
        for e in range(m + 1 - c):
            ways = comb(m, c) * comb(m - c, e)
            base = ways * x ** (m - c - e) / (x + 2) ** m
            rest = (m - c - e) / x
            one, other = ((1 - w) + w / m * (first * x + second + rest) for first, second in ((c, e), (e, c)))
            pairs.append((base * one, base * other))
    return pairs


def three_point_delta(m, eps0, weight, count, epsilon):
    """Return delta of so many epochs, as a ball."""
    pairs, kappa, total = _epoch(m, eps0, weight), arb(epsilon).exp(), arb(0)
    for choice in product(pairs, repeat=count):
        p, q = arb(1), arb(1)
        for one, other in choice:
            p, q = p * one, q * other
        total += (p - kappa * q).max(arb(0))
    return total


@pytest.mark.parametrize("weight", [1e-14, 1e-12, 1e-9, 1e-3, 0.7])
@pytest.mark.parametrize(("m", "eps0"), [(4, 1.0), (6, 3.0)])
def test_the_three_point_law_is_below_its_own_delta_and_near_it(m, eps0, weight):
    slot = Slot(m, eps0, weight)
    law = worst_epochs._three_point(slot)
    loss = PrivacyLossDistribution("ACE", ((LawBounds.exact(law), 1),)).compose(2)
    for share in (0.0, 0.11, 0.43):
        epsilon = share * slot.cap
        interval = loss.delta(epsilon)
        with ctx.workprec(400):
            truth = three_point_delta(m, eps0, weight, 2, epsilon)
            assert arb(interval.lower) <= truth
            assert arb(interval.lower) >= 0.999 * truth


@pytest.mark.parametrize("weight", [1e-13, 1e-10])
def test_epochs_of_tiny_losses_are_enclosed_narrowly(weight):
    m, eps0 = 4, 1.0
    slot = HiddenSlot(m, eps0, weight, epochs=2)
    epsilon = 0.3 * slot.problem.slot.cap
    interval = slot.delta(epsilon)
    with ctx.workprec(400):
        truth = three_point_delta(m, eps0, weight, 2, epsilon)
        assert truth <= arb(interval.upper)
    assert interval.lower <= interval.upper <= 1.5 * interval.lower


@pytest.mark.nightly
def test_few_clients_with_tiny_losses_are_enclosed():
    # Before, seven times too wide after half a minute: losses were known to a round-off of 1, tilts ended at 1e12.
    interval = CheckIn(1000, 1.0, 1e-12, epochs=3, clients=5).epsilon(1e-16)
    assert 1.5e-13 < interval.lower <= interval.upper <= 1.01 * interval.lower


def test_the_losses_of_the_three_point_law_are_within_their_error():
    draw = Random(3)
    cases = [(draw.uniform(0.3, 1.0), draw.uniform(0.3, 1.0)) for _ in range(300)]
    cases += [(10.0 ** draw.uniform(-3, 0.4), 10.0 ** draw.uniform(-14, 0)) for _ in range(300)]
    for eps0, weight in cases:
        law = worst_epochs._three_point(Slot(2, eps0, weight))
        with ctx.workprec(400):
            # Outcomes with as many C as E have loss 0; of two slots, no others are alike.
            pairs = [(p / q).log() for p, q in _epoch(2, eps0, weight) if not p.overlaps(q)]
            exact = sorted((float(loss), loss) for loss in pairs)
            losses = sorted(loss for loss in law.losses.tolist() if abs(loss) > law.loss_error)
            assert len(losses) == len(exact) == 4
            for loss, (_, exact_loss) in zip(losses, exact, strict=True):
                assert abs(arb(loss) - exact_loss) <= law.loss_error
        assert law.loss_error <= 1e-12 * max(map(abs, losses))


def test_a_delta_far_below_any_loss_is_answered():
    # log(1 + w (e^eps0 - 1)) is w eps0 here, five times over; at this delta nearly all of it is needed.
    interval = HiddenSlot(10, 1e-25, 1e-90, epochs=5).epsilon(1e-306)
    largest = 5 * Fraction(1e-25) * Fraction(1e-90)
    assert Fraction(99, 100) * largest < interval.lower <= interval.upper < Fraction(101, 100) * largest

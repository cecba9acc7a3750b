"""Sliding windows: how much of a window is released, and ends on the safe side of a probability that is no double."""

from fractions import Fraction
from itertools import product

import pytest
from flint import arb

from pldcheck import HiddenSlot, SlidingWindow
from pldcheck.witness import check, of_question


@pytest.mark.parametrize(("window", "clients"), [(1, 1), (2, 2), (2, 3), (3, 3), (3, 4), (3, 5), (3, 9), (4, 6)])
def test_visible_slots_are_those_that_some_client_sees(window, clients):
    visible_slots = set(range(window, clients + 1))
    visible_counts = [len(visible_slots & set(range(first, first + window))) for first in range(1, clients + 1)]
    assert SlidingWindow(window, clients, 1.0).visible == max(visible_counts)


@pytest.mark.parametrize(
    ("window", "eps0", "epsilon"), list(product([2, 3, 7, 10, 49], [0.01, 1.0, 4.0], [0.0, 1e-3, 0.05]))
)
def test_one_visible_slot_is_randomized_response_that_is_seldom_asked(window, eps0, epsilon):
    # delta = (w (x - 1) - (kappa - 1))_+ / (x + 1) at w = 1 / window, which most windows have not as a double.
    growth, claim = arb(eps0).expm1(), arb(epsilon).expm1()
    truth = ((growth / window - claim) / (growth + 2)).max(arb(0))
    answer = SlidingWindow(window, window, eps0).delta(epsilon)
    assert answer.lower <= truth.upper() and answer.upper >= truth.lower()
    assert answer.width <= 1e-12 * eps0


@pytest.mark.nightly
def test_slots_enclose_the_probability_of_a_visible_slot():
    for window, clients in product(range(1, 60), range(1, 120)):
        if clients >= window:
            protocol = SlidingWindow(window, clients, 1.0)
            less, more = protocol.slots
            assert Fraction(less.weight) <= Fraction(protocol.visible, window) <= Fraction(more.weight)
            assert (protocol.reduced == less) == (less == more)


def test_a_full_window_is_a_hidden_slot_and_a_part_of_it_reveals_less():
    assert SlidingWindow(20, 39, 1.0).reduced == HiddenSlot(20, 1.0)
    ends = [SlidingWindow(20, clients, 1.0).epsilon(1e-3, 1e-3) for clients in (39, 38, 30, 21)]
    assert all(later.lower <= earlier.upper for earlier, later in zip(ends, ends[1:], strict=False))
    assert ends[0].lower > ends[-1].upper


def test_a_part_of_a_window_has_a_witness():
    assert check(of_question(SlidingWindow(7, 9, 1.0), 1e-3)) > Fraction(1, 1000)

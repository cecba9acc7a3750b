"""A lower end above the upper one raises wherever ends of different engines meet: one of the two is wrong."""

from dataclasses import replace
from math import nextafter
from types import SimpleNamespace

import numpy as np
import pytest

import pldcheck
from pldcheck import pld
from pldcheck.core.directed import Ends, Side
from pldcheck.core.interval import ErrorBudget, Interval
from pldcheck.hidden_slot import known_randomizer_slot, known_slot_answers, worst_epochs
from pldcheck.hidden_slot.known import (
    allocation_closed_form,
    bounded_ratio_epochs,
    likelihood_epochs,
    pair_curve,
    pair_epsilon,
    score_test,
)
from pldcheck.hidden_slot.population import few_slot_intervals
from pldcheck.hidden_slot.worst import worst_lower
from pldcheck.pld import certain_levels, gain_stoploss
from pldcheck.pld.curve_candidates import Candidate, Candidates
from pldcheck.pld.loss_sides import Dominating
from pldcheck.protocols import balls_in_bins, group_privacy, sliding_window
from pldcheck.protocols.matrix_samplings import random_bins
from pldcheck.theorems import REGISTRY
from pldcheck.verification import run_cells

# What a contradiction says.
WRONG = "internal error|is above what is certain|is at least .* and at most"


def raises():
    return pytest.raises(ArithmeticError, match=WRONG)


@pytest.mark.parametrize("quantity", ["epsilon", "delta"])
@pytest.mark.parametrize("adjacency", ["replace", "zero-out"])
def test_an_answer_below_what_the_same_response_attains(monkeypatch, quantity, adjacency):
    """The question is not answered early: the worst case of a binary response is the response."""
    slot = pldcheck.HiddenSlot(100, 1.0, randomizer="rr", adjacency=adjacency)
    ask, at = getattr(slot, quantity), {"epsilon": 1e-3, "delta": 0.1}[quantity]
    upper = 0.9 * ask(at).lower
    too_small = Interval(0.0, upper, quantity, ErrorBudget(upper, 0.0, 0.0))
    monkeypatch.setattr(known_randomizer_slot, "_of_one_epoch", lambda *question: too_small)
    with raises():
        ask(at)


def line(name, lower, upper):
    """Return a candidate whose delta falls from ``upper`` at 0 to 0 at 1."""
    return Candidate(name, lambda epsilon: Ends(lower * max(1 - epsilon, 0), upper * max(1 - epsilon, 0), 0.0, 0.0))


@pytest.mark.parametrize("quantity", ["epsilon", "delta"])
@pytest.mark.parametrize("better", [False, True])
def test_bounds_of_one_curve(quantity, better):
    above = [line("above", 0.0, 0.5), line("better", 0.0, 0.1)] if better else [line("above", 0.0, 0.1)]
    good = Candidates(above, [line("below", 0.09, 0.2)], 1.0)
    wrong = Candidates(above, [line("below", 0.2, 0.3)], 1.0)
    assert getattr(good, quantity)(0.05, 1e-3).lower > 0.0
    with raises():
        getattr(wrong, quantity)(0.05, 1e-3)


@pytest.mark.parametrize("quantity", ["epsilon", "delta"])
def test_both_sides_of_a_pair_of_laws(monkeypatch, quantity):
    allocation = pldcheck.RandomAllocation(20, 1.0, adjacency="remove")
    monkeypatch.setattr(allocation_closed_form, "tighten", lambda interval, *others: interval)
    plain = pair_curve.Curve.ends

    def wrong(self, epsilon, side):
        ends = plain(self, epsilon, side)
        return Ends(1.1 * ends.upper, 2.0, 0.0, 0.0) if side is Side.LOWER else ends

    monkeypatch.setattr(pair_curve.Curve, "ends", wrong)
    with raises():
        getattr(allocation, quantity)(0.05)


def test_finer_answers_of_a_pair():
    first = (Interval(0.1, 0.2, "delta", ErrorBudget(0.1, 0.0, 0.0)), 1)
    with raises():
        pair_epsilon._refine(first, 1.0, 1e-6, lambda *question: (Interval(0.3, 0.4, "delta"), 1))


def test_deeper_points_of_composed_epochs(monkeypatch):
    answers = iter([Interval(0.0, 0.2, "delta"), Interval(0.1, 0.2, "delta")])
    monkeypatch.setattr(likelihood_epochs, "answer", lambda *question: next(answers))
    monkeypatch.setattr(likelihood_epochs, "curves_of", lambda *question: None)
    monkeypatch.setattr(known_slot_answers, "DEPTHS", (1e-3, 1e-9))
    slots = SimpleNamespace(steps=3, adjacency="add-remove", pairs=())
    assert tuple(known_slot_answers.delta(slots, ((3, 2),), 2, 0.5, 1e-3)) == (0.1, 0.2)
    answers = iter([Interval(0.0, 0.2, "delta"), Interval(0.3, 0.4, "delta")])
    with raises():
        known_slot_answers.delta(slots, ((3, 2),), 2, 0.5, 1e-3)


def test_epochs_of_several_losses():
    one = SimpleNamespace(name="x", compose=lambda epochs: SimpleNamespace(epsilon=lambda delta: Interval(0.3, 0.4)))
    other = SimpleNamespace(name="y", compose=lambda epochs: SimpleNamespace(epsilon=lambda delta: Interval(0.1, 0.2)))
    with raises():
        bounded_ratio_epochs.epsilon((one, other), 2, 1e-3)


def test_a_slot_with_few_steps_beside_other_methods():
    rough = Interval(0.3, 0.4, "epsilon", None, None, ("a", "b"))
    assert few_slot_intervals._joined(rough, (0.3, 0.35), "c", None).sources == ("a", "c")
    with raises():
        few_slot_intervals._joined(rough, (0.1, 0.2), "c", None)


@pytest.mark.parametrize(("quantity", "ends"), [("epsilon", (0.5, 0.6)), ("delta", (0.5, 0.6)), ("delta", (0.1, 0.2))])
def test_closed_forms_beside_an_inversion(quantity, ends):
    bounds = SimpleNamespace(
        above=lambda epsilon: 1.0,
        below=lambda epsilon: 1.0,
        epsilon=lambda delta: ends,
        delta=lambda epsilon: ends,
        lower_source=lambda at: "a closed form",
    )
    with raises():
        allocation_closed_form.tighten(Interval(0.3, 0.4, quantity), bounds, 0.01)


@pytest.mark.parametrize("quantity", ["epsilon", "delta"])
def test_a_test_beside_an_upper_end(quantity):
    test = SimpleNamespace(is_cheap=True, epsilon=lambda *question: 0.5, delta=lambda *question: 0.5)
    with raises():
        score_test.tighten(Interval(0.3, 0.4, quantity), test, 0.01)


@pytest.mark.parametrize("quantity", ["epsilon", "delta"])
def test_nodes_and_cells_of_a_composition(monkeypatch, quantity):
    loss = pld.randomized_response(1.0).compose(10)
    answer = Interval(0.9, 1.0, quantity)
    nodes = SimpleNamespace(epsilon=lambda *question: answer, deltas=lambda *question: [answer])
    monkeypatch.setattr(type(loss), "_on_nodes", nodes)
    with raises():
        monkeypatch.setattr(pld.distribution, "WIDE_ON_NODES", -1.0)
        monkeypatch.setattr(pld.distribution, "WIDE_OF_DELTA", -1.0)
        getattr(loss, quantity)({"epsilon": 0.9, "delta": 5.0}[quantity])


@pytest.mark.parametrize("quantity", ["epsilon", "delta"])
def test_epochs_beside_slots_that_are_told(monkeypatch, quantity):
    """Less than what the epochs reveal cannot be an upper end."""
    monkeypatch.setattr(worst_epochs, "one_slot_loss", lambda slot: Dominating(pld.randomized_response(0.2)))
    slot = pldcheck.HiddenSlot(2, 2.0, epochs=2)
    with raises():
        getattr(slot, quantity)({"epsilon": 1e-2, "delta": 0.1}[quantity])


@pytest.mark.nightly
def test_noise_from_two_sides(monkeypatch):
    noises = property(lambda self: (2.0, 1.0))
    monkeypatch.setattr(balls_in_bins.BallsInBins, "_noises", noises)
    for quantity in ("epsilon", "delta"):
        with raises():
            getattr(pldcheck.BallsInBins(4, 1.0, epochs=2), quantity)(0.01)


def test_windows_from_two_sides(monkeypatch):
    slots = property(lambda self: (pldcheck.HiddenSlot(5, 1.0), pldcheck.HiddenSlot(50, 1.0)))
    monkeypatch.setattr(sliding_window.SlidingWindow, "slots", slots)
    window = pldcheck.SlidingWindow(10, 12, 1.0)
    for question in (lambda: window.epsilon(1e-3), lambda: window.delta(0.2), lambda: window.renyi(2.0)):
        with raises():
            question()


@pytest.mark.nightly
def test_models_from_two_sides(monkeypatch):
    mechanism = pldcheck.MatrixMechanism(
        encoder="square-root:3", steps=3, epochs=2, sigma=1.0, sampling="balls-in-bins"
    )
    plain = random_bins.RandomBins._model

    def wrong(self, one, side, *question):
        return Interval(0.0, 1e-6) if side is Side.UPPER else plain(self, one, side, *question)

    monkeypatch.setattr(random_bins.RandomBins, "_model", wrong)
    with raises():
        mechanism.epsilon(1e-3)


def test_a_group_beside_one_record(monkeypatch):
    group = pldcheck.SubsampledGaussian(1.0, 0.1, 10).for_group(2)
    assert group._exact is None
    monkeypatch.setattr(group_privacy.GroupPrivacy, "_delta_above", lambda self, epsilon, width: 1e-12)
    with raises():
        group.delta(0.5)


def test_both_sides_of_a_loss_without_inversion(monkeypatch):
    above = SimpleNamespace(infinity=0.0, cut=0.0, cap=(0.1, 0.1), infinity_ends=(0.0, 0.1))
    below = SimpleNamespace(infinity=0.0, cut=0.0, cap=(0.2, 0.2), infinity_ends=(0.2, 0.3))
    monkeypatch.setattr(certain_levels, "_sides", lambda loss: [(above, below)])
    for answer in (certain_levels.epsilon_of_zero, certain_levels.delta_of_infinity):
        with raises():
            answer(None)


def test_sums_of_gains(monkeypatch):
    monkeypatch.setattr(gain_stoploss, "_of_normal", lambda *question: Ends(0.2, 0.1, 0.0, 0.0))
    with raises():
        gain_stoploss.excess([(np.array([1.0, -1.0]), np.array([0.5, 0.5]), 3, 0.0)])


def test_a_worst_case_whose_upper_end_is_searched_above_a_lower_one(monkeypatch):
    plain = worst_lower.bound_at
    monkeypatch.setattr(worst_lower, "bound_at", lambda *at: replace(plain(*at), delta=0.5))
    with raises():
        pldcheck.HiddenSlot(1000, 1.0).epsilon(1e-5)


def test_narrower_answers_of_a_cell():
    answers = iter([Interval(0.1, 0.4), Interval(0.5, 0.6)])
    theorem = REGISTRY["thm-3.2"]
    problem = SimpleNamespace(slow=True, answer=lambda width: next(answers), protocol=SimpleNamespace(rough_width=None))
    with raises():
        run_cells._narrow(run_cells.Task(problem, ((0.2, theorem.relation),), 0.1))


def test_one_number_has_one_gate():
    """What is in common keeps its witness and source at each end, and nothing in common raises, without slack."""
    first = Interval(0.1, 0.3, "delta", ErrorBudget(0.2, 0.0, 0.0), {"kind": "x"}, ("a", "b"))
    second = Interval(0.05, 0.2, "delta", ErrorBudget(0.15, 0.0, 0.0), {"kind": "y"}, ("c", "d"))
    both = first.meet(second)
    assert (tuple(both), both.witness, both.sources) == ((0.1, 0.2), {"kind": "x"}, ("a", "d"))
    assert both.budget == second.budget
    assert tuple(Interval.largest([first, second])) == (0.1, 0.3)
    assert tuple(first.meet(Interval(0.0, 0.1, "delta"))) == (0.1, 0.1)
    for other in (Interval(nextafter(0.3, 1.0), 1.0, "delta"), Interval(0.0, nextafter(0.1, 0.0), "delta")):
        with raises():
            first.meet(other)
    with raises():
        first.with_lower(Interval(0.4, 0.5, "delta"))
    with raises():
        ErrorBudget.between(0.2, nextafter(0.2, 0.0))
    assert ErrorBudget.between(0.1, 0.2, 0.05).truncation == 0.05
    assert first.meet(Interval(0.0, 1.0, "delta")) == first

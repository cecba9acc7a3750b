"""Renyi divergences of hidden slots, against adversaries enumerated in fractions and closed forms, without slack."""

import itertools
import random
from fractions import Fraction
from math import comb, exp, expm1, log1p, prod

import pytest
from flint import arb, ctx

from pldcheck import CheckIn, HiddenSlot, SlidingWindow
from pldcheck.core.errors import ParameterError
from tests.shuffle_twins import BITS, around, ball

ORDERS = (2, 5)


def response(x, k):
    """Return the rows of K-ary randomized response."""
    return [[(x if i == j else 1) / (x + k - 1) for j in range(k)] for i in range(k)]


def moment(p, q, order):
    """Return the larger moment of both directions."""
    forward, backward = (
        sum(a**order * b ** (1 - order) for a, b in zip(one, other, strict=True)) for one, other in ((p, q), (q, p))
    )
    return max(forward, backward)


def is_within(interval, order, exact):
    """Return whether the upper end is surely at least the divergence of a moment, and the lower end not far above."""
    with ctx.workprec(BITS):
        return ball(exact).log() <= (order - 1) * arb(interval.upper)


def slot_laws(steps, weight, draw):
    """Return the laws of all outputs for two records; ``draw`` gives, after some outputs, rows (own, record, other)."""
    p, q = [], []
    tables = {}
    for outputs in itertools.product(range(3), repeat=steps):
        own, record, other = [], [], []
        for i, output in enumerate(outputs):
            if outputs[:i] not in tables:
                tables[outputs[:i]] = draw()
            for law, row in zip((own, record, other), tables[outputs[:i]], strict=True):
                law.append(row[output])
        rest = prod(own)
        for law, masses in ((record, p), (other, q)):
            used = sum(rest / own[i] * law[i] for i in range(steps)) / steps
            masses.append((1 - weight) * rest + weight * used)
    return p, q


@pytest.mark.parametrize("adjacency", ["replace", "zero-out"])
@pytest.mark.parametrize("weight", [1.0, 0.25])
@pytest.mark.parametrize("eps0", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("steps", [1, 2, 4])
def test_no_adaptive_adversary_has_more(steps, eps0, weight, adjacency):
    draw, rows = random.Random(17), response(around(eps0)[0], 3)
    protocol = HiddenSlot(steps, eps0, weight, adjacency)
    intervals = {order: protocol.renyi(float(order)) for order in ORDERS}
    for _ in range(12):

        def choose():
            own, record, other = (rows[draw.randrange(3)] for _ in range(3))
            return own, record, own if adjacency == "zero-out" else other

        p, q = slot_laws(steps, Fraction(weight), choose)
        for order, interval in intervals.items():
            assert is_within(interval, order, moment(p, q, order))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("eps0", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("steps", [1, 3, 20])
def test_the_lower_end_is_that_of_one_law(steps, eps0, order):
    # BE: of the outputs B and E, the record has B more likely, and the replacement is like the slot's own record.
    interval = HiddenSlot(steps, eps0).renyi(float(order))
    below, above = (binary_moment(steps, x, order) for x in around(eps0))
    with ctx.workprec(BITS):
        least, most = ball(below).log() / (order - 1), ball(above).log() / (order - 1)
        assert arb(interval.lower) <= max(most.upper(), least.upper()) or third_law_is_larger(
            interval, steps, eps0, order
        )
        assert arb(interval.upper) >= least
        assert arb(interval.lower) >= least * (1 - arb(1e-9))


@pytest.mark.parametrize("eps0", [0.1, 1.0])
@pytest.mark.parametrize("steps", [3, 20])
def test_a_record_that_is_there_or_not_is_told_apart_by_two_outputs(steps, eps0):
    interval = HiddenSlot(steps, eps0, adjacency="zero-out").renyi(2.0)
    with ctx.workprec(BITS):
        assert arb(interval.lower) <= ball(binary_moment(steps, around(eps0)[1], 2)).log().upper()
    assert interval.relative_width < 0.15


def binary_moment(steps, x, order):
    """Return the larger moment of the laws of a record and of one like the slots' own, from the number of outputs E."""
    p, q = [], []
    for count in range(steps + 1):  # so many outputs are those that the record makes more likely
        mass = comb(steps, count) * Fraction(1, 1) * (1 / (1 + x)) ** count * (x / (1 + x)) ** (steps - count)
        q.append(mass)
        p.append(mass * (count * x + (steps - count) / x) / steps)
    return moment(p, q, order)


def third_law_is_larger(interval, steps, eps0, order):
    """Return whether three outputs reveal more, so that the lower end is theirs: at most that of their enumeration."""
    x = around(eps0)[1]
    p, q = [], []
    masses = (1 / (x + 2), 1 / (x + 2), x / (x + 2))  # C, E, A of the slots' own record
    for c in range(steps + 1):
        for e in range(steps - c + 1):
            base = comb(steps, c) * comb(steps - c, e) * masses[0] ** (c + e) * masses[2] ** (steps - c - e)
            rest = (steps - c - e) / x
            p.append(base * (c * x + e + rest) / steps)
            q.append(base * (e * x + c + rest) / steps)
    with ctx.workprec(BITS):
        return arb(interval.lower) <= (ball(moment(p, q, order)).log() / (order - 1)).upper()


@pytest.mark.nightly
@pytest.mark.parametrize("randomizer", ["rr", "krr:3", "laplace"])
@pytest.mark.parametrize("order", ORDERS)
def test_known_randomizers_have_no_more_than_the_upper_end(randomizer, order):
    steps, eps0 = 3, 1.0
    interval = HiddenSlot(steps, eps0, randomizer=randomizer).renyi(float(order))
    rows = response(around(eps0)[0], 2 if randomizer == "rr" else 3)
    if randomizer == "laplace":  # outputs cut at 0 and at 1
        half = Fraction(1, 2)
        fall = 1 / around(eps0)[1]
        rows = [[half, half - half * fall, half * fall], [half * fall, half - half * fall, half]]
    best = Fraction(0)
    for own in itertools.product(range(len(rows)), repeat=steps):
        p, q = [], []
        for outputs in itertools.product(range(len(rows[0])), repeat=steps):
            base = [rows[own[i]][output] for i, output in enumerate(outputs)]
            for record, law in ((0, p), (1, q)):
                law.append(sum(prod(base[:i] + base[i + 1 :]) * rows[record][outputs[i]] for i in range(steps)) / steps)
        best = max(best, moment(p, q, order))
    assert is_within(interval, order, best)
    assert interval.relative_width < 0.6
    if randomizer != "laplace":
        with ctx.workprec(BITS):
            assert arb(interval.lower) <= (ball(best).log() / (order - 1) * (1 + arb(1e-12))).upper()


@pytest.mark.nightly
@pytest.mark.parametrize("sigma", [1.0, 3.0])
@pytest.mark.parametrize("steps", [1, 2, 30])
def test_gaussian_noise_of_order_two_is_near_its_closed_form(steps, sigma):
    # E (mean of the likelihood ratios)^2 is 1 + (e^(1/sigma^2) - 1)/steps; the reverse direction has less.
    exact = log1p(expm1(1.0 / sigma**2) / steps)
    interval = HiddenSlot(steps, randomizer=f"gaussian:{sigma:g}", adjacency="zero-out").renyi(2.0)
    assert interval.lower <= exact * (1.0 + 1e-12) and exact * (1.0 - 1e-12) <= interval.upper
    assert interval.relative_width < 0.06
    assert HiddenSlot(steps, randomizer=f"gaussian:{sigma:g}").renyi(2.0).upper >= exact


def test_epochs_add_up():
    one, five = (HiddenSlot(50, 1.0, epochs=epochs).renyi(4.0) for epochs in (1, 5))
    assert five.lower == pytest.approx(5.0 * one.lower, rel=1e-14)
    assert five.upper == pytest.approx(5.0 * one.upper, rel=1e-14)


@pytest.mark.nightly
def test_a_window_is_its_hidden_slot():
    slots = SlidingWindow(window=7, clients=20, eps0=1.0)
    assert slots.renyi(3.0).upper >= HiddenSlot(7, 1.0).renyi(3.0).lower


@pytest.mark.nightly
@pytest.mark.parametrize("order", [2.0, 6.0])
def test_check_ins_among_clients_lie_between_dummies_and_one_client(order):
    alone, among = (CheckIn(20, 1.0, clients=clients).renyi(order) for clients in (None, 30))
    assert among.upper < alone.upper and among.lower < alone.lower
    assert among.relative_width < 0.5
    known = CheckIn(20, 1.0, clients=30, randomizer="rr").renyi(order)
    assert known.lower <= CheckIn(20, 1.0, randomizer="rr").renyi(order).upper


def test_divergences_that_are_infinite_or_take_minutes_are_refused():
    with pytest.raises(ParameterError, match="delta0 must be 0 for Renyi divergences"):
        HiddenSlot(10, 1.0, delta0=1e-9).renyi(2.0)
    with pytest.raises(ParameterError, match="randomizer must be worst, rr"):
        HiddenSlot(10, randomizer="discrete-gaussian:1").renyi(2.0)


@pytest.mark.nightly
@pytest.mark.parametrize("steps", [10, 1000])
def test_the_largest_order_ends_at_the_largest_loss(steps):
    interval = HiddenSlot(steps, 1.0).renyi(1e4)
    assert interval.lower <= interval.upper <= 1.0
    assert interval.lower > exp(-3.0)

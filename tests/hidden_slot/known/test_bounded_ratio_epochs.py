"""Epochs of finite randomizers in a hidden slot, against the product of all outputs in exact arithmetic."""

from decimal import Context, Decimal
from fractions import Fraction
from itertools import product
from math import exp, prod
from re import findall

import pytest

from pldcheck.pld import laplace
from pldcheck.protocols import CheckIn, HiddenSlot

ROWS = [[0.5, 0.3, 0.2], [0.25, 0.25, 0.5], [0.2, 0.6, 0.2]]
NEAR = [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]]


def ratio(exponent):
    return Fraction(Context(prec=60).exp(Decimal(exponent)))


def write(folder, rows):
    path = folder / "rows.csv"
    path.write_text("\n".join(",".join(map(repr, row)) for row in rows))
    return f"table:{path}"


def exact(rows):
    return [[Fraction(chance) / sum(map(Fraction, row)) for chance in map(Fraction, row)] for row in rows]


def one_epoch(one, other, own, steps, weight):
    """Return P and Q of all outputs of one epoch: the record (or its replacement) in one of the steps, ``own`` in the
    rest.
    """
    pairs = []
    for outputs in product(range(len(own)), repeat=steps):
        base = prod(own[y] for y in outputs)
        ends = (base * (1 - weight + weight * sum(law[y] / own[y] for y in outputs) / steps) for law in (one, other))
        pairs.append(tuple(ends))
    return pairs


def product_divergence(epochs, kappa):
    """Return the hockey-stick divergence of a product of pairs."""
    total = Fraction(0)
    for outputs in product(*epochs):
        p, q = prod(p for p, _ in outputs), prod(q for _, q in outputs)
        total += max(p - kappa * q, 0)
    return total


@pytest.mark.parametrize("weight", [1.0, 0.25])
@pytest.mark.parametrize(
    ("rows", "steps", "epochs"),
    [
        (ROWS, 2, 2),
        pytest.param(ROWS, 2, 3, marks=pytest.mark.nightly),
        pytest.param(NEAR, 3, 2, marks=pytest.mark.nightly),
        (ROWS, 1, 3),
    ],
)
def test_a_replaced_record_is_enclosed_by_all_products_of_pairs(tmp_path, rows, steps, epochs, weight):
    slot = HiddenSlot(steps, weight=weight, epochs=epochs, randomizer=write(tmp_path, rows))
    laws, share = exact(rows), Fraction(weight)
    for epsilon in (0.1, 0.5):
        kappa = ratio(epsilon)
        interval = slot.delta(epsilon)
        if interval.upper == 0.0:  # beyond the largest loss of all epochs
            triples = product(laws, repeat=3)
            pairs = [one_epoch(one, other, own, steps, share) for one, other, own in triples]
            assert not any(product_divergence([pair] * epochs, kappa) for pair in pairs)
            continue
        i, j, o = map(int, findall(r"\d+", interval.sources[0]))
        one = one_epoch(laws[i], laws[j], laws[o], steps, share)
        both = one, [(q, p) for p, q in one]
        largest = max(product_divergence([way] * epochs, kappa) for way in both)
        assert interval.lower <= largest <= Fraction(interval.lower * 1.002)
        # The slots of each epoch may hold another record.
        each = [one_epoch(laws[i], laws[j], own, steps, share) for own in laws]
        for choice in product(each, repeat=epochs):
            assert product_divergence(choice, kappa) <= interval.upper
        assert interval.upper <= 1.7 * interval.lower


@pytest.mark.parametrize("weight", [1.0, 0.3])
@pytest.mark.parametrize(("steps", "epochs"), [(1, 2), (2, 3), pytest.param(3, 2, marks=pytest.mark.nightly)])
def test_a_record_that_is_there_or_not_is_enclosed_by_all_products_of_pairs(tmp_path, steps, epochs, weight):
    slot = HiddenSlot(steps, weight=weight, epochs=epochs, adjacency="zero-out", randomizer=write(tmp_path, ROWS))
    laws, share = exact(ROWS), Fraction(weight)
    for epsilon in (0.1, 0.4):
        interval, kappa = slot.delta(epsilon), ratio(epsilon)
        worst = Fraction(0)
        for i, o in product(range(3), repeat=2):
            pair = one_epoch(laws[i], laws[o], laws[o], steps, share)
            for way in (pair, [(q, p) for p, q in pair]):
                worst = max(worst, product_divergence([way] * epochs, kappa))
        # Slots that hold different records are more.
        assert interval.lower <= worst <= interval.upper
        # The upper end is the worst of all inputs at every epsilon of one epoch; no single one need be.
        assert interval.upper <= 1.2 * interval.lower


@pytest.mark.nightly
def test_binary_response_is_its_table(tmp_path):
    x = exp(1.0)
    rows = [[x / (1 + x), 1 / (1 + x)], [1 / (1 + x), x / (1 + x)]]
    table = HiddenSlot(20, epochs=5, randomizer=write(tmp_path, rows))
    for one in (HiddenSlot(20, 1.0, epochs=5, randomizer="rr"), CheckIn(20, 1.0, epochs=5, randomizer="krr:2")):
        interval, other = one.epsilon(1e-5), table.epsilon(1e-5)
        assert interval.lower == pytest.approx(other.lower, rel=1e-3)
        assert interval.upper == pytest.approx(other.upper, rel=1e-3)


@pytest.mark.long
def test_more_epochs_reveal_more():
    slot = {epochs: HiddenSlot(50, 1.0, epochs=epochs, randomizer="krr:4").epsilon(1e-6) for epochs in (1, 2, 8, 64)}
    intervals = list(slot.values())
    assert all(a.upper < b.lower for a, b in zip(intervals, intervals[1:], strict=False))
    # A sum of 8 nearly normal losses.
    assert slot[64].upper < 16 * slot[1].upper and all(one.upper <= 1.1 * one.lower for one in intervals)


@pytest.mark.nightly
@pytest.mark.parametrize("eps0", [0.3, 1.0, 3.0])
def test_one_step_of_laplace_noise_is_its_mechanism(eps0):
    interval = HiddenSlot(1, eps0, epochs=10, adjacency="zero-out", randomizer="laplace").epsilon(1e-6)
    truth = laplace(1.0 / eps0).compose(10).epsilon(1e-6)
    assert interval.lower <= truth.upper and truth.lower <= interval.upper
    assert interval.relative_width <= 1e-4


@pytest.mark.nightly
def test_deltas_and_epsilons_agree():
    slot = HiddenSlot(100, 1.0, epochs=10, randomizer="laplace", adjacency="zero-out")
    epsilon = slot.epsilon(1e-6)
    assert slot.delta(epsilon.upper).lower <= 1e-6 <= slot.delta(epsilon.lower).upper
    uppers = [all_epochs.epsilon(1e-6).upper for all_epochs in slot.losses(1e-10)]
    assert min(uppers) == pytest.approx(epsilon.upper, rel=1e-3)

"""Gains of one message, masses of noise and pinned answers of shuffling that were once wrong."""

import math

import numpy as np
import pytest
from flint import arb, ctx

from pldcheck.protocols.shuffle import Shuffle
from pldcheck.protocols.swap import Swap
from pldcheck.randomizers.table import exact_rows
from pldcheck.shuffling import message_randomizers, noise_cells
from pldcheck.shuffling.message_gains import Messages
from tests.adversarial.cells import ends

ctx.prec = 300


def assert_within_errors(values, errors, exact):
    """Assert that every exact value is within its error, without slack."""
    for value, error, truth in zip(values, errors, exact, strict=True):
        low, high = ends(truth - arb(float(value)))
        assert max(abs(low), abs(high)) <= float(error), (value, error)


@pytest.mark.parametrize("eps0", [1e-14, 1e-9, 1e-3, 1.0, 8.0, 20.0])
@pytest.mark.parametrize("k", [2, 3, 5, 10_000])
@pytest.mark.parametrize("share", [0.0, 1e-9, 0.5, 1 - 1e-9, 1 - 1e-14])
def test_gains_of_responses_are_within_their_errors(eps0, k, share):
    epsilon = share * eps0
    with ctx.workprec(300):
        x, kappa = arb(eps0).exp(), arb(epsilon).exp()
        exact = [x - kappa, 1 - x * kappa, 1 - kappa]
        values, _, errors = message_randomizers.response(eps0, k).above[0].merged_gains(epsilon)
        size = min(k, 3)
        assert_within_errors(values[:size], errors[:size], exact[:size])
        # however close to the largest loss, relative to the gain itself
        assert errors[0] <= 1e-13 * values[0]


@pytest.mark.parametrize("distance", [2.0**-20, 2.0**-40, 2.0**-52])
def test_gains_of_nearly_equal_rows_are_within_their_errors(distance):
    rows = [[0.25 * (1 + distance), 0.75], [0.25, 0.75], [0.25 * (1 - distance), 0.75]]
    exact = exact_rows(rows)
    with ctx.workprec(300):
        for message in message_randomizers.table(exact, 1.0, "rows").below:
            i, j, o = (int(word) for word in message.name.replace(",", " ").split() if word.isdigit())
            for epsilon in (0.0, 1e-20, 0.25 * distance):
                kappa = arb(epsilon).exp()
                first, second, own = ([arb(v.numerator) / arb(v.denominator) for v in exact[n]] for n in (i, j, o))
                values, _, errors = message.merged_gains(epsilon)
                assert_within_errors(
                    values, errors, [(a - kappa * b) / c for a, b, c in zip(first, second, own, strict=True)]
                )


def normal(low, high):
    """Return a standard normal mass."""

    def tail(z):
        return arb(1) if z == -math.inf else arb(0) if z == math.inf else (z / arb(2).sqrt()).erfc() / 2

    # the nearer tail, or 400 bits cancel
    return tail(low) - tail(high) if low > 0 else tail(-high) - tail(-low)


@pytest.mark.parametrize("sigma", [1.0, 1.7, 30.0, 1e4, 1e8])
@pytest.mark.parametrize("n", [1, 2])
def test_masses_of_gaussian_cells_are_within_their_errors(sigma, n):
    # The error of 1e-12 that was granted is 2.2e-10 at sigma 1e4.
    cells = noise_cells.gaussian(sigma, n, 1e-200)
    edges = found_edges(sigma, n, 1e-200)
    with ctx.workprec(400):
        for message, infinite in ((cells.above, False), (cells.below[1], True)):
            units = np.broadcast_to(message.units, message.p.shape)
            for index in range(0, message.p.size, 7):
                left, right = edges[index], edges[index + 1]
                if infinite:
                    left = -math.inf if index == 0 else left
                    right = math.inf if index == message.p.size - 1 else right
                for masses, centre in ((message.p, 0.0), (message.q, 1.0)):
                    low, high = (
                        z if math.isinf(z) else (arb(float(z)) - arb(centre)) / arb(sigma) for z in (left, right)
                    )
                    truth = normal(low, high)
                    low, high = ends(truth - arb(float(masses[index])))
                    charge = float(units[index]) * 2.0**-53 * float(masses[index])
                    assert max(abs(low), abs(high)) <= charge, (index, left)
        assert float(np.max(cells.above.units)) * 2.0**-53 < 1e-12


def found_edges(sigma, n, least):
    """Return the cells' ends, as the module makes them."""
    from scipy.special import ndtri

    count = noise_cells.OUTER if n == 1 else noise_cells.FEW_OUTER
    outer = sigma * -ndtri(0.25 * least) * (np.arange(1, count + 1) / count) ** noise_cells.GROWTH
    inner = np.linspace(0.0, 1.0, (noise_cells.CELLS if n == 1 else noise_cells.FEW_CELLS) + 1)
    return np.concatenate([-outer[::-1], inner, 1.0 + outer])


@pytest.mark.parametrize("eps0", [1e-12, 1e-3, 1.0, 20.0])
def test_masses_of_laplace_cells_are_within_their_errors(eps0):
    cells = noise_cells.laplace(eps0, 1)
    edges = np.concatenate([[-np.inf], np.linspace(0, 1, noise_cells.CELLS + 1), [np.inf]])
    with ctx.workprec(300):
        e = arb(eps0)

        def laplace_mass_below(y, centre):
            if math.isinf(y):
                return arb(int(y > 0))
            t = (arb(float(y)) - arb(centre)) * e
            return t.exp() / 2 if t <= 0 else 1 - (-t).exp() / 2

        for message in (cells.above, cells.below[1]):
            for masses, centre in ((message.p, 0.0), (message.q, 1.0)):
                for index in range(0, masses.size, 5):
                    truth = laplace_mass_below(edges[index + 1], centre) - laplace_mass_below(edges[index], centre)
                    low, high = ends(truth - arb(float(masses[index])))
                    assert max(abs(low), abs(high)) <= message.units * 2.0**-53 * float(masses[index]), index


def test_two_clients_of_five_categories_agree_with_the_closed_form():
    # The closed form in decimals of 60 digits: 1.6000005600000586e-7; both ends were below it.
    interval = Shuffle(2, 1e-6, "krr:5").delta(0.0)
    assert (
        interval.lower <= 1.6000005600000586e-7 <= interval.upper
        and interval.upper - interval.lower <= 1e-12 * interval.upper
    )


@pytest.mark.parametrize("n", [100, 10**4, 10**6])
@pytest.mark.parametrize("eps0", [1e-8, 1e-10, 1e-13])
def test_sides_of_tiny_budgets_agree(n, eps0):
    # They contradicted each other, and a width of zero was returned.
    for share in (0.0, 0.1, 0.5):
        interval = Shuffle(n, eps0, "krr:3").delta(share * eps0 / math.sqrt(n))
        assert 0.0 < interval.lower < interval.upper <= interval.lower * (1 + 1e-3)


def test_swapping_is_enclosed_next_to_the_largest_loss():
    # The upper end was 42 times too low: 1.25e-18 is attained by binary response.
    interval = Swap(3, 1e-7).delta(9.999999998999999e-08)
    assert 1.25e-18 * (1 - 1e-5) <= interval.lower and 1.25e-18 <= interval.upper <= 1e-17


@pytest.mark.nightly
@pytest.mark.parametrize(
    "kind", ["tv:0.3", *(pytest.param(kind, marks=pytest.mark.nightly) for kind in ("krr:3", "laplace"))]
)
def test_rounds_of_large_budgets_are_answered(kind):
    # Points of the curve beyond the largest loss overflowed.
    interval = Shuffle(10, 10.0, kind, rounds=10).delta(1.0)
    assert 0.0 < interval.lower <= interval.upper <= 1.0
    assert 1.0 < Shuffle(10, 10.0, "krr:3").renyi(2).upper <= 10.0


def test_one_laplace_message_agrees_with_its_closed_form():
    # 1 - e^((epsilon - eps0)/2); division by zero.
    interval = Shuffle(1, 1e-7, "laplace").delta(0.0)
    exact = -math.expm1(-0.5e-7)
    assert interval.lower <= exact <= interval.upper and interval.upper - interval.lower <= 1e-13 * exact


def test_rows_that_do_not_add_up_mean_their_normalisation(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("0.5000000001,0.5\n0.25,0.75\n", encoding="utf-8")
    interval = Shuffle(1, 2.0, f"table:{path}").delta(0.0)
    from fractions import Fraction

    first = Fraction(0.5000000001) / (Fraction(0.5000000001) + Fraction(1, 2))
    assert Fraction(interval.lower) <= first - Fraction(1, 4) <= Fraction(interval.upper)


def test_reversed_messages_exchange_the_record_and_its_replacement():
    p, q, w, difference = (np.array(row) for row in ([0.3, 0.7], [0.4, 0.6], [0.5, 0.5], [-0.1, 0.1]))
    message = Messages("m", p, q, w, difference=difference)
    assert message.reversed.p is message.q and (message.reversed.difference == -message.difference).all()

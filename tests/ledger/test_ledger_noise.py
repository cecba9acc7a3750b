"""Errors that shuffled noise and pairs are charged, held against balls over their ranges."""

import numpy as np
import pytest
from flint import arb, ctx
from scipy.special import ndtr

from pldcheck.shuffling import noise_cells
from pldcheck.shuffling import three_symbol_pair as pairs

UNIT = 2.0**-53


def relative_error(value, truth):
    """Return the relative error of a float in round-offs, rounded up."""
    return float(abs((arb(value) - truth) / truth).upper()) / UNIT


def tail(z):
    return (-arb(z) / arb(2).sqrt()).erfc() / 2


def test_normal_tails_are_within_their_charge():
    points = -np.concatenate([np.linspace(0.0, 37.0, 3000), np.geomspace(1e-12, 1.0, 500), np.linspace(0.9, 1.1, 500)])
    with ctx.workprec(200):
        shares = [
            relative_error(v, tail(z)) / (noise_cells.NDTR + noise_cells.NDTR_FAR * z * z)
            for z, v in zip(points, ndtr(points), strict=False)
        ]
    assert 0.01 < max(shares) < 1.0


def test_narrow_cells_are_within_their_charge():
    middle, half = np.linspace(-36.0, 36.0, 400), np.geomspace(1e-12, noise_cells.NARROW_CELL, 400)[::-1]
    fits = np.abs(middle * half) <= 0.5
    value, units = noise_cells._expansion(middle[fits], half[fits])
    with ctx.workprec(300):
        for c, t, mass, charge in zip(middle[fits], half[fits], value, units, strict=True):
            c, t = -abs(arb(float(c))), arb(float(t))
            truth = ((-(c + t) / arb(2).sqrt()).erfc() - (-(c - t) / arb(2).sqrt()).erfc()) / 2
            assert relative_error(float(mass), truth) < charge


@pytest.mark.parametrize("eps0", [1e-14, 1e-8, 1e-3, 1.0, 19.0])
def test_laplace_masses_and_merged_masses_are_within_their_charge(eps0):
    cells = noise_cells.laplace(eps0, 1)
    edges = [None, *np.linspace(0.0, 1.0, noise_cells.CELLS + 1).tolist(), None]
    blanket, e = cells.above, arb(eps0)
    with ctx.workprec(300):

        def laplace_mass_below(y, centre):
            gap = (arb(y) - arb(centre)) * e
            return gap.exp() / 2 if y <= centre else 1 - (-gap).exp() / 2

        def mass(i, centre):
            low = arb(0) if edges[i] is None else laplace_mass_below(edges[i], centre)
            high = arb(1) if edges[i + 1] is None else laplace_mass_below(edges[i + 1], centre)
            return high - low

        for i in range(0, blanket.p.size, 9):
            assert relative_error(float(blanket.p[i]), mass(i, 0.0)) < blanket.units
            assert relative_error(float(blanket.q[i]), mass(i, 1.0)) < blanket.units
        best = cells.best
        index = min(
            range(1, noise_cells.CELLS // 2 + 1), key=lambda i: abs(float(laplace_mass_below(edges[i], 0.0)) - best.p)
        )
        # tails of P and Q up to the cut, of the halfway law, and what is left of both in the middle
        p, q, w = (laplace_mass_below(edges[index], centre) for centre in (0.0, 1.0, 0.5))
        for value, truth in (
            (best.p, p),
            (best.q, q),
            (best.others, w),
            (best.rest, 1 - p - q),
            (best.none, 1 - 2 * w),
        ):
            assert relative_error(value, truth) < best.units


@pytest.mark.parametrize("eps0", [1e-14, 1e-6, 0.1, 1.0, 8.0, 20.0])
def test_coefficients_of_pairs_are_within_their_charge(eps0):
    """The numbers that _line and the ratios are formed from are right, but for the roundings that are charged
    elsewhere.
    """
    with ctx.workprec(300):
        x = arb(eps0).exp()
        clone, third = pairs.stronger_clones(10, eps0), pairs.response_third(10, eps0, 5)
        same, back = pairs.response_same(10, eps0, 5)
        for share in (1e-9, 0.3, 1.0 - 1e-12):
            epsilon = share * eps0
            kappa = arb(epsilon).exp()
            z = (arb(epsilon) / 2).tanh()
            for one, scale, constant, slope in (
                (clone, (x - 1) * (1 + kappa), 0 * x, z * (x + 1) / (x - 1) / 2),
                (third, (x - 1) * (1 + kappa), z * 30 / (x + 2) / (x - 1), z * (arb(1) / 2 + 1 / (x + 2))),
                (same, x - 1 / x, (kappa - 1) * 10 / (x - 1 / x), 0 * x),
                (back, (x - 1 / x) * kappa, (1 - 1 / kappa) * 10 / (x - 1 / x), 0 * x),
            ):
                for value, truth in zip(one._line(epsilon), (scale, constant, slope), strict=True):
                    assert value == 0.0 if truth == 0 else relative_error(value, truth) < 64.0, (one.name, epsilon)
        for value, truth in ((clone.ups[0], x), (third.rests[0], 3 / (x + 2)), (same.downs[0], 1 / x)):
            assert relative_error(value, truth) < 16.0

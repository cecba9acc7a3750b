"""Arcs of three points in a ball: masses and values by the 15-point rule, against balls, over the range of rates."""

import math
import random

import numpy as np
import pytest
from flint import acb, arb, ctx

from pldcheck.hidden_slot.replaced.ball_lattice_laws import Triangle
from pldcheck.randomizers.gaussian import LEAST_SIGMA

# How large s = 1 / sigma is tried.
STEEPEST = 20.0


@pytest.fixture(autouse=True)
def digits():
    """Give balls digits enough for what cancels in shares of a cell."""
    with ctx.workprec(200):
        yield


def integral(integrand, low, high):
    """Return the integral of a function of a complex ball, to a relative error of 2^-90."""
    tight, nothing = arb(2) ** -90, arb(2) ** -2000
    return acb.integral(lambda z, _: integrand(z), acb(low), acb(high), rel_tol=tight, abs_tol=nothing).real


def density(z):
    """Return the density of a standard normal."""
    return (-z * z / 2).exp() / acb((2 * arb.pi()).sqrt())


def relative_error(value, truth):
    """Return the relative error, rounded up."""
    return float(abs(arb(float(value)) / truth - 1).upper())


def triangles(seed, count):
    """Yield rates from next to nothing to the largest, which is half of STEEPEST."""
    draw = random.Random(seed)
    for _ in range(count):
        s = draw.choice([10.0 ** draw.uniform(-4, math.log10(STEEPEST)), draw.uniform(1.0, STEEPEST)])
        yield draw, s, draw.choice([1.0, draw.uniform(0.0, 1.0), 10.0 ** draw.uniform(-6, 0)])


def some_cells(draw, cells):
    """Return the outermost cells, the middle, and two others."""
    return sorted({0, 1, cells // 2, cells - 2, cells - 1, draw.randrange(cells), draw.randrange(cells)})


@pytest.mark.parametrize("seed", range(6))
def test_means_over_cells_are_within_their_error(seed):
    for draw, s, length in triangles(seed, 8):
        triangle = Triangle(s, 1.0, length, True, False)
        edges, rate = triangle._edges, arb(s) * arb(length) / 2
        f, square, masses = triangle.arc
        for k in some_cells(draw, edges.size - 1):
            low, high = arb(float(edges[k])), arb(float(edges[k + 1]))
            mass = integral(density, low, high)
            first = integral(lambda z: density(z) * (rate * z - rate**2 / 2).exp(), low, high) / mass  # noqa: B023
            second = integral(lambda z: density(z) * (2 * rate * z - 2 * rate**2).exp(), low, high) / mass  # noqa: B023
            assert (
                max(relative_error(masses[k], mass), relative_error(f[k], first), relative_error(square[k], second))
                < triangle.arc_error
            )


@pytest.mark.parametrize("seed", range(6))
def test_masses_of_ends_and_tangents_are_within_their_error(seed):
    for draw, s, length in triangles(100 + seed, 8):
        triangle = Triangle(s, 1.0, length, True, True)
        edges, rate = triangle._edges, arb(s) * arb(length) / 2
        f, square, masses = triangle.arc

        def share(z, low, high):
            return ((rate * (z - low)).exp() - 1) / (rate * (high - low)).expm1()  # noqa: B023

        for k in some_cells(draw, edges.size - 2):
            low, middle, high = (arb(float(edge)) for edge in edges[k : k + 3])
            between = integral(lambda z: density(z) * 2 * (u := share(z, low, middle)) * (1 - u), low, middle)  # noqa: B023
            node = integral(lambda z: density(z) * share(z, low, middle) ** 2, low, middle)  # noqa: B023
            node += integral(lambda z: density(z) * (1 - share(z, middle, high)) ** 2, middle, high)  # noqa: B023
            assert (
                max(relative_error(masses[edges.size + k], between), relative_error(masses[k + 1], node))
                < triangle.arc_error
            )
            truth = (rate * middle - rate**2 / 2).exp(), (2 * rate * middle - 2 * rate**2).exp()
            assert max(relative_error(f[k + 1], truth[0]), relative_error(square[k + 1], truth[1])) < triangle.arc_error
            # Where the tangents at both ends meet: f in the middle, S their product.
            ends = [(rate * edge - rate**2 / 2).exp() for edge in (low, middle)]
            assert relative_error(f[edges.size + k], (ends[0] + ends[1]) / 2) < triangle.arc_error
            tangent = (rate * (low + middle) - 2 * rate**2).exp()
            assert relative_error(square[edges.size + k], tangent) < triangle.arc_error


def test_all_noise_that_is_served_was_tried():
    assert 1.0 / LEAST_SIGMA <= STEEPEST


def test_masses_are_not_much_better_than_what_is_charged():
    triangle = Triangle(STEEPEST, 1.0, 1.0, True, False)
    edges, masses = triangle._edges, triangle.arc[2]
    errors = [
        relative_error(masses[k], integral(density, arb(float(edges[k])), arb(float(edges[k + 1]))))
        for k in range(0, masses.size - 2, 7)
    ]
    assert np.max(errors) > triangle.arc_error / 200

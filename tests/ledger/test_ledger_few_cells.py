"""The Gauss-Legendre rule of a sampled Gaussian's cells, compared with the closed forms of their masses in balls."""

import pytest
from flint import arb, ctx

from pldcheck.pld.sampled_mechanisms import few_edges, fine_edges, gaussian_cells


def between(low, high):
    root = arb(2).sqrt()
    return ((low / root).erfc() - (high / root).erfc()) / 2


@pytest.mark.parametrize("sigma", [0.03, 0.3, 1.0, 4.0, 1e3])
@pytest.mark.parametrize(("rate", "count"), [(1e-9, 10), (0.01, 10), (0.01, 400), (0.5, 1500), (0.01, None)])
def test_masses_rises_and_falls_of_cells_are_within_their_error(sigma, rate, count):
    mu = 1.0 / sigma
    edges = fine_edges(mu) if count is None else few_edges(mu, rate, count)
    cells = gaussian_cells(sigma, edges)
    step = max(len(cells.p) // 150, 1)
    with ctx.workprec(8000):
        m = arb(mu)
        for i in range(0, len(cells.p), step):
            low, high = arb(float(edges[i])), arb(float(edges[i + 1]))
            p, q = between(low - m, high - m), between(low, high)
            begin, end = m * (low - m / 2), m * (high - m / 2)
            rise, fall = p - begin.exp() * q, q - (-end).exp() * p
            # An end that is off by the error of a loss moves a rise by so much of Q e^end, and a fall of P e^-end.
            shift_of_rise, shift_of_fall = begin.exp() * q * cells.loss_error, (-end).exp() * p * cells.loss_error
            for value, truth, shift in (
                (cells.p[i], p, 0),
                (cells.q[i], q, 0),
                (cells.rise[i], rise, shift_of_rise),
                (cells.fall[i], fall, shift_of_fall),
            ):
                if truth > 1e-300:
                    assert abs(arb(float(value)) - truth) <= cells.mass_error * truth + shift, (i, float(edges[i]))

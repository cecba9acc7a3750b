"""Sums of coins of two kinds, against plain convolution in ball arithmetic."""

import pytest
from flint import arb, ctx

from pldcheck.kernels.two_coin_sums import pmf_of_sum, worst_split


def law(count_left, right, f, h):
    """Return P(A + B = j), by convolving one coin after another."""
    masses = [arb(1)]
    for heads in [arb(f)] * count_left + [arb(h)] * right:
        masses_up = [mass * heads for mass in masses]
        masses_same = [mass * (1 - heads) for mass in masses]
        masses = [a + b for a, b in zip([*masses_same, arb(0)], [arb(0), *masses_up], strict=True)]
    return masses


@pytest.mark.parametrize(("count_left", "right"), [(0, 1), (1, 0), (3, 4), (40, 0), (0, 40), (25, 60), (150, 3)])
@pytest.mark.parametrize("f", [0.5 - 2**-20, 0.25, 2**-8])
def test_the_law_of_the_sum_is_within_its_error(count_left, right, f):
    with ctx.workprec(256):
        for j, exact in enumerate(law(count_left, right, f, 1 - f)):
            probability, error = pmf_of_sum(count_left, right, f, 1 - f, j)
            assert error < 1e-11
            assert abs(arb(probability) - exact) <= arb(error) * exact + arb(10) ** -290


@pytest.mark.parametrize(("n", "f"), [(1, 0.25), (2, 0.375), (9, 0.25), (60, 0.25), (60, 0.0625), (131, 0.375)])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_the_worst_split_of_the_others_is_found(n, f, share):
    with ctx.workprec(256):
        x = (1 - f) / f
        kappa = 1 + share * (x - 1)
        gain, cost = arb(1 - f) - arb(kappa) * arb(f), arb(kappa) - 1
        best = arb(0)
        for t in range(n):
            masses = law(n - 1 - t, t, f, 1 - f)
            tail = arb(0)
            # From the top: P(S >= k) and P(S = k - 1).
            for k in range(n - 1, -1, -1):
                tail += masses[k]
                value = gain * (masses[k - 1] if k else 0) - cost * tail
                best = value if value > best else best
            value = gain * masses[n - 1]
            best = value if value > best else best
        low, high, _ = worst_split(n, f, 1 - f, 1 - 2 * f, float(gain), float(cost), 1 + float(cost) / float(gain))
        slack = arb(10) ** -13  # of gain and cost, rounded
        assert arb(low) <= best * (1 + slack) and best * (1 - slack) <= arb(high)
        assert high - low <= 1e-9 * high

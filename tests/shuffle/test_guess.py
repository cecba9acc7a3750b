"""The hidden slot of one client fewer: its theorem on random mechanisms, tau against sums over everything."""

import itertools
import math
import random
from fractions import Fraction
from functools import lru_cache

import mpmath
import numpy as np
import pytest
import twins

import pldcheck
from pldcheck.minimax import bracket
from pldcheck.minimax.slot import Slot
from pldcheck.shuffle import guess, pair
from pldcheck.shuffle.guess import Bound

NAME = "hidden slot of one client fewer"
OMEGA = Fraction(guess.OMEGA)


# --- twins: the sums of step 4 as they are written there --------------------------------------------------------------


def half(c, k):
    """P(Bin(c, 1/2) = k)."""
    return Fraction(math.comb(c, k), 2**c) if 0 <= k <= c else Fraction(0)


def kinds(c1, c2, x, share):
    """q_1, the gains of one more of the first kind without and with kappa, x_2 and q_2, in rationals.

    Built from the clients' own tables of labels, not from the formulas: client 1 has Q1 with x/(x + 1) under u, and so
    on; ``share`` = 1 - 1/N.
    """
    often, seldom = x / (x + 1), 1 / (x + 1)

    def law(c, *clients):
        """Of the number of Q labels among c fair messages and clients with these chances."""
        found = [half(c, k) for k in range(c + 1)]
        for p in clients:
            found = [a * (1 - p) + b * p for a, b in zip([*found, 0], [0, *found], strict=True)]
        return found

    u, v = law(c1, often), law(c1, seldom)
    both, first, second = law(c2, often, seldom), law(c2, often, often), law(c2, seldom, seldom)
    gains = [share * (t - (a + b) / 2) for t, a, b in zip(both, first, second, strict=True)]
    return u, v, gains, both


def double_sum(c1, c2, x, kappa, zeta, share):
    """Of the positive parts at C1 = c1, C2 = c2."""
    u, v, gains, both = kinds(c1, c2, x, share)
    return sum(
        (max((a - kappa * b) * g - zeta * b * q, 0) for a, b in zip(u, v, strict=True) for g, q in zip(gains, both, strict=True)),
        Fraction(0),
    )


def tau(n, x, kappa, zeta):
    """Its mean over C1 and C2."""
    left, first, second = n - 3, OMEGA / x, (1 - OMEGA) / x
    total = Fraction(0)
    for c1 in range(left + 1):
        for c2 in range(left + 1 - c1):
            mass = math.comb(left, c1) * math.comb(left - c1, c2) * first**c1 * second**c2
            mass *= (1 - first - second) ** (left - c1 - c2)
            total += mass * double_sum(c1, c2, x, kappa, zeta, 1 - Fraction(1, n - 1))
    return total


# --- tau --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [3, 4, 5, 8, 12])
@pytest.mark.parametrize("x", [Fraction(21, 20), Fraction(2), Fraction(6), Fraction(50)])
def test_tau_is_above_the_quadruple_sum(n, x):
    for kappa in (Fraction(1), 1 + (x - 1) / 20, 1 + (x - 1) / 3):
        for zeta in (Fraction(0), (x - 1) / 200, (x - 1) / 20, (x - 1) / 5):
            exact, found = float(tau(n, x, kappa, zeta)), Bound(n, math.log(x)).tau(float(kappa), float(zeta))
            print(n, float(x), float(kappa), float(zeta), exact, found, found / exact if exact else None)
            assert found >= exact * (1 - 1e-12)
            assert found <= 1.6 * exact + 1e-200

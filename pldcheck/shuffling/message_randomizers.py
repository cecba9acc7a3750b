r"""Known local randomizers, as the gains of one message among n.

For inputs i (the record), j (its replacement) and a law W of the other messages the gain of an output y is
:math:`g(y) = (R_i(y) - e^\epsilon R_j(y))/W(y)`, y ~ W.  With W = R_o, all others on input o, the shuffled pair is what
an adversary sees: a lower bound.  With W the privacy blanket :math:`\inf_o R_o`, the rest of its mass on an output of
its own, it dominates whatever the others hold (Balle, Bell, Gascon, Nissim 2019, "The privacy blanket of the shuffle
model").
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from fractions import Fraction
from math import exp

import numpy as np

from ..core.errors import ParameterError
from ..pld.step_losses import Array
from ..randomizers.finite import HAIR, Rows, budget
from . import noise_cells
from .message_gains import Messages
from .noise_cells import BLANKET
from .three_symbol_pair import Merged

# Relative error of masses, in round-offs: an exponential (4), a sum, a quotient and two products.
MASSES = 12.0
# Relative error of numbers that are rounded once, in round-offs.
EXACT = 1.0
# Digits of the decimal arithmetic.
DIGITS = 60
# Relative round-off by which a total variation may exceed its largest value; it then admits all eps0-DP randomizers.
NOTHING = 1e-12
# Outputs of less mass than this are not cut into cells: their densities would be subnormal.
LEAST = 1e-280


@dataclass(frozen=True, eq=False)
class Known:
    """The certified pairs of a randomizer: those that dominate all neighbouring data, and those that some data attain.

    ``merged``: one of the attained pairs with its outputs merged to three, the same in both directions.
    """

    above: tuple[Messages, ...]
    below: tuple[Messages, ...]
    merged: Merged | None = None


def response(eps0: float, k: int) -> Known:
    """Return the pairs of k-ary randomized response; witnesses with three symbols are in :mod:`.three_symbol_pair`."""
    x = exp(eps0)
    s = 1.0 / (x + k - 1.0)
    more = [] if k == 2 else [(k - 2.0) * s]
    p, q = np.array([x * s, s, *more]), np.array([s, x * s, *more])
    losses = np.array([eps0, -eps0, 0.0, 0.0])
    rest = float(np.expm1(eps0)) * s
    above = Messages(BLANKET, p, q, np.array([s, s, *more]), losses[: p.size], units=MASSES, rest=rest)
    if k < 4:
        return Known((above,), ())
    last = (k - 3.0) * s
    p, q, w = (np.array(row) for row in ([x * s, s, s, last], [s, x * s, s, last], [s, s, x * s, last]))
    name = f"{k}-ary randomized response, all other records at a third value"
    return Known((above,), (Messages(name, p, q, w, losses, units=MASSES),))


def narrow(eps0: float, tv: float) -> Known:
    """Return the pairs of all eps0-DP randomizers whose outputs on the two records differ by at most ``tv``.

    ``tv`` bounds the total variation distance between the outputs on the record and on its replacement.  The upper
    bound is the corrected variation-ratio pair, P = (x a, a, c, 0), W = (a, a, c/x, rest), a = tv/(x - 1).  The lower
    bound comes from the randomizers with rows P, Q and W = (a, a, w1/x, x w2), w1 + w2 = c.
    """
    with localcontext() as context:  # what is left of 1 cancels
        context.prec = DIGITS
        x = Decimal(eps0).exp()
        a, one = Decimal(tv) / (x - 1), Decimal(1)
        c = one - a * (x + 1)
        if c < -Decimal(NOTHING):
            most = f"tv:T with T at most {float(np.tanh(0.5 * eps0)):.6g} at this eps0"
            raise ParameterError("randomizer", most, f"tv:{tv!r}")
        if c <= 0:  # all eps0-DP randomizers
            a, c = one / (x + 1), Decimal(0)
        rest = one - 2 * a - c / x
        w2 = rest / (x - one / x)
        w1 = c - w2
        up, down, middle, thin = float(x * a), float(a), float(c), float(c / x)
        first, second, thinned, thick = float(w1), float(w2), float(w1 / x), float(w2 * x)
    losses = np.array([eps0, -eps0, 0.0, 0.0])
    if middle == 0.0:
        p, q, w = (np.array(row) for row in ([up, down], [down, up], [down, down]))
        above = Messages("stronger clones", p, q, w, losses[:2], units=EXACT, rest=float(rest))
        return Known((above,), _on_either(p, q, losses[:2]))
    p, q, w = (np.array(row) for row in ([up, down, middle], [down, up, middle], [down, down, thin]))
    above = Messages("variation-ratio reduction, corrected", p, q, w, losses[:3], units=EXACT, rest=float(rest))
    either = _on_either(p, q, losses[:3])
    if first <= 0.0 or second <= 0.0:
        return Known((above,), either)
    ways = [up, down, first, second], [down, up, first, second], [down, down, thinned, thick]
    p, q, w = (np.array(row) for row in ways)
    four = Messages("a randomizer of four outputs, all other records at a third input", p, q, w, losses, units=EXACT)
    merged = Merged(f"{four.name}, outputs merged", up, down, down, middle, thinned + thick, 2.0 * EXACT)
    return Known((above,), (four, *either), merged)


def _on_either(p: Array, q: Array, losses: Array) -> tuple[Messages, ...]:
    """Return the messages where all others hold the record's value, and those where all hold its replacement's."""
    return tuple(
        Messages(f"all other records at the value of the {x}", p, q, w, losses, units=EXACT)
        for x, w in (("record", p), ("replacement", q))
    )


def between(name: str, i: list[Fraction], j: list[Fraction], w: list[Fraction], rest: Fraction) -> Messages:
    """Return the messages of inputs i and j of a table, where W is w and a rest; every number is rounded once."""
    p, q, others, apart = (
        np.array([float(value) for value in row]) for row in (i, j, w, [a - b for a, b in zip(i, j, strict=True)])
    )
    return Messages(name, p, q, others, apart=apart, units=EXACT, rest=float(rest))


def table(exact: Rows, eps0: float, name: str) -> Known:
    """Return the pairs of a randomizer given as a table: one row of exact output probabilities for each input."""
    if len(exact) < 2:
        raise ParameterError("randomizer", "a table with at least two inputs", name)
    largest = budget(exact)
    if largest > eps0 * (1.0 + HAIR):
        raise ParameterError("eps0", f"at least {largest:.8g}, the budget of {name}", eps0)
    blanket = [min(column) for column in zip(*exact, strict=True)]
    rest = 1 - sum(blanket)
    above, below = [], []
    for i, first in enumerate(exact):
        for j, second in enumerate(exact):
            if i == j or first == second:
                continue
            above.append(between(f"{BLANKET}, inputs {i} and {j}", first, second, blanket, rest))
            for o, others in enumerate(exact):
                below.append(
                    between(f"inputs {i} and {j}, all other records at input {o}", first, second, others, Fraction(0))
                )
    if not above:
        raise ParameterError("randomizer", "a table with two different rows", name)
    return Known(tuple(above), tuple(below))


def laplace(eps0: float, n: int) -> Known:
    """Return the pairs of Laplace noise of scale 1/eps0 on a record in [0, 1]."""
    return _located(noise_cells.laplace(eps0, n))


def gaussian(sigma: float, n: int, least: float) -> Known:
    """Return the pairs of Gaussian noise of deviation ``sigma`` on a record in [0, 1].

    Deltas far below ``least`` need not be accurate.
    """
    return _located(noise_cells.gaussian(sigma, n, max(least, LEAST)))


def _located(found: noise_cells.Located) -> Known:
    """Return the pairs of additive noise on records in [0, 1], where the neighbours are the ends of that interval.

    The blanket is the smaller of the two ends' densities.  The reverse direction mirrors this one.
    """
    name = "records at 0 and 1, all other records at 0.5, outputs merged to three"
    return Known((found.above,), found.below, replace(found.best, name=name))

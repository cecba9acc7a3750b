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
from ..randomizers.finite import BUDGET_SLACK, Rows, budget
from . import noise_cells
from .message_gains import Messages
from .noise_cells import BLANKET
from .three_symbol_pair import MergedPair

# Relative error of masses, in round-offs: an exponential (4), a sum, a quotient and two products.
MASS_UNITS = 12.0
# Relative error of numbers that are rounded once, in round-offs.
EXACT_UNITS = 1.0
# Digits of the decimal arithmetic.
DIGITS = 60
# Relative round-off by which a total variation may exceed its largest value; it then admits all eps0-DP randomizers.
TV_SLACK = 1e-12
# Outputs of less mass than this are not cut into cells: their densities would be subnormal.
LEAST_MASS = 1e-280


@dataclass(frozen=True, eq=False)
class CertifiedPairs:
    """The certified pairs of a randomizer: those that dominate all neighbouring data, and those that some data attain.

    ``merged_pair``: one of the attained pairs with its outputs merged to three, the same in both directions.
    """

    above: tuple[Messages, ...]
    below: tuple[Messages, ...]
    merged_pair: MergedPair | None = None


def response(eps0: float, k: int) -> CertifiedPairs:
    """Return the pairs of k-ary randomized response; witnesses with three symbols are in :mod:`.three_symbol_pair`."""
    x = exp(eps0)
    s = 1.0 / (x + k - 1.0)
    more = [] if k == 2 else [(k - 2.0) * s]
    p, q = np.array([x * s, s, *more]), np.array([s, x * s, *more])
    losses = np.array([eps0, -eps0, 0.0, 0.0])
    rest = float(np.expm1(eps0)) * s
    above = Messages(BLANKET, p, q, np.array([s, s, *more]), losses[: p.size], units=MASS_UNITS, rest=rest)
    if k < 4:
        return CertifiedPairs((above,), ())
    last = (k - 3.0) * s
    p, q, w = (np.array(row) for row in ([x * s, s, s, last], [s, x * s, s, last], [s, s, x * s, last]))
    name = f"{k}-ary randomized response, all other records at a third value"
    return CertifiedPairs((above,), (Messages(name, p, q, w, losses, units=MASS_UNITS),))


def narrow(eps0: float, tv: float) -> CertifiedPairs:
    """Return the pairs of all eps0-DP randomizers whose outputs on the two records differ by at most ``tv``.

    ``tv`` bounds the total variation distance between the outputs on the record and on its replacement.  The upper
    bound is the corrected variation-ratio pair, P = (x a, a, c, 0), W = (a, a, c/x, rest), a = tv/(x - 1).  The lower
    bound comes from the randomizers with rows P, Q and W = (a, a, w1/x, x w2), w1 + w2 = c.
    """
    with localcontext() as context:  # the differences from 1 cancel
        context.prec = DIGITS
        x = Decimal(eps0).exp()
        a, one = Decimal(tv) / (x - 1), Decimal(1)
        c = one - a * (x + 1)
        if c < -Decimal(TV_SLACK):
            most = f"tv:T with T at most {float(np.tanh(0.5 * eps0)):.6g} at this eps0"
            raise ParameterError("randomizer", most, f"tv:{tv!r}")
        if c <= 0:  # the bound admits all eps0-DP randomizers
            a, c = one / (x + 1), Decimal(0)
        rest = one - 2 * a - c / x
        w2 = rest / (x - one / x)
        w1 = c - w2
        up, down, middle, thin = float(x * a), float(a), float(c), float(c / x)
        first, second, first_thin, second_thick = float(w1), float(w2), float(w1 / x), float(w2 * x)
    losses = np.array([eps0, -eps0, 0.0, 0.0])
    if middle == 0.0:
        p, q, w = (np.array(row) for row in ([up, down], [down, up], [down, down]))
        above = Messages("stronger clones", p, q, w, losses[:2], units=EXACT_UNITS, rest=float(rest))
        return CertifiedPairs((above,), _on_either(p, q, losses[:2]))
    p, q, w = (np.array(row) for row in ([up, down, middle], [down, up, middle], [down, down, thin]))
    above = Messages("variation-ratio reduction, corrected", p, q, w, losses[:3], units=EXACT_UNITS, rest=float(rest))
    either = _on_either(p, q, losses[:3])
    if first <= 0.0 or second <= 0.0:
        return CertifiedPairs((above,), either)
    ways = [up, down, first, second], [down, up, first, second], [down, down, first_thin, second_thick]
    p, q, w = (np.array(row) for row in ways)
    four = Messages(
        "a randomizer of four outputs, all other records at a third input", p, q, w, losses, units=EXACT_UNITS
    )
    merged_pair = MergedPair(
        f"{four.name}, outputs merged", up, down, down, middle, first_thin + second_thick, 2.0 * EXACT_UNITS
    )
    return CertifiedPairs((above,), (four, *either), merged_pair)


def _on_either(p: Array, q: Array, losses: Array) -> tuple[Messages, ...]:
    """Return the messages where all others hold the record's value, and those where all hold its replacement's."""
    return tuple(
        Messages(f"all other records at the value of the {x}", p, q, w, losses, units=EXACT_UNITS)
        for x, w in (("record", p), ("replacement", q))
    )


def table_messages(name: str, i: list[Fraction], j: list[Fraction], w: list[Fraction], rest: Fraction) -> Messages:
    """Return the messages of inputs i and j of a table, where W is w and a rest; every number is rounded once."""
    p, q, others, differences = (
        np.array([float(value) for value in row]) for row in (i, j, w, [a - b for a, b in zip(i, j, strict=True)])
    )
    return Messages(name, p, q, others, difference=differences, units=EXACT_UNITS, rest=float(rest))


def table(exact: Rows, eps0: float, name: str) -> CertifiedPairs:
    """Return the pairs of a randomizer given as a table: one row of exact output probabilities for each input."""
    if len(exact) < 2:
        raise ParameterError("randomizer", "a table with at least two inputs", name)
    largest = budget(exact)
    if largest > eps0 * (1.0 + BUDGET_SLACK):
        raise ParameterError("eps0", f"at least {largest:.8g}, the budget of {name}", eps0)
    blanket = [min(column) for column in zip(*exact, strict=True)]
    rest = 1 - sum(blanket)
    above, below = [], []
    for i, first in enumerate(exact):
        for j, second in enumerate(exact):
            if i == j or first == second:
                continue
            above.append(table_messages(f"{BLANKET}, inputs {i} and {j}", first, second, blanket, rest))
            for o, others in enumerate(exact):
                below.append(
                    table_messages(
                        f"inputs {i} and {j}, all other records at input {o}", first, second, others, Fraction(0)
                    )
                )
    if not above:
        raise ParameterError("randomizer", "a table with two different rows", name)
    return CertifiedPairs(tuple(above), tuple(below))


def laplace(eps0: float, n: int) -> CertifiedPairs:
    """Return the pairs of Laplace noise of scale 1/eps0 on a record in [0, 1]."""
    return _noise_pairs(noise_cells.laplace(eps0, n))


def gaussian(sigma: float, n: int, least: float) -> CertifiedPairs:
    """Return the pairs of Gaussian noise of deviation ``sigma`` on a record in [0, 1].

    Deltas far below ``least`` need not be accurate.
    """
    return _noise_pairs(noise_cells.gaussian(sigma, n, max(least, LEAST_MASS)))


def _noise_pairs(messages: noise_cells.NoiseMessages) -> CertifiedPairs:
    """Return the pairs of additive noise on records in [0, 1].

    The blanket is the smaller of the two ends' densities.  Under it neighbours at the ends dominate all others, as the
    text of :mod:`.noise_cells` proves, and the reverse direction mirrors this one.
    """
    name = "records at 0 and 1, all other records at 0.5, outputs merged to three"
    return CertifiedPairs((messages.above,), messages.below, replace(messages.best, name=name))

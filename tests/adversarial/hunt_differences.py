"""Differences that cancel, against balls of 300 bits: the charged error must cover the true one."""

import random

from flint import arb, ctx

from pldcheck.core import differences

from .cells import Cell, ends, log_uniform

ctx.prec = 300


def _cell(question, near, exact):
    def truth():
        ctx.prec = 300
        return ends(exact())

    return Cell(question, lambda: (float(near().lower), float(near().upper)), truth)


def _close(draw: random.Random, value: float) -> float:
    """Return a number next to a value, from either side, or anywhere."""
    return draw.choice([value * (1.0 - log_uniform(draw, 1e-16, 1.0)), value * (1.0 + log_uniform(draw, 1e-16, 1.0))])


def ratio_difference(draw: random.Random) -> Cell:
    eps0 = log_uniform(draw, 1e-14, 20.0)
    epsilon = _close(draw, eps0)
    return _cell(
        f"ratio_difference({eps0!r}, {epsilon!r})",
        lambda: differences.ratio_difference(eps0, epsilon),
        lambda: arb(eps0).exp() - arb(epsilon).exp(),
    )


def one_minus_product(draw: random.Random) -> Cell:
    eps0, epsilon = log_uniform(draw, 1e-14, 20.0), log_uniform(draw, 1e-300, 20.0)
    return _cell(
        f"one_minus_product({eps0!r}, {epsilon!r})",
        lambda: differences.one_minus_product(eps0, epsilon),
        lambda: -(arb(eps0) + arb(epsilon)).expm1(),
    )


def ratio_minus_one(draw: random.Random) -> Cell:
    eps0 = log_uniform(draw, 1e-300, 20.0) * draw.choice([1, -1])
    return _cell(f"ratio_minus_one({eps0!r})", lambda: differences.ratio_minus_one(eps0), lambda: arb(eps0).expm1())


def dilution(draw: random.Random) -> Cell:
    weight = draw.choice([log_uniform(draw, 1e-300, 1.0), 1.0 - log_uniform(draw, 1e-16, 1.0), 1.0])
    eps0 = log_uniform(draw, 1e-14, 20.0) * draw.choice([1, -1])
    return _cell(
        f"diluted({weight!r}, {eps0!r})",
        lambda: differences.diluted(weight, eps0),
        lambda: 1 - arb(weight) + arb(weight) * arb(eps0).exp(),
    )


def mass_difference(draw: random.Random) -> Cell:
    q = log_uniform(draw, 1e-300, 1.0)
    epsilon = log_uniform(draw, 1e-16, 10.0)
    p = min(_close(draw, q * draw.choice([1.0, float(arb(epsilon).exp())])), 1.0)
    return _cell(
        f"mass_difference({p!r}, {q!r}, {epsilon!r})",
        lambda: differences.mass_difference(p, q, epsilon),
        lambda: arb(p) - arb(epsilon).exp() * arb(q),
    )


HUNTS = {
    "differences: x - kappa": ratio_difference,
    "differences: 1 - x kappa": one_minus_product,
    "differences: x - 1": ratio_minus_one,
    "differences: 1 - w + w x": dilution,
    "differences: p - kappa q": mass_difference,
}

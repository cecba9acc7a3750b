"""Renyi divergences of every order: discrete and sampled Gaussians beyond where their laws are cut, and the rest."""

import math
import random
from fractions import Fraction
from math import comb

from flint import acb, arb, ctx

from pldcheck import pld

from .cells import Cell, ends, log_uniform

BITS = 600


def _balls(function):
    def truth():
        with ctx.workprec(BITS):
            return ends(function())

    return truth


def _order(draw: random.Random, switch: float) -> float:
    """Return an order: 1 + 10^-k, whole ones, beside ``switch``, 1024, 1e6."""
    order = draw.choice(
        [
            1.0 + log_uniform(draw, 1e-14, 1.0),
            2.0,
            3.0,
            switch * draw.choice([1.0, 1.0 - 1e-9, 1.0 + 1e-9, 1.5]),
            1024.0,
            1e6,
            log_uniform(draw, 1.01, 1e6),
        ]
    )
    return min(max(order, 1.0 + 2.0**-52), 1e6)


def discrete_gaussian(draw: random.Random) -> Cell:
    sigma = log_uniform(draw, 0.05, 30.0)
    order, count = _order(draw, 37.0 * sigma), draw.choice([1, 7, 10**9])

    def exact():
        # The sum itself, over every k that weighs: p^a q^(1 - a) is centred at 1 - a.
        s, a = arb(sigma), arb(order)
        reach = int(math.ceil(25 * sigma * 1.5)) + 3
        centre = round(1 - order)
        places = range(centre - reach, centre + reach + 1)
        total = sum(((-(a * k * k + (1 - a) * (k - 1) ** 2) / (2 * s * s)).exp() for k in places), arb(0))
        mass = sum(((-(arb(k) ** 2) / (2 * s * s)).exp() for k in range(-reach, reach + 1)), arb(0))
        # Beyond 25 * 1.5 deviations there is less than e^-700 of the sum, relatively.
        remainder = arb(0, 2.0**-900)
        return count * ((total / mass).log() + remainder) / (a - 1)

    return Cell(
        f"pld.discrete_gaussian({sigma!r}).compose({count}).renyi({order!r})",
        lambda: pld.discrete_gaussian(sigma).compose(count).renyi(order),
        _balls(exact),
        width=1e-9,
    )


def sampled_gaussian(draw: random.Random) -> Cell:
    """Return a cell: whole orders, by the binomial sum (Mironov, Talwar and Zhang 2019), against the direction that is
    larger.
    """
    sigma = log_uniform(draw, 0.03, 100.0)
    rate = draw.choice([log_uniform(draw, 1e-9, 1.0), 0.5, 1 - log_uniform(draw, 1e-9, 0.5)])
    order = draw.choice([2, 3, math.ceil(1 + 28.6 * sigma), math.ceil(2 + 28.6 * sigma), 64, 300, 1000])
    order = min(max(order, 2), 1500)
    has_fixed_size = draw.random() < 0.3
    make = pld.fixed_size_gaussian if has_fixed_size else pld.subsampled_gaussian

    def exact():
        s, r, total = arb(sigma), arb(rate), arb(0)
        for k in range(order + 1):
            total += comb(order, k) * (1 - r) ** (order - k) * r**k * ((k * k - k) / (2 * s * s)).exp()
        return total.log() / (order - 1)

    def truth():
        with ctx.workprec(3000):
            low, high = ends(exact())
        # Of a fixed size it is at most log(M + M') of both directions, here M' <= M.
        return (low, high) if not has_fixed_size else (low, high + Fraction(math.log(2) / (order - 1)))

    question = f"pld.{make.__name__}({sigma!r}, {rate!r}).renyi({order})"
    return Cell(question, lambda: make(sigma, rate).renyi(order), truth)


def sampled_gaussian_by_quadrature(draw: random.Random) -> Cell:
    """Return a cell: any order beyond the cut, one direction, by an integral in balls over panels."""
    sigma, rate = log_uniform(draw, 0.05, 5.0), draw.choice([0.5, log_uniform(draw, 1e-4, 1.0)])
    order = 1.0 + 28.7 * sigma * draw.uniform(1.0, 1.5)
    backward = draw.random() < 0.5

    def exact():
        mu, r, b = 1 / arb(sigma), arb(rate), arb(-(order - 1.0)) if backward else arb(order)

        def integrand(x, _):
            mixture = 1 - acb(r) + acb(r) * (acb(mu) * x - acb(mu * mu / 2)).exp()
            return (acb(b) * mixture.log() - x * x / 2).exp()

        omission = arb(0)
        low, high = (-40 - (order * float(mu) if backward else 0)), 40 + (0 if backward else order * float(mu))
        pieces = int(high - low) + 1
        points = [arb(low) + (arb(high) - arb(low)) * k / pieces for k in range(pieces + 1)]
        total = (
            sum((acb.integral(integrand, p, q).real for p, q in zip(points, points[1:], strict=False)), arb(0))
            + omission
        )
        return (total / (2 * arb.pi()).sqrt()).log() / (order - 1.0)

    def truth():
        with ctx.workprec(200):
            low, high = ends(exact())
        slack = Fraction(1, 10**25)
        return low - slack, high + slack

    def answer():
        mechanism = pld.subsampled_gaussian(sigma, rate)
        return (mechanism.reversed if backward else mechanism).one_way.renyi(order)

    way = ".reversed.one_way" if backward else ".one_way"
    return Cell(f"pld.subsampled_gaussian({sigma!r}, {rate!r}){way}.renyi({order!r})", answer, truth, width=1e-6)


def plain(draw: random.Random) -> Cell:
    """Return a cell: responses, Laplace and Gaussian, in closed form."""
    eps0, count = log_uniform(draw, 1e-9, 20.0), draw.choice([1, 2, 1000, 10**9])
    order = _order(draw, 37.0 / eps0)
    kind = draw.choice(["response", "laplace", "gaussian"])
    make = {"response": lambda: pld.randomized_response(eps0), "laplace": lambda: pld.laplace(1 / eps0)}
    mechanism = make[kind]() if kind in make else pld.gaussian(1 / eps0)

    def exact():
        t, a = arb(order) - 1, arb(order)
        e = arb(eps0) if kind == "response" else 1 / arb(1 / eps0)
        if kind == "response":
            p = 1 / (1 + (-e).exp())
            moment = p * (e * t).exp() + (1 - p) * (-e * t).exp()
        elif kind == "laplace":  # Mironov (2017), Table II
            moment = a / (2 * a - 1) * (e * t).exp() + t / (2 * a - 1) * (-a * e).exp()
        else:
            return count * a * e * e / 2
        return count * moment.log() / t

    return Cell(
        f"{kind}({eps0!r}) x {count}, renyi({order!r})",
        lambda: mechanism.compose(count).renyi(order),
        _balls(exact),
        1e-6,
    )


HUNTS = {
    "renyi: discrete Gaussian": discrete_gaussian,
    "renyi: sampled Gaussian, whole orders": sampled_gaussian,
    "renyi: sampled Gaussian beyond the cut": sampled_gaussian_by_quadrature,
    "renyi: closed forms": plain,
}

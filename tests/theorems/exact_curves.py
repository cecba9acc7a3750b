"""Curves of pairs of finite laws in fractions, and random laws; no code of pldcheck is used.

A law is a dictionary from outcomes to fractions that add up to 1.
"""

from __future__ import annotations

from fractions import Fraction


def curve(p, q, kappa):
    """Return H(kappa; P, Q)."""
    return sum(max(p.get(z, 0) - kappa * q.get(z, 0), Fraction(0)) for z in p)


def kinks(p, q):
    """Return the places where the curve bends, and one beyond the last."""
    ratios = {Fraction(p.get(z, 0)) / q[z] for z in q if q[z]}
    return {*ratios, max(ratios) + 1} - {0}


def dominates(pair, other):
    """Return whether the curve of the first pair is nowhere below that of the second.

    Both are piecewise linear with the limit 1 at 0 and constant in the end: their difference is least at a kink.
    """
    return all(curve(*pair, kappa) >= curve(*other, kappa) for kappa in kinks(*pair) | kinks(*other))


def times(p, q):
    """Return the law of two independent outcomes."""
    return {(y, z): p[y] * q[z] for y in p for z in q}


def mixture(rate, p, q):
    """Return rate P + (1 - rate) Q."""
    return {z: rate * p.get(z, 0) + (1 - rate) * q.get(z, 0) for z in {**p, **q}}


def mean(laws):
    """Return the mixture of laws, given as pairs (probability, law)."""
    total = {}
    for share, law in laws:
        for z, mass in law.items():
            total[z] = total.get(z, 0) + share * mass
    return total


def processed(p, kernel):
    """Return the law of the output of a kernel, a dictionary from outcomes to laws."""
    return mean([(mass, kernel[z]) for z, mass in p.items()])


def followed(p, kernels):
    """Return the law of (y, z): y of the law P, and z of the law that ``kernels`` has at y."""
    return {(y, z): p[y] * kernels[y][z] for y in p for z in kernels[y] if p[y]}


def random_law(draw, outcomes, zeros=0.0, most=9):
    """Return a random law with small denominators; an outcome has no mass with the probability ``zeros``."""
    weights = [0 if draw.random() < zeros else draw.randint(1, most) for _ in outcomes]
    if not any(weights):
        weights[0] = 1
    return {z: Fraction(weight, sum(weights)) for z, weight in zip(outcomes, weights, strict=True)}


def random_kernel(draw, inputs, outcomes, zeros=0.5):
    """Return a random kernel, with many zeros so that it loses little."""
    return {z: random_law(draw, outcomes, zeros) for z in inputs}


def pair_of(points):
    """Return a pair whose curve is the polygon through points (kappa, height), constant after the last.

    The first point is (0, 1); the heights fall and are convex, with slopes of at least -1.
    """
    points = sorted(points)
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in zip(points, points[1:], strict=False)] + [Fraction(0)]
    q = {
        kappa: after - before
        for (kappa, _), before, after in zip(points, [Fraction(-1), *slopes], slopes, strict=False)
    }
    p = {kappa: kappa * mass for kappa, mass in q.items()} | {"new": points[-1][1]}
    return p, q


def budgeted(laws, x):
    """Return the least delta0 such that all pairs of some laws are (log x, delta0)-DP."""
    return max(curve(p, q, x) for p in laws for q in laws)


def approximate_pair(x, delta0):
    """Return randomized response that reveals its input with probability delta0."""
    most, least = (1 - delta0) * x / (1 + x), (1 - delta0) / (1 + x)
    return {0: delta0, 1: most, 2: least, 3: Fraction(0)}, {0: Fraction(0), 1: least, 2: most, 3: delta0}

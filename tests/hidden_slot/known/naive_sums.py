"""Slow twins of the floor allocation/, in balls (python-flint) and fractions: no code is shared with pldcheck.

Laws are given by their numbers: a lattice law by its step, first index and masses; a Gaussian increment
X = up A - down B + constant, A, B = e^{+-sz - s^2/2}, by these four; a finite one by values and masses.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

from flint import arb, arb_poly, ctx

BITS = 300


def ball(x) -> arb:
    """Return a float or a fraction as a ball."""
    return arb(x.numerator) / x.denominator if isinstance(x, Fraction) else arb(x)


def normal_tail(z) -> arb:
    """Return P(Z > z)."""
    return (z / arb(2).sqrt()).erfc() / 2


def gaussian_part(s, up, down, low, high) -> tuple[arb, arb]:
    """Return P(low < z < high) and E[up A - down B; low < z < high]."""
    with ctx.workprec(BITS):
        s, up, down, low, high = map(arb, (s, up, down, low, high))

        def normal_mass(shift):
            return normal_tail(low + shift) - normal_tail(high + shift)

        return normal_mass(arb(0)), up * normal_mass(-s) - down * normal_mass(s)


def gaussian_value(s, up, down, z) -> arb:
    """Return up A - down B at z."""
    with ctx.workprec(BITS):
        s, z = arb(s), arb(z)
        return arb(up) * (s * z - s * s / 2).exp() - arb(down) * (-s * z - s * s / 2).exp()


def gaussian_stop_loss(s, up, down, constant, threshold) -> arb:
    """Return E(X - threshold)_+, by the z at which the increasing X crosses the threshold."""
    with ctx.workprec(BITS):
        s, up, down = arb(s), arb(up), arb(down)
        w = ball(threshold) - arb(constant)
        mean = up - down - w
        lower = down * (-s * s).exp()
        if not down > 0:
            if not w > 0:
                return mean
            y = w / up
        elif not up > 0:
            if not w < 0:
                return arb(0)
            y = -lower / w
        else:
            root = (w * w + 4 * up * lower).sqrt()
            y = (w + root) / (2 * up) if w > 0 else 2 * lower / (root - w)
        z = (y.log() + s * s / 2) / s
        return up * normal_tail(z - s) - down * normal_tail(z + s) - w * normal_tail(z)


def finite_stop_loss(values, masses, threshold) -> Fraction:
    """Return E(X - threshold)_+ of a measure, of its numbers exactly."""
    t = Fraction(threshold)
    pairs = zip(map(Fraction, values), map(Fraction, masses), strict=True)
    return sum((mass * (value - t) for value, mass in pairs if value > t), Fraction(0))


def lattice_stop_loss(step, first, masses, origin, threshold) -> Fraction:
    """Return E(X - threshold)_+ of a lattice law moved by ``origin``."""
    values = [Fraction(float(origin)) + Fraction(float(step)) * (int(first) + i) for i in range(len(masses))]
    return finite_stop_loss(values, masses, threshold)


def lattice_sum(parts: Sequence[tuple[int, Sequence[float], int]], step: float, start: float) -> arb:
    """Return E(start + sum)_+ of independent copies of lattice laws (first index, masses, how many): powers of
    polynomials.
    """
    with ctx.workprec(BITS):
        total, first = arb_poly([1]), 0
        for index, masses, count in parts:
            total *= arb_poly([arb(float(mass)) for mass in masses]) ** count
            first += int(index) * count
        h, u = arb(float(step)), arb(float(start))
        expectation = arb(0)
        for j, mass in enumerate(total.coeffs()):
            value = u + h * (first + j)
            if value > 0:
                expectation += value * mass
        return expectation


def finite_sum(values: Sequence, masses: Sequence, count: int, start) -> Fraction:
    """Return E(start + sum)_+ of ``count`` copies of a law of few values, exactly: one after another."""
    law = {Fraction(0): Fraction(1)}
    for _ in range(count):
        longer: dict[Fraction, Fraction] = {}
        for total, chance in law.items():
            for value, mass in zip(map(Fraction, values), map(Fraction, masses), strict=True):
                longer[total + value] = longer.get(total + value, Fraction(0)) + chance * mass
        law = longer
    return sum((chance * max(total + Fraction(start), Fraction(0)) for total, chance in law.items()), Fraction(0))


def binomial_sum(up, down, chance, count: int, start) -> arb:
    """Return E(start + sum)_+ of ``count`` steps, each ``up`` with a probability, else ``down``: any count."""
    with ctx.workprec(BITS):
        p, expectation = ball(chance), arb(0)
        mass = (1 - p) ** count
        for k in range(count + 1):
            value = ball(start) + ball(up) * k + ball(down) * (count - k)
            if value > 0:
                expectation += value * mass
            mass = mass * (count - k) / (k + 1) * p / (1 - p)
        return expectation


def worst_references(record, replacement, references, steps: int, kappa: Fraction, weight: Fraction) -> Fraction:
    """Return delta where each slot's own row is chosen with regard to all earlier outputs: recursion over output
    histories.
    """
    laws = [
        [(own, (one - kappa * other) / own) for one, other, own in zip(record, replacement, row, strict=True)]
        for row in references
    ]
    return worst_laws(laws, steps, kappa, weight)


def worst_of_record(record, references, steps: int, kappa: Fraction, weight: Fraction, way: str) -> Fraction:
    """Return the same of a record that is there or not, the slot's own row there in its place."""
    laws = []
    for row in references:
        first, second = (record, row) if way == "remove" else (row, record)
        laws.append([(own, (a - kappa * b) / own) for a, b, own in zip(first, second, row, strict=True)])
    return worst_laws(laws, steps, kappa, weight)


def worst_laws(laws, steps: int, kappa: Fraction, weight: Fraction) -> Fraction:
    """Return w/m E(sum of gains - ...)_+, the law (chance, gain) of each chosen with regard to the sum so far."""
    constant = (1 - weight) / weight * (kappa - 1)

    @cache
    def worst(to_go: int, total: Fraction) -> Fraction:
        if not to_go:
            return max(total, Fraction(0))
        return max(
            sum((chance * worst(to_go - 1, total + gain - constant) for chance, gain in law), Fraction(0))
            for law in laws
        )

    return weight / steps * worst(steps, Fraction(0))

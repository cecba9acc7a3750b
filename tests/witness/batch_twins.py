"""Curves of Gaussian noise on random lengths, batches and cut samples: exact chances, and closed forms with mpmath."""

from fractions import Fraction
from math import comb

import mpmath
from mpmath import mpf


def real(number):
    """Return a fraction, or the number that a text means, as one of mpmath."""
    number = Fraction(number)
    return mpf(number.numerator) / number.denominator


def above(x):
    """Return P(Z > x) of a standard normal Z."""
    return mpmath.erfc(x / mpmath.sqrt(2)) / 2


def gaussian(distance, kappa):
    """Return H(kappa) of N(distance) and N(0) of deviation 1."""
    place = mpmath.log(kappa) / distance
    return above(place - distance / 2) - kappa * above(place + distance / 2)


def reversed_curve(curve):
    """Return the curve of the exchanged pair."""
    return lambda kappa: 1 - kappa + kappa * curve(1 / kappa)


def sampled(curve, rate):
    """Return the curve of ((1-r) Q + r P, Q)."""
    return lambda kappa: rate * curve(1 + (kappa - 1) / rate) if kappa > 1 - rate else 1 - kappa


def lengths_curve(sigma, lengths):
    """Return the curve of a record that adds a vector of random length, and is removed."""
    moves = [(real(length) / real(sigma), real(chance)) for length, chance in lengths]
    rest = 1 - sum(chance for _, chance in moves)

    def curve(kappa):
        if kappa <= rest:
            return 1 - kappa
        # log R is convex and increases: from the right, Newton's method falls to its root.
        z = min((mpmath.log(kappa / chance) + u * u / 2) / u for u, chance in moves)
        for _ in range(400):
            terms = [chance * mpmath.exp(u * z - u * u / 2) for u, chance in moves]
            slope = sum(term * u for term, (u, _) in zip(terms, moves, strict=True)) / (rest + sum(terms))
            step = mpmath.log((rest + sum(terms)) / kappa) / slope
            z -= step
            if abs(step) < mpf(10) ** (3 - mpmath.mp.dps):
                break
        return rest * above(z) + sum(chance * above(z - u) for u, chance in moves) - kappa * above(z)

    return curve


def place_chances(records, batch, group, redrawn):
    """Return the exact probabilities that a group has 0, 1, ... places of a batch."""
    if redrawn:
        share = Fraction(group, records + group)
        return [comb(batch, k) * share**k * (1 - share) ** (batch - k) for k in range(batch + 1)]
    whole = comb(records + group, batch)
    most = min(group, batch)
    return [Fraction(comb(group, k) * comb(records, batch - k), whole) for k in range(most + 1)]


def batch_curve(sigma, records, batch, group, redrawn):
    """Return the curve of a group that is replaced, on batches of one size."""
    none, *chances = place_chances(records, batch, group, redrawn)
    rate = real(1 - none)

    def from_one(kappa):
        at = 1 + (kappa - 1) / rate
        return sum(real(chance) * gaussian(k / real(sigma), at) for k, chance in enumerate(chances, 1))

    return lambda kappa: from_one(kappa) if kappa >= 1 else reversed_curve(from_one)(kappa)


def cut_chances(rate, records, batch):
    """Return the exact probability of a cut, and the rate at which the record is used then."""
    rate = Fraction(rate)
    masses = {k: comb(records, k) * rate**k * (1 - rate) ** (records - k) for k in range(batch, records + 1)}
    cut = sum(masses.values())
    return cut, rate * sum(mass * Fraction(batch, k + 1) for k, mass in masses.items()) / cut


def cut_curve(sigma, rate, records, batch):
    """Return the curve of a record that is removed, on Poisson samples that are cut."""
    cut, used = map(real, cut_chances(rate, records, batch))
    s = 1 / real(sigma)
    plain = sampled(lambda kappa: gaussian(s, kappa), real(rate))
    other = sampled(lambda kappa: gaussian(2 * s, kappa), used)
    return lambda kappa: (1 - cut) * plain(kappa) + cut * other(kappa)


def curves(entry):
    """Return the curves of a round of a certificate: one, or those of a record that is removed and added."""
    name, sigma = entry["mechanism"], entry["sigma"]
    if name == "batch-gaussian":
        return [batch_curve(sigma, *(int(entry[key]) for key in ("records", "batch", "group", "redrawn")))]
    if name == "random-lengths":
        pairs = [pair.split(":") for pair in entry["lengths"].split(",")]
        removed = lengths_curve(sigma, pairs)
    else:
        removed = cut_curve(sigma, entry["rate"], int(entry["records"]), int(entry["batch"]))
    return [removed, reversed_curve(removed)]


def run_delta(entry, epsilon):
    """Return delta of one run of a round at epsilon, in the worse of both orders."""
    return max(curve(mpmath.exp(epsilon)) for curve in curves(entry))


def tails(curve, t):
    """Return P(L > t) and Q(L > t) from the curve, whose slope is -Q(L > t)."""
    kappa = mpmath.exp(t)
    slope = mpmath.diff(curve, kappa, h=mpf(10) ** (-mpmath.mp.dps // 4))
    return curve(kappa) - kappa * slope, -slope

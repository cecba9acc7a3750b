"""Hidden slots of finite randomizers in fractions, by all outputs, and the worst of a budget; no code of pldcheck.

A randomizer maps the past outputs to the laws of its output, by input; the reference record is the empty text.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from exact_curves import mean, random_law

BUDGETS = (Fraction(3, 2), Fraction(3), Fraction(8))
KAPPAS = (Fraction(1), Fraction(11, 10), Fraction(3, 2), Fraction(3))
HALF = Fraction(1, 2)


def adaptive(draw, inputs, outcomes, x):
    """Return a randomizer that depends on the past outputs: (log x)-DP, drawn anew for every past."""

    @cache
    def randomizer(past):
        return pure_laws(draw, inputs, outcomes, x)

    return randomizer


def extreme(x, name):
    """Return the randomizer of a worst law on the record d, its replacement e, and all others."""
    rows = {"CF": {"d": (x, 1), "e": (1, x), "": (1, x)}, "BE": {"d": (x, 1), "e": (1, x), "": (x, 1)}}[name]

    def randomizer(past):
        return {
            key: {z: Fraction(mass) / (x + 1) for z, mass in enumerate(rows.get(key, rows[""]))}
            for key in ("d", "e", "", "f", "g")
        }

    return randomizer


# The corners of the likelihood ratios on the record and its replacement, as powers of x, and laws on them.
CORNERS = {"A": (-1, -1), "B": (0, -1), "C": (1, 0), "D": (1, 1), "E": (0, 1), "F": (-1, 0)}
LAWS = {"AD": (1, 0), "BE": (1, 0), "CF": (0, 1), "ACE": (1, 0, 0), "BDF": (1, 0, 1)}


def worst_sum(m, x, kappa, weight, start):
    """Return W(start): the largest E(start + (w/m) sum (a - 1 - kappa (a' - 1)))_+ over adaptive pure randomizers."""
    laws = []
    for name, powers in LAWS.items():
        total = sum(x**power for power in powers)
        steps = [(x ** CORNERS[v][0] - 1) - kappa * (x ** CORNERS[v][1] - 1) for v in name]
        laws.append([(x**power / total, weight / m * s) for power, s in zip(powers, steps, strict=True)])

    def value(t, u):
        return max(u, Fraction(0)) if t == 0 else max(sum(p * value(t - 1, u + s) for p, s in law) for law in laws)

    return value(m, start)


def worst_slot(m, x, kappa, weight):
    """Return the largest delta of a hidden slot over all adaptive (log x)-DP randomizers, a record being replaced."""
    return worst_sum(m, x, kappa, weight, 1 - kappa)


def pure_laws(draw, inputs, outcomes, x):
    """Return laws for some inputs, random but within a factor x of one another."""
    base = random_law(draw, outcomes)
    rows = {}
    for name in inputs:
        # Densities 1 and x, on a random event.
        event = {z: x if draw.random() < 0.5 else Fraction(1) for z in outcomes}
        rows[name] = {z: base[z] * event[z] for z in outcomes}
    largest = max(sum(row.values()) for row in rows.values())
    # What is missing has an outcome of its own: from 1 to 2 - 1/x times the largest sum, so within a factor x too.
    rows = {name: {**row, "rest": largest - sum(row.values()) + largest} for name, row in rows.items()}
    return {name: {z: mass / (2 * largest) for z, mass in row.items()} for name, row in rows.items()}


def slots_by_enumeration(m, weight, randomizer, record, reference):
    """Return the law of all outputs of a hidden slot; ``randomizer`` maps the past outputs to laws by input."""
    laws = []
    for place in (None, *range(m)):
        share = 1 - weight if place is None else weight / m
        law = {(): Fraction(1)}
        for slot in range(m):
            name = record if slot == place else reference
            law = {(*past, z): mass * more for past, mass in law.items() for z, more in randomizer(past)[name].items()}
        laws.append((share, law))
    return mean(laws)

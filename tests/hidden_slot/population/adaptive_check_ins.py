"""The slow twin of few slots: attained divergences of adaptive mechanisms, found by linear programs, kept in fractions.

Every assignment of clients to slots and of who answers is enumerated.  Inputs of a slot are the dummy, d, d' and the
others' records; an output is a row of their probabilities.  At each state a linear program finds the best law; its
support is solved again in fractions, so that the value is that of an explicit eps0-DP mechanism, not rounded.
"""

from collections import defaultdict
from fractions import Fraction
from itertools import product
from math import inf, log, nextafter

import numpy as np
from scipy.optimize import linprog


def above_log(number):
    """Return a float just above the logarithm of a fraction."""
    return nextafter(nextafter(log(number), inf), inf)


def below_log(number):
    """Return a float just below the logarithm of a fraction, or 0 of 1."""
    return max(nextafter(nextafter(log(number), -inf), -inf), 0.0)


def answerers(m, n, p0):
    """Return the probability of who answers in each slot: -1 the dummy, 0 the client in question, 1, ... the others."""
    law = defaultdict(Fraction)
    for slots in product(range(m + 1), repeat=n):
        chance = Fraction(1)
        for slot in slots:
            chance *= 1 - p0 if slot == m else p0 / m
        candidates = [[j for j in range(n) if slots[j] == i] or [-1] for i in range(m)]
        for who in product(*candidates):
            share = chance
            for those in candidates:
                share /= len(those)
            if share:
                law[who] += share
    return law


def best_divergence(m, n, p0, x, kappa, are_alike):
    """Return the largest E(P - kappa P')_+ that was found; ``are_alike``: all others have one record."""
    law = defaultdict(Fraction)
    for who, chance in answerers(m, n, p0).items():
        law[tuple(min(j, 1) for j in who) if are_alike else who] += chance
    kinds = 2 if are_alike and n > 1 else n  # the client, and the records of the others
    # Inputs: the records by their clients, then the dummy at -2 and d' at -1.
    outputs = [row for row in product((Fraction(1), x), repeat=kinds + 2) if len(set(row)) > 1]

    def best(slot, one, two):
        if slot == m:
            return max(sum(one.values()) - kappa * sum(two.values()), Fraction(0))
        values = []
        for row in outputs:
            after_one, after_two = {}, {}
            for who, mass in one.items():
                after_one[who] = mass * row[who[slot] if who[slot] >= 0 else -2]
                after_two[who] = two[who] * row[-1 if who[slot] == 0 else who[slot] if who[slot] > 0 else -2]
            values.append(best(slot + 1, after_one, after_two))
        return expectation(outputs, values)

    return best(0, law, law)


def expectation(outputs, values):
    """Return the expectation of values under the best law of outputs, in fractions."""
    rows = np.array(outputs, dtype=float).T
    largest = float(max(values))
    if largest == 0.0:
        return Fraction(0)
    answer = linprog(
        [-float(value) / largest for value in values], A_eq=rows, b_eq=np.ones(rows.shape[0]), method="highs-ds"
    )
    support = [i for i, mass in enumerate(answer.x) if mass > 1e-9]
    masses = solution([outputs[i] for i in support])
    assert all(mass > 0 for mass in masses)
    return sum((mass * values[i] for mass, i in zip(masses, support, strict=True)), Fraction(0))


def solution(columns):
    """Return the weights with which the columns, linearly independent, sum to a column of ones."""
    rows = [[column[i] for column in columns] + [Fraction(1)] for i in range(len(columns[0]))]
    for place in range(len(columns)):
        pivot = next(i for i in range(place, len(rows)) if rows[i][place])
        rows[place], rows[pivot] = rows[pivot], rows[place]
        rows[place] = [entry / rows[place][place] for entry in rows[place]]
        for i in range(len(rows)):
            if i != place and rows[i][place]:
                factor = rows[i][place]
                rows[i] = [entry - factor * top for entry, top in zip(rows[i], rows[place], strict=True)]
    assert not any(row[-1] for row in rows[len(columns) :])
    return [rows[i][-1] for i in range(len(columns))]

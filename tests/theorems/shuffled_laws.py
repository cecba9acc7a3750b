"""Shuffling by its definition: the law of the counts of n answers, n - 1 of them drawn alike."""

import itertools
import math

import mpmath


def response(categories, x):
    """Return the rows of K-ary randomized response: row i answers i with x times the probability of any other."""
    return [[(x if i == j else 1) / (x + categories - 1) for j in range(categories)] for i in range(categories)]


def histograms(count, symbols):
    """Yield all ways to write ``count`` as an ordered sum of non-negative numbers."""
    if symbols == 1:
        yield (count,)
        return
    for first in range(count + 1):
        for rest in histograms(count - first, symbols - 1):
            yield (first, *rest)


def laws(users, others, count):
    """Yield for each histogram its probability if the first answer is drawn from each of ``users``."""
    powers = [[mass**c for c in range(count + 1)] for mass in others]
    for counts in histograms(count, len(others)):
        shares = []
        for symbol, c in enumerate(counts):
            if c == 0:
                shares.append(0)
                continue
            rest = [c - (j == symbol) for j, c in enumerate(counts)]
            ways = math.factorial(count - 1) // math.prod(map(math.factorial, rest))
            shares.append(ways * math.prod(powers[j][r] for j, r in enumerate(rest)))
        yield [sum(user[j] * share for j, share in enumerate(shares) if share) for user in users]


def delta(users, others, count, epsilon):
    """Return the larger of the two deltas between the laws of two users."""
    kappa = mpmath.exp(mpmath.mpf(epsilon))
    forward = backward = mpmath.mpf(0)
    for p, q in laws(users, others, count):
        forward += max(p - kappa * q, 0)
        backward += max(q - kappa * p, 0)
    return max(forward, backward)


def renyi(users, others, count, order):
    """Return the divergence of the first user's law from the second's."""
    moment = sum(p**order * q ** (1 - order) for p, q in laws(users, others, count))
    return mpmath.log(moment) / (order - 1)


def enumerate_laws(users, others, count):
    """Return the same laws from all sequences of answers, sorted."""
    tables = [{}, {}]
    for user, table in zip(users, tables, strict=True):
        for answers in itertools.product(range(len(others)), repeat=count):
            mass = user[answers[0]] * math.prod(others[a] for a in answers[1:])
            key = tuple(answers.count(symbol) for symbol in range(len(others)))
            table[key] = table.get(key, 0) + mass
    return {key: [tables[0][key], tables[1][key]] for key in tables[0]}

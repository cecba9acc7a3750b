"""The most that adaptive mechanisms of the shuffle model reveal: linear programs, from the last message backwards."""

import itertools
from collections.abc import Iterator
from functools import cache

import numpy as np
from scipy.optimize import linprog

from .enclosure import Enclosure, of_estimate
from .oracle import Oracle

# The records of the others; the first one is 0 or 1.
OTHERS = ((2, 3), (2, 2), (0, 2), (2, 2, 3), (2, 2, 2))
# To which the programs are solved.
ERROR = 1e-9


def _questions() -> Iterator[dict]:
    """Yield questions at kappa + zeta; zeta is 0 alone where there are four messages, whose programs take long."""
    for others, x in itertools.product(OTHERS, (1.5, 4.0)):
        for kappa in (1.0 + (x - 1.0) / 16, 1.0 + (x - 1.0) / 4):
            for zeta in (0.0, (x - 1.0) / 32, (x - 1.0) / 4)[: 3 if len(others) == 2 else 1]:
                yield {"others": " ".join(map(str, others)), "x": x, "kappa": kappa, "zeta": zeta}


def _answer(others: str, x: float, kappa: float, zeta: float) -> Enclosure:
    return of_estimate(_worst_of_all(x, kappa + zeta, [int(one) for one in others.split()]), ERROR)


def _worst_of_all(x: float, kappa: float, others: list[int]) -> float:
    """Return the largest delta of all adaptive x-close tables.

    A table is a mixture of outputs with densities 1 and x; what is left to come depends on the multiset so far.
    """
    n, inputs = len(others) + 1, max(others) + 1
    outputs = [o for o in itertools.product((1.0, x), repeat=inputs) if max(o) > 1.0]
    orders = np.array(list(itertools.permutations(range(n))))

    @cache
    def value(choice):
        if len(choice) == n:
            rows_of_choice = np.array([outputs[i] for i in choice])
            one, two = (
                np.prod([rows_of_choice[j, np.array([first, *others])[orders[:, j]]] for j in range(n)], axis=0).mean()
                for first in (0, 1)
            )
            return max(one - kappa * two, 0.0)
        ahead = np.array([value(tuple(sorted((*choice, i)))) for i in range(len(outputs))])
        if ahead.max() < 1e-12:
            return float(ahead.max())
        scale = ahead.max()
        solution = linprog(-ahead / scale, A_eq=np.array(outputs).T, b_eq=np.ones(inputs), method="highs")
        return -solution.fun * scale

    return float(value(()))


ORACLE = Oracle(
    "The largest delta of adaptive mechanisms with ratios of at most x, to 1e-9; one record is 0 or 1.",
    1e-4,
    _questions,
    _answer,
    is_quick=lambda question: question["others"].count(" ") == 1,
)

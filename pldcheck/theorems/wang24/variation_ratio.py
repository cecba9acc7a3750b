r"""Published upper bounds on shuffling that are false: they post-process what depends on the hypothesis.

Wang et al. (2304.05007) compare the two laws that user 1's answer and the clones among the others induce on the
counts of three symbols.  n is ``clients``, x stands for :math:`e^{\epsilon_0}`, :math:`\kappa` for :math:`e^\epsilon`.
The relative error is below 1e-13.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Context, Decimal, localcontext
from math import comb, fsum, tanh
from typing import Any

from ..theorem import Condition, Source, Theorem

TITLE = (
    "Wang, Peng, Li, Wen, Li, Yu, Wang, Yang, Privacy Amplification via Shuffling: Unified, Simplified, and Tightened"
)
URL = "https://arxiv.org/abs/2304.05007"

# The precision of thresholds in decimal digits: a threshold close to an integer is still on its side.
DIGITS = Context(prec=50)
# Sums of at most 1e5 positive terms leave out relatively smaller terms.
NEGLIGIBLE = 1e-22
# A smaller delta may lack terms that underflowed, so nothing is claimed.
LEAST = 1e-250


def _binomial(count: int, odds: float, mode: int) -> dict[int, float]:
    """Return the masses of Bin(count, odds / (1 + odds)) above 1e-300, by their ratios from the mode on."""
    masses = {mode: 1.0}
    for step in (1, -1):
        mass, c = 1.0, mode
        while mass > 1e-300 and 0 <= c + step <= count:
            mass *= (count - c) / (c + 1) * odds if step > 0 else c / ((count - c + 1) * odds)
            c += step
            masses[c] = mass
    total = fsum(masses.values())
    return {c: mass / total for c, mass in masses.items()}


def _heights(count: int, start: int, step: int, least: Callable[[int], int]) -> Iterator[tuple[int, int, float]]:
    """Yield the triples c, k = least(c), P(Bin(c, 1/2) = k) from c = start on, while there is such a k."""
    c, k = start, least(start)
    # One correctly rounded quotient of integers; then ratios.
    height = comb(c, k) / (1 << c)
    if height < 1e-290:
        raise FloatingPointError("a binomial probability is too close to the least float for ratios")
    while k <= c:
        yield c, k, height
        if not 0 < c + step <= count:
            return
        # The threshold rises by at most one a step.
        moves = least(c + step) != k
        if step > 0:
            height *= (c + 1) / (2 * (c + 1 - k))
            height *= (c + 1 - k) / (k + 1) if moves else 1
        else:
            height *= k / (c - k + 1) if moves else 1
            height *= 2 * (c - k + moves) / c
        c, k = c + step, k + step * moves


def _excess(c: int, k: int, gap: float) -> float:
    """Return E(A - k + gap)+ / P(A = k) for A ~ Bin(c, 1/2), k above c/2 and 0 < gap <= 1; all terms are positive."""
    total, ratio, a = 0.0, 1.0, k
    while a <= c:
        term = ratio * (a - k + gap)
        total += term
        if term < NEGLIGIBLE * total:
            break
        ratio *= (c - a) / (a + 1)
        a += 1
    return total


def _three_symbols(clients: int, eps0: float, epsilon: float, share: Callable[[Decimal], Decimal]) -> float:
    r"""Return the delta of the three-symbol pair for :math:`\alpha =` ``share`` (x).

    User 1 answers 0, 1 and the rest with :math:`x\alpha, \alpha, 1-(x+1)\alpha`, and the others with
    :math:`\alpha, \alpha, 1-2\alpha`.  Where c answers of n are 0 or 1 and a of them are 0,
    :math:`\delta = E((x-\kappa) a + (1-x\kappa)(c-a) - (\kappa-1) \frac{1-(x+1)\alpha}{1-2\alpha} (n-c))_+ / n`.
    """
    if epsilon >= eps0:
        return 0.0
    with localcontext(DIGITS):
        x, kappa = Decimal(eps0).exp(), Decimal(epsilon).exp()
        alpha = share(x)
        slope = (x - 1) * (kappa + 1)
        # The bracket is slope (a - threshold(c)).  The condition on alpha allows a remainder of 0, rounded up to it.
        rest = max(Decimal(0), 1 - (x + 1) * alpha) / (1 - 2 * alpha)
        rise, base = (x * kappa - 1) / slope, (kappa - 1) * rest / slope

        def threshold(c: int) -> Decimal:
            return rise * c + base * (clients - c)

        def least(c: int) -> int:
            return int(threshold(c)) + 1

        masses = _binomial(clients, float(2 * alpha / (1 - 2 * alpha)), min(clients, int((clients + 1) * 2 * alpha)))
        start = next((c for c in range(max(1, int((clients + 1) * 2 * alpha)), clients + 1) if least(c) <= c), None)
        if start is None:
            return float("nan")
        terms = []
        for first, step in ((start, 1), (start - 1, -1)):
            if 0 < first and least(first) <= first:
                for c, k, height in _heights(clients, first, step, least):
                    if c not in masses:
                        break
                    terms.append((masses[c] * height, c, k, float(k - threshold(c))))
    terms.sort(reverse=True)
    found, largest = [], 0.0
    for weight, c, k, gap in terms:
        # An excess is at most n^2.
        if weight * clients**2 < NEGLIGIBLE * largest:
            break
        found.append(weight * _excess(c, k, gap))
        largest = max(largest, found[-1])
    delta = float(slope) / clients * fsum(found)
    return delta if delta > LEAST else float("nan")


def variation_ratio(*, clients: int, eps0: float, tv: float, epsilon: float) -> float:
    r"""Return the delta of the three-symbol pair with :math:`\alpha = \beta / (x-1)`, where :math:`\beta` is ``tv``."""
    return _three_symbols(clients, eps0, epsilon, lambda x: Decimal(tv) / (x - 1))


def merged_response(*, clients: int, eps0: float, categories: int, epsilon: float) -> float:
    r"""Return the delta of the three-symbol pair with :math:`\alpha = 1 / (x+K-1)`.

    All answers of K-ary randomized response but two are merged into one symbol.
    """
    return _three_symbols(clients, eps0, epsilon, lambda x: 1 / (x + categories - 1))


def with_variation(*, clients: int, eps0: float, tv: float, epsilon: float) -> dict[str, Any]:
    """Return the fields of shuffling whose randomizers are within total variation ``tv``."""
    return {"clients": clients, "eps0": eps0, "randomizer": f"tv:{tv!r}"}


def with_categories(*, clients: int, eps0: float, categories: int, epsilon: float) -> dict[str, Any]:
    """Return the fields of shuffling with K-ary randomized response."""
    return {"clients": clients, "eps0": eps0, "randomizer": f"krr:{categories}"}


CLIENT_LIMIT = Condition(
    "clients <= 100000, up to which it is evaluated", "clients", lambda params: params["clients"] - 100_000
)
CURVE = (
    r"\delta = \frac1n E\left((x-\kappa) A + (1-x\kappa) (C-A) - (\kappa-1) \frac{1-(x+1)\alpha}{1-2\alpha} (n-C)"
    r"\right)_+, \quad C \sim \text{Bin}(n, 2\alpha), A \sim \text{Bin}(C, 1/2)"
)

THEOREMS = (
    Theorem(
        id="vr-wang",
        title="Variation-ratio reduction of shuffling (false)",
        statement=CURVE + r", \quad \alpha = \frac{\beta}{e^{\epsilon_0} - 1}",
        adjacency="replace",
        protocol="shuffle",
        parameters=("clients", "eps0", "tv", "epsilon"),
        conditions=(
            CLIENT_LIMIT,
            Condition(
                "tv <= (e^eps0 - 1) / (e^eps0 + 1)", "tv", lambda params: params["tv"] - tanh(params["eps0"] / 2)
            ),
        ),
        source=Source("Wang24", TITLE, "variation-ratio reduction, p = q = e^eps0 (Lemmas 4.4 to 4.6)", URL),
        formula=variation_ratio,
        notes=(
            "beta is tv. The statement was read in the authors' appendix and code. The proof of Lemma 4.5 treats the "
            "probability that user 1 is among the rest as a function of the counts alone, but it depends on the "
            "hypothesis. The bound is violated at n = 2, eps0 = 2, epsilon = 1, tv = 0.1. At the largest tv it is "
            "the pair of the stronger clones, and true."
        ),
        quantity="delta",
        zero=True,
        subject=with_variation,
    ),
    Theorem(
        id="krr-merged",
        title="Shuffled K-ary randomized response, answers merged to three (false)",
        statement=CURVE + r", \quad \alpha = \frac1{e^{\epsilon_0} + K - 1}",
        adjacency="replace",
        protocol="shuffle",
        parameters=("clients", "eps0", "categories", "epsilon"),
        conditions=(CLIENT_LIMIT,),
        source=Source("Wang24", TITLE, "variation-ratio reduction, general randomized response on K options", URL),
        formula=merged_response,
        notes=(
            "This is vr-wang at the total variation distance of K-ary randomized response, with the same gap in its "
            "proof, not a second mistake; as recalled, Feldman, McMillan, Talwar (2208.04591) have the same bound. "
            "3-ary response violates it at n = 2. For K = 2 it is the pair of the stronger clones, and true. For "
            "K = 3 it is exact when all other records have the same third value."
        ),
        quantity="delta",
        zero=True,
        subject=with_categories,
    ),
)

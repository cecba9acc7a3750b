r"""Chua et al. (2024): Poisson samples that are cut to a largest size, one step.

q is ``rate``, n is ``records`` + 1, B is ``largest_batch``.  The relative error is below 1e-12.
"""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from math import comb, exp, expm1, log1p

from ..recalled import AS_RECALLED
from ..steinke22.gaussian_noise import gaussian
from ..theorem import Condition, Source, Theorem

CHUA = (
    "Chua, Ghazi, Kamath, Kumar, Manurangsi, Sinha, Zhang, Scalable DP-SGD: Shuffling vs. Poisson Subsampling, "
    "NeurIPS 2024"
)
# The precision of the tail of a binomial law, whose first term is exact until it is rounded once.
DIGITS = Context(prec=40)
# The largest number of records for which the first term is an exact integer.
MOST_RECORDS = 100_000


def binomial_tail(count: int, rate: float, limit: int) -> float:
    """Return the probability that a binomial variable is above ``limit``."""
    with localcontext(DIGITS):
        odds = Decimal(rate)
        k = limit + 1
        if k > count:
            return 0.0
        if rate == 1:
            return 1.0
        term = Decimal(comb(count, k)) * odds**k * (1 - odds) ** (count - k)
        total = Decimal(0)
        while k <= count and term > total.scaleb(-30):
            total += term
            term *= Decimal(count - k) / (k + 1) * odds / (1 - odds)
            k += 1
        return float(total)


def cut_delta(*, sigma: float, rate: float, records: int, largest_batch: int, epsilon: float) -> float:
    r"""Return :math:`q G_\sigma(\log(1 + (e^\epsilon-1)/q)) + (1 + e^\epsilon) P(\text{Bin}(n, q) > B)`, at most 1."""
    sampled = rate * gaussian(sigma=sigma, epsilon=log1p(expm1(epsilon) / rate))
    return min(1.0, sampled + (1 + exp(epsilon)) * binomial_tail(records + 1, rate, largest_batch))


THEOREMS = (
    Theorem(
        id="chua24-cut",
        title="Poisson samples cut to a largest size, one step",
        statement=(
            r"\delta = q G_\sigma\left(\log\left(1 + \frac{e^\epsilon - 1}q\right)\right) + (1 + e^\epsilon) \tau,"
            r" \quad \tau = P(\text{Bin}(n, q) > B)"
        ),
        adjacency="add-remove",
        protocol="truncated-poisson",
        parameters=("sigma", "rate", "records", "largest_batch", "epsilon"),
        conditions=(
            Condition(
                f"records < {MOST_RECORDS}, up to which it is evaluated",
                "records",
                lambda params: params["records"] - MOST_RECORDS,
                strict=True,
            ),
        ),
        source=Source("Chua24b", CHUA, "the price of cutting samples", "https://arxiv.org/abs/2411.04205"),
        formula=cut_delta,
        notes=(
            f"{AS_RECALLED} The paper has any number of steps, each of which adds its probability of a cut; it is "
            "evaluated for one step, for which the curve of Poisson samples has a closed form."
        ),
        quantity="delta",
        example={"sigma": 1, "rate": 0.01, "records": 999, "largest_batch": 30, "epsilon": 0.5},
    ),
)

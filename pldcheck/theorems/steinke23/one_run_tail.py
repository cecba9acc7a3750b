r"""Steinke, Nasr, Jagielski (2023): how many canaries of one run an auditor can guess.

m is ``canaries``, r is ``guesses``, v is ``correct``.  Each canary is included or not by a fair coin of its own.  From
the output of one run the auditor guesses the coins of r canaries and abstains from the others.  The paper itself was
not read: what was recalled, and what it was compared with, is said in the notes of the remark.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, fsum

from ...core.errors import ConditionError
from ..remark import Remark
from ..theorem import Condition, Source

STEINKE_NASR_JAGIELSKI = "Steinke, Nasr, Jagielski, Privacy Auditing with One (1) Training Run, NeurIPS 2023"
# The largest number of guesses: then all binomial weights that are doubles lie within 6000 of the mode.
MOST_GUESSES = 10**5
# The relative error of the bound: each step away from the mode adds 5 units of 2^-53, and so does each sum of a tail.
ACCURACY = 1e-11
# The absolute error: weights below the least double, over the largest one, are left out.
LEFT_OUT = 1e-290


def _more_than(larger: str, text: str) -> Condition:
    smaller = text.partition(" ")[0]
    return Condition(text, smaller, lambda params: params[smaller] - params[larger])


# The conditions on the counts.  That the coins are fair and independent, that the number of guesses is fixed before the
# run, and that the guesses are a function of the output is assumed besides.
CONDITIONS = (
    _more_than("guesses", "correct <= guesses"),
    _more_than("canaries", "guesses <= canaries"),
    Condition(f"guesses <= {MOST_GUESSES}", "guesses", lambda params: params["guesses"] - MOST_GUESSES),
)


def one_run_tail(*, canaries: int, guesses: int, correct: int, epsilon: float, delta: float) -> float:
    r"""Return a bound on the probability that at least v of r guesses are right in a run that is DP.

    .. math:: f(v) + 2 m \delta \max_{1 \le i \le v} \frac{f(v - i) - f(v)}{i},
        \quad f(v) = P\left[\mathrm{Bin}\left(r, \frac{e^\epsilon}{1 + e^\epsilon}\right) \ge v\right]

    Ratios from the mode give the binomial weights, which are divided by their sum.  The relative error is below 1e-11,
    and up to 1e-290 are left out.  Beyond i = v the quotient falls, so that the maximum over i up to m is this one.

    Parameters
    ----------
    canaries, guesses, correct : int
        The counts m, r and v, none of them negative.
    epsilon, delta : float
        The guarantee of the run for each single coin.

    Raises
    ------
    ConditionError
        If one of ``CONDITIONS`` fails.

    Examples
    --------
    >>> round(one_run_tail(canaries=10, guesses=2, correct=2, epsilon=0.0, delta=0.0), 12)
    0.25

    """
    values: Mapping[str, float] = {"canaries": canaries, "guesses": guesses, "correct": correct}
    for condition in CONDITIONS:
        if not condition.holds(values):
            raise ConditionError("snj-one-run", condition.text, condition.failure(values))
    first, weights = _weights(guesses, exp(-epsilon))
    total = fsum(weights)
    place = max(correct - first, 0)
    tail, largest, below = fsum(weights[place:]) / total, 0.0, 0.0
    # Where all weights below v are too small, or v is above all of them, the loop begins at the next weight.
    for k in range(min(place, len(weights)) - 1, -1, -1):
        below += weights[k]
        largest = max(largest, below / (correct - first - k))
    return min(1.0, tail + 2.0 * canaries * delta * largest / total)


def _weights(guesses: int, odds: float) -> tuple[int, list[float]]:
    r"""Return the least k and the weights of k right guesses from there on, over the largest, while they are doubles.

    ``odds`` is the odds of a wrong guess, :math:`e^{-\epsilon}`: the weight of k is proportional to
    :math:`\binom rk e^{\epsilon k}`.
    """
    mode = min(guesses, int((guesses + 1) / (1.0 + odds)))
    below, above = [], [1.0]
    k, weight = mode, 1.0
    while k > 0 and weight > 0.0:
        weight *= k / (guesses - k + 1) * odds
        below.append(weight)
        k -= 1
    first, k, weight = k, mode, 1.0
    while k < guesses and weight > 0.0:
        weight *= (guesses - k) / ((k + 1) * odds)
        above.append(weight)
        k += 1
    return first, below[::-1] + above


REMARKS = (
    Remark(
        id="snj-one-run",
        kind="theorem",
        title="Right guesses of one run with many canaries",
        statement=(
            r"P\left[\sum_i \max\{0, T_i S_i\} \ge v\right] \le f(v)"
            r" + 2 m \delta \max_{1 \le i \le m} \frac{f(v-i) - f(v)}{i},"
            r" \quad f(v) = P\left[\mathrm{Bin}\left(r, \tfrac{e^\epsilon}{1+e^\epsilon}\right) \ge v\right]"
        ),
        source=Source(
            "SNJ23",
            STEINKE_NASR_JAGIELSKI,
            "main theorem of Section 5 (Theorem 5.2, as recalled) and program of Appendix D",
            "https://arxiv.org/abs/2305.08846",
        ),
        why=(
            "its left side is a probability over a run and its canaries, not a quantity of a protocol; "
            "the tests compare it with mechanisms of few canaries, enumerated in fractions"
        ),
        notes=(
            "S are m fair independent signs, each of which says whether a canary is in the data; T in {-1, 0, 1}^m is "
            "a function of the output of an (epsilon, delta)-DP run on these data, and r of its entries, a number "
            "fixed before the run, are not 0. For delta = 0 randomized response on every sign attains it. The "
            "statement and its number are recalled, not read; the formula is that of the program of Appendix D, as "
            "several public implementations repeat it, and gives the two values that one of them quotes: "
            "epsilon above 0.673 for m = 1000, r = 100, v = 75, delta = 1e-4 and above 2.675 for m = 100000, "
            "r = 1510, v = 1439, delta = 1e-5, both at 95 % confidence."
        ),
    ),
)

r"""Steinke (2022) and Kairouz, Oh, Viswanath (2015): the privacy loss of composed randomized response.

k is ``steps``, :math:`x = e^{\epsilon_0}`.  Randomized response tells the truth with probability :math:`x/(1+x)`, so
after k of them with i lies the privacy loss is :math:`(k - 2i) \epsilon_0`.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, exp, expm1, fsum, lcm, log1p

from ..theorem import Condition, Source, Theorem
from .composition_bounds import BUDGETS, source_at

# The largest number of steps: then all binomial weights that are doubles lie within 6000 of the mode.
MOST_STEPS = 10**5
# The relative error of the curve: each step away from the mode adds 5 units of 2^-53, and 6000 * 5 * 2^-53 < 4e-12.
ACCURACY = 1e-11
# The least delta: a smaller one may need binomial weights that underflow.
LEAST_DELTA = 1e-290
# The largest number of different budgets: 2^16 privacy losses are enumerated.
MOST_BUDGETS = 16


def _weights(steps: int, lie: float) -> tuple[int, list[float]]:
    """Return the least i and the weights C(k,i) lie^i from there on, over the largest, while they are doubles."""
    mode = min(steps, int((steps + 1) * lie / (1 + lie)))
    below, above = [], [1.0]
    i, weight = mode, 1.0
    while i > 0 and weight > 0:
        weight *= i / ((steps - i + 1) * lie)
        below.append(weight)
        i -= 1
    first, i, weight = i, mode, 1.0
    while i < steps and weight > 0:
        weight *= (steps - i) / (i + 1) * lie
        above.append(weight)
        i += 1
    return first, below[::-1] + above


def _curve(steps: int, eps0: Fraction, epsilon: Fraction) -> float:
    r"""Return the delta of k-fold randomized response: :math:`\sum_i P_i (1 - e^{\epsilon - (k-2i)\epsilon_0})_+`."""
    last = ceil((steps - epsilon / eps0) / 2) - 1  # the most lies with a loss above epsilon
    if last < 0:
        return 0.0
    first, weights = _weights(steps, exp(-eps0))
    # Only this gap is a difference of two numbers; the gaps of all other terms are sums with it.
    gap = float((steps - 2 * last) * eps0 - epsilon)
    apart = float(2 * eps0)
    terms = [
        weight * -expm1(-gap - (last - i) * apart)
        for i, weight in enumerate(weights[: max(0, last + 1 - first)], first)
    ]
    return min(1.0, fsum(terms) / fsum(weights))


def _not_underflown(delta: float, steps: int, eps0: float, epsilon: float) -> float:
    """Return delta itself; raise FloatingPointError where it is a zero below the largest privacy loss."""
    if delta == 0 and epsilon < steps * Fraction(eps0):
        raise FloatingPointError("delta is below the smallest floating-point number")
    return delta


def composed(*, steps: int, eps0: float, epsilon: float) -> float:
    r"""Return the delta of Proposition 7: :math:`P(L > \epsilon) - e^\epsilon Q(L > \epsilon)`.

    Ratios from the mode give the binomial weights, which are divided by their sum.  The relative error is below 1e-11.
    """
    return _not_underflown(_curve(steps, Fraction(eps0), Fraction(epsilon)), steps, eps0, epsilon)


def composed_approximate(*, steps: int, eps0: float, delta0: float, epsilon: float) -> float:
    r"""Return :math:`1 - (1-\delta_0)^k (1 - \delta(\epsilon))`, with the curve of ``composed`` and its error."""
    caught = -expm1(steps * log1p(-delta0))
    delta = min(1.0, caught + (1 - caught) * _curve(steps, Fraction(eps0), Fraction(epsilon)))
    return _not_underflown(delta, steps, eps0, epsilon)


def convolved(*, steps: int, eps0: float, eps0_last: float, epsilon: float) -> float:
    """Return the delta of Theorem 9 from all :math:`2^k` sums of privacy losses; the relative error is below 1e-13."""
    start, slope = Fraction(eps0), (Fraction(eps0_last) - Fraction(eps0)) / max(1, steps - 1)
    budgets = [start + slope * i for i in range(steps)]
    # The losses minus epsilon are exact: integers over a common denominator.
    unit = lcm(Fraction(epsilon).denominator, *(budget.denominator for budget in budgets))
    atoms = [(int(-Fraction(epsilon) * unit), 1.0)]
    for budget in budgets:
        loss, truth = int(budget * unit), 1 / (1 + exp(-budget))
        lie = truth * exp(-budget)
        atoms = [(excess + loss, p * truth) for excess, p in atoms] + [(excess - loss, p * lie) for excess, p in atoms]
    delta = min(1.0, fsum(p * -expm1(-excess / unit) for excess, p in atoms if excess > 0))
    if delta == 0 and epsilon < sum(budgets):
        raise FloatingPointError("delta is below the smallest floating-point number")
    return delta


def optimal_unequal(*, steps: int, eps0: float, eps0_last: float, delta0: float, epsilon: float) -> float:
    r"""Return the optimal delta :math:`1 - (1-\delta_0)^k (1 - \delta(\epsilon))`; the relative error is below 1e-13.

    Here :math:`\delta(\epsilon)` is a sum over all :math:`2^k` sets of lies (``convolved``).
    """
    caught = -expm1(steps * log1p(-delta0))
    return caught + (1 - caught) * convolved(steps=steps, eps0=eps0, eps0_last=eps0_last, epsilon=epsilon)


def laplace_composed(*, scale: float, steps: int, delta: float) -> float:
    r"""Return the epsilon of Corollary 24, where k-fold :math:`1/s`-DP randomized response has ``delta``, rounded up.

    Between two neighbouring losses the curve is linear in :math:`e^\epsilon`; bisection finds the piece.  The relative
    error is below 1e-10 where epsilon is above 1/s.
    """
    if delta < LEAST_DELTA:
        raise FloatingPointError("binomial weights underflow")
    eps0 = 1 / Fraction(scale)
    aim = delta * (1 - ACCURACY)  # the curve as computed may lie that far below the true one
    if _curve(steps, eps0, Fraction(0)) <= aim:
        return 0.0
    low, high = 0, steps // 2 + 1  # lies: delta at the loss of low is within the aim, that of high is not or negative
    while high - low > 1:
        middle = (low + high) // 2
        if _curve(steps, eps0, (steps - 2 * middle) * eps0) <= aim:
            low = middle
        else:
            high = middle
    loss = (steps - 2 * low) * eps0
    first, weights = _weights(steps, exp(-eps0))
    apart = float(2 * eps0)
    kept = weights[: max(0, low + 1 - first)]
    lost = fsum(weight * exp((i - low) * apart) for i, weight in enumerate(kept, first)) / fsum(weights)
    below = log1p(-(aim - _curve(steps, eps0, loss)) / lost)
    # At most four roundings are made: of the loss, of the logarithm, of the sum, and of this product.
    return float(loss) + below + 1e-15 * float(loss)


MURTAGH_VADHAN = (
    "Murtagh, Vadhan, The Complexity of Computing the Optimal Composition of Differential Privacy, TCC 2016"
)
FEW_STEPS = Condition(f"steps <= {MOST_STEPS}", "steps", lambda params: params["steps"] - MOST_STEPS)
FEW_BUDGETS = Condition(f"steps <= {MOST_BUDGETS}", "steps", lambda params: params["steps"] - MOST_BUDGETS)
SUM_NOTE = "The theorem allows any number of steps; the sum is evaluated up to the number in the condition."

THEOREMS = (
    Theorem(
        id="pld-7",
        title="Approximate differential privacy from the privacy loss",
        statement=(
            r"\delta = P(L > \epsilon) - e^\epsilon Q(L > \epsilon), \quad L = (k - 2i)\epsilon_0"
            r" \text{ with probability } \binom ki \frac{e^{(k-i)\epsilon_0}}{(1 + e^{\epsilon_0})^k} \text{ under } P"
        ),
        adjacency="any",
        protocol="randomized-response",
        parameters=("steps", "eps0", "epsilon"),
        conditions=(FEW_STEPS,),
        source=source_at("Proposition 7"),
        formula=composed,
        notes=SUM_NOTE,
        quantity="delta",
        relation="=",
        zero=True,
        example={"eps0": 0.1, "epsilon": 5},
    ),
    Theorem(
        id="pld-9",
        title="Composition is convolution of privacy losses",
        statement=(
            r"\delta = \mathbb{E}_P\left[\left(1 - e^{\epsilon - \sum_j L_j}\right)_+\right],"
            r" \quad L_j = \pm\epsilon_j \text{ with probability } \frac1{1 + e^{\mp\epsilon_j}} \text{ under } P"
        ),
        adjacency="any",
        protocol="randomized-response",
        parameters=("steps", "eps0", "eps0_last", "epsilon"),
        conditions=(FEW_BUDGETS,),
        source=source_at("Theorem 9, with Proposition 7"),
        formula=convolved,
        notes=f"{BUDGETS} {SUM_NOTE}",
        quantity="delta",
        relation="=",
        zero=True,
        example={"steps": 10, "epsilon": 5},
    ),
    Theorem(
        id="rr-24",
        title="Randomized response dominates Laplace noise",
        statement=(
            r"\epsilon = \min\left\{\epsilon' \ge 0 : \delta_{\mathrm{RR}}(\epsilon') \le \delta\right\}"
            r" \text{ for } k \text{ randomized responses of budget } \frac1s"
        ),
        adjacency="any",
        protocol="laplace",
        parameters=("scale", "steps", "delta"),
        conditions=(FEW_STEPS,),
        source=source_at("Corollary 24, with Theorem 9"),
        formula=laplace_composed,
        notes=f"It is stated for any 1/scale-DP mechanism, such as Laplace noise. The value is rounded up. {SUM_NOTE}",
        zero=True,
    ),
    Theorem(
        id="kov",
        title="Optimal composition of approximate differential privacy",
        statement=(
            r"\delta = 1 - (1 - \delta_0)^k \left(1 - \sum_{i=0}^k \binom ki"
            r" \frac{\left(e^{(k-i)\epsilon_0} - e^{\epsilon + i\epsilon_0}\right)_+}{(1 + e^{\epsilon_0})^k}\right)"
        ),
        adjacency="any",
        protocol="randomized-response",
        parameters=("steps", "eps0", "delta0", "epsilon"),
        conditions=(FEW_STEPS,),
        source=Source(
            "KOV15",
            "Kairouz, Oh, Viswanath, The Composition Theorem for Differential Privacy, ICML 2015",
            "Theorem 3.3",
            "https://arxiv.org/abs/1311.0776",
        ),
        formula=composed_approximate,
        notes=f"The historical notes of Steinke (2022) quote it. {SUM_NOTE}",
        quantity="delta",
        relation="=",
        zero=True,
        example={"eps0": 0.1, "epsilon": 5},
    ),
    Theorem(
        id="kov-unequal",
        title="Optimal composition of unequal approximate budgets",
        statement=(
            r"\delta = 1 - (1 - \delta_0)^k \left(1 - \frac{\sum_S \left(\prod_{j \notin S} e^{\epsilon_j} - e^\epsilon"
            r" \prod_{j \in S} e^{\epsilon_j}\right)_+}{\prod_j (1 + e^{\epsilon_j})}\right)"
        ),
        adjacency="any",
        protocol="randomized-response",
        parameters=("steps", "eps0", "eps0_last", "delta0", "epsilon"),
        conditions=(FEW_BUDGETS,),
        source=Source("MV16", MURTAGH_VADHAN, "Theorem 1.5", "https://arxiv.org/abs/1507.03113"),
        formula=optimal_unequal,
        notes=f"S is the set of lies. The historical notes of Steinke (2022) quote it. {BUDGETS} {SUM_NOTE}",
        quantity="delta",
        relation="=",
        zero=True,
        example={"steps": 10, "epsilon": 5},
    ),
)

r"""Balle, Kairouz, McMahan, Thakkar, Thakurta (2020): check-ins with (eps0, delta0)-DP randomizers.

Letters as in :mod:`pldcheck.theorems.balle20.check_ins`.  The approximate forms are the pure ones at
:math:`8\epsilon_0`, with a larger delta.  The supplement (Theorem A.4) prints :math:`\delta' = \delta + m
(e^{\epsilon'} + 1) \delta_1`, which is what its proof gives; Theorem 3.2 in the main text has :math:`\delta_0` for
:math:`\delta_1` there.  Both are registered.
"""

from __future__ import annotations

from math import atanh, ceil, exp, expm1, inf, log, log1p

from ..theorem import Condition, Source, Theorem
from .check_ins import TITLE, URL, fixed_window_improved, full_window, random_replacement, source_at
from .shuffling_and_swaps import DELTA0_NOTES, LARGEST_DELTA0


def random_replacement_approximate(
    *, steps: int, eps0: float, weight: float, delta0: float, delta1: float, delta: float
) -> float:
    r"""Return the epsilon of Theorem A.4 for approximate randomizers: the pure form at :math:`8 \epsilon_0`."""
    return random_replacement(steps=steps, eps0=8 * eps0, weight=weight, delta=delta)


def fixed_window_approximate(
    *, steps: int, eps0: float, check_in_prob: float, delta0: float, delta1: float, delta: float
) -> float:
    """Return the epsilon of Theorem 3.2 for approximate randomizers: that of Theorem A.4 with :math:`w = p_0`."""
    return random_replacement(steps=steps, eps0=8 * eps0, weight=check_in_prob, delta=delta)


def sliding_window_approximate(*, window: int, eps0: float, delta0: float, delta1: float, delta: float) -> float:
    """Return the epsilon of Theorem 4.3 for approximate randomizers: that of Theorem A.4 with :math:`w = 1`."""
    return random_replacement(steps=window, eps0=8 * eps0, weight=1.0, delta=delta)


def _total(delta: float, epsilon: float, each: float) -> float:
    r"""Return :math:`\delta + (e^\epsilon + 1)` times ``each``."""
    return delta + (exp(epsilon) + 1) * each if epsilon < 700 else inf


def random_replacement_delta(
    *, steps: int, eps0: float, weight: float, delta0: float, delta1: float, delta: float
) -> float:
    r"""Return the delta of Theorem A.4: :math:`\delta + m (e^{\epsilon'} + 1) \delta_1`."""
    epsilon = random_replacement(steps=steps, eps0=8 * eps0, weight=weight, delta=delta)
    return _total(delta, epsilon, steps * delta1)


def fixed_window_delta(
    *, steps: int, eps0: float, check_in_prob: float, delta0: float, delta1: float, delta: float
) -> float:
    r"""Return the delta that the proof of Theorem 3.2 gives: :math:`\delta + m (e^{\epsilon'} + 1) \delta_1`."""
    epsilon = random_replacement(steps=steps, eps0=8 * eps0, weight=check_in_prob, delta=delta)
    return _total(delta, epsilon, steps * delta1)


def fixed_window_main_delta(
    *, steps: int, eps0: float, check_in_prob: float, delta0: float, delta1: float, delta: float
) -> float:
    r"""Return the delta of Theorem 3.2 in the main text: :math:`\delta + m (e^{\epsilon'} + 1) \delta_0`."""
    epsilon = random_replacement(steps=steps, eps0=8 * eps0, weight=check_in_prob, delta=delta)
    return _total(delta, epsilon, steps * delta0)


def sliding_window_delta(*, window: int, eps0: float, delta0: float, delta1: float, delta: float) -> float:
    r"""Return the delta of Theorem 4.3: :math:`\delta + m (e^{\epsilon'} + 1) \delta_1`."""
    epsilon = random_replacement(steps=window, eps0=8 * eps0, weight=1.0, delta=delta)
    return _total(delta, epsilon, window * delta1)


def clipped(eps0: float, delta0: float) -> tuple[float, float]:
    r"""Return the factor c, and a budget of pure randomizers on three inputs within total variation :math:`c \delta_0`.

    :math:`c = \max(1, 3/(1+x))`, :math:`\epsilon_0 + 2 \, \mathrm{artanh}(c \delta_0)`; infinite for
    :math:`c \delta_0 \ge 1`.  With a and a' the densities of two output laws with respect to a third, each pair of the
    three being :math:`(\epsilon_0, \delta_0)`-DP: clip both to [1/x, x], which takes at most delta0 from either and
    adds at most delta0/x, without increasing :math:`v = (a - x a')_+` or the same with a and a' exchanged; where v > 0
    lower a by :math:`\theta v` and raise a' by :math:`(1-\theta) v/x`, and likewise exchanged.  That takes at most
    :math:`(1+\theta) \delta_0` in all and adds at most :math:`(2-\theta) \delta_0/x`; for :math:`\theta = \max(0,
    (2-x)/(1+x))` both are at most :math:`c \delta_0`.  Divide by the sums, which are within :math:`1 \pm c \delta_0`.
    """
    share = max(1.0, 3 / (1 + exp(eps0)))
    return share, eps0 + 2 * atanh(share * delta0) if share * delta0 < 1 else inf


def fixed_window_clipped(*, steps: int, eps0: float, check_in_prob: float, delta0: float, delta: float) -> float:
    r"""Return the epsilon of the improved Theorem 3.2 at :math:`\epsilon_0 + 2 \, \mathrm{artanh}(c \delta_0)`."""
    _, budget = clipped(eps0, delta0)
    return fixed_window_improved(steps=steps, eps0=budget, check_in_prob=check_in_prob, delta=delta)


def fixed_window_clipped_delta(*, steps: int, eps0: float, check_in_prob: float, delta0: float, delta: float) -> float:
    r"""Return the delta of the improved Theorem 3.2: :math:`\delta + p_0 c (e^\epsilon + 1) \delta_0`."""
    share, budget = clipped(eps0, delta0)
    if budget > 700:
        return inf
    epsilon = fixed_window_improved(steps=steps, eps0=budget, check_in_prob=check_in_prob, delta=delta)
    return _total(delta, epsilon, check_in_prob * share * delta0)


def pure_nearby(*, eps0: float, delta0: float, delta1: float) -> float:
    r"""Return the distance in Lemma A.3, in the explicit form of its proof.

    .. math:: (1 - e^{-5\epsilon_0})^T + (T+2) \frac{2 \delta_0 x}{1 - 1/x}

    T is :math:`\log(2/\delta_1) / \log(1/(1 - e^{-5\epsilon_0}))`, rounded up.
    """
    rate = -log1p(-exp(-5 * eps0)) if eps0 > 0.14 else -log(-expm1(-5 * eps0))
    trials = ceil((log(2) - log(delta1)) / rate)
    return exp(-rate * trials) + (trials + 2) * 2 * delta0 * exp(eps0) / -expm1(-eps0)


def pure_nearby_at(*, eps0: float, delta0: float, delta1: float) -> float:
    r"""Return the budget of the pure randomizer in Lemma A.3: :math:`8 \epsilon_0`."""
    return 8 * eps0


def _below_one(text: str, total) -> Condition:
    return Condition(text, "delta", lambda params: total(**params) - 1, strict=True)


WINDOW = r" p_0 (e^{8\epsilon_0} - 1) \sqrt{\frac{2 e^{8\epsilon_0} \log(1/\delta)}{m}}"
WINDOW_APPROXIMATE = (
    r"\epsilon' =" + WINDOW + r" + \frac{p_0^2 e^{8\epsilon_0} (e^{8\epsilon_0} - 1)^2}{2m}"
    r" \text{ at } \delta + m (e^{\epsilon'} + 1) "
)

THEOREMS = (
    Theorem(
        id="thm-3.2-approx",
        title="Random check-ins into a fixed window, for approximate randomizers",
        statement=WINDOW_APPROXIMATE + r"\delta_1",
        adjacency="replace",
        protocol="check-in",
        parameters=("steps", "eps0", "check_in_prob", "delta0", "delta1", "delta"),
        conditions=(LARGEST_DELTA0, _below_one("delta + steps (e^epsilon + 1) delta1 < 1", fixed_window_delta)),
        source=source_at("Theorem 3.2, third sentence, with the delta of Theorem A.4"),
        formula=fixed_window_approximate,
        notes=f"The proof gives this delta; the main text prints delta0 (thm-3.2-approx-main). {DELTA0_NOTES}",
        at=fixed_window_delta,
        example={"steps": 1000000, "eps0": 0.2, "delta0": 1e-17},
    ),
    Theorem(
        id="thm-3.2-approx-main",
        title="Random check-ins into a fixed window, for approximate randomizers, as the main text prints it",
        statement=WINDOW_APPROXIMATE + r"\delta_0",
        adjacency="replace",
        protocol="check-in",
        parameters=("steps", "eps0", "check_in_prob", "delta0", "delta1", "delta"),
        conditions=(LARGEST_DELTA0, _below_one("delta + steps (e^epsilon + 1) delta0 < 1", fixed_window_main_delta)),
        source=source_at("Theorem 3.2, third sentence"),
        formula=fixed_window_approximate,
        notes=(
            "This is the stronger of two readings; the proof gives the other. It is true by another proof, that of "
            "thm-3.2-approx-improved, which needs neither 8 eps0 nor the condition."
        ),
        at=fixed_window_main_delta,
        example={"steps": 1000000, "eps0": 0.2, "delta0": 1e-12, "delta1": 0.1},
    ),
    Theorem(
        id="thm-3.2-approx-improved",
        title="Random check-ins into a fixed window, for approximate randomizers, one slot at a time",
        statement=(
            r"\epsilon = p_0 (\hat x - 1) \sqrt{\frac{2 s \log(1/\delta)}{m}} + \frac{p_0^2 s (\hat x - 1)^2}{2m}"
            r" \text{ at } \delta + p_0 c (e^\epsilon + 1) \delta_0, \quad"
            r" \hat x = e^{\epsilon_0} \frac{1 + c \delta_0}{1 - c \delta_0}, \quad"
            r" c = \max\left(1, \frac{3}{1 + e^{\epsilon_0}}\right), \quad s = \frac{1}{1 - p_0 (1 - 1/\hat x)}"
        ),
        adjacency="replace",
        protocol="check-in",
        parameters=("steps", "eps0", "check_in_prob", "delta0", "delta"),
        conditions=(_below_one("delta + check_in_prob c (e^epsilon + 1) delta0 < 1", fixed_window_clipped_delta),),
        source=Source(
            "pldcheck",
            f"improved here; follows {TITLE}",
            "the proof of Theorem A.4, with the outputs of one slot clipped instead of Lemma A.3",
            URL,
        ),
        formula=fixed_window_clipped,
        notes=(
            "This bound is not in the paper. Only one slot holds the record, and there only three inputs matter: the "
            "densities of the outputs on the record and its replacement, with respect to those on the reference "
            "record, are clipped to [1/x, x] and to a ratio of at most x. Normalised again, either law has moved by "
            "at most c delta0."
        ),
        at=fixed_window_clipped_delta,
    ),
    Theorem(
        id="thm-4.3-approx",
        title="Random check-ins with sliding windows, for approximate randomizers",
        statement=(WINDOW_APPROXIMATE + r"\delta_1").replace("p_0^2 ", "").replace("p_0 ", ""),
        adjacency="replace",
        protocol="sliding-window",
        parameters=("window", "eps0", "delta0", "delta1", "delta"),
        conditions=(LARGEST_DELTA0, _below_one("delta + window (e^epsilon + 1) delta1 < 1", sliding_window_delta)),
        source=source_at("Theorem 4.3, third sentence"),
        formula=sliding_window_approximate,
        notes=f"The theorem is stated for windows with at most as many slots as there are clients. {DELTA0_NOTES}",
        at=sliding_window_delta,
        subject=full_window,
        dominated=True,
        example={"window": 1000000, "eps0": 0.2, "delta0": 1e-17},
    ),
    Theorem(
        id="thm-A.4-approx",
        title="Amplification via random replacement, for approximate randomizers",
        statement=(WINDOW_APPROXIMATE + r"\delta_1").replace("p_0", r"w_{\max}"),
        adjacency="replace",
        protocol="hidden-slot",
        parameters=("steps", "eps0", "weight", "delta0", "delta1", "delta"),
        conditions=(LARGEST_DELTA0, _below_one("delta + steps (e^epsilon + 1) delta1 < 1", random_replacement_delta)),
        source=source_at("Theorem A.4, third sentence"),
        formula=random_replacement_approximate,
        notes=f"The weight is the largest of the slots' weights. {DELTA0_NOTES}",
        at=random_replacement_delta,
        example={"steps": 1000000, "eps0": 0.2, "delta0": 1e-17},
    ),
    Theorem(
        id="lem-A.3",
        title="Approximate randomizers are near pure ones",
        statement=(
            r"TV(A(d), \tilde A(d)) \le (1 - e^{-5\epsilon_0})^T + (T + 2) \frac{2 \delta_0 e^{\epsilon_0}}"
            r"{1 - e^{-\epsilon_0}} \le \delta_1, \quad T = \left\lceil \frac{\log(2/\delta_1)}"
            r"{\log(1/(1 - e^{-5\epsilon_0}))} \right\rceil, \quad \tilde A \text{ being } 8\epsilon_0\text{-DP}"
        ),
        adjacency="any",
        protocol="randomizer",
        parameters=("eps0", "delta0", "delta1"),
        conditions=(LARGEST_DELTA0,),
        source=source_at("Lemma A.3, explicit form in its proof"),
        formula=pure_nearby,
        notes=(
            "This lemma is not judged: it claims that a randomizer exists, which is no number to compute. The delta is "
            "a total variation distance, the epsilon is the budget of the pure randomizer. The proof prints "
            "e^(5 eps0) in T and does not round T up; with T rounded up it gives at most delta1 for delta1 <= 2/e, "
            "and may give more above."
        ),
        quantity="delta",
        at=pure_nearby_at,
        example={"eps0": 0.2, "delta0": 1e-17},
    ),
)

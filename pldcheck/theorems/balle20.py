r"""Balle, Kairouz, McMahan, Thakkar, Thakurta (2020): privacy amplification via random check-ins.

Letters of the paper: m is ``steps`` (``window`` in Theorem 4.3), :math:`\epsilon_0` is ``eps0``, :math:`p_0`
is ``check_in_prob``, :math:`w_{max}` is ``weight``; x stands for :math:`e^{\epsilon_0}`.  Each formula is
evaluated with a relative error below 1e-14.
"""

from __future__ import annotations

from math import exp, expm1, log, sqrt

from .registry import Condition, Source, Theorem

TITLE = "Balle, Kairouz, McMahan, Thakkar, Thakurta, Privacy Amplification via Random Check-Ins, NeurIPS 2020"
URL = "https://arxiv.org/abs/2007.06605"


def _cited(where: str) -> Source:
    return Source("Balle20", TITLE, where, URL)


def _composed(k: int, a: float, spread: float, delta: float) -> float:
    r"""Lemma A.2: :math:`a^2 s / (2k) + a \sqrt{2 s \log(1/\delta) / k}` with the spread :math:`s = 1/(1-b)`.

    For k mechanisms of which the i-th is :math:`\log(1 + a/(k - b(i-1)))`-DP.
    """
    # Not log(1 / delta): the quotient overflows for subnormal delta and loses all accuracy near delta = 1.
    return a * a * spread / (2 * k) + a * sqrt(-2 * spread * log(delta) / k)


def random_replacement(*, steps: int, eps0: float, weight: float, delta: float) -> float:
    r"""Theorem A.4: :math:`\frac{w^2 x (x-1)^2}{2m} + w (x-1) \sqrt{2 x \log(1/\delta)/m}`.

    Lemma A.2 with :math:`a = w(x-1)` and :math:`b = 1 - 1/x`.
    """
    return _composed(steps, weight * expm1(eps0), exp(eps0), delta)


def fixed_window(*, steps: int, eps0: float, check_in_prob: float, delta: float) -> float:
    r"""Theorem 3.2: :math:`p_0 (x-1) \sqrt{2 x \log(1/\delta)/m} + \frac{p_0^2 x (x-1)^2}{2m}`; A.4, w=p0."""
    return random_replacement(steps=steps, eps0=eps0, weight=check_in_prob, delta=delta)


def fixed_window_simple(*, steps: int, eps0: float, check_in_prob: float, delta: float) -> float:
    r"""Theorem 3.2, "in particular": :math:`7 p_0 \epsilon_0 \sqrt{\log(1/\delta)/m}`."""
    return 7 * check_in_prob * eps0 * sqrt(-log(delta) / steps)


def fixed_window_improved(*, steps: int, eps0: float, check_in_prob: float, delta: float) -> float:
    r"""Theorem 3.2 with :math:`x` replaced by :math:`s = 1/(1 - p_0(1 - 1/x))`, which is at most x.

    The posterior of slot i, had the proof of Theorem A.4 kept w in it, is at most
    :math:`1/((i-1)(1 - w + w/x) + m - i + 1)`; so Lemma A.2 holds with :math:`b = w(1 - 1/x)`.
    """
    # s = x / (x - p0 (x - 1)); written with a denominator >= 1, so that s <= x in floating point too.
    spread = exp(eps0) / (1 + (1 - check_in_prob) * expm1(eps0))
    return _composed(steps, check_in_prob * expm1(eps0), spread, delta)


def sliding_window(*, window: int, eps0: float, delta: float) -> float:
    r"""Theorem 4.3: :math:`\frac{x (x-1)^2}{2m} + (x-1) \sqrt{2 x \log(1/\delta)/m}`; A.4, w=1."""
    return random_replacement(steps=window, eps0=eps0, weight=1.0, delta=delta)


def sliding_window_simple(*, window: int, eps0: float, delta: float) -> float:
    r"""Theorem 4.3, simple form: :math:`7 \epsilon_0 \sqrt{\log(1/\delta)/m}`."""
    return 7 * eps0 * sqrt(-log(delta) / window)


SIMPLE = (
    Condition("eps0 <= 1", "eps0", lambda params: params["eps0"] - 1),
    Condition("delta < 1/100", "delta", lambda params: params["delta"] - 0.01, strict=True),
)
SIMPLE_NOTES = (
    "Printed with eps0 < 1 here, with eps0 <= 1 and delta <= 1/100 in Theorem A.4. One place of the proof "
    "says delta <= 1/4, where the main form can be larger: 1.059 times this one at eps0 = m = 1, weight 1, "
    "delta = 1/4."
)

THEOREMS = (
    Theorem(
        id="thm-3.2",
        title="Amplification via random check-ins into a fixed window",
        statement=(
            r"\epsilon = p_0 (e^{\epsilon_0} - 1) \sqrt{\frac{2 e^{\epsilon_0} \log(1/\delta)}{m}}"
            r" + \frac{p_0^2 e^{\epsilon_0} (e^{\epsilon_0} - 1)^2}{2m}"
        ),
        adjacency="replacement",
        protocol="check-in",
        parameters=("steps", "eps0", "check_in_prob", "delta"),
        conditions=(),
        source=_cited("Theorem 3.2"),
        formula=fixed_window,
    ),
    Theorem(
        id="thm-3.2-simple",
        title="Amplification via random check-ins into a fixed window, simple form",
        statement=r"\epsilon = 7 p_0 \epsilon_0 \sqrt{\frac{\log(1/\delta)}{m}}",
        adjacency="replacement",
        protocol="check-in",
        parameters=("steps", "eps0", "check_in_prob", "delta"),
        conditions=SIMPLE,
        source=_cited("Theorem 3.2, second sentence"),
        formula=fixed_window_simple,
        notes=SIMPLE_NOTES,
    ),
    Theorem(
        id="thm-3.2-improved",
        title="Random check-ins into a fixed window, with the weight kept in the posterior",
        statement=(
            r"\epsilon = p_0 (e^{\epsilon_0} - 1) \sqrt{\frac{2 s \log(1/\delta)}{m}}"
            r" + \frac{p_0^2 s (e^{\epsilon_0} - 1)^2}{2m}, \quad s = \frac{1}{1 - p_0 (1 - e^{-\epsilon_0})}"
        ),
        adjacency="replacement",
        protocol="check-in",
        parameters=("steps", "eps0", "check_in_prob", "delta"),
        conditions=(),
        source=Source(
            "pldcheck",
            f"improved here; follows {TITLE}",
            "the posterior bound in the proof of Theorem A.4 with w kept, then Lemma A.2",
            URL,
        ),
        formula=fixed_window_improved,
        notes="Not in the paper. At most thm-3.2, equal to it at check_in_prob = 1.",
    ),
    Theorem(
        id="thm-4.3",
        title="Amplification via random check-ins with sliding windows",
        statement=(
            r"\epsilon = \frac{e^{\epsilon_0} (e^{\epsilon_0} - 1)^2}{2m}"
            r" + (e^{\epsilon_0} - 1) \sqrt{\frac{2 e^{\epsilon_0} \log(1/\delta)}{m}}"
        ),
        adjacency="replacement",
        protocol="sliding-window",
        parameters=("window", "eps0", "delta"),
        conditions=(),
        source=_cited("Theorem 4.3"),
        formula=sliding_window,
        notes="Stated for a window of at most as many slots as there are clients.",
    ),
    Theorem(
        id="thm-4.3-simple",
        title="Amplification via random check-ins with sliding windows, simple form",
        statement=r"\epsilon = 7 \epsilon_0 \sqrt{\frac{\log(1/\delta)}{m}}",
        adjacency="replacement",
        protocol="sliding-window",
        parameters=("window", "eps0", "delta"),
        conditions=SIMPLE,
        source=_cited("Theorem 4.3, second sentence"),
        formula=sliding_window_simple,
        notes=SIMPLE_NOTES,
    ),
    Theorem(
        id="thm-A.4",
        title="Amplification via random replacement",
        statement=(
            r"\epsilon = \frac{w_{\max}^2 e^{\epsilon_0} (e^{\epsilon_0} - 1)^2}{2m}"
            r" + w_{\max} (e^{\epsilon_0} - 1) \sqrt{\frac{2 e^{\epsilon_0} \log(1/\delta)}{m}}"
        ),
        adjacency="replacement",
        protocol="hidden-slot",
        parameters=("steps", "eps0", "weight", "delta"),
        conditions=(),
        source=_cited("Theorem A.4"),
        formula=random_replacement,
        notes="The weight is the largest of the slots' weights.",
    ),
)

r"""Balle, Kairouz, McMahan, Thakkar, Thakurta (2020): privacy amplification via random check-ins.

Letters of the paper: m is ``steps`` (``window`` in Theorem 4.3), :math:`\epsilon_0` is ``eps0``, :math:`p_0`
is ``check_in_prob``, :math:`w_{max}` is ``weight``, n is ``clients``; x stands for :math:`e^{\epsilon_0}`.  In
Lemma A.2 a is ``first``, b is ``decay`` and k is ``steps``.  Shuffling, swapping and averaging have a file of their
own.  Each formula is evaluated with a relative error below 1e-14.
"""

from __future__ import annotations

from math import exp, expm1, log, sqrt

from ..theorem import Condition, Source, Theorem

TITLE = "Balle, Kairouz, McMahan, Thakkar, Thakurta, Privacy Amplification via Random Check-Ins, NeurIPS 2020"
URL = "https://arxiv.org/abs/2007.06605"


def source_at(where: str) -> Source:
    """Return the source of a statement in the paper."""
    return Source("Balle20", TITLE, where, URL)


def composed(k: int, a: float, spread: float, delta: float) -> float:
    r"""Return the epsilon of Lemma A.2 with the spread :math:`s = 1/(1-b)`.

    .. math:: \frac{a^2 s}{2k} + a \sqrt{\frac{2 s \log(1/\delta)}k}

    It composes k mechanisms of which the i-th is :math:`\log(1 + a/(k - b(i-1)))`-DP.
    """
    # Not log(1 / delta): the quotient overflows for subnormal delta and loses all accuracy near delta = 1.
    return a * a * spread / (2 * k) + a * sqrt(-2 * spread * log(delta) / k)


def random_replacement(*, steps: int, eps0: float, weight: float, delta: float) -> float:
    r"""Return the epsilon of Theorem A.4.

    .. math:: \frac{w^2 x (x-1)^2}{2m} + w (x-1) \sqrt{\frac{2 x \log(1/\delta)}m}

    It is Lemma A.2 with :math:`a = w(x-1)` and :math:`b = 1 - 1/x`.
    """
    return composed(steps, weight * expm1(eps0), exp(eps0), delta)


def fixed_window(*, steps: int, eps0: float, check_in_prob: float, delta: float) -> float:
    """Return the epsilon of Theorem 3.2, which is that of Theorem A.4 with :math:`w = p_0`."""
    return random_replacement(steps=steps, eps0=eps0, weight=check_in_prob, delta=delta)


def fixed_window_simple(*, steps: int, eps0: float, check_in_prob: float, delta: float) -> float:
    r"""Return the epsilon of the second sentence of Theorem 3.2: :math:`7 p_0 \epsilon_0 \sqrt{\log(1/\delta)/m}`."""
    return 7 * check_in_prob * eps0 * sqrt(-log(delta) / steps)


def fixed_window_improved(*, steps: int, eps0: float, check_in_prob: float, delta: float) -> float:
    """Return the epsilon of Theorem 3.2 with x replaced by :math:`s = 1/(1 - p_0(1 - 1/x))`, which is at most x.

    If the proof of Theorem A.4 keeps w in the posterior of slot i, this posterior is at most
    :math:`1/((i-1)(1 - w + w/x) + m - i + 1)`; so Lemma A.2 holds with :math:`b = w(1 - 1/x)`.
    """
    # s = x / (x - p0 (x - 1)); written with a denominator >= 1, so that s <= x in floating point too.
    spread = exp(eps0) / (1 + (1 - check_in_prob) * expm1(eps0))
    return composed(steps, check_in_prob * expm1(eps0), spread, delta)


def sliding_window(*, window: int, eps0: float, delta: float) -> float:
    """Return the epsilon of Theorem 4.3, which is that of Theorem A.4 with :math:`w = 1`."""
    return random_replacement(steps=window, eps0=eps0, weight=1.0, delta=delta)


def sliding_window_simple(*, window: int, eps0: float, delta: float) -> float:
    r"""Return the epsilon of the simple form of Theorem 4.3: :math:`7 \epsilon_0 \sqrt{\log(1/\delta)/m}`."""
    return 7 * eps0 * sqrt(-log(delta) / window)


def decaying_budgets(*, steps: int, first: float, decay: float, delta: float) -> float:
    r"""Return the epsilon of Lemma A.2: :math:`\frac{a^2}{2k(1-b)} + \sqrt{\frac{2 a^2 \log(1/\delta)}{k(1-b)}}`."""
    return composed(steps, first, 1 / (1 - decay), delta)


def repeated_window(*, steps: int, clients: int, eps0: float, beta: float, delta: float) -> float:
    r"""Return the epsilon of Corollary 3.3.

    .. math:: 4 (x-1) \sqrt{\frac{x \log(1/\beta) \log(1/\delta)}n} + \frac{12 (x-1)^2 x \log(1/\beta)}n
    """
    spent = expm1(eps0) ** 2 * exp(eps0) * -log(beta) / clients
    return 4 * sqrt(-spent * log(delta)) + 12 * spent


def repeated_window_delta(*, steps: int, clients: int, eps0: float, beta: float, delta: float) -> float:
    r"""Return the delta of Corollary 3.3: n/m times :math:`\beta`, and the slack of the composition."""
    return clients / steps * beta + delta


def repetition(*, steps: int, clients: int, eps0: float, beta: float, delta: float) -> dict[str, float]:
    """Return the fields of the protocol of Corollary 3.3: windows are repeated until a client expects one check-in.

    The proof does not count the check-ins of other clients, so the corollary holds for any number of them.
    """
    return {"steps": steps, "eps0": eps0, "check_in_prob": steps / clients, "epochs": clients // steps}


def full_window(**params: float) -> dict[str, float]:
    """Return the fields of the protocol of Theorem 4.3, with so many clients that all of some window is released."""
    return {**params, "clients": 2 * params["window"]}


SIMPLE = (
    Condition("eps0 <= 1", "eps0", lambda params: params["eps0"] - 1),
    Condition("delta < 1/100", "delta", lambda params: params["delta"] - 0.01, strict=True),
)
CLIENTS_ARE_A_MULTIPLE = Condition(
    "clients is a multiple of steps", "clients", lambda params: params["clients"] % params["steps"]
)
FEW_SLOTS = Condition(
    "eps0 <= (2/3) log(clients / (8 sqrt(steps)))",
    "eps0",
    lambda params: params["eps0"] - 2 / 3 * log(params["clients"] / (8 * sqrt(params["steps"]))),
)
MANY_CLIENTS = Condition(
    "clients >= (e^eps0 - 1)^2 e^eps0 sqrt(steps) log(1/beta)",
    "clients",
    lambda params: (
        expm1(params["eps0"]) ** 2 * exp(params["eps0"]) * sqrt(params["steps"]) * -log(params["beta"])
        - params["clients"]
    ),
)
LARGE_LOGARITHM = Condition("log(1/beta) >= 1/512", "beta", lambda params: 1 / 512 + log(params["beta"]))
TOTAL_BELOW_ONE = Condition(
    "beta clients / steps + delta < 1",
    "beta",
    lambda params: params["beta"] * params["clients"] / params["steps"] + params["delta"] - 1,
    strict=True,
)
SIMPLE_NOTES = (
    "The condition is eps0 < 1 in this statement, eps0 <= 1 and delta <= 1/100 in Theorem A.4. One place of the "
    "proof says delta <= 1/4, where the main form can be larger: it is 1.059 times this one at eps0 = m = 1, "
    "weight 1, delta = 1/4."
)

THEOREMS = (
    Theorem(
        id="thm-3.2",
        title="Amplification via random check-ins into a fixed window",
        statement=(
            r"\epsilon = p_0 (e^{\epsilon_0} - 1) \sqrt{\frac{2 e^{\epsilon_0} \log(1/\delta)}{m}}"
            r" + \frac{p_0^2 e^{\epsilon_0} (e^{\epsilon_0} - 1)^2}{2m}"
        ),
        adjacency="replace",
        protocol="check-in",
        parameters=("steps", "eps0", "check_in_prob", "delta"),
        conditions=(),
        source=source_at("Theorem 3.2"),
        formula=fixed_window,
    ),
    Theorem(
        id="thm-3.2-simple",
        title="Amplification via random check-ins into a fixed window, simple form",
        statement=r"\epsilon = 7 p_0 \epsilon_0 \sqrt{\frac{\log(1/\delta)}{m}}",
        adjacency="replace",
        protocol="check-in",
        parameters=("steps", "eps0", "check_in_prob", "delta"),
        conditions=SIMPLE,
        source=source_at("Theorem 3.2, second sentence"),
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
        adjacency="replace",
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
        notes="This bound is not in the paper. It is at most thm-3.2, and equal to it at check_in_prob = 1.",
    ),
    Theorem(
        id="cor-3.3",
        title="One epoch of random check-ins, by repetition of a fixed window",
        statement=(
            r"\epsilon = 4 (e^{\epsilon_0} - 1) \sqrt{\frac{e^{\epsilon_0} \log(1/\beta) \log(1/\delta)}{n}}"
            r" + \frac{12 (e^{\epsilon_0} - 1)^2 e^{\epsilon_0} \log(1/\beta)}{n}"
            r" \text{ at } \frac nm \beta + \delta"
        ),
        adjacency="replace",
        protocol="check-in",
        parameters=("steps", "clients", "eps0", "beta", "delta"),
        conditions=(CLIENTS_ARE_A_MULTIPLE, FEW_SLOTS, MANY_CLIENTS, LARGE_LOGARITHM, TOTAL_BELOW_ONE),
        source=source_at("Corollary 3.3, explicit form in its proof"),
        formula=repeated_window,
        notes=(
            "Each client checks in with probability steps / clients, and the window is repeated clients / steps times. "
            "beta is the delta of one repetition, delta is the slack of their composition. The last two conditions "
            "are not in the paper: inequality (6) of the proof needs the one on beta."
        ),
        at=repeated_window_delta,
        subject=repetition,
        dominated=True,
    ),
    Theorem(
        id="thm-4.3",
        title="Amplification via random check-ins with sliding windows",
        statement=(
            r"\epsilon = \frac{e^{\epsilon_0} (e^{\epsilon_0} - 1)^2}{2m}"
            r" + (e^{\epsilon_0} - 1) \sqrt{\frac{2 e^{\epsilon_0} \log(1/\delta)}{m}}"
        ),
        adjacency="replace",
        protocol="sliding-window",
        parameters=("window", "eps0", "delta"),
        conditions=(),
        source=source_at("Theorem 4.3"),
        formula=sliding_window,
        notes="The theorem is stated for windows with at most as many slots as there are clients.",
        subject=full_window,
        dominated=True,
    ),
    Theorem(
        id="thm-4.3-simple",
        title="Amplification via random check-ins with sliding windows, simple form",
        statement=r"\epsilon = 7 \epsilon_0 \sqrt{\frac{\log(1/\delta)}{m}}",
        adjacency="replace",
        protocol="sliding-window",
        parameters=("window", "eps0", "delta"),
        conditions=SIMPLE,
        source=source_at("Theorem 4.3, second sentence"),
        formula=sliding_window_simple,
        notes=SIMPLE_NOTES,
        subject=full_window,
        dominated=True,
    ),
    Theorem(
        id="thm-A.4",
        title="Amplification via random replacement",
        statement=(
            r"\epsilon = \frac{w_{\max}^2 e^{\epsilon_0} (e^{\epsilon_0} - 1)^2}{2m}"
            r" + w_{\max} (e^{\epsilon_0} - 1) \sqrt{\frac{2 e^{\epsilon_0} \log(1/\delta)}{m}}"
        ),
        adjacency="replace",
        protocol="hidden-slot",
        parameters=("steps", "eps0", "weight", "delta"),
        conditions=(),
        source=source_at("Theorem A.4"),
        formula=random_replacement,
        notes="The weight is the largest of the slots' weights.",
    ),
    Theorem(
        id="lem-A.2",
        title="Composition of budgets that grow along a hyperbola",
        statement=(
            r"\epsilon = \frac{a^2}{2k(1-b)} + \sqrt{\frac{2 a^2 \log(1/\delta)}{k(1-b)}},"
            r" \quad \epsilon_i \le \log\left(1 + \frac{a}{k - b(i-1)}\right)"
        ),
        adjacency="any",
        protocol="decaying-budgets",
        parameters=("steps", "first", "decay", "delta"),
        conditions=(),
        source=source_at("Lemma A.2"),
        formula=decaying_budgets,
        notes="first is a, decay is b, steps is k.",
    ),
)

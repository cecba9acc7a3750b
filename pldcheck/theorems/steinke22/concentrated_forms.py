r"""Steinke (2022): concentrated differential privacy in every form that is printed.

:math:`\alpha` is ``order`` (the chapter's t is :math:`\alpha - 1`), k is ``steps``, L is :math:`\log(1/\delta)`, and
:math:`\rho = k / (2\sigma^2)`.  Each formula has a relative error below 1e-13.
"""

from __future__ import annotations

from math import erfc, exp, log, log1p, sqrt
from typing import Any

from ..theorem import Condition, Theorem
from .composition_bounds import source_at

# From this noise on the budget of the sign of Gaussian noise is at most 20: that of sigma = 1/10 is 15.1.
LEAST_SIGN_SIGMA = 0.1


def _rho(sigma: float, steps: float = 1) -> float:
    return steps / (2 * sigma * sigma)


def _log_best_factor(order: float) -> float:
    r"""Return the logarithm of :math:`(1 - 1/\alpha)^{\alpha-1} / \alpha`, the largest of 1 - y^-1 over y^t."""
    return (order - 1) * log1p(-1 / order) - log(order)


def gaussian_divergence(*, sigma: float, order: float) -> float:
    r"""Return the divergence of Lemma 12, :math:`\alpha / (2\sigma^2)`."""
    return order * _rho(sigma)


def _log_moment(sigma: float, steps: int, order: float, epsilon: float) -> float:
    return (order - 1) * (order * _rho(sigma, steps) - epsilon)


def delta_at_order(*, sigma: float, steps: int, order: float, epsilon: float) -> float:
    r"""Return the delta of Proposition 14 at one order.

    .. math:: e^{(\alpha-1)(\alpha\rho-\epsilon)} \left(1-\frac1\alpha\right)^{\alpha-1} \frac1\alpha
    """
    return exp(min(0.0, _log_moment(sigma, steps, order, epsilon) + _log_best_factor(order)))


def delta_by_markov(*, sigma: float, steps: int, order: float, epsilon: float) -> float:
    r"""Return the weaker delta of Proposition 14 at one order, :math:`e^{(\alpha-1)(\alpha\rho-\epsilon)}`."""
    return exp(min(0.0, _log_moment(sigma, steps, order, epsilon)))


def delta_in_closed_form(*, sigma: float, steps: int, epsilon: float) -> float:
    r"""Return the second upper bound of Proposition 14, :math:`e^{-(\epsilon-\rho)^2/4\rho}`."""
    rho = _rho(sigma, steps)
    return exp(-((epsilon - rho) ** 2) / (4 * rho))


def sufficient_rho(epsilon: float, delta: float) -> float:
    r"""Return the rho of Remark 15 that suffices, :math:`\epsilon^2 / (4 L + 4 \epsilon)`."""
    return epsilon * epsilon / (4 * epsilon - 4 * log(delta))


def largest_rho(epsilon: float, delta: float) -> float:
    r"""Return :math:`(\sqrt{L + \epsilon} - \sqrt L)^2`, where :math:`\rho + 2\sqrt{\rho L}` is epsilon."""
    inverse = -log(delta)
    return (epsilon / (sqrt(inverse + epsilon) + sqrt(inverse))) ** 2


def target_delta(*, steps: int, epsilon: float, delta: float) -> float:
    """Return the delta that is aimed at: noise that meets it is the subject of the theorem."""
    return delta


def _noise(rho: float, steps: int) -> dict[str, Any]:
    return {"sigma": sqrt(steps / (2 * rho)), "steps": steps}


def ratio_noise(*, steps: int, epsilon: float, delta: float) -> dict[str, Any]:
    """Return the noise at the rho that suffices."""
    return _noise(sufficient_rho(epsilon, delta), steps)


def root_noise(*, steps: int, epsilon: float, delta: float) -> dict[str, Any]:
    """Return the noise at the largest rho."""
    return _noise(largest_rho(epsilon, delta), steps)


def laplace_noise(*, steps: int, epsilon: float, delta: float) -> dict[str, Any]:
    """Return the Laplace noise at the rho that suffices: a release is concentrated with half its squared budget."""
    return {"scale": sqrt(steps / (2 * sufficient_rho(epsilon, delta))), "steps": steps}


def gaussian_then_response(*, sigma: float, eps0: float, order: float) -> dict[str, Any]:
    """Return Gaussian noise followed by randomized response, as a list of mechanisms."""
    return {"mechanism": (f"gaussian:{sigma!r}", f"rr:{eps0!r}")}


def sign_responses(*, sigma: float, steps: int, order: float) -> dict[str, Any]:
    """Return randomized response of the budget of the sign of Gaussian noise."""
    return {"steps": steps, "eps0": sign_budget(sigma)}


def mixed_concentrated(*, sigma: float, eps0: float, order: float) -> float:
    r"""Return the divergence of Proposition 19 for two mechanisms, :math:`\alpha (\rho_1 + \epsilon_0^2 / 2)`."""
    return order * (_rho(sigma) + eps0 * eps0 / 2)


def sign_concentrated(*, sigma: float, steps: int, order: float) -> float:
    r"""Return the divergence of Corollary 21, :math:`\alpha\rho`, for a function of Gaussian noise."""
    return order * _rho(sigma, steps)


def sign_budget(sigma: float) -> float:
    """Return the budget of the sign of Gaussian noise between two means 1 apart: a logarithm of normal tails."""
    z = 1 / (2 * sigma)
    return log(erfc(-z / sqrt(2)) / erfc(z / sqrt(2)))


TARGET = (Condition("epsilon > 0", "epsilon", lambda params: -params["epsilon"], strict=True),)
RHO = r", \quad \rho = \frac{k}{2\sigma^2}"

THEOREMS = (
    Theorem(
        id="zcdp-12",
        title="Gaussian noise is concentrated differential privacy",
        statement=r"D_\alpha(P \| Q) = \alpha \rho, \quad \rho = \frac1{2\sigma^2}",
        adjacency="any",
        protocol="gaussian",
        parameters=("sigma", "order"),
        conditions=(),
        source=source_at("Lemma 12, and part 4 of Lemma 33"),
        formula=gaussian_divergence,
        quantity="renyi",
        relation="=",
    ),
    Theorem(
        id="zcdp-14-order",
        title="Concentrated to approximate differential privacy, at one order",
        statement=(
            r"\delta = e^{(\alpha-1)(\alpha\rho-\epsilon)} \frac1\alpha \left(1 - \frac1\alpha\right)^{\alpha-1}" + RHO
        ),
        adjacency="any",
        protocol="gaussian",
        parameters=("sigma", "steps", "order", "epsilon"),
        conditions=(),
        source=source_at("Proposition 14, first part"),
        formula=delta_at_order,
        notes="It is stated with the moment of the loss of any mechanism in place of e^((order-1) order rho).",
        quantity="delta",
        example={"steps": 10, "epsilon": 5},
    ),
    Theorem(
        id="zcdp-14-markov",
        title="Concentrated to approximate differential privacy, by Markov's inequality",
        statement=r"\delta = e^{(\alpha-1)(\alpha\rho-\epsilon)}" + RHO,
        adjacency="any",
        protocol="gaussian",
        parameters=("sigma", "steps", "order", "epsilon"),
        conditions=(),
        source=source_at("Proposition 14, upper bound of the first part"),
        formula=delta_by_markov,
        quantity="delta",
        example={"steps": 10, "epsilon": 5},
    ),
    Theorem(
        id="zcdp-14-simple",
        title="Concentrated to approximate differential privacy, in closed form",
        statement=r"\delta = e^{-(\epsilon-\rho)^2 / (4\rho)}" + RHO,
        adjacency="any",
        protocol="gaussian",
        parameters=("sigma", "steps", "epsilon"),
        conditions=(
            Condition(
                "epsilon >= rho = steps / (2 sigma^2)",
                "epsilon",
                lambda params: _rho(params["sigma"], params["steps"]) - params["epsilon"],
            ),
        ),
        source=source_at("Proposition 14, upper bound of the second part"),
        formula=delta_in_closed_form,
        quantity="delta",
        example={"sigma": 2, "steps": 10, "epsilon": 5},
    ),
    Theorem(
        id="zcdp-15",
        title="Enough noise for a target of approximate differential privacy",
        statement=(
            r"\sigma^2 = k \left(\frac{2 \log(1/\delta)}{\epsilon^2} + \frac2\epsilon\right), \quad"
            r" \rho = \frac{\epsilon^2}{4 \log(1/\delta) + 4\epsilon}"
        ),
        adjacency="any",
        protocol="gaussian",
        parameters=("steps", "epsilon", "delta"),
        conditions=TARGET,
        source=source_at("Remark 15, sufficient rho and its example"),
        formula=target_delta,
        notes="The example has one step. What is judged is the delta of this noise at the target epsilon.",
        quantity="delta",
        subject=ratio_noise,
        example={"epsilon": 1},
    ),
    Theorem(
        id="zcdp-15-root",
        title="Enough noise for a target of approximate differential privacy, without loss",
        statement=(
            r"\sigma^2 = \frac k{2\rho}, \quad \rho = \left(\sqrt{\log(1/\delta) + \epsilon}"
            r" - \sqrt{\log(1/\delta)}\right)^2"
        ),
        adjacency="any",
        protocol="gaussian",
        parameters=("steps", "epsilon", "delta"),
        conditions=TARGET,
        source=source_at("Remark 15, solved for rho"),
        formula=target_delta,
        notes="At this rho the epsilon of Remark 15 is the target. What is judged is the delta of this noise.",
        quantity="delta",
        subject=root_noise,
        example={"epsilon": 1},
    ),
    Theorem(
        id="adv-18-noise",
        title="Laplace noise for many queries by advanced composition",
        statement=(
            r"s = \sqrt{\frac{k}{2\rho}}, \quad \rho = \frac{\epsilon^2}{4 \log(1/\delta) + 4\epsilon}"
            r" \text{: } k \text{ releases are } (\epsilon, \delta)\text{-DP}"
        ),
        adjacency="any",
        protocol="laplace",
        parameters=("steps", "epsilon", "delta"),
        conditions=TARGET,
        source=source_at("Theorem 18, remark after it"),
        formula=target_delta,
        notes="Each release is 1/s-DP, so concentrated with 1/(2 s^2). What is judged is the delta of this noise.",
        quantity="delta",
        subject=laplace_noise,
        example={"epsilon": 1},
    ),
    Theorem(
        id="zcdp-19",
        title="Adaptive composition of concentrated differential privacy",
        statement=r"D_\alpha(P \| Q) \le \alpha (\rho_1 + \rho_2), \quad \rho_1 = \frac1{2\sigma^2},"
        r" \quad \rho_2 = \frac{\epsilon_0^2}2",
        adjacency="any",
        protocol="composition",
        parameters=("sigma", "eps0", "order"),
        conditions=(),
        source=source_at("Proposition 19, with Lemma 12 and Proposition 16"),
        formula=mixed_concentrated,
        notes=(
            "It is judged for Gaussian noise followed by randomized response. The certified value is that of the worst "
            "adaptive choice, as the pair of each mechanism dominates it whatever was released before."
        ),
        quantity="renyi",
        subject=gaussian_then_response,
    ),
    Theorem(
        id="zcdp-21",
        title="Postprocessing of concentrated differential privacy",
        statement=(
            r"D_\alpha(P \| Q) \le \alpha\rho \text{ for } \epsilon_0 ="
            r" \log\frac{\Phi(1/(2\sigma))}{\Phi(-1/(2\sigma))}" + RHO
        ),
        adjacency="any",
        protocol="randomized-response",
        parameters=("sigma", "steps", "order"),
        conditions=(
            Condition(
                f"sigma >= 1/{1 / LEAST_SIGN_SIGMA:g}", "sigma", lambda params: LEAST_SIGN_SIGMA - params["sigma"]
            ),
        ),
        source=source_at("Corollary 21, with Lemma 12"),
        formula=sign_concentrated,
        notes="The sign of Gaussian noise, seen from the middle of two means, is randomized response of this budget.",
        quantity="renyi",
        subject=sign_responses,
    ),
)

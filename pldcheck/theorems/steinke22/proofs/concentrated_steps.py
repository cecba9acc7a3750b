r"""Steinke (2022), Lemma 12, Proposition 14, Remark 15, Theorem 18: from moments of the loss to epsilon and delta.

t is ``power``, :math:`\alpha - 1`; z is ``excess``, the loss minus epsilon; L is ``log_inverse_delta``.
"""

from __future__ import annotations

from typing import Any

from ...proof_step import Axis, Chain, Step
from ...shared_steps import LOG_INVERSE, drift_and_root

POWER = Axis(1e-6, 1e6, "log")
RHO = Axis(1e-9, 1e6, "log")
EPSILON = Axis(1e-6, 1e3, "log")
INVERSE = Axis(1e-3, 700.0, "log")


def log_factor(power: Any) -> Any:
    r"""Return the logarithm of :math:`t^t / (t+1)^{t+1}`."""
    return power * power.log() - (power + 1) * power.log1p()


def _ratio_rho(epsilon: Any, log_inverse_delta: Any) -> Any:
    return epsilon**2 / (4 * log_inverse_delta + 4 * epsilon)


def _root_rho(epsilon: Any, log_inverse_delta: Any) -> Any:
    return ((log_inverse_delta + epsilon).sqrt() - log_inverse_delta.sqrt()) ** 2


CHAINS = (
    Chain(
        theorem="zcdp-12",
        steps=(
            Step(
                id="12/square",
                name="the moment's density is that of shifted noise",
                statement=(r"\alpha (x - m)^2 + (1 - \alpha) x^2 = (x - \alpha m)^2 - \alpha (\alpha - 1) m^2"),
                source="Lemma 12, proof",
                left=lambda draw, shift, order: order * (draw - shift) ** 2 + (1 - order) * draw**2,
                right=lambda draw, shift, order: (draw - order * shift) ** 2 - order * (order - 1) * shift**2,
                box={"draw": Axis(-100.0, 100.0), "shift": Axis(0.0, 100.0), "order": Axis(1.0, 64.0)},
                equal=True,
                notes=(
                    "m is shift and x is draw, both over sigma: halved and negated they are the exponents of "
                    "p^alpha q^(1 - alpha). What is left is the density of noise around alpha m, of integral 1, times "
                    "e^(alpha (alpha - 1) rho) with rho = m^2 / 2."
                ),
            ),
            Step(
                id="12/sensitivity",
                name="inputs nearer than the sensitivity",
                statement=r"\alpha \frac{(s \Delta)^2}2 \le \alpha \rho, \quad \rho = \frac{\Delta^2}2, \quad s \le 1",
                source="Lemma 12",
                left=lambda share, shift, order: order * (share * shift) ** 2 / 2,
                right=lambda share, shift, order: order * shift**2 / 2 + 0 * share,
                box={"share": Axis(0.0, 1.0), "shift": Axis(0.0, 100.0), "order": Axis(1.0, 64.0)},
                # The difference is order shift^2 (1 - s^2) / 2.
                margin=lambda share, shift, order: order * shift**2 * (1 - share),
                notes="s is share; Delta, over sigma, is shift. So the divergence is largest at the sensitivity.",
            ),
        ),
    ),
    Chain(
        theorem="zcdp-14-order",
        steps=(
            Step(
                id="14/factor",
                name="the least multiple of an exponential above the loss's share",
                statement=r"1 - e^{-z} \le \frac{t^t}{(t+1)^{t+1}} e^{t z}",
                source="Proposition 14, proof, the constant c",
                left=lambda excess, power: -(-excess).expm1(),
                right=lambda excess, power: (log_factor(power) + power * excess).exp(),
                box={"excess": Axis(-30.0, 30.0), "power": Axis(0.01, 20.0, "log")},
                # By weighted means: the terms e^-z (t+1)/t and (t+1) c e^tz with weights t/(t+1) and 1/(t+1), equal at
                # z = log(1 + 1/t) only.
                margin=lambda excess, power: (excess - (1 / power).log1p()) ** 2,
                notes="Where z is negative the positive part is 0 and nothing is to be shown.",
            ),
            Step(
                id="14/smaller",
                name="the factor is below 1",
                statement=r"\log\frac{t^t}{(t+1)^{t+1}} \le 0",
                source="Proposition 14, upper bound of the first part",
                left=log_factor,
                right=lambda power: 0 * power,
                box={"power": POWER},
                # It is -t log(1 + 1/t) - log(1 + t).
                margin=lambda power: power * (1 / power).log1p() + power.log1p(),
            ),
        ),
    ),
    Chain(
        theorem="zcdp-14-simple",
        steps=(
            Step(
                id="14/exponent",
                name="the exponent at the chosen t",
                statement=r"t (t+1) \rho - t \epsilon = -\frac{(\epsilon - \rho)^2}{4\rho},"
                r" \quad t = \frac{\epsilon - \rho}{2\rho}",
                source="Proposition 14, proof, last sentence",
                left=lambda epsilon, rho: (epsilon - rho) / (2 * rho) * ((epsilon + rho) / (2 * rho) * rho - epsilon),
                right=lambda epsilon, rho: -((epsilon - rho) ** 2) / (4 * rho),
                box={"epsilon": EPSILON, "rho": RHO},
                equal=True,
            ),
            Step(
                id="14/least",
                name="the chosen t is the best",
                statement=r"-\frac{(\epsilon - \rho)^2}{4\rho} \le t (t+1) \rho - t \epsilon",
                source="Proposition 14, proof, last sentence",
                left=lambda epsilon, rho, power: -((epsilon - rho) ** 2) / (4 * rho) + 0 * power,
                right=lambda epsilon, rho, power: power * (power + 1) * rho - power * epsilon,
                box={"epsilon": EPSILON, "rho": RHO, "power": POWER},
                # The difference is this over 4 rho.
                margin=lambda epsilon, rho, power: (2 * power * rho + rho - epsilon) ** 2,
            ),
        ),
    ),
    Chain(
        theorem="zcdp-15",
        steps=(
            Step(
                id="15/noise",
                name="the variance of the example",
                statement=r"\frac1{2\rho} = \frac{2L}{\epsilon^2} + \frac2\epsilon",
                source="Remark 15, example",
                left=lambda epsilon, log_inverse_delta: 1 / (2 * _ratio_rho(epsilon, log_inverse_delta)),
                right=lambda epsilon, log_inverse_delta: 2 * log_inverse_delta / epsilon**2 + 2 / epsilon,
                box={"epsilon": EPSILON, "log_inverse_delta": INVERSE},
                equal=True,
            ),
            Step(
                id="15/sufficient",
                name="the rho that suffices is below the largest",
                statement=r"\frac{\epsilon^2}{4 L + 4 \epsilon} \le \left(\sqrt{L + \epsilon} - \sqrt L\right)^2",
                source="Remark 15",
                left=_ratio_rho,
                right=_root_rho,
                box={"epsilon": EPSILON, "log_inverse_delta": INVERSE},
                # The right side is epsilon^2 over (sqrt(L + epsilon) + sqrt(L))^2, whose roots are at most the first.
                margin=lambda epsilon, log_inverse_delta: epsilon + 0 * log_inverse_delta,
            ),
        ),
    ),
    Chain(
        theorem="zcdp-15-root",
        steps=(
            Step(
                id="15/solved",
                name="the largest rho solves the equation",
                statement=(
                    r"\rho + 2\sqrt{\rho L} = \epsilon, \quad \rho = \left(\sqrt{L + \epsilon} - \sqrt L\right)^2"
                ),
                source="Remark 15",
                left=lambda epsilon, log_inverse_delta: (
                    _root_rho(epsilon, log_inverse_delta)
                    + 2 * ((log_inverse_delta + epsilon).sqrt() - log_inverse_delta.sqrt()) * log_inverse_delta.sqrt()
                ),
                right=lambda epsilon, log_inverse_delta: epsilon + 0 * log_inverse_delta,
                box={"epsilon": EPSILON, "log_inverse_delta": INVERSE},
                equal=True,
            ),
        ),
    ),
    Chain(
        theorem="adv-18",
        steps=(
            Step(
                id="18/rho",
                name="the conversion at half the sum of squares",
                statement=r"\rho + 2\sqrt{\rho L} = \frac S2 + \sqrt{2 L S}, \quad \rho = \frac S2",
                source="Theorem 18, proof",
                left=lambda square, log_inverse_delta: square / 2 + 2 * (square / 2 * log_inverse_delta).sqrt(),
                right=drift_and_root,
                box={"square": Axis(1e-9, 1e6, "log"), "log_inverse_delta": LOG_INVERSE},
                equal=True,
                notes="S is square, the sum of the squared budgets; Proposition 16 gives rho.",
            ),
        ),
    ),
)

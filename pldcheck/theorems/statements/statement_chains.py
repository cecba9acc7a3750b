r"""The steps of the statements' proofs that are equalities or inequalities of elementary functions.

The proofs themselves are sentences (:attr:`pldcheck.theorems.statement.Statement.proof`); a step here stands for a
calculation in one of them.  x stands for :math:`e^{\epsilon_0}`, :math:`\kappa` for :math:`e^\epsilon`.
"""

from __future__ import annotations

from typing import Any

from ..proof_step import Axis, Chain, Step
from ..shared_steps import SHARE, x
from . import STATEMENTS

EPS0 = Axis(0.0, 20.0)
# The range of 1 - 1/kappa, for kappa from 1 to 1e6.
FALL = Axis(0.0, 0.999999)
# Probabilities that are positive.
RATE = Axis(1e-6, 1.0)
# Delta0 of randomizers; near 1 nothing is claimed that matters.
DELTA0 = Axis(0.0, 0.9)


def _source(key: str, place: int) -> str:
    return f"{key}, step {place} of its proof"


def _cut_and_raised(eps0: Any, delta0: Any) -> Any:
    r"""Return :math:`\hat x = x (1 + 2 \delta_0/x) / (1 - \delta_0)`."""
    return (x(eps0) + 2 * delta0) / (1 - delta0)


def _kept(eps0: Any, fall: Any, weight: Any, delta0: Any) -> tuple[Any, Any, Any]:
    r"""Return :math:`\kappa`, :math:`\sigma` and :math:`1 - v`."""
    kappa, sigma = 1 / (1 - fall), 2 * delta0 / x(eps0) - delta0
    return kappa, sigma, (1 - weight) / (1 + weight * (_cut_and_raised(eps0, delta0) - 1))


def _without_kept(eps0: Any, fall: Any, weight: Any, delta0: Any, share: Any) -> Any:
    kappa, sigma, rest = _kept(eps0, fall, weight, delta0)
    return (sigma + kappa * delta0) * rest * share * (1 + weight * (_cut_and_raised(eps0, delta0) - 1))


def _kept_at_most(eps0: Any, fall: Any, weight: Any, delta0: Any) -> Any:
    kappa, sigma, _ = _kept(eps0, fall, weight, delta0)
    return (1 - weight) * (sigma + kappa * delta0)


def _chain(key: str, *steps: Step) -> Chain:
    return Chain(key, steps, STATEMENTS[key].sentence)


CHAINS = (
    _chain(
        "approximate-pair",
        Step(
            id="approximate-pair/corner",
            name="the two pieces of the curve meet at 1/x",
            statement=r"\delta_0 + (1 - \delta_0) \frac{x - 1/x}{1 + x} = 1 - \frac{1 - \delta_0}x",
            source=_source("approximate-pair", 1),
            left=lambda eps0, delta0: delta0 + (1 - delta0) * (x(eps0) - (-eps0).exp()) / (1 + x(eps0)),
            right=lambda eps0, delta0: 1 - (1 - delta0) * (-eps0).exp(),
            box={"eps0": EPS0, "delta0": SHARE},
            equal=True,
        ),
    ),
    _chain(
        "laplace-noise",
        Step(
            id="laplace-noise/area",
            name="the curve at the half-line where the loss is above epsilon",
            statement=r"1 - \frac12 e^{(\epsilon-t)/2} - e^\epsilon \frac12 e^{-(\epsilon+t)/2}"
            r" = 1 - e^{(\epsilon-t)/2}",
            source=_source("laplace-noise", 1),
            left=lambda distance, epsilon: (
                1 - ((epsilon - distance) / 2).exp() / 2 - epsilon.exp() * (-(epsilon + distance) / 2).exp() / 2
            ),
            right=lambda distance, epsilon: 1 - ((epsilon - distance) / 2).exp(),
            box={"distance": Axis(0.0, 100.0), "epsilon": Axis(-100.0, 100.0)},
            equal=True,
            notes="t is the parameter distance.",
        ),
    ),
    _chain(
        "fixed-size-sampling",
        Step(
            id="fixed-size-sampling/weights",
            name="the weight of the outputs without the record",
            statement=r"g (1 - \beta) \kappa_1 = (1 - g) (\kappa - 1),"
            r" \quad \kappa_1 = 1 + \frac{\kappa - 1}g, \quad \beta = \frac\kappa{\kappa_1}",
            source=_source("fixed-size-sampling", 2),
            left=lambda rate, growth: rate * (1 - (1 + growth) / (1 + growth / rate)) * (1 + growth / rate),
            right=lambda rate, growth: (1 - rate) * growth,
            box={"rate": RATE, "growth": Axis(0.0, 1e6)},
            equal=True,
            notes="g is the parameter rate, and growth is kappa - 1.",
        ),
        Step(
            id="fixed-size-sampling/slopes",
            name="the slopes of the curve on both sides of 1",
            statement=r"q + (1 - r) q + r p \le 1, \quad q \le p, \quad p + q \le 1",
            source=_source("fixed-size-sampling", 6),
            left=lambda rate, rest, gap: (2 - rate) * (1 - rest - gap) / 2 + rate * (1 - rest + gap) / 2,
            right=lambda rate, rest, gap: 1 + 0 * rate,
            box={"rate": SHARE, "rest": SHARE, "gap": SHARE},
            margin=lambda rate, rest, gap: rest + (1 - rate) * gap,
            notes="r is the parameter rate, rest is 1 - p - q, gap is p - q.",
        ),
    ),
    _chain(
        "clipped-slot",
        Step(
            id="clipped-slot/taken",
            name="what is taken, for small budgets",
            statement=r"1 + \theta = \frac3{1 + x}, \quad \theta = \frac{2 - x}{1 + x}",
            source=_source("clipped-slot", 4),
            left=lambda eps0: 1 + (2 - x(eps0)) / (1 + x(eps0)),
            right=lambda eps0: 3 / (1 + x(eps0)),
            box={"eps0": EPS0},
            equal=True,
        ),
        Step(
            id="clipped-slot/added",
            name="what is added, for small budgets",
            statement=r"\frac{2 - \theta}x = \frac3{1 + x}, \quad \theta = \frac{2 - x}{1 + x}",
            source=_source("clipped-slot", 4),
            left=lambda eps0: (2 - (2 - x(eps0)) / (1 + x(eps0))) / x(eps0),
            right=lambda eps0: 3 / (1 + x(eps0)),
            box={"eps0": EPS0},
            equal=True,
        ),
        Step(
            id="clipped-slot/large",
            name="what is added, for large budgets",
            statement=r"\frac2x \le 1, \quad x = 2 + y",
            source=_source("clipped-slot", 4),
            left=lambda growth: 2 / (2 + growth),
            right=lambda growth: 1 + 0 * growth,
            box={"growth": Axis(0.0, 1e9)},
            margin=lambda growth: growth,
            notes="y is the parameter growth.",
        ),
    ),
    _chain(
        "near-pure-slot",
        Step(
            id="near-pure-slot/sum",
            name="the sum with the means of the cut and raised densities",
            statement=r"1 - \kappa + ((1+\sigma) (p-1+w) - w) - \kappa ((1-\delta_0) (p'-1+w) - w)"
            r" = (1+\sigma) p - \kappa (1-\delta_0) p' - (1-w) (\sigma + \kappa \delta_0)",
            source=_source("near-pure-slot", 5),
            left=lambda kappa, weight, delta0, sigma, one, other: (
                (1 - kappa)
                + ((1 + sigma) * (one - 1 + weight) - weight)
                - kappa * ((1 - delta0) * (other - 1 + weight) - weight)
            ),
            right=lambda kappa, weight, delta0, sigma, one, other: (
                (1 + sigma) * one - kappa * (1 - delta0) * other - (1 - weight) * (sigma + kappa * delta0)
            ),
            box={
                "kappa": Axis(1.0, 1e6, "log"),
                "weight": SHARE,
                "delta0": SHARE,
                "sigma": Axis(-1.0, 1.0),
                "one": Axis(0.0, 1e3),
                "other": Axis(0.0, 1e3),
            },
            equal=True,
            notes="p is the parameter one, p' is other.",
        ),
        Step(
            id="near-pure-slot/posterior",
            name="what is left out of kappa",
            statement=r"(\sigma + \kappa \delta_0) (1 - v) p' \le (1 - w) (\sigma + \kappa \delta_0),"
            r" \quad p' \le 1 + w (\hat x - 1)",
            source=_source("near-pure-slot", 5),
            left=_without_kept,
            right=lambda eps0, fall, weight, delta0, share: _kept_at_most(eps0, fall, weight, delta0),
            box={"eps0": EPS0, "fall": FALL, "weight": SHARE, "delta0": DELTA0, "share": SHARE},
            # Both sides have the factor (1 - w) (sigma + kappa delta0), which is not negative; p' is a share.
            margin=lambda eps0, fall, weight, delta0, share: 1 - share,
            notes="kappa is 1/(1 - fall), and p' is the share of its largest value.",
        ),
    ),
)

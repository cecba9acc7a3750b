r"""The cost of empty slots: dummy updates as noise (Algorithm 1), or as 0 (the proof of Theorem 3.5).

With steps of one length :math:`c/\sqrt i`, whatever the load, the theorem's proof bounds the excess risk by a bracket
whose second term is :math:`c (p\sigma^2 + L^2)/(1 - 2e^{-\ell})`, :math:`\ell = n p_0/m`.  Near a kink the risk settles
where drift and diffusion balance: an empty slot has no drift, and the noise of a dummy diffuses.  With
:math:`q = (1 - p_0/m)^n` the risk is

.. math:: \frac{p\sigma^2/(1 - q) + L^2}{p\sigma^2 + L^2} \text{ (noise)}, \qquad 1 \text{ (zero)}

times the risk without empty slots.  This holds for the population ``median``, where half of the gradients jump; what
varies smoothly about the best model is of higher order in the step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import exp, hypot, inf, sqrt
from typing import Any

from ...core.outward_decimals import between
from . import empirical_values
from .algorithms import check_in
from .empirical_values import Empirical
from .excess_risk import Setting, Step, seed_of
from .gradient_randomizers import GaussianAnswer
from .learner import Learner, decaying_rates
from .paper_statements import empty_probability, thm_3_5_scale
from .record_populations import median
from .simulation_runs import repeat

# Expected numbers of clients in a slot; at the last one hardly any slot is empty.
LOADS = (0.25, 0.5, 1.0, 2.0, 4.0, 16.0)


@dataclass(frozen=True)
class Treatment:
    """The cost of empty slots at one load: measured ratios of risks for both treatments, and formulas for them.

    Parameters
    ----------
    load
        The expected number of clients in a slot.
    noise, zero
        The measured risk over that of full slots, with dummies as noise and as 0.
    noise_form, zero_form
        The ratios by the balance of drift and diffusion.
    proof_form
        The factor 1/(1 - 2 e^{-load}) of the proof, infinite where the proof has no bound.
    sharp_form
        The factor 1/(1 - q), which the proof could have.

    """

    load: float
    noise: Empirical
    zero: Empirical
    noise_form: float
    zero_form: float
    proof_form: float
    sharp_form: float

    @property
    def follows(self) -> bool:
        """Whether both measured intervals contain the ratio of the balance."""
        return self.noise_form in self.noise and self.zero_form in self.zero

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain numbers and strings, ready for JSON."""
        return {
            "load": self.load,
            "noise": self.noise.to_dict(),
            "zero": self.zero.to_dict(),
            "noise_form": self.noise_form,
            "zero_form": self.zero_form,
            "proof_form": None if self.proof_form == inf else self.proof_form,
            "sharp_form": self.sharp_form,
            "follows": self.follows,
        }

    def line(self) -> str:
        """Return the line for a terminal."""
        proof = "no bound" if self.proof_form == inf else f"{self.proof_form:.3f}"
        return (
            f"  load {self.load:<5g} ratio of risks, empirical: with dummies as noise {self._ends(self.noise)} (by the "
            f"balance {self.noise_form:.3f}), with dummies as 0 {self._ends(self.zero)} (by the balance "
            f"{self.zero_form:.3f}); factor 1/(1-q) = {self.sharp_form:.3f}, factor of the proof: {proof}"
        )

    @staticmethod
    def _ends(ratio: Empirical) -> str:
        return f"{ratio.value:.3f} in {between(ratio.lower, ratio.upper, '.3f')}"


def treatments(setting: Setting, progress: Step | None = None) -> tuple[Treatment, ...]:
    """Return the cost of empty slots at all loads; each load gives the number of clients, the setting the rest."""
    population = median(setting.dimension)
    scale = thm_3_5_scale(0.0, setting.noise, 1.0, 2.0 * population.radius)
    randomizer = GaussianAnswer("gaussian", setting.sigma)
    total, count, risks = 2 * len(LOADS), 0, {}
    for load in LOADS:
        for dummies in ("noise", "zero"):
            algorithm = check_in(setting.steps, max(1, round(load * setting.steps)))
            learner = Learner(population, randomizer, decaying_rates(scale, setting.steps), dummies)
            # Every mean has random numbers of its own.
            runs = repeat(algorithm, learner, setting.repeats, seed_of(setting.seed, count))
            risks[load, dummies] = empirical_values.mean(population.excess(runs.last), "excess population risk")
            count += 1
            if progress:
                progress(count, total)
    return tuple(_treatment(replace(setting, clients=round(load * setting.steps)), load, risks) for load in LOADS[:-1])


def _treatment(setting: Setting, load: float, risks: dict[tuple[float, str], Empirical]) -> Treatment:
    none = empty_probability(check_in(setting.steps, max(1, setting.clients)))
    double_share = 2.0 * exp(-load)
    balance = (setting.noise / (1.0 - none) + 1.0) / (setting.noise + 1.0)
    return Treatment(
        load,
        _ratio(risks[load, "noise"], risks[LOADS[-1], "noise"]),
        _ratio(risks[load, "zero"], risks[LOADS[-1], "zero"]),
        balance,
        1.0,
        1.0 / (1.0 - double_share) if double_share < 1.0 else inf,
        1.0 / (1.0 - none),
    )


def _ratio(above: Empirical, below: Empirical) -> Empirical:
    """Return the ratio of independent means, with an interval from their relative errors."""
    value = above.value / below.value
    half = value * hypot(*((each.upper - each.value) / each.value for each in (above, below)))
    quantity = "excess risk over that of full slots"
    samples = above.samples + below.samples
    return Empirical(value, value - half, value + half, quantity, samples, above.confidence, "delta method", False)


def lines(rows: tuple[Treatment, ...]) -> Iterator[str]:
    """Yield the lines for a terminal."""
    yield "cost of dummy updates: step sizes c/sqrt i with one c for all loads n p0/m, population median"
    yield from (treatment.line() for treatment in rows)


def travel_over_radius(setting: Setting) -> float:
    """Return the sum of all step lengths over the radius: above about 10 the start has no influence."""
    return 2.0 * sqrt(setting.steps) * thm_3_5_scale(0.0, setting.noise, 1.0, 2.0)

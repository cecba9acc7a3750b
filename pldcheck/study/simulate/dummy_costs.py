r"""What an empty slot costs: dummy updates as noise, as Algorithm 1 has them, or as 0, as the proof of Theorem 3.5 has.

With steps of one length :math:`c/\sqrt i`, whatever the load, the theorem's proof bounds the excess risk by a bracket
whose second term is :math:`c (p\sigma^2 + L^2)/(1 - 2e^{-\ell})`, :math:`\ell = n p_0/m`.  Near a kink the risk settles
where drift and diffusion balance: an empty slot has no drift, and the noise of a dummy diffuses.  With
:math:`q = (1 - p_0/m)^n` that is

.. math:: \frac{p\sigma^2/(1 - q) + L^2}{p\sigma^2 + L^2} \text{ (noise)}, \qquad 1 \text{ (zero)}

times the risk without empty slots.  (The population ``median``, where half of the gradients jump; what varies smoothly
about the best model is of higher order in the step.)
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
from .excess_risk import Setting, Step, seeded
from .gradient_randomizers import GaussianAnswer
from .learner import Learner, decaying
from .paper_statements import none_expected, thm_3_5_scale
from .record_populations import median
from .simulation_runs import repeat

# Clients a slot expects; of the last, next to none is empty.
LOADS = (0.25, 0.5, 1.0, 2.0, 4.0, 16.0)


@dataclass(frozen=True)
class Treatment:
    """At one load: the risk over that of full slots, measured for both treatments, and what forms say of it.

    ``noise_form``, ``zero_form``: the balance above; ``proof_form``: 1/(1 - 2 e^{-load}), infinite where that says
    nothing; ``sharp_form``: 1/(1 - q), the proof's without the 2.
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
        """Whether both treatments are what the balance says."""
        return self.noise_form in self.noise and self.zero_form in self.zero

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON."""
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
        """For a terminal."""
        proof = "nothing" if self.proof_form == inf else f"{self.proof_form:.3f}"
        return (
            f"  load {self.load:<5g} risk ratio, dummies as noise {self._ends(self.noise)} (balance "
            f"{self.noise_form:.3f}), as 0 {self._ends(self.zero)} (balance {self.zero_form:.3f}), empirical; "
            f"1/(1-q) = {self.sharp_form:.3f}, with the 2: {proof}"
        )

    @staticmethod
    def _ends(found: Empirical) -> str:
        return f"{found.value:.3f} in {between(found.lower, found.upper, '.3f')}"


def treatments(setting: Setting, progress: Step | None = None) -> tuple[Treatment, ...]:
    """Return all loads, at the steps and the noise of the setting; ``clients`` follow from the load."""
    population = median(setting.dimension)
    scale = thm_3_5_scale(0.0, setting.noise, 1.0, 2.0 * population.radius)
    randomizer = GaussianAnswer("gaussian", setting.sigma)
    total, done, found = 2 * len(LOADS), 0, {}
    for load in LOADS:
        for dummies in ("noise", "zero"):
            algorithm = check_in(setting.steps, max(1, round(load * setting.steps)))
            learner = Learner(population, randomizer, decaying(scale, setting.steps), dummies)
            # The means share no random numbers.
            runs = repeat(algorithm, learner, setting.repeats, seeded(setting.seed, done))
            found[load, dummies] = empirical_values.mean(population.excess(runs.last), "excess population risk")
            done += 1
            if progress:
                progress(done, total)
    return tuple(_treated(replace(setting, clients=round(load * setting.steps)), load, found) for load in LOADS[:-1])


def _treated(setting: Setting, load: float, found: dict[tuple[float, str], Empirical]) -> Treatment:
    none = none_expected(check_in(setting.steps, max(1, setting.clients)))
    doubled = 2.0 * exp(-load)
    balance = (setting.noise / (1.0 - none) + 1.0) / (setting.noise + 1.0)
    return Treatment(
        load,
        _ratio(found[load, "noise"], found[LOADS[-1], "noise"]),
        _ratio(found[load, "zero"], found[LOADS[-1], "zero"]),
        balance,
        1.0,
        1.0 / (1.0 - doubled) if doubled < 1.0 else inf,
        1.0 / (1.0 - none),
    )


def _ratio(above: Empirical, below: Empirical) -> Empirical:
    """Of independent means, by their relative errors."""
    value = above.value / below.value
    half = value * hypot(*((each.upper - each.value) / each.value for each in (above, below)))
    quantity = "excess risk over that of full slots"
    samples = above.samples + below.samples
    return Empirical(value, value - half, value + half, quantity, samples, above.confidence, "delta method", False)


def lines(found: tuple[Treatment, ...]) -> Iterator[str]:
    """For a terminal."""
    yield "dummy updates  steps c/sqrt i of one length at all loads n p0/m, population median"
    yield from (treatment.line() for treatment in found)


def settled(setting: Setting) -> float:
    """Return how many times the radius the steps add up to: beyond 10 or so the start is forgotten."""
    return 2.0 * sqrt(setting.steps) * thm_3_5_scale(0.0, setting.noise, 1.0, 2.0)

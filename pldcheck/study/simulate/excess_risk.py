"""Measured excess population risks beside the rates of Theorems 3.5 and 4.2 of Balle et al. (2020).

A theorem is an upper bound over all populations.  One population may be easier: where its risk is curved, averaged
steps converge faster than stated.  Two populations show the rate: ``median``, with a kink at its best model, and
``drift``, whose linear losses have a mean that shrinks like the error of m gradients, so that it is as hard as m steps
allow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from math import exp, sqrt
from typing import Any

from ...core.errors import ParameterError
from ...core.outward_decimals import between
from . import empirical_values, stated_values
from .algorithms import Algorithm, averaged, check_in
from .empirical_values import Empirical
from .gradient_randomizers import GaussianAnswer
from .record_populations import Population, drift, median
from .simulation_runs import Learner, repeat

# Number of halvings of the number of steps.
HALVINGS = 4
# Factors of the noise.
FACTORS = (1.0, 2.0, 4.0, 8.0)
# The statement on each algorithm and its name there.
STATEMENTS = {"check-in": ("thm-3.5", "A_fix, last model"), "averaged": ("thm-4.2", "A_avg, last model")}
# A function that is called with the number of finished measurements and the number of all.
Step = Callable[[int, int], None]


@dataclass(frozen=True)
class Setting:
    """The parameters of one measurement; gradients are at most 1, and ``sigma`` is the noise in each coordinate."""

    steps: int
    clients: int
    check_in_prob: float
    sigma: float
    dimension: int
    repeats: int
    seed: int

    def algorithm(self, name: str) -> Algorithm:
        """Return ``check-in`` or ``averaged`` with these parameters."""
        averages = name == "averaged"
        return (
            averaged(self.clients, self.steps) if averages else check_in(self.steps, self.clients, self.check_in_prob)
        )

    def error(self, name: str) -> float:
        """Return the root mean square error of an update."""
        return stated_values.gradient_error(self.algorithm(name), self.dimension * self.sigma**2, 1.0)


@dataclass(frozen=True)
class Place:
    """One measurement: the ``excess`` risk, the ``bound`` with its explicit factor, and the ``error``."""

    setting: Setting
    excess: Empirical
    bound: float
    error: float


@dataclass(frozen=True)
class Sweep:
    """Measurements along an axis, with the measured exponent beside that of a theorem.

    Parameters
    ----------
    statement, title, population
        The id of the theorem, its algorithm, and the population of records.
    axis, moved
        The quantity on the axis, ``steps`` or, with the steps fixed, ``error``; and the parameter that varies.
    exponent, slope
        The exponent of the axis in the theorem, without logarithms, and the measured exponent.
    places
        The measurements.

    """

    statement: str
    title: str
    population: str
    axis: str
    moved: str
    exponent: float
    slope: Empirical
    places: tuple[Place, ...]

    @property
    def holds(self) -> bool:
        """Whether no measured interval lies above the bound of the theorem."""
        return all(place.excess.lower <= place.bound for place in self.places)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain numbers and strings, ready for JSON."""
        places = [
            {**asdict(each.setting), "excess": each.excess.to_dict(), "stated": each.bound, "error": each.error}
            for each in self.places
        ]
        return {**vars(self), "slope": self.slope.to_dict(), "holds": self.holds, "places": places}

    def lines(self) -> Iterator[str]:
        """Yield the lines for a terminal."""
        yield (
            f"{self.statement}  {self.title}, population {self.population}: exponent of {self.axis} "
            f"{self.slope.value:.3f} in {between(self.slope.lower, self.slope.upper, '.3f')} empirical, "
            f"stated exponent {self.exponent:g}"
        )
        for place in self.places:
            above = "  ABOVE THE BOUND" if place.excess.lower > place.bound else ""
            at = place.setting.steps if self.axis == "steps" else place.error
            yield f"  {self.axis} = {at:<10.6g} excess risk {place.excess}, bound {place.bound:.4g}{above}"


def hardest_drift(name: str, setting: Setting) -> Population:
    """Return the drift that m steps can just detect: half the error of an update over sqrt m, at most one half."""
    return drift(setting.dimension, min(0.5 * setting.error(name) / sqrt(setting.steps), 0.5))


def median_of(name: str, setting: Setting) -> Population:
    """Return the population with a kink at its best model."""
    return median(setting.dimension)


def measure(name: str, setting: Setting, population: Population) -> Place:
    """Return the measured excess risk of one setting, with the bound of the theorem."""
    algorithm, error, diameter = setting.algorithm(name), setting.error(name), 2.0 * population.radius
    none = 0.0 if algorithm.averages else 2.0 * exp(-algorithm.load)
    if none >= 1.0:
        raise ParameterError("clients", "large enough for 2 e^{-n p0/m} < 1 (Theorem 3.5)", setting.clients)
    rates = stated_values.step_sizes(setting.steps, none, error, diameter)
    learner = Learner(population, GaussianAnswer("gaussian", setting.sigma), rates)
    runs = repeat(algorithm, learner, setting.repeats, setting.seed)
    excess = empirical_values.mean(population.excess(runs.last), "excess population risk")
    return Place(setting, excess, stated_values.risk_bound(setting.steps, none, error, diameter), error)


def sweeps(name: str, setting: Setting, progress: Step | None = None) -> tuple[Sweep, ...]:
    """Return measurements over the steps, with the same load of each slot, and over the noise.

    Parameters
    ----------
    name
        The name of the algorithm, ``check-in`` or ``averaged``.
    setting
        The parameters: ``steps`` and ``clients`` are the largest, ``sigma`` is the smallest.
    progress
        A function that is called with the number of finished measurements and the number of all.

    Raises
    ------
    ParameterError
        If the utility of the algorithm is not stated, or the setting allows no interval or no rate.

    """
    if name not in STATEMENTS:
        raise ParameterError("protocol", f"one of {', '.join(STATEMENTS)}, whose utility is stated", name)
    if setting.repeats < 2:
        raise ParameterError("repeat", "at least 2 for an interval", setting.repeats)
    if setting.steps < 16 << HALVINGS or setting.clients < setting.steps >> HALVINGS:
        raise ParameterError("steps", f"at least {16 << HALVINGS} to show a rate", setting.steps)
    halves = [(setting.steps >> k, setting.clients >> k) for k in range(HALVINGS, -1, -1)]
    by_steps = [replace(setting, steps=m, clients=n) for m, n in halves]
    by_noise = [replace(setting, sigma=factor * setting.sigma) for factor in FACTORS]
    plans = [
        (median_of, "steps", "steps", -0.5, by_steps),
        (hardest_drift, "steps", "steps", -0.5, by_steps),
        (median_of, "error", "sigma", 1.0, by_noise),
    ]
    total, count, results = 2 * len(by_steps) + len(by_noise), 0, []
    for maker, axis, moved, exponent, settings in plans:
        places = []
        for each in settings:
            # Every measurement has random numbers of its own, so that the errors are independent.
            each = replace(each, seed=setting.seed + count)
            places.append(measure(name, each, maker(name, each)))
            count += 1
            if progress:
                progress(count, total)
        at = [place.setting.steps if axis == "steps" else place.error for place in places]
        slope = empirical_values.slope(at, [place.excess for place in places], f"exponent of {axis}")
        population = maker(name, setting).name
        results.append(Sweep(*STATEMENTS[name], population, axis, moved, exponent, slope, tuple(places)))
    return tuple(results)

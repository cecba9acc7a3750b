"""Measured excess population risks beside the rates of Theorems 3.5 and 4.2 of Balle et al. (2020).

A theorem is an upper bound over all populations.  One population may be easier: where its risk is curved, averaged
steps converge faster than stated.  Two populations show the rate: ``median``, with a kink at its best model, and
``drift``, whose linear losses have a mean that shrinks like the error of m gradients, so that it is as hard as m steps
allow.  Averages do better than stated where few clients share a slot and where the noise is small: they reduce L^2 too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from math import exp, sqrt
from typing import Any

from ...core.errors import ParameterError
from ...core.outward_decimals import between
from . import empirical_values
from .algorithms import Algorithm, averaged, check_in
from .empirical_values import Empirical
from .gradient_randomizers import GaussianAnswer
from .learner import Learner, decaying_rates, smooth_rates
from .paper_statements import kappa, thm_3_5, thm_3_5_scale, thm_4_2, thm_4_2_scale, thm_4_2_smooth
from .record_populations import Population, drift, median
from .simulation_runs import repeat

# Number of halvings of the number of steps.
HALVINGS = 4
# Factors of the noise.
FACTORS = (1.0, 2.0, 4.0, 8.0)
# Factors of the number of clients.
CROWDS = (0.125, 0.25, 0.5, 1.0)
# Factors of p0.
PARTS = (0.25, 0.5, 0.75, 1.0)
# Largest 2 e^{-n p0/m} at which a risk is measured: near 1 Theorem 3.5 has no step.
EMPTIEST = 0.9
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

    @property
    def noise(self) -> float:
        """The amount p sigma^2 that noise adds to the expected square of a gradient."""
        return self.dimension * self.sigma**2

    @property
    def none(self) -> float:
        """The quantity 2 e^{-n p0/m} of Theorem 3.5."""
        return 2.0 * exp(-self.clients * self.check_in_prob / self.steps)


@dataclass(frozen=True)
class Case:
    """A test of a theorem: algorithm, step sizes, ``bound``, and the root mean square ``error`` of a gradient."""

    id: str
    title: str
    algorithm: Callable[[Setting], Algorithm]
    error: Callable[[Setting], float]
    rates: Callable[[Setting, float], Any]
    bound: Callable[[Setting, float], float]
    averaged_model: bool = False


def _gradient_error(setting: Setting) -> float:
    if setting.none >= 1.0:
        raise ParameterError("clients", "large enough for 2 e^{-n p0/m} < 1 (Theorem 3.5)", setting.clients)
    return sqrt(setting.noise + 1.0)


def _averaged(setting: Setting) -> Algorithm:
    return averaged(setting.clients, setting.steps)


CASES = {
    case.id: case
    for case in (
        Case(
            "thm-3.5",
            "A_fix, last model",
            lambda s: check_in(s.steps, s.clients, s.check_in_prob),
            _gradient_error,
            lambda s, diameter: decaying_rates(thm_3_5_scale(s.none, s.noise, 1.0, diameter), s.steps),
            lambda s, diameter: thm_3_5(s.steps, s.none, s.noise, 1.0, diameter),
        ),
        Case(
            "thm-4.2",
            "A_avg, last model",
            _averaged,
            lambda s: sqrt(s.steps * s.noise / s.clients + 1.0),
            lambda s, diameter: decaying_rates(thm_4_2_scale(s.steps, s.clients, s.noise, 1.0, diameter), s.steps),
            lambda s, diameter: thm_4_2(s.steps, s.clients, s.noise, 1.0, diameter),
        ),
        Case(
            "thm-4.2-smooth",
            "A_avg, averaged model",
            _averaged,
            lambda s: kappa(s.steps, s.clients, s.noise, 1.0),
            lambda s, diameter: smooth_rates(0.0, kappa(s.steps, s.clients, s.noise, 1.0), diameter, s.steps),
            lambda s, diameter: thm_4_2_smooth(s.steps, kappa(s.steps, s.clients, s.noise, 1.0), 0.0, diameter),
            averaged_model=True,
        ),
    )
}


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
    axis
        The quantity on the axis: ``steps``; or, with the steps fixed, ``error`` or ``emptiness``, which is
        1/(1 - 2 e^{-n p0/m}) and to which the rate of Theorem 3.5 is proportional.
    moved
        The parameter that varies.
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

    @property
    def axis_values(self) -> list[float]:
        """The values of the axis at which the risk was measured."""
        return [_at(self.axis, place) for place in self.places]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain numbers and strings, ready for JSON."""
        return {
            "statement": self.statement,
            "title": self.title,
            "population": self.population,
            "axis": self.axis,
            "moved": self.moved,
            "exponent": self.exponent,
            "slope": self.slope.to_dict(),
            "holds": self.holds,
            "places": [
                {
                    **asdict(place.setting),
                    "excess": place.excess.to_dict(),
                    "stated": place.bound,
                    "error": place.error,
                }
                for place in self.places
            ],
        }

    def lines(self) -> Iterator[str]:
        """Yield the lines for a terminal."""
        yield (
            f"{self.statement}  {self.title}, population {self.population}: exponent of {self.axis} "
            f"{self.slope.value:.3f} in {between(self.slope.lower, self.slope.upper, '.3f')} empirical, "
            f"stated exponent {self.exponent:g}"
        )
        for place, at in zip(self.places, self.axis_values, strict=True):
            above = "  ABOVE THE BOUND" if place.excess.lower > place.bound else ""
            yield f"  {self.axis} = {at:<10.6g} excess risk {place.excess}, bound {place.bound:.4g}{above}"


def _at(axis: str, place: Place) -> float:
    if axis == "emptiness":
        return 1.0 / (1.0 - place.setting.none)
    return float(place.setting.steps) if axis == "steps" else place.error


def hardest_drift(case: Case, setting: Setting) -> Population:
    """Return the drift that m steps can just detect: half the error of a gradient over sqrt m, at most one half."""
    return drift(setting.dimension, min(0.5 * case.error(setting) / sqrt(setting.steps), 0.5))


def median_of(case: Case, setting: Setting) -> Population:
    """Return the population with a kink at its best model."""
    return median(setting.dimension)


def measure(case: Case, setting: Setting, population: Population) -> Place:
    """Return the measured excess risk of one setting, with the bound of the theorem."""
    error, diameter = case.error(setting), 2.0 * population.radius
    randomizer = GaussianAnswer(f"gaussian of deviation {setting.sigma:g}", setting.sigma)
    learner = Learner(population, randomizer, case.rates(setting, diameter))
    runs = repeat(case.algorithm(setting), learner, setting.repeats, setting.seed)
    excess = population.excess(runs.mean if case.averaged_model else runs.last)
    excess_interval = empirical_values.mean(excess, "excess population risk")
    return Place(setting, excess_interval, case.bound(setting, diameter), error)


def _steps(setting: Setting) -> list[Setting]:
    """Return settings with fewer slots and the same load of each."""
    if setting.steps < 16 << HALVINGS or setting.clients < setting.steps >> HALVINGS:
        raise ParameterError("steps", f"at least {16 << HALVINGS} to show a rate", setting.steps)
    settings = [(setting.steps >> k, setting.clients >> k) for k in range(HALVINGS, -1, -1)]
    return [replace(setting, steps=m, clients=n) for m, n in settings]


def _noises(setting: Setting) -> list[Setting]:
    return [replace(setting, sigma=factor * setting.sigma) for factor in FACTORS]


def _parts(setting: Setting) -> list[Setting]:
    settings = [replace(setting, check_in_prob=part * setting.check_in_prob) for part in PARTS]
    return [each for each in settings if each.none < EMPTIEST]


def _crowds(setting: Setting) -> list[Setting]:
    return [replace(setting, clients=max(1, int(factor * setting.clients))) for factor in CROWDS]


Maker = Callable[[Case, Setting], Population]
# Statement, axis, parameter that varies, exponent of the axis, population, settings.
_Plan = tuple[str, str, str, float, Maker, Callable[[Setting], list[Setting]]]
_PLANS: dict[str, tuple[_Plan, ...]] = {
    "check-in": (
        ("thm-3.5", "steps", "steps", -0.5, median_of, _steps),
        ("thm-3.5", "steps", "steps", -0.5, hardest_drift, _steps),
        ("thm-3.5", "error", "sigma", 1.0, median_of, _noises),
        ("thm-3.5", "emptiness", "check_in_prob", 1.0, median_of, _parts),
    ),
    "averaged": (
        ("thm-4.2", "steps", "steps", -0.5, median_of, _steps),
        ("thm-4.2", "steps", "steps", -0.5, hardest_drift, _steps),
        ("thm-4.2", "error", "sigma", 1.0, median_of, _noises),
        ("thm-4.2", "error", "clients", 1.0, median_of, _crowds),
        ("thm-4.2-smooth", "steps", "steps", -0.5, hardest_drift, _steps),
        ("thm-4.2-smooth", "error", "clients", 1.0, hardest_drift, _crowds),
    ),
}
ALGORITHMS = tuple(_PLANS)


def sweeps(algorithm: str, setting: Setting, progress: Step | None = None) -> tuple[Sweep, ...]:
    """Return measurements along every axis of the stated utility of ``check-in`` or ``averaged``.

    Parameters
    ----------
    algorithm
        The name of the algorithm.
    setting
        The parameters: ``steps``, ``clients`` and ``check_in_prob`` are the largest, ``sigma`` is the smallest.  A
        parameter that cannot vary, as slots would be too empty, has no sweep.
    progress
        A function that is called with the number of finished measurements and the number of all.

    Raises
    ------
    ParameterError
        If the utility of the algorithm is not stated, or the setting allows no interval or no rate.

    """
    if algorithm not in _PLANS:
        raise ParameterError("protocol", f"one of {', '.join(ALGORITHMS)}, whose utility is stated", algorithm)
    if isinstance(setting.repeats, int) and setting.repeats < 2:
        raise ParameterError("repeat", "at least 2 for an interval", setting.repeats)
    plans = [(plan, plan[-1](setting)) for plan in _PLANS[algorithm]]
    plans = [(plan, settings) for plan, settings in plans if len(settings) > 1]
    total, count, results = sum(len(settings) for _, settings in plans), 0, []
    for (statement, axis, moved, exponent, maker, _), settings in plans:
        case, places = CASES[statement], []
        for each in settings:
            # Every measurement has random numbers of its own, so that the errors are independent.
            each = replace(each, seed=seed_of(setting.seed, count))
            population = maker(case, each)
            places.append(measure(case, each, population))
            count += 1
            if progress:
                progress(count, total)
        results.append(_sweep(case, population.name, axis, moved, exponent, places))
    return tuple(results)


def seed_of(seed: int, place: int) -> int:
    """Return the seed of measurement number ``place``."""
    return (seed + place) % 2**64


def _sweep(case: Case, population: str, axis: str, moved: str, exponent: float, places: Sequence[Place]) -> Sweep:
    slope = empirical_values.slope(
        [_at(axis, place) for place in places], [place.excess for place in places], f"exponent of {axis}"
    )
    return Sweep(case.id, case.title, population, axis, moved, exponent, slope, tuple(places))

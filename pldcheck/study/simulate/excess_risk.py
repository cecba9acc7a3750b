"""Theorems 3.5 and 4.2 of Balle et al. (2020): excess population risk, measured, against the rates they state.

A theorem is an upper bound over all populations.  One population may be easier: where its risk is curved, averaged
steps converge faster than stated.  Two show the rate: ``median``, with a kink at its best model, and ``drift``, linear,
whose mean shrinks like the error of m gradients and which is thus as hard as m steps allow.  Averages do better than
stated where few clients share a slot, and where noise is little: they shrink L^2 as well.
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
from .learner import Learner, decaying, smoothed
from .paper_statements import kappa, thm_3_5, thm_3_5_scale, thm_4_2, thm_4_2_scale, thm_4_2_smooth
from .record_populations import Population, drift, median
from .simulation_runs import repeat

# Halvings of the number of steps below the one given.
HALVINGS = 4
# What noise is multiplied by.
FACTORS = (1.0, 2.0, 4.0, 8.0)
# What the number of clients is multiplied by.
CROWDS = (0.125, 0.25, 0.5, 1.0)
# What p0 is multiplied by.
PARTS = (0.25, 0.5, 0.75, 1.0)
# Largest 2 e^{-n p0/m} of a place: near 1 Theorem 3.5 takes no step.
EMPTIEST = 0.9
# Called with the places measured and their number.
Step = Callable[[int, int], None]


@dataclass(frozen=True)
class Setting:
    """One place of a sweep; ``sigma`` is the deviation of the noise in each coordinate, gradients are at most 1."""

    steps: int
    clients: int
    check_in_prob: float
    sigma: float
    dimension: int
    repeats: int
    seed: int

    @property
    def noise(self) -> float:
        """What noise adds to the expected square of a gradient, p sigma^2."""
        return self.dimension * self.sigma**2

    @property
    def none(self) -> float:
        """2 e^{-n p0/m}."""
        return 2.0 * exp(-self.clients * self.check_in_prob / self.steps)


@dataclass(frozen=True)
class Case:
    """How a theorem is put to a test: ``error`` is the root of what one gradient's expected square is said to be."""

    id: str
    title: str
    algorithm: Callable[[Setting], Algorithm]
    error: Callable[[Setting], float]
    rates: Callable[[Setting, float], Any]
    stated: Callable[[Setting, float], float]
    averaged_model: bool = False


def _known(setting: Setting) -> float:
    if setting.none >= 1.0:
        raise ParameterError("clients", "enough that 2 e^{-n p0/m} < 1, for Theorem 3.5", setting.clients)
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
            _known,
            lambda s, diameter: decaying(thm_3_5_scale(s.none, s.noise, 1.0, diameter), s.steps),
            lambda s, diameter: thm_3_5(s.steps, s.none, s.noise, 1.0, diameter),
        ),
        Case(
            "thm-4.2",
            "A_avg, last model",
            _averaged,
            lambda s: sqrt(s.steps * s.noise / s.clients + 1.0),
            lambda s, diameter: decaying(thm_4_2_scale(s.steps, s.clients, s.noise, 1.0, diameter), s.steps),
            lambda s, diameter: thm_4_2(s.steps, s.clients, s.noise, 1.0, diameter),
        ),
        Case(
            "thm-4.2-smooth",
            "A_avg, averaged model",
            _averaged,
            lambda s: kappa(s.steps, s.clients, s.noise, 1.0),
            lambda s, diameter: smoothed(0.0, kappa(s.steps, s.clients, s.noise, 1.0), diameter, s.steps),
            lambda s, diameter: thm_4_2_smooth(s.steps, kappa(s.steps, s.clients, s.noise, 1.0), 0.0, diameter),
            averaged_model=True,
        ),
    )
}


@dataclass(frozen=True)
class Place:
    """One place: the measured ``excess`` risk, what the theorem says with its explicit factor, and the ``error``."""

    setting: Setting
    excess: Empirical
    stated: float
    error: float


@dataclass(frozen=True)
class Sweep:
    """Places along an ``axis``: ``steps``; or, with the steps fixed, ``error`` or ``emptiness`` while ``moved`` varies.

    ``emptiness`` is 1/(1 - 2 e^{-n p0/m}), to which Theorem 3.5's rate is proportional.

    ``exponent``: the theorem's, of the axis, logarithms aside; ``slope``: what is measured.
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
        """Whether no place is above the theorem for certain."""
        return all(place.excess.lower <= place.stated for place in self.places)

    @property
    def axis_values(self) -> list[float]:
        """Where the places are."""
        return [_at(self.axis, place) for place in self.places]

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON."""
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
                    "stated": place.stated,
                    "error": place.error,
                }
                for place in self.places
            ],
        }

    def lines(self) -> Iterator[str]:
        """For a terminal."""
        yield (
            f"{self.statement}  {self.title}, population {self.population}: exponent of {self.axis} "
            f"{self.slope.value:.3f} in {between(self.slope.lower, self.slope.upper, '.3f')} empirical, "
            f"stated {self.exponent:g}"
        )
        for place, at in zip(self.places, self.axis_values, strict=True):
            above = "  ABOVE" if place.excess.lower > place.stated else ""
            yield f"  {self.axis} = {at:<10.6g} excess risk {place.excess}, stated at most {place.stated:.4g}{above}"


def _at(axis: str, place: Place) -> float:
    if axis == "emptiness":
        return 1.0 / (1.0 - place.setting.none)
    return float(place.setting.steps) if axis == "steps" else place.error


def hard(case: Case, setting: Setting) -> Population:
    """The drift that m steps can just make out: half the error of a gradient over sqrt m, or half if that is less."""
    return drift(setting.dimension, min(0.5 * case.error(setting) / sqrt(setting.steps), 0.5))


def kinked(case: Case, setting: Setting) -> Population:
    """Return the median."""
    return median(setting.dimension)


def measured(case: Case, setting: Setting, population: Population) -> Place:
    """Return one place."""
    error, diameter = case.error(setting), 2.0 * population.radius
    randomizer = GaussianAnswer(f"gaussian of deviation {setting.sigma:g}", setting.sigma)
    learner = Learner(population, randomizer, case.rates(setting, diameter))
    runs = repeat(case.algorithm(setting), learner, setting.repeats, setting.seed)
    excess = population.excess(runs.mean if case.averaged_model else runs.last)
    found = empirical_values.mean(excess, "excess population risk")
    return Place(setting, found, case.stated(setting, diameter), error)


def _steps(setting: Setting) -> list[Setting]:
    """Return the same load of the slots, fewer of them."""
    if setting.steps < 16 << HALVINGS or setting.clients < setting.steps >> HALVINGS:
        raise ParameterError("steps", f"at least {16 << HALVINGS} to show a rate", setting.steps)
    halved = [(setting.steps >> k, setting.clients >> k) for k in range(HALVINGS, -1, -1)]
    return [replace(setting, steps=m, clients=n) for m, n in halved]


def _noises(setting: Setting) -> list[Setting]:
    return [replace(setting, sigma=factor * setting.sigma) for factor in FACTORS]


def _parts(setting: Setting) -> list[Setting]:
    lowered = [replace(setting, check_in_prob=part * setting.check_in_prob) for part in PARTS]
    return [each for each in lowered if each.none < EMPTIEST]


def _crowds(setting: Setting) -> list[Setting]:
    return [replace(setting, clients=max(1, int(factor * setting.clients))) for factor in CROWDS]


Maker = Callable[[Case, Setting], Population]
# Statement, axis, what is moved, exponent of the axis, population, its name.
_Plan = tuple[str, str, str, float, Maker, Callable[[Setting], list[Setting]]]
_PLANS: dict[str, tuple[_Plan, ...]] = {
    "check-in": (
        ("thm-3.5", "steps", "steps", -0.5, kinked, _steps),
        ("thm-3.5", "steps", "steps", -0.5, hard, _steps),
        ("thm-3.5", "error", "sigma", 1.0, kinked, _noises),
        ("thm-3.5", "emptiness", "check_in_prob", 1.0, kinked, _parts),
    ),
    "averaged": (
        ("thm-4.2", "steps", "steps", -0.5, kinked, _steps),
        ("thm-4.2", "steps", "steps", -0.5, hard, _steps),
        ("thm-4.2", "error", "sigma", 1.0, kinked, _noises),
        ("thm-4.2", "error", "clients", 1.0, kinked, _crowds),
        ("thm-4.2-smooth", "steps", "steps", -0.5, hard, _steps),
        ("thm-4.2-smooth", "error", "clients", 1.0, hard, _crowds),
    ),
}
STATED_FOR = tuple(_PLANS)


def sweeps(algorithm: str, setting: Setting, progress: Step | None = None) -> tuple[Sweep, ...]:
    """Return all that is stated of the utility of ``check-in`` or ``averaged``, around a setting.

    ``steps``, ``clients`` and ``check_in_prob`` of the setting are the largest, ``sigma`` the smallest.  Of what cannot
    be varied, as slots would be too empty, there is no sweep.
    """
    if algorithm not in _PLANS:
        raise ParameterError("protocol", f"one of {', '.join(STATED_FOR)} for its utility", algorithm)
    if isinstance(setting.repeats, int) and setting.repeats < 2:
        raise ParameterError("repeat", "at least 2 for an interval", setting.repeats)
    plans = [(plan, plan[-1](setting)) for plan in _PLANS[algorithm]]
    plans = [(plan, settings) for plan, settings in plans if len(settings) > 1]
    total, done, found = sum(len(settings) for _, settings in plans), 0, []
    for (statement, axis, moved, exponent, maker, _), settings in plans:
        case, places = CASES[statement], []
        for each in settings:
            # Places share no random numbers, or their errors would not be independent.
            each = replace(each, seed=seeded(setting.seed, done))
            population = maker(case, each)
            places.append(measured(case, each, population))
            done += 1
            if progress:
                progress(done, total)
        found.append(_swept(case, population.name, axis, moved, exponent, places))
    return tuple(found)


def seeded(seed: int, place: int) -> int:
    """Return the seed of one of many measurements."""
    return (seed + place) % 2**64


def _swept(case: Case, population: str, axis: str, moved: str, exponent: float, places: Sequence[Place]) -> Sweep:
    slope = empirical_values.slope(
        [_at(axis, place) for place in places], [place.excess for place in places], f"exponent of {axis}"
    )
    return Sweep(case.id, case.title, population, axis, moved, exponent, slope, tuple(places))

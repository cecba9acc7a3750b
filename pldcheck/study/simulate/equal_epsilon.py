r"""Comparison of A_fix and A_avg at the same epsilon, after Theorem 4.2 of Balle et al. (2020).

For a small fixed epsilon, with :math:`s = 1/\epsilon` and constants and logarithms left out, A_fix with
:math:`p_0 = m/n` takes :math:`\sigma = p_0 s/\sqrt m`, A_avg :math:`\sigma = s/\sqrt m`.  The stated rates are then

.. math:: \sqrt{\frac{p s^2}{n^2} + \frac1m}, \qquad \sqrt{\frac{p s^2}{nm} + \frac1m}, \qquad
          \sqrt{\frac1n + \frac{p s^2}{nm}} + \frac1m

for A_fix, for A_avg, and for A_avg on smooth losses.  "For m << n and non-smooth loss A_fix provides a better trade-off
than A_avg, while on smooth losses A_avg and A_fix are incomparable."

The smooth population here is :func:`~pldcheck.study.simulate.record_populations.drift`.  On ``logistic`` with much
noise and n = 8192, A_avg was better at m = 2048 and neither was better at 128 and 512, although the rates favour A_fix:
the rates do not apply to models that are far from convergence.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from typing import Any

from . import empirical_values
from .algorithms import averaged, check_in
from .empirical_values import Empirical
from .excess_risk import Step, seed_of
from .gradient_randomizers import GaussianAnswer
from .learner import Learner, decaying_rates, smooth_rates
from .paper_statements import empty_probability, kappa, thm_3_5_scale, thm_4_2_scale
from .record_populations import Population, drift, median
from .simulation_runs import repeat

# Quotients n/m, from m << n upwards.
SHARES = (64, 16, 4)
# Values of s^2 over n/p: little noise and much noise.
NOISES = (0.1, 10.0)
# Most clients, which are also the answers of each run of A_avg; more would only take longer.
ENOUGH = 8192
# Mean of the linear losses of the smooth population.
MEAN = 0.5
# Factor within which two rates count as alike, since they leave constants out.
ALIKE = 1.5


@dataclass(frozen=True)
class AlgorithmComparison:
    """The measured excess risks of A_fix and A_avg on one population, for one noise and one m, and their rates."""

    population: str
    steps: int
    clients: int
    inverse_epsilon: float
    fixed: Empirical
    averaged: Empirical
    fixed_rate: float
    averaged_rate: float

    @property
    def better(self) -> str:
        """The algorithm whose measured interval lies below that of the other, or "neither" if the intervals overlap."""
        if self.fixed.upper < self.averaged.lower:
            return "A_fix"
        return "A_avg" if self.averaged.upper < self.fixed.lower else "neither"

    @property
    def better_by_rate(self) -> str:
        """The algorithm with the smaller stated rate, or "neither" if the rates are alike."""
        if max(self.fixed_rate, self.averaged_rate) < ALIKE * min(self.fixed_rate, self.averaged_rate):
            return "neither"
        return "A_fix" if self.fixed_rate < self.averaged_rate else "A_avg"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain numbers and strings, ready for JSON."""
        return {
            "population": self.population,
            "steps": self.steps,
            "clients": self.clients,
            "inverse_epsilon": self.inverse_epsilon,
            "A_fix": self.fixed.to_dict(),
            "A_avg": self.averaged.to_dict(),
            "A_fix_rate": self.fixed_rate,
            "A_avg_rate": self.averaged_rate,
            "better": self.better,
            "better_stated": self.better_by_rate,
        }

    def line(self) -> str:
        """Return the line for a terminal."""
        head = f"  {self.population:<7} m = {self.steps:<6} s = {self.inverse_epsilon:<8.4g}"
        both = f"A_fix {self.fixed}, rate {self.fixed_rate:.3g}; A_avg {self.averaged}, rate {self.averaged_rate:.3g}"
        return f"{head} {both}: better by measurement: {self.better}, by the rates: {self.better_by_rate}"


def compare_algorithms(
    clients: int, dimension: int, repeats: int, seed: int = 0, progress: Step | None = None
) -> tuple[AlgorithmComparison, ...]:
    """Return comparisons of A_fix and A_avg on a population with a kink and on a smooth one, with two levels of noise.

    At most ``ENOUGH`` clients take part.
    """
    clients = min(clients, ENOUGH)
    populations = (median(dimension), drift(dimension, MEAN))
    places = [(population, over, share) for population in populations for over in NOISES for share in SHARES]
    rows: list[AlgorithmComparison] = []
    for population, over, share in places:
        s = sqrt(over * clients / dimension)
        rows.append(_both(population, max(clients // share, 1), clients, s, repeats, seed_of(seed, 2 * len(rows))))
        if progress:
            progress(len(rows), len(places))
    return tuple(rows)


def _both(population: Population, m: int, n: int, s: float, repeats: int, seed: int) -> AlgorithmComparison:
    p, diameter = population.dimension, 2.0 * population.radius
    fixed, together = check_in(m, n, m / n), averaged(n, m)
    quiet, loud = (m / n) * s / sqrt(m), s / sqrt(m)
    scale = thm_3_5_scale(empty_probability(fixed), p * quiet**2, 1.0, diameter)
    one = Learner(population, GaussianAnswer("gaussian", quiet), decaying_rates(scale, m))
    smooth = population.smooth < float("inf")
    if smooth:
        rates = smooth_rates(population.smooth, kappa(m, n, p * loud**2, 1.0), diameter, m)
        rate = sqrt(1.0 / n + p * s**2 / (n * m)) + 1.0 / m
    else:
        rates = decaying_rates(thm_4_2_scale(m, n, p * loud**2, 1.0, diameter), m)
        rate = sqrt(p * s**2 / (n * m) + 1.0 / m)
    many = Learner(population, GaussianAnswer("gaussian", loud), rates)
    alone, joint = repeat(fixed, one, repeats, seed), repeat(together, many, repeats, seed_of(seed, 1))
    return AlgorithmComparison(
        population.name,
        m,
        n,
        s,
        empirical_values.mean(population.excess(alone.last), "excess population risk"),
        empirical_values.mean(population.excess(joint.mean if smooth else joint.last), "excess population risk"),
        sqrt(p * s**2 / n**2 + 1.0 / m),
        rate,
    )


def lines(rows: tuple[AlgorithmComparison, ...]) -> Iterator[str]:
    """Yield the lines for a terminal."""
    yield (
        f"A_fix and A_avg at one epsilon, with s = 1/epsilon and n = {rows[0].clients}; on the smooth population "
        "drift, A_avg releases the averaged model"
    )
    yield from (each.line() for each in rows)

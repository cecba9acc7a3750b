"""Simulation of the protocols, in which a model is learnt from clients' randomized gradients; and sampled deltas.

Everything that is measured here is empirical: an :class:`Empirical` with its confidence, and not a certified interval.
Read ``algorithms`` first (which client answers when), then ``simulation_runs`` (one run or many), ``tallies`` (counts
beside their statements), ``excess_risk`` (utility beside Theorems 3.5 and 4.2), and ``sampled_delta``.
"""

from __future__ import annotations

from .algorithms import Algorithm, averaged, bins, check_in, even_bins, hidden_slot, shuffle, sliding_window, swap
from .empirical_values import Empirical
from .excess_risk import Setting, Sweep, sweeps
from .gradient_randomizers import GaussianAnswer, randomizer
from .record_populations import POPULATIONS, Population, data_set, logistic, median
from .sampled_delta import sampled_delta
from .simulation_runs import Learner, Run, Runs, default_learner, repeat, run
from .tallies import Count, counts

__all__ = [
    "Algorithm",
    "Count",
    "Empirical",
    "GaussianAnswer",
    "Learner",
    "POPULATIONS",
    "Population",
    "Run",
    "Runs",
    "Setting",
    "Sweep",
    "averaged",
    "bins",
    "check_in",
    "counts",
    "data_set",
    "default_learner",
    "even_bins",
    "hidden_slot",
    "logistic",
    "median",
    "randomizer",
    "repeat",
    "run",
    "sampled_delta",
    "shuffle",
    "sliding_window",
    "swap",
    "sweeps",
]

"""Simulation of the protocols: clients, a channel and servers exchange messages while a model is learnt.

Everything that is measured here is empirical: an :class:`Empirical` with its confidence, and not a certified interval.
Read ``algorithms`` first (which client answers when), then ``simulation_runs`` (one run or many), ``tallies`` (counts
beside their statements) and ``excess_risk`` (utility beside Theorems 3.5 and 4.2).
"""

from __future__ import annotations

from .algorithms import Algorithm as Algorithm
from .algorithms import averaged as averaged
from .algorithms import bins as bins
from .algorithms import check_in as check_in
from .algorithms import even_bins as even_bins
from .algorithms import hidden_slot as hidden_slot
from .algorithms import shuffle as shuffle
from .algorithms import sliding_window as sliding_window
from .algorithms import swap as swap
from .dummy_costs import Treatment as Treatment
from .dummy_costs import treatments as treatments
from .empirical_values import Empirical as Empirical
from .equal_epsilon import AlgorithmComparison as AlgorithmComparison
from .equal_epsilon import compare_algorithms as compare_algorithms
from .excess_risk import Setting as Setting
from .excess_risk import Sweep as Sweep
from .excess_risk import sweeps as sweeps
from .gradient_randomizers import GaussianAnswer as GaussianAnswer
from .gradient_randomizers import TableAnswer as TableAnswer
from .gradient_randomizers import randomizer as randomizer
from .learner import Learner as Learner
from .learner import decaying_rates as decaying_rates
from .learner import default_learner as default_learner
from .learner import smooth_rates as smooth_rates
from .paper_statements import STATEMENTS as STATEMENTS
from .paper_statements import Statement as Statement
from .record_populations import POPULATIONS as POPULATIONS
from .record_populations import Population as Population
from .record_populations import data_set as data_set
from .record_populations import drift as drift
from .record_populations import logistic as logistic
from .record_populations import median as median
from .sampled_delta import sampled_delta as sampled_delta
from .simulation_runs import Run as Run
from .simulation_runs import Runs as Runs
from .simulation_runs import repeat as repeat
from .simulation_runs import run as run
from .tallies import Count as Count
from .tallies import counts as counts
from .tallies import tally as tally
from .wire_inspection import complaints as complaints

__all__ = [
    "Algorithm",
    "AlgorithmComparison",
    "Count",
    "Empirical",
    "GaussianAnswer",
    "Learner",
    "POPULATIONS",
    "Population",
    "Run",
    "Runs",
    "STATEMENTS",
    "Setting",
    "Statement",
    "Sweep",
    "TableAnswer",
    "Treatment",
    "averaged",
    "bins",
    "check_in",
    "compare_algorithms",
    "complaints",
    "counts",
    "data_set",
    "decaying_rates",
    "default_learner",
    "drift",
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
    "smooth_rates",
    "swap",
    "sweeps",
    "tally",
    "treatments",
]

"""The protocols themselves, run: clients, a channel, servers, and a model that is learnt.

Everything measured here is empirical, an :class:`Empirical` with its confidence, whatever is certified elsewhere.
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
from .equal_epsilon import Compared as Compared
from .equal_epsilon import compared as compared
from .excess_risk import Setting as Setting
from .excess_risk import Sweep as Sweep
from .excess_risk import sweeps as sweeps
from .gradient_randomizers import GaussianAnswer as GaussianAnswer
from .gradient_randomizers import TableAnswer as TableAnswer
from .gradient_randomizers import randomizer as randomizer
from .learner import Learner as Learner
from .learner import decaying as decaying
from .learner import smoothed as smoothed
from .learner import usual as usual
from .paper_statements import STATEMENTS as STATEMENTS
from .paper_statements import Statement as Statement
from .record_populations import POPULATIONS as POPULATIONS
from .record_populations import Population as Population
from .record_populations import data_set as data_set
from .record_populations import drift as drift
from .record_populations import logistic as logistic
from .record_populations import median as median
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
    "Compared",
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
    "compared",
    "complaints",
    "counts",
    "data_set",
    "decaying",
    "drift",
    "even_bins",
    "hidden_slot",
    "logistic",
    "median",
    "randomizer",
    "repeat",
    "run",
    "shuffle",
    "sliding_window",
    "smoothed",
    "swap",
    "sweeps",
    "tally",
    "treatments",
    "usual",
]

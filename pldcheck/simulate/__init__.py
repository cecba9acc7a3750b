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
from .comparison import Compared as Compared
from .comparison import compared as compared
from .dummies import Treatment as Treatment
from .dummies import treatments as treatments
from .empirical import Empirical as Empirical
from .inspection import complaints as complaints
from .learner import Learner as Learner
from .learner import decaying as decaying
from .learner import smoothed as smoothed
from .learner import usual as usual
from .population import POPULATIONS as POPULATIONS
from .population import Population as Population
from .population import data_set as data_set
from .population import drift as drift
from .population import logistic as logistic
from .population import median as median
from .randomizers import GaussianAnswer as GaussianAnswer
from .randomizers import TableAnswer as TableAnswer
from .randomizers import randomizer as randomizer
from .runs import Run as Run
from .runs import Runs as Runs
from .runs import repeat as repeat
from .runs import run as run
from .statements import STATEMENTS as STATEMENTS
from .statements import Statement as Statement
from .tallies import Count as Count
from .tallies import counts as counts
from .tallies import tally as tally
from .utility import Setting as Setting
from .utility import Sweep as Sweep
from .utility import sweeps as sweeps

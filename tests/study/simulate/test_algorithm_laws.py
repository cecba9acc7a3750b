"""Who answers when, in two hundred thousand runs, against the exact law of every algorithm."""

from collections import Counter
from fractions import Fraction

import marks_of_clients
import numpy as np
import protocol_twins
import pytest

from pldcheck.study import simulate
from pldcheck.study.simulate import empirical_values

RUNS = 200_000
# Each interval is wrong with this probability.
ERROR = 1e-9
HALF = Fraction(1, 2)
P0 = Fraction(3, 5)

CASES = {
    "check-in, all": (simulate.check_in(2, 3), protocol_twins.check_in(3, 2, Fraction(1))),
    "check-in": (simulate.check_in(2, 3, 0.6), protocol_twins.check_in(3, 2, P0)),
    "check-in, one slot": (simulate.check_in(1, 3, 0.5), protocol_twins.check_in(3, 1, HALF)),
    "check-in, one client": (simulate.check_in(3, 1, 0.6), protocol_twins.check_in(1, 3, P0)),
    "averaged": (simulate.averaged(3, 3), protocol_twins.average_law(3, 3)),
    "sliding window": (simulate.sliding_window(2, 4), protocol_twins.sliding_window(4, 2)),
    "sliding window, whole": (simulate.sliding_window(3, 3), protocol_twins.sliding_window(3, 3)),
    "hidden slot": (simulate.hidden_slot(3), protocol_twins.hidden_slot(3, Fraction(1))),
    "hidden slot, weight": (simulate.hidden_slot(3, 0.6), protocol_twins.hidden_slot(3, P0)),
    "shuffle": (simulate.shuffle(4), protocol_twins.shuffle(4)),
    "swap": (simulate.swap(4), protocol_twins.swap(4)),
    "swap, one": (simulate.swap(1), protocol_twins.swap(1)),
    "bins": (simulate.bins([2, 0, 1]), protocol_twins.bins([2, 0, 1])),
}


def agree(counts, law, runs):
    assert sum(law.values()) == 1 and set(counts) <= set(law)
    for outcome, chance in law.items():
        limits = empirical_values.share(counts[outcome], runs, "outcome", 1.0 - ERROR)
        assert float(chance) in limits, outcome
        assert limits.upper - limits.lower < 6.7 * runs**-0.5  # narrow enough to mean something


@pytest.mark.parametrize(("algorithm", "law"), CASES.values(), ids=CASES)
def test_the_law_of_who_answers_when(algorithm, law):
    learner = marks_of_clients.learner_with_marks(algorithm.clients, algorithm.slots)
    runs = simulate.repeat(algorithm, learner, RUNS, seed=11)
    counts = Counter()
    # Each model is read once.
    for model, count in zip(*np.unique(runs.last, axis=0, return_counts=True), strict=True):
        counts[marks_of_clients.decode(model, algorithm.averages)] += int(count)
    assert sum(counts.values()) == RUNS
    agree(counts, law, RUNS)
    dummies = sum(chance * (algorithm.slots - len(nonempty_slots(outcome))) for outcome, chance in law.items())
    assert abs(runs.empty.mean() - float(dummies)) < 0.02


def nonempty_slots(outcome):
    """Return the slots somebody answered in."""
    return {place if isinstance(place, int) else place[0] for place in outcome} - {0}

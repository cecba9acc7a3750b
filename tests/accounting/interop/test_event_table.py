"""A table of all events of dp_accounting, of version 0.6 and of its repository: answered, or refused and why."""

import inspect
import re

import attr
import dp_accounting as dpa
import pytest
from dp_accounting import dp_event

from pldcheck.accounting import Accountant
from pldcheck.accounting.interop import RandomCheckInDpEvent, ShuffleDpEvent, UnsupportedEventError, from_event

REMOVE, REPLACE, SPECIAL = dpa.NeighboringRelation
GAUSSIAN, LAPLACE = dpa.GaussianDpEvent(2.0), dpa.LaplaceDpEvent(2.0)


def later(name, **fields):
    """Return an event of a class that version 0.6 lacks."""
    names = {key: attr.ib() for key in fields}
    cls = attr.make_class(name, names, bases=(dpa.DpEvent,), frozen=True)
    return cls(**fields)


# EXACT: both ends agree to 1e-3.  APART: both ends are known.  ABOVE: the lower end is 0.  A text: the refusal.
EXACT, APART, ABOVE = "exact", "apart", "above"
ALL = {REMOVE: EXACT, REPLACE: EXACT, SPECIAL: EXACT}
REPLACED = {REPLACE: EXACT, SPECIAL: EXACT}
SAMPLES = "Poisson samples are answered of Gaussian noise"
TABLE = [
    (dpa.NoOpDpEvent(), ALL),
    (dpa.UnsupportedDpEvent(), dict.fromkeys(ALL, "nearest is EpsilonDeltaDpEvent or ZCDpEvent")),
    (dpa.DpEvent(), dict.fromkeys(ALL, "known: NoOpDpEvent, GaussianDpEvent")),
    (GAUSSIAN, ALL),
    (LAPLACE, ALL),
    (dp_event.DiscreteLaplaceDpEvent(0.5, 3), ALL),
    (dpa.RandomizedResponseDpEvent(0.5, 4), {REMOVE: "REPLACE_ONE and REPLACE_SPECIAL are answered", **REPLACED}),
    (dpa.SelfComposedDpEvent(GAUSSIAN, 3), ALL),
    (dpa.ComposedDpEvent([GAUSSIAN, LAPLACE]), ALL),
    (dpa.PoissonSampledDpEvent(0.1, GAUSSIAN), ALL),
    (dpa.PoissonSampledDpEvent(0.1, dpa.SelfComposedDpEvent(GAUSSIAN, 3)), ALL),
    (dpa.PoissonSampledDpEvent(0.1, dpa.ComposedDpEvent([GAUSSIAN, dpa.GaussianDpEvent(1.0)])), ALL),
    (dpa.PoissonSampledDpEvent(0.1, LAPLACE), {REMOVE: EXACT, SPECIAL: EXACT, REPLACE: SAMPLES}),
    (
        dpa.PoissonSampledDpEvent(0.1, dp_event.DiscreteLaplaceDpEvent(0.5, 1)),
        {REMOVE: EXACT, SPECIAL: EXACT, REPLACE: SAMPLES},
    ),
    (dpa.PoissonSampledDpEvent(0.1, dpa.SelfComposedDpEvent(LAPLACE, 3)), dict.fromkeys(ALL, SAMPLES)),
    (dpa.PoissonSampledDpEvent(0.1, dpa.RandomizedResponseDpEvent(0.5, 4)), dict.fromkeys(ALL, SAMPLES)),
    (
        dpa.SampledWithReplacementDpEvent(100, 5, GAUSSIAN),
        {REMOVE: "the size of the data set is fixed", REPLACE: APART, SPECIAL: APART},
    ),
    (
        dpa.SampledWithoutReplacementDpEvent(100, 5, GAUSSIAN),
        {REMOVE: "the size of the data set is fixed", **REPLACED},
    ),
    (dpa.SingleEpochTreeAggregationDpEvent(2.0, [5, 8]), {REMOVE: "to other leaves", **REPLACED}),
    (
        dpa.dp_event.RepeatAndSelectDpEvent(GAUSSIAN, 3.0, 1.0),
        dict.fromkeys(ALL, "only its Renyi divergences are bounded"),
    ),
    (
        dp_event.MixtureOfGaussiansDpEvent(2.0, [0.0, 1.0], [0.5, 0.5]),
        {REMOVE: EXACT, SPECIAL: EXACT, REPLACE: "stated for a record that is added or removed"},
    ),
    (dpa.ZCDpEvent(0.1, 0.01), dict.fromkeys(ALL, ABOVE)),
    (
        dpa.TruncatedSubsampledGaussianDpEvent(100, 0.1, 20, 2.0),
        {REMOVE: APART, REPLACE: "ADD_OR_REMOVE_ONE is answered", SPECIAL: "ADD_OR_REMOVE_ONE is answered"},
    ),
    # What the repository has since version 0.6.
    (later("EpsilonDeltaDpEvent", epsilon=0.5, delta=1e-7), ALL),
    (later("DiscreteGaussianDpEvent", sigma=3.0, sensitivity=2.0, dimension=1), ALL),
    (later("DiscreteGaussianDpEvent", sigma=3.0, sensitivity=2.0, dimension=None), dict.fromkeys(ALL, ABOVE)),
    (later("ExponentialMechanismDpEvent", epsilon=1.0), dict.fromkeys(ALL, APART)),
    (later("PermuteAndFlipDpEvent", epsilon=1.0), dict.fromkeys(ALL, APART)),
    (
        later("RandomAllocationDpEvent", event=GAUSSIAN, num_selected=1, num_steps=4),
        {REMOVE: APART, SPECIAL: APART, REPLACE: "stated for a record that is added or removed"},
    ),
    (
        dpa.PoissonSampledDpEvent(0.1, later("ExponentialMechanismDpEvent", epsilon=1.0)),
        {REMOVE: APART, REPLACE: SAMPLES, SPECIAL: SAMPLES},
    ),
    (
        dpa.PoissonSampledDpEvent(0.1, later("EpsilonDeltaDpEvent", epsilon=0.5, delta=1e-7)),
        {REMOVE: EXACT, REPLACE: SAMPLES, SPECIAL: SAMPLES},
    ),
    # What they lack.
    (RandomCheckInDpEvent(10, 0.5), {REMOVE: "a record is replaced in it", REPLACE: APART, SPECIAL: ABOVE}),
    (ShuffleDpEvent(100, 0.5), {REMOVE: "a record is replaced in it", REPLACE: APART, SPECIAL: ABOVE}),
]
CASES = [(event, relation, row[relation]) for event, row in TABLE for relation in dpa.NeighboringRelation]


def check(event, relation, answer):
    accountant = Accountant(relation, least_delta=1e-6)
    for one in (event, event.to_named_tuple()):
        if answer not in (EXACT, APART, ABOVE):
            with pytest.raises(UnsupportedEventError, match=re.escape(answer)):
                from_event(one, relation=relation)
            continue
        interval = from_event(one, 1e-6, relation).epsilon(1e-5)
        assert interval.relative_width < 1e-3 if answer == EXACT else (interval.lower == 0.0) == (answer == ABOVE)
    assert accountant.supports(event) is (answer in (EXACT, APART, ABOVE))
    if accountant.supports(event):
        # An accountant of nothing has [0, 0].
        assert accountant.compose(event).epsilon(1e-5).upper == pytest.approx(interval.upper, abs=1e-12)
    else:
        with pytest.raises(dpa.UnsupportedEventError, match=re.escape(answer)):
            accountant.compose(event)


@pytest.mark.nightly
@pytest.mark.parametrize(("event", "relation", "answer"), CASES, ids=str)
def test_every_event_under_every_relation(event, relation, answer):
    check(event, relation, answer)


def test_some_events_of_the_table():
    for place in (5, 6, 17, 19, 21):
        for relation in dpa.NeighboringRelation:
            event, row = TABLE[place]
            check(event, relation, row[relation])


def test_the_table_has_all_events_of_the_installed_version():
    classes = {cls for _, cls in inspect.getmembers(dp_event, inspect.isclass) if issubclass(cls, dpa.DpEvent)}
    # It is answered by the accountant alone.
    assert {cls.__name__ for cls in classes} - {type(event).__name__ for event, _ in TABLE} == {"NonPrivateDpEvent"}
    with pytest.raises(UnsupportedEventError, match="Accountant answers epsilon = infinity"):
        from_event(dpa.NonPrivateDpEvent())
    assert all(Accountant(relation).supports(dpa.NonPrivateDpEvent()) for relation in dpa.NeighboringRelation)

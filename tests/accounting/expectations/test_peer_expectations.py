"""What the tests of dp_accounting, prv_accountant and Opacus expect: their numbers, asked of pldcheck.

The mechanisms are made in ``pairs_of_peers``, the lines and the comparison are in ``peer_expectations``.
"""

from collections import Counter
from math import inf

import pytest
from mpmath import mp, mpf
from peer_expectations import CONTRADICTED, NOT_ASKED, OUTCOMES, WIDE, ask, expectations, is_narrow, judge, number

ALL = expectations()
TESTS = list(dict.fromkeys(one.test for one in ALL))
# At least this share is answered.
ASKABLE = 0.95


def check(one):
    outcome, words = judge(one)
    assert outcome == OUTCOMES[one.kind], (one, words)


def test_most_expectations_can_be_asked_and_every_other_outcome_has_a_reason():
    outcomes = Counter(OUTCOMES[one.kind] for one in ALL)
    assert outcomes == {"inside": 861, "explained": 286, NOT_ASKED: 53, CONTRADICTED: 10}
    assert 1.0 - outcomes[NOT_ASKED] / len(ALL) >= ASKABLE
    assert Counter(one.peer for one in ALL) == {"dp_accounting": 1140, "opacus": 43, "prv_accountant": 27}
    # Laws of losses say themselves, by their rounding, what sort of bound they are.
    assert [
        one for one in ALL if one.kind not in ("exact", "refusal") and not one.why and "curve" not in one.asks
    ] == []


def test_some_expectations_of_every_peer():
    for one in ALL[7::97]:
        if one.asks not in ("gdp", "tpr", "noise"):
            check(one)


def test_what_is_contradicted_is_false_by_the_closed_form():
    """Return of a threshold to an integer: at epsilon = 0 the law on a grid has delta 0.341, and the truth is 0.383."""
    (one,) = (one for one in ALL if one.kind == "false" and one.of["lengths"] == [1.0] and one.of["way"] == "remove")
    stated = dict((step, mass) for step, mass in one.says if step != "inf")
    rest = 1.0 - sum(stated.values())
    mp.dps = 30
    says = rest + sum(mass * (1 - mp.exp(-step)) for step, mass in stated.items() if step > 0)
    truth = 2 * mp.ncdf(mpf(1) / 2) - 1
    # A threshold of 1 in place of 1/2 gives the number there.
    assert says < 0.3414 < 0.3829 < truth and abs(says - (mp.ncdf(1) - mp.ncdf(0))) < 1e-8
    assert judge(one)[0] == CONTRADICTED


@pytest.mark.nightly
@pytest.mark.parametrize("test", TESTS)
def test_all_expectations(test):
    for one in ALL:
        if one.test == test:
            check(one)


@pytest.mark.nightly
def test_intervals_beside_exact_numbers_are_narrow():
    plain = ("delta", "epsilon", "renyi", "tpr", "gdp")
    wide = {
        one.test.partition("::")[2]
        for one in ALL
        if one.kind == "exact" and one.asks in plain and not is_narrow(ask(one), number(one.says), one.within or 0.0)
    }
    assert wide == set(WIDE)


@pytest.mark.nightly
def test_a_number_that_is_off_by_a_little_is_contradicted():
    """Return that the comparison can fail: exact deltas moved by three tolerances and the width of the answer."""
    moved = [one for one in ALL if one.kind == "exact" and one.asks == "delta" and one.within and 0.0 < one.says < inf]
    assert len(moved) > 250
    for one in moved[::7]:
        interval = ask(one)
        step = 3.0 * one.within + 1.5 * interval.width
        for sign in (1.0, -1.0):
            other = type(one)(**{**vars(one), "says": one.says + sign * step})
            assert judge(other)[0] == CONTRADICTED, one

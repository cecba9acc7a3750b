"""Verdicts: each against the definition, at the ends and next to them."""

from math import inf, nextafter

import pytest

from pldcheck.accounting.peers import Claim, judge
from pldcheck.accounting.peers.claim_judgement import INSIDE, LOOSE, NOT_JUDGED, ROUND_OFF, UNDECIDED, UNSOUND
from pldcheck.accounting.peers.peer_processes import ANSWERED, TIME_LIMIT
from pldcheck.core.interval import Interval

NARROW = Interval(1.0, 1.0005)
WIDE = Interval(1.0, 2.0)


def claim(lower=None, upper=None, adjacency="replace", status=ANSWERED):
    return Claim("prv", "", status, lower, upper, adjacency)


@pytest.mark.parametrize(
    ("lower", "upper", "interval", "verdict", "why"),
    [
        (None, 1.0002, NARROW, INSIDE, ""),
        (None, 1.5, WIDE, UNDECIDED, "the certified interval is wide, a factor of 2"),
        (None, 4.0, WIDE, LOOSE, "upper end is above the true value by a factor of 2"),
        (None, 0.5, WIDE, UNSOUND, "upper end is below the true value by a factor of 2"),
        (None, 0.8, NARROW, UNSOUND, "upper end is below the true value by 25 %"),
        (None, 0.0, NARROW, UNSOUND, "upper end is below the true value by more than any factor"),
        (None, inf, NARROW, LOOSE, "upper end is above the true value by more than any factor"),
        (None, inf, Interval(inf, inf), INSIDE, ""),
        (None, 7.0, Interval(inf, inf), UNSOUND, "upper end is below the true value by more than any factor"),
        (None, 0.0, Interval(0.0, 0.0), INSIDE, ""),
        (0.5, None, NARROW, LOOSE, "lower end is below the true value by a factor of 2"),
        (2.0, None, NARROW, UNSOUND, "lower end is above the true value by 99.9 %"),
        (
            0.5,
            1.25,
            Interval(1.0, 1.0),
            LOOSE,
            "upper end is above the true value by 25 % and lower end is below the true value by a factor of 2",
        ),
        (1.0001, 1.0002, NARROW, INSIDE, ""),
        (0.5, 0.75, NARROW, UNSOUND, "upper end is below the true value by 33.3 %"),
        (1.5, 1.75, NARROW, UNSOUND, "lower end is above the true value by 49.9 %"),
        (-1.0, 1.0002, NARROW, LOOSE, "lower end is below the true value by more than any factor"),
    ],
)
def test_claims_get_the_verdict_of_their_place_beside_the_interval(lower, upper, interval, verdict, why):
    judgement = judge(claim(lower, upper), interval, "replace")
    assert (judgement.verdict, judgement.why) == (verdict, why)
    assert (judgement.by > 0.0) == (verdict in (LOOSE, UNSOUND))


def test_shares_are_rounded_down():
    assert judge(claim(upper=1.0 + 1.9999e-3), Interval(1.0, 1.0), "replace").why.endswith("0.199 %")


@pytest.mark.parametrize("quantity", ["epsilon", "delta"])
def test_what_rounding_of_parameters_can_do_is_no_fault(quantity):
    exact = Interval(1.0, 1.0, quantity)
    assert judge(claim(upper=1.0 - ROUND_OFF / 2), exact, "replace").verdict == INSIDE
    assert judge(claim(upper=1.0 - 3 * ROUND_OFF), exact, "replace").verdict == UNSOUND
    assert judge(claim(upper=1.0 + 3 * ROUND_OFF), exact, "replace").verdict == LOOSE
    # A tiny delta is compared relatively.
    tiny = Interval(1e-30, 1e-30, "delta")
    assert judge(claim(upper=nextafter(1e-30, 0)), tiny, "replace").verdict == INSIDE
    assert judge(claim(upper=0.9e-30), tiny, "replace").verdict == UNSOUND


def test_only_the_same_adjacency_is_judged():
    low = claim(upper=0.5, adjacency="add-remove")
    judgement = judge(low, NARROW, "replace")
    assert (judgement.verdict, judgement.why) == (NOT_JUDGED, "adjacency add-remove, not replace")
    assert judge(low, NARROW, "any").verdict == UNSOUND  # the same for all
    assert judge(claim(upper=0.5, adjacency="any"), NARROW, "add-remove").verdict == UNSOUND
    assert judge(claim(status=TIME_LIMIT), NARROW, "replace").verdict == NOT_JUDGED

"""Remarks: ids of their own, and what judges each of them."""

from dataclasses import replace

import pytest

from pldcheck.core.errors import ParameterError, UnknownNameError
from pldcheck.protocols import PROTOCOLS
from pldcheck.theorems import REGISTRY, REMARKS
from pldcheck.theorems.papers import chains
from pldcheck.theorems.remark import Remarks
from pldcheck.theorems.statements import STATEMENTS


@pytest.mark.nightly
def test_remarks_are_found_by_their_ids():
    assert "loss-2" in REMARKS and "pld-7" not in REMARKS
    with pytest.raises(UnknownNameError, match="did you mean loss-2"):
        REMARKS["los-2"]
    one = REMARKS["loss-2"]
    with pytest.raises(ParameterError, match="unique"):
        Remarks([one, one])
    with pytest.raises(UnknownNameError, match="kind of remark"):
        replace(one, kind="hunch")


@pytest.mark.nightly
def test_no_two_things_have_one_id():
    assert not REMARKS.keys() & (REGISTRY.keys() | STATEMENTS.keys() | PROTOCOLS.keys())


def test_a_remark_names_what_judges_it_or_says_why_nothing_does():
    for remark in REMARKS.values():
        assert set(remark.theorems) <= REGISTRY.keys() | chains().keys()
        is_judged = bool(remark.theorems) or remark.id in chains()
        assert is_judged != bool(remark.why), remark.id
        assert remark.state(remark.id in chains()).startswith(("judged ", "used in ") if is_judged else "not judged, b")


@pytest.mark.nightly
def test_the_state_says_both_ways_of_judging():
    one = REMARKS["loss-2"]
    assert one.state(False) == "used in pld-7, pld-9"
    assert replace(one, kind="lemma").state(False) == "judged in pld-7, pld-9"
    assert one.state(True) == "judged by the steps of pldcheck audit loss-2; used in pld-7, pld-9"
    assert replace(one, theorems=(), why="it is vague").state(False) == "not judged, because it is vague"

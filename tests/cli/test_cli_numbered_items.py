"""Every id that the audit knows is shown and listed."""

from pldcheck.theorems import REGISTRY, REMARKS
from pldcheck.theorems.papers import chains
from pldcheck.theorems.statements import STATEMENTS


def test_every_audited_id_is_shown_and_listed(pldcheck):
    lists = pldcheck("list", "--json").json
    known = {entry["id"] for kind in ("theorems", "remarks", "statements") for entry in lists[kind]}
    assert set(chains()) <= known == REGISTRY.keys() | REMARKS.keys() | STATEMENTS.keys()
    for name in chains():
        shown = pldcheck("show", name, "--json")
        assert shown.status == 0 and shown.json["id"] == name
    text = pldcheck("show", "prop-3.4").out
    assert "judged by the steps of pldcheck audit prop-3.4" in text


def test_a_remark_is_no_theorem_to_verify(pldcheck):
    refusal = pldcheck("bound", "rem-4", "--delta", 1e-6)
    assert refusal.status == 2 and "rem-4 is a remark of a paper" in refusal.err

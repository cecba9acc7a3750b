"""Spoiled witness files: none is accepted that is not true, none takes long."""

import json
from collections import Counter

import pytest

from pldcheck.witness import dumps, examine

from .witness_files import fuzz, originals

SEED = 20261122


@pytest.mark.nightly
@pytest.mark.parametrize("files", [12, pytest.param(250, marks=pytest.mark.long)])
def test_no_spoiled_file_is_accepted_falsely(files):
    outcomes = list(fuzz(files, SEED))
    assert [outcome for outcome in outcomes if outcome.kind not in ("accepted", "rejected", "SLOW")] == []
    counts = Counter(outcome.kind for outcome in outcomes)
    assert counts["rejected"] > 0.8 * files


@pytest.mark.parametrize("number", range(4))
def test_files_say_what_they_claim(number, tmp_path):
    facts = originals()[number]
    (tmp_path / "file.json").write_bytes(dumps(facts))
    is_accepted, text = examine(tmp_path / "file.json")
    assert is_accepted, text
    if "theorem" in facts["of"]:
        assert "krr-merged claims delta <= 0.0272484 at epsilon=0.8, clients=2, eps0=1.0, categories=3" in text
    else:
        assert "hidden-slot is not (" in text
    for change, reason in (
        (lambda text: text.replace('"claim": {', '"claim": {}, "claim": {', 1), "a key stands twice"),
        (lambda text: text + "{}", "Extra data"),
        (lambda text: text + " " * 300_000, "longer than"),
        (lambda text: text.replace('"of": {', '"more": 1, "of": {', 1), "not known"),
        (lambda text: text.replace('"claim": {', '"claim": {"more": 1, ', 1), "not known"),
        (lambda text: text.replace('"mechanism": {', '"mechanism": {"more": 1, ', 1), "not known"),
        (
            lambda text: json.dumps({**json.loads(text), "of": {"theorem": "thm-3.2", "params": {}}}),
            "cannot be computed",
        ),
        (lambda text: json.dumps({**json.loads(text), "of": {}}), "names no theorem"),
    ):
        (tmp_path / "file.json").write_text(change(dumps(facts).decode()))
        is_accepted, text = examine(tmp_path / "file.json")
        assert not is_accepted and reason in text


def test_a_claim_that_is_not_the_theorems_is_rejected(tmp_path):
    facts = originals()[3]
    smaller_claim = {**facts, "claim": {**facts["claim"], "delta": "0.02"}}
    (tmp_path / "file.json").write_bytes(dumps(smaller_claim))
    is_accepted, text = examine(tmp_path / "file.json")
    assert not is_accepted and "its numbers are not those of krr-merged" in text
    other = {**facts, "of": {"theorem": "krr-merged", "params": {**facts["of"]["params"], "clients": 3}}}
    (tmp_path / "file.json").write_bytes(dumps(other))
    is_accepted, text = examine(tmp_path / "file.json")
    assert not is_accepted and "are not those of krr-merged" in text

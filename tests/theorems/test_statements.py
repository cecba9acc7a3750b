"""The registry of statements: ids, sentences, and what each proof says that it uses."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from pldcheck.core.errors import ParameterError, UnknownNameError
from pldcheck.study.audit.theorem_audit import audit
from pldcheck.theorems import REGISTRY
from pldcheck.theorems.papers import chains
from pldcheck.theorems.statement import Statements
from pldcheck.theorems.statements import STATEMENTS


def test_statements_are_found_by_their_ids():
    assert "curves" in STATEMENTS and "thm-3.2" not in STATEMENTS
    assert STATEMENTS["check-in-slot"].uses == ("curves", "less-used-slot")
    assert STATEMENTS.all_used_by("same-slot") == ("curves", "known-slot", "gaussian-vectors")
    with pytest.raises(UnknownNameError, match="did you mean curves"):
        STATEMENTS["curve"]
    assert not STATEMENTS.keys() & REGISTRY.keys()


def test_a_proof_uses_what_stands_before_it():
    first, second = STATEMENTS["curves"], STATEMENTS["composed-pairs"]
    assert list(Statements([first, second])) == ["curves", "composed-pairs"]
    with pytest.raises(UnknownNameError, match="statement used by composed-pairs"):
        Statements([second, first])
    with pytest.raises(UnknownNameError, match="statement used by curves"):
        Statements([replace(first, uses=("curves",))])
    with pytest.raises(ParameterError, match="unique"):
        Statements([first, first])


@pytest.mark.parametrize("statement", STATEMENTS.values(), ids=STATEMENTS)
def test_statements_are_whole_sentences_and_name_what_they_use(statement):
    # Programs hold the sentence, and their files are plain text.
    assert statement.sentence.isascii() and '"' not in statement.sentence and "\\" not in statement.sentence
    assert statement.proof and statement.conditions
    for text in (statement.sentence, statement.statement, *statement.conditions, *statement.proof):
        assert text == " ".join(text.split()) and text.endswith((".", ".)"))
    texts = " ".join((statement.statement, *statement.conditions, *statement.proof))
    names = {name for name in STATEMENTS if re.search(rf"(?<![\w-]){name}(?![\w-])", texts)} - {statement.id}
    # The word for curves is a word of the language as well.
    is_named = {name for name in names if name not in ("curves", "epochs")}
    is_named |= {"curves"} if re.search(r"[Cc]urves \([a-e]\)", texts) else set()
    assert is_named == set(statement.uses)


def test_every_statement_is_checked_by_enumeration_somewhere():
    texts = [path.read_text() for path in Path(__file__).parent.glob("test_*_statements.py")]
    assert len(texts) == 8
    assert all(any(f'"{name}"' in text for text in texts) for name in STATEMENTS)


def test_calculations_in_proofs_are_audited():
    audited = chains().keys() & STATEMENTS.keys()
    assert audited == {"approximate-pair", "laplace-noise", "fixed-size-sampling", "clipped-slot", "near-pure-slot"}
    for name in audited:
        assert audit(name).holds
        for step in chains()[name].steps:
            place = int(re.fullmatch(rf"{name}, step (\d+) of its proof", step.source)[1])
            assert 1 <= place <= len(STATEMENTS[name].proof) and step.id.startswith(f"{name}/")

"""Every numbered item of Steinke's chapter has an id and something that judges it, or a reason why nothing does."""

import re

import pytest

from pldcheck.theorems import REGISTRY, REMARKS
from pldcheck.theorems.papers import chains

# The chapter's numbered items, from Theorem 1 to Proposition 42.
ITEMS = set(range(1, 43))
NUMBERED = re.compile(r"\b(?:Theorem|Definition|Proposition|Lemma|Remark|Corollary) (\d+)\b")


def places():
    """Return the ids of everything that is printed in the chapter, with where it is."""
    entries = [*REGISTRY.values(), *REMARKS.values()]
    return {entry.id: entry.source.where for entry in entries if entry.source.key == "Steinke22"}


def test_every_numbered_item_has_an_id():
    numbers = {int(number) for where in places().values() for number in NUMBERED.findall(where)}
    assert numbers == ITEMS


@pytest.mark.nightly
def test_every_item_is_the_first_in_the_place_of_some_id_or_shared():
    # Proposition 16 with Theorem 13 is 16; Theorem 13 has an id of its own.
    first = {int(NUMBERED.findall(where)[0]) for where in places().values() if NUMBERED.findall(where)}
    assert first == ITEMS


@pytest.mark.nightly
def test_sections_without_numbers_have_ids():
    wheres = " ".join(places().values())
    assert all(f"Section {name}" in wheres for name in ("2.1", "6.3", "6.6", "6.7"))


@pytest.mark.nightly
def test_lemmas_are_judged():
    remarks = [remark for remark in REMARKS.values() if remark.source.key == "Steinke22"]
    kinds = {remark.kind for remark in remarks}
    assert kinds == {"definition", "remark", "lemma"}
    assert all(remark.theorems or remark.id in chains() for remark in remarks if remark.kind == "lemma")
    assert [remark.id for remark in remarks if remark.why] == ["robust-28"]

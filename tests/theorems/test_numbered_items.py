"""Every numbered item of the papers that were read has an id and a place in its paper."""

import pytest

from pldcheck.theorems import REGISTRY, REMARKS
from pldcheck.theorems.papers import chains

# The items by their names in Balle et al. (2020), main text and supplement, with the ids of all their readings.
BALLE = {
    "Definition 2.1": ["def-2.1"],
    "Definition 3.1": ["def-3.1"],
    "Algorithm 1": ["alg-1"],
    "Figure 1": ["fig-1"],
    "Figure 2": ["fig-2"],
    "Theorem 3.2": ["thm-3.2", "thm-3.2-simple", "thm-3.2-approx", "thm-3.2-approx-main"],
    "Remark 1": ["rem-1"],
    "Remark 2": ["rem-2"],
    "Corollary 3.3": ["cor-3.3", "cor-3.3-printed"],
    "Table 1": ["tab-1"],
    "a factor of e more noise": ["sec-3.2-noise"],
    "Proposition 3.4": ["prop-3.4"],
    "Theorem 3.5": ["thm-3.5", "thm-3.5-sharp"],
    "Remark 3": ["rem-3"],
    "Algorithm 2": ["alg-2"],
    "Section 4.1": ["sec-4.1", "sec-4.1-utility"],
    "Theorem 4.1": ["thm-4.1", "thm-4.1-simple", "thm-4.1-simple-printed", "thm-4.1-approx", "thm-4.1-approx-proof"],
    "Theorem 4.2": ["thm-4.2", "thm-4.2-smooth"],
    "Theorem 4.3": ["thm-4.3", "thm-4.3-simple", "thm-4.3-approx"],
    "Remark 4": ["rem-4"],
    "Proposition 4.4": ["prop-4.4"],
    "Theorem 5.1": ["thm-5.1", "thm-5.1-approx"],
    "Theorem 7 of the earlier paper": ["efmrtt-7"],
    "Lemma A.1": ["lem-A.1"],
    "Lemma A.2": ["lem-A.2"],
    "Lemma A.3": ["lem-A.3", "lem-A.3-printed"],
    "Algorithm 3": ["alg-3"],
    "Theorem A.4": ["thm-A.4", "thm-A.4-simple", "thm-A.4-simple-quarter", "thm-A.4-approx"],
    "Algorithm 4": ["alg-4"],
    "Theorem A.5": ["thm-A.5", "thm-A.5-approx", "thm-A.5-approx-printed"],
    "Lemma A.6": ["lem-A.6"],
    "Algorithm 5": ["alg-5"],
    "Algorithm 6": ["alg-6"],
    "Theorem A.7": ["thm-A.7", "thm-A.7-approx", "thm-A.7-approx-printed"],
}
# The same of the part of Girgis et al. (2021) that was read.
GIRGIS = {
    "(17)": ["girgis-17"],
    "(18)": ["girgis-18"],
    "Lemma 5.1": ["girgis-5.1"],
    "Lemma 5.2": ["girgis-5.2"],
    "Lemma 5.3": ["girgis-5.3"],
    "Corollary 5.4": ["girgis-5.4"],
    "Theorem 3.6": ["girgis-3.6"],
    "the figure on rounds": ["girgis-rounds"],
}


@pytest.mark.parametrize("items", [BALLE, GIRGIS], ids=["Balle20", "Girgis21"])
def test_every_item_has_an_id_and_a_place(items):
    for item, ids in items.items():
        for name in ids:
            entry = REGISTRY[name] if name in REGISTRY else REMARKS[name]
            number = item.split()[-1] if item[0].isupper() and len(item.split()) == 2 else ""
            assert number in entry.source.where, name


@pytest.mark.nightly
def test_every_remark_of_these_papers_belongs_to_an_item():
    ids = {name for items in (BALLE, GIRGIS) for readings in items.values() for name in readings}
    assert {remark.id for remark in REMARKS.values() if remark.source.key in ("Balle20", "Girgis21")} <= ids


@pytest.mark.nightly
def test_titles_of_chains_are_those_of_what_they_prove():
    for name, chain in chains().items():
        if name in REMARKS:
            assert chain.title == REMARKS[name].title

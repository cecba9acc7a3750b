"""The method in ten pages: which docstrings are read, in which order, to follow how an answer is certified."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pdoc.doc

from .docstring_html import Links, docstring_html
from .documented_modules import members, page_of

# A member whose docstring has a displayed formula is part of the argument of its module.
FORMULA = ".. math::"


@dataclass(frozen=True)
class Chapter:
    """A page of the method: ``modules``, without the package's name, in the order in which they are read."""

    slug: str
    title: str
    question: str
    modules: tuple[str, ...]


@dataclass(frozen=True)
class Passage:
    """A docstring of a chapter: its first line, where it is from, and the rest as HTML."""

    title: str
    name: str
    address: str
    body: str
    is_member: bool


CHAPTERS = (
    Chapter(
        "intervals",
        "Intervals and outward rounding",
        "What does an answer promise, and what is assumed of floating point?",
        ("core.interval", "core.directed", "core.assumed", "core.differences", "core.outward_decimals"),
    ),
    Chapter(
        "privacy-losses",
        "Sums of privacy losses",
        "How is δ(ε) of a composition computed with certified ends?",
        (
            "pld.step_losses",
            "pld.loss_total",
            "pld.tilted_total",
            "pld.loss_inversion",
            "pld.frequency_decay",
            "pld.largest_loss",
            "pld.one_large_loss",
            "pld.paired_sum",
            "pld.folded_steps",
        ),
    ),
    Chapter(
        "mechanisms",
        "Mechanisms with closed forms and moments",
        "What is known of randomized response, Laplace and Gaussian noise before anything is inverted?",
        (
            "pld.closed_form_curves",
            "pld.response_sums",
            "pld.laplace_mgf",
            "pld.loss_moments",
            "pld.random_lengths",
            "pld.places_in_batch",
            "pld.lattice_fourier",
        ),
    ),
    Chapter(
        "hidden-slot",
        "A hidden slot against every randomizer",
        "Which adaptive ε0-DP randomizer is the worst, and how are both ends of its ε certified?",
        (
            "hidden_slot.worst",
            "hidden_slot.worst.step_laws",
            "hidden_slot.worst.worst_upper",
            "hidden_slot.worst.worst_lower",
            "hidden_slot.worst.worst_witness",
            "hidden_slot.worst_epochs",
        ),
    ),
    Chapter(
        "known-randomizers",
        "A hidden slot of a known randomizer",
        "How much more privacy is certified where the randomizer is known?",
        (
            "hidden_slot.known",
            "hidden_slot.known.neighbour_pairs",
            "hidden_slot.known.increment_lattice",
            "hidden_slot.known.bounded_ratio_slot",
            "hidden_slot.known.curve_hulls",
            "hidden_slot.known.allocation_closed_form",
            "hidden_slot.known.score_test",
            "hidden_slot.known.correlated_slots",
        ),
    ),
    Chapter(
        "approximate",
        "Randomizers that are only approximately private",
        "What does δ0 cost?",
        (
            "hidden_slot.approximate.approximate_slot",
            "hidden_slot.approximate.near_pure",
            "hidden_slot.approximate.square_steps",
            "hidden_slot.approximate.zero_out_exact",
            "hidden_slot.approximate.approximate_epochs",
        ),
    ),
    Chapter(
        "replacement",
        "Records that are replaced",
        "What changes where a record is exchanged for another one and no two are more than 1 apart?",
        ("hidden_slot.replaced", "hidden_slot.replaced.ball_stoploss", "hidden_slot.replaced.two_records"),
    ),
    Chapter(
        "population",
        "Check-ins with a known number of clients",
        "What is gained when it is known how many others fill the slots?",
        (
            "hidden_slot.population",
            "hidden_slot.population.slot_occupancy",
            "hidden_slot.population.occupied_pattern",
            "hidden_slot.population.empty_slot_blocks",
            "hidden_slot.population.populated_upper",
            "hidden_slot.population.revealed_count",
            "hidden_slot.population.hidden_occupants",
            "hidden_slot.population.as_many_clients",
            "hidden_slot.population.occupant_outputs",
            "hidden_slot.population.occupant_weights",
        ),
    ),
    Chapter(
        "shuffling",
        "Shuffling and swapping",
        "Which pairs of laws dominate a shuffle, and which does it dominate?",
        (
            "shuffling.three_symbol_pair",
            "shuffling.one_client_fewer",
            "shuffling.message_randomizers",
            "shuffling.swap_curves",
            "shuffling.subset_selection",
        ),
    ),
    Chapter(
        "verdicts",
        "From numbers to verdicts and proofs",
        "When does a theorem hold, what is a counterexample, and when is a step of a proof proved?",
        (
            "verification",
            "verification.verdict",
            "checkers",
            "witness",
            "theorems.proof_step",
            "study.audit.box_proof",
            "study.audit.point_checks",
        ),
    ),
)


def passages(chapter: Chapter, modules: Mapping[str, pdoc.doc.Module], links: Links) -> Iterator[Passage]:
    """Yield the docstrings of a chapter: those of its modules, each with those of its members that show formulas."""
    for short in chapter.modules:
        name = f"pldcheck.{short}"
        module = modules[name]
        yield _passage(module.docstring, name, page_of(name), links, is_member=False)
        for member in members(module):
            if FORMULA in member.docstring and member.taken_from[0] == name:
                full = f"{name}.{member.qualname}"
                yield _passage(member.docstring, full, f"{page_of(name)}#{member.qualname}", links, is_member=True)


def _passage(docstring: str, name: str, address: str, links: Links, *, is_member: bool) -> Passage:
    first, _, body = docstring.strip().partition("\n")
    title = docstring_html(first, links, name).strip().removeprefix("<p>").removesuffix("</p>")
    return Passage(title, name, address, docstring_html(body, links, name), is_member)

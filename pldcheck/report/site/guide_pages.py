"""Four guides of the site: which sampling a run has, theorems as tests, what a referee checks, and counterexamples."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from ...core.outward_decimals import down, up
from ...theorems import REGISTRY, Theorem
from ...theorems.recalled import PUBLISHED
from ...verification import Row, Verdict
from ..claim_curves import quantity
from ..report_tables import parameters, symbol
from .reference_results import Reference

# Significant digits of a number on a page.
DIGITS = 4


@dataclass(frozen=True)
class Guide:
    """A page of advice: its address in the folder ``guides``, its title, and the question that it answers."""

    slug: str
    title: str
    question: str


GUIDES = (
    Guide("which-sampling", "Which sampling do I have?", "How does a data loader draw, and what does that cost?"),
    Guide("pytest", "Theorems as tests", "How does a repository guard the formulas that it uses?"),
    Guide("referees", "For referees", "How is a claim of this project checked without trusting it?"),
    Guide("counterexamples", "Counterexamples", "Which published bounds are violated, and by what?"),
)


@dataclass(frozen=True)
class SamplingFacts:
    """A way to draw batches: its name, how it draws, who does so, its adjacency, its last batch, and an example.

    ``epsilon`` is the certified interval of the example as a text.
    """

    name: str
    definition: str
    used_by: str
    adjacency: str
    last_batch: str
    epsilon: str


@dataclass(frozen=True)
class SamplingExample:
    """A training run under every sampling, and the command that prints them."""

    command: str
    samplings: tuple[SamplingFacts, ...]


@dataclass(frozen=True)
class Counterexample:
    """A violated claim at one cell: the theorem, the cell, what is claimed, what is attained, and the command."""

    theorem: Theorem
    cell: str
    quantity: str
    claimed: str
    attained: str
    ratio: str
    adversary: str
    command: str


# A repository that tests its bounds, file by file; a test of ours runs it as it stands.
REPOSITORY = {
    "bounds.py": '''"""The bound that the code uses."""

from math import expm1, log, sqrt


def hidden_step(steps, eps0, delta):
    """Return epsilon of one record in one of so many steps, each an eps0-DP randomizer."""
    return expm1(eps0) * sqrt(-4 * log(delta) / steps)
''',
    "test_bounds.py": '''"""The bound is an upper bound, and not too loose."""

import pldcheck

import bounds

GRID = {"steps": [100, 1000], "eps0": [0.5, 1.0], "delta": [1e-6]}


@pldcheck.theorem(protocol="hidden-slot", conditions=[("eps0 <= 1", lambda eps0: eps0 <= 1)])
def hidden_step(steps, eps0, delta):
    """The bound of bounds.py."""
    return bounds.hidden_step(steps, eps0, delta)


def test_the_bound_is_true():
    pldcheck.assert_sound(hidden_step, grid=GRID)


def test_the_bound_is_at_most_four_times_the_truth():
    pldcheck.assert_tightness(hidden_step, at_most=4, grid=GRID)
''',
}


def counterexamples(reference: Reference) -> Iterator[Counterexample]:
    """Yield one counterexample for each published theorem that a stored run violates, the farthest from the truth."""
    for theorem in REGISTRY.values():
        rows = [row for row in reference.distinct_rows(theorem.id) if row.verdict is Verdict.VIOLATED]
        if theorem.standing == PUBLISHED and rows:
            yield _counterexample(theorem, min(rows, key=_share))


def _share(row: Row) -> float:
    """Return the claim over what is attained, of a claim that is too small."""
    return (row.analytic or 0.0) / row.lower if row.lower else 0.0


def _counterexample(theorem: Theorem, row: Row) -> Counterexample:
    share = _share(row)
    is_lower = theorem.relation == ">="
    return Counterexample(
        theorem,
        parameters(row),
        symbol(quantity(row)),
        f"{row.analytic:.4g}",
        f"at most {up(row.upper or 0.0, DIGITS)}" if is_lower else f"at least {down(row.lower or 0.0, DIGITS)}",
        down(1.0 / share, 3) if share and not is_lower else "",
        str((row.witness or {}).get("summary", "")),
        shlex.join(("pldcheck", "verify", "--theorem", theorem.id)),
    )

"""Covers of groups of laws are above all laws of their group, in fractions; recursions lose nothing by them."""

from fractions import Fraction

import numpy as np
import pytest

from pldcheck.hidden_slot.known import laplace_references, law_groups, reference_blocks
from pldcheck.hidden_slot.known.law_groups import LawGroups, Moves
from pldcheck.hidden_slot.known.output_probabilities import LaplaceNoise, Question


def random_moves(seed, laws=30, outputs=3, farthest=40):
    """Return laws of mean 0 but for round-off, on nodes up to some distance, a few to each side."""
    rng = np.random.default_rng(seed)
    nodes, weights = np.zeros((laws, 2 * outputs), dtype=np.int64), np.zeros((laws, 2 * outputs))
    for law in range(laws):
        down, up = (np.sort(rng.choice(np.arange(1, farthest), outputs, replace=False)) for _ in range(2))
        below, above = rng.dirichlet(np.full(outputs, 0.5), 2)
        share = float(below @ down) / float(below @ down + above @ up)
        nodes[law] = [*-down[::-1], *up]
        weights[law] = [*(below[::-1] * (1.0 - share)), *(above * share)]
    return Moves(nodes, weights, np.full(laws, 2 * outputs))


def laplace_moves(eps0, epsilon, grid):
    noise = LaplaceNoise(eps0, 1.0)
    moments = reference_blocks._Moments.of(laplace_references.laws(noise, Question(epsilon, 1.0)), noise.bits)
    return reference_blocks._moves(moments.values, moments.masses, grid * moments.deviation)


def law(moves, row):
    count = moves.counts[row]
    return list(zip(moves.nodes[row, :count].tolist(), map(Fraction, moves.weights[row, :count].tolist()), strict=True))


def stop_loss(pairs, k, way):
    return sum(mass * max(way * (node - k), 0) for node, mass in pairs)


CASES = [
    *(pytest.param(lambda seed=seed: random_moves(seed), id=f"random {seed}") for seed in range(4)),
    pytest.param(lambda: random_moves(9, laws=60, outputs=2, farthest=400), id="far"),
    pytest.param(lambda: laplace_moves(1.0, 0.05, 0.3), id="Laplace"),
    pytest.param(lambda: laplace_moves(4.0, 1.0, 0.5), id="steep Laplace", marks=pytest.mark.nightly),
]


@pytest.mark.parametrize("moves", CASES)
def test_a_cover_has_more_of_all_that_a_convex_rising_function_takes(moves):
    groups = LawGroups.of(moves())
    assert groups.covers.counts.size >= 2
    reach = int(max(np.abs(groups.laws.nodes).max(), np.abs(groups.covers.nodes).max()))
    for group, (first, end) in enumerate(zip(groups.firsts, groups.firsts[1:], strict=False)):
        cover = law(groups.covers, group)
        members = [law(groups.laws, row) for row in range(first, end)]
        for member in members:
            assert sum(mass for _, mass in cover) >= sum(mass for _, mass in member)
            assert sum(node * mass for node, mass in cover) >= sum(node * mass for node, mass in member)
        for k in range(1, reach + 1):
            assert stop_loss(cover, k, 1) >= max(stop_loss(member, k, 1) for member in members)
            assert stop_loss(cover, -k, -1) >= max(stop_loss(member, -k, -1) for member in members)


@pytest.mark.parametrize("moves", CASES)
def test_all_laws_are_kept_once(moves):
    before = moves()
    groups = LawGroups.of(before)
    rows = [
        sorted(
            (tuple(node), tuple(weight)) for node, weight in zip(one.nodes.tolist(), one.weights.tolist(), strict=True)
        )
        for one in (before, groups.laws)
    ]
    assert rows[0] == rows[1] and groups.firsts[-1] == before.counts.size


@pytest.mark.parametrize(("eps0", "epsilon"), [(0.3, 0.05), (1.0, 0.2), (4.0, 1.5)])
def test_recursions_with_covers_are_above_those_without_by_round_off(monkeypatch, eps0, epsilon):
    noise = LaplaceNoise(eps0, 1.0)
    laws = laplace_references.laws(noise, Question(epsilon, 1.0))

    def upper():
        return reference_blocks.delta_upper(laws, noise.bits, 60, 1.0, 1e-4, ((60, 0.1),)).upper

    grouped = upper()
    monkeypatch.setattr(law_groups, "FEW_LAWS", 10**6)
    alone = upper()
    # The sums of both are rounded in different orders.
    assert alone * (1.0 - 1e-12) <= grouped <= alone * (1.0 + 2e-8)


def test_laws_that_are_few_or_reach_far_have_no_covers(monkeypatch):
    moves = random_moves(1)
    few = moves.take(range(law_groups.FEW_LAWS))
    assert LawGroups.of(few).covers.counts.size == 0 and LawGroups.of(few).laws is few
    monkeypatch.setattr(law_groups, "FARTHEST", 10)
    assert LawGroups.of(moves).covers.counts.size == 0


def test_laws_whose_mean_rises_have_no_covers():
    """A mean above 0 by more than round-off is not covered by what covers are raised by."""
    moves = random_moves(2)
    weights = moves.weights.copy()
    weights[3, -1] += 1e-6
    assert LawGroups.of(Moves(moves.nodes, weights, moves.counts)).covers.counts.size == 0


def test_what_is_left_out_within_the_margin_is_charged():
    """One of equal laws has more mass by half of the margin: its group is left out, and the end rises by as much."""
    size, steps = 20, 200
    weights = np.tile([0.25, 0.5, 0.25], (size, 1))
    weights[15, 1] += 5e-11
    moves = Moves(np.tile([-1, 0, 1], (size, 1)), weights, np.full(size, 3))
    groups, alone = LawGroups.of(moves), LawGroups(moves, moves.take([]), np.array([size]))
    assert groups.covers.counts.size
    window = np.minimum(np.arange(steps + 1), 60) + 2
    grouped, each = (reference_blocks._potential(one, window, window) for one in (groups, alone))
    assert (grouped >= each).all() and (grouped <= each * (1.0 + 2.1e-8)).all()

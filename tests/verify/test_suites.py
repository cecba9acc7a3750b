"""The built-in suite as data."""

from collections import Counter
from itertools import product
from math import exp

import numpy as np
import pytest

from pldcheck import suites
from pldcheck.errors import PldcheckError, UnknownNameError
from pldcheck.protocols import PROTOCOLS
from pldcheck.suites import Point
from pldcheck.theorems import REGISTRY
from pldcheck.verify import Row, Verdict, verify

PAPER, COMPOSITION = suites.find("paper"), suites.find("composition")
SHUFFLE, REFUTED = suites.find("shuffle"), suites.find("refuted")
APPROXIMATE = suites.find("approximate")


def test_the_paper_suite_covers_what_it_promises():
    points = PAPER.points
    assert len(set(points)) == len(points) >= 300
    ranges = {"steps": (10, 10**9), "eps0": (0.1, 6), "delta": (1e-12, 1e-4), "weight": (0.01, 1)}
    for name, ends in ranges.items():
        values = {getattr(point, name) for point in points}
        assert (min(values), max(values)) == ends


def test_every_theorem_is_asked_inside_its_conditions_and_outside_if_it_has_any():
    for quick in (False, True):
        for theorem in PAPER.theorems:
            asked = PAPER.asked(theorem, quick)
            failed = [theorem.failed_conditions(**params) for params in asked]
            assert not all(failed)
            assert any(failed) == bool(theorem.conditions)


def test_the_sample_is_small_and_fills_a_page():
    assert 20 <= len(set(PAPER.sample)) <= 30
    assert len({point.delta for point in PAPER.sample}) == 1


def test_theorems_without_a_weight_are_asked_at_weight_one_only():
    theorem = REGISTRY["thm-4.3"]
    assert Point(10, 1.0, 0.5, 1e-6).params(theorem) is None
    assert Point(10, 1.0, 1.0, 1e-6).params(theorem) == {"window": 10, "eps0": 1.0, "delta": 1e-6}


@pytest.mark.parametrize("theorem", PAPER.theorems, ids=lambda theorem: theorem.id)
def test_a_point_is_recovered_from_the_parameters(theorem):
    assert theorem.protocol in PROTOCOLS
    point = Point(17, 0.3, 1.0, 1e-7)
    assert Point.of(point.params(theorem)) == point


def test_a_theorem_with_foreign_parameters_is_refused():
    class Foreign:
        id, parameters = "thm-x", ("steps", "rounds", "delta")

    with pytest.raises(PldcheckError, match="thm-x .* rounds"):
        Point(10, 1.0, 1.0, 1e-6).params(Foreign)


def test_an_unknown_suite_is_refused_with_a_suggestion():
    with pytest.raises(UnknownNameError, match="did you mean paper"):
        suites.find("papr")


def test_every_theorem_with_a_protocol_belongs_to_a_suite():
    judged = {theorem.id for suite in suites.SUITES.values() for theorem in suite.theorems}
    computed = {theorem.id for theorem in REGISTRY.values() if theorem.protocol in PROTOCOLS}
    # Their randomizers have a delta0, which no shuffled protocol is computed for.
    assert computed - judged == {"thm-5.1-approx", "thm-A.7-approx", "thm-4.1-approx"}
    assert judged <= computed


@pytest.mark.parametrize("theorem", SHUFFLE.theorems, ids=lambda theorem: theorem.id)
def test_a_shuffling_theorem_is_tried_inside_its_conditions(theorem):
    for quick in (False, True):
        asked = SHUFFLE.asked(theorem, quick)
        assert all(set(params) == set(theorem.parameters) for params in asked)
        assert not all(theorem.failed_conditions(**params) for params in asked)


@pytest.mark.parametrize("theorem", APPROXIMATE.theorems, ids=lambda theorem: theorem.id)
def test_an_approximate_theorem_is_tried_inside_its_conditions(theorem):
    for quick in (False, True):
        asked = APPROXIMATE.asked(theorem, quick)
        assert all(set(params) == set(theorem.parameters) for params in asked)
        outside = [bool(theorem.failed_conditions(**params)) for params in asked]
        assert 0 < sum(outside) < len(asked) / 2


def test_both_readings_of_theorem_3_2_hold_and_say_little():
    points = {"steps": (10**5,), "eps0": (0.2,), "check_in_prob": (1.0,), "delta": (1e-6,)}
    proved = {**points, "delta0": (1e-17,), "delta1": (1e-13,)}
    printed = {**points, "delta0": (1e-12,), "delta1": (0.01,)}
    axes = {
        "thm-3.2-approx": proved,
        "thm-3.2-approx-main": printed,
        "thm-3.2-approx-improved": {**points, "delta0": (1e-12,)},
    }
    report = verify(suites.Grids("few", "", axes))
    assert report.counts[Verdict.HOLDS] == 3 and report.exit_code == 0
    proof, main, improved = (row.tightness_lower for row in report.rows)
    # 8 eps0 in place of eps0: (e^1.6 - 1) e^0.8 / (e^0.2 - 1) / e^0.1 = 36 times the epsilon.
    assert proof > 30 * improved and main > 30 * improved
    assert improved < 5


@pytest.mark.parametrize("theorem", REFUTED.theorems, ids=lambda theorem: theorem.id)
def test_a_refuted_bound_is_below_what_its_witness_attains(theorem):
    report = verify(REFUTED, [theorem], quick=True)
    assert report.counts[Verdict.VIOLATED] == len(report.rows) >= 2
    assert report.exit_code == 1
    for row in report.rows:
        assert Row.from_dict(row.to_dict()).witness == row.witness
        if row.params["clients"] <= 6:
            attained = shuffled_delta(row.witness, row.params["clients"], row.params["epsilon"])
            assert attained > 1.1 * row.analytic
            assert attained == pytest.approx(row.lower, rel=1e-6)


def shuffled_delta(witness, n, epsilon):
    """All sequences of n messages, the record's at any place; nothing shared with the engine."""
    record, replacement, others = (np.array(witness[name]) for name in ("record", "replacement", "others"))
    laws = [Counter(), Counter()]
    for outputs in product(range(len(others)), repeat=n):
        crowd = np.prod(others[list(outputs[1:])])
        for law, first in zip(laws, (record, replacement), strict=True):
            law[tuple(sorted(outputs))] += first[outputs[0]] * crowd
    return sum(max(mass - exp(epsilon) * laws[1][key], 0.0) for key, mass in laws[0].items())


@pytest.mark.parametrize("theorem", COMPOSITION.theorems, ids=lambda theorem: theorem.id)
def test_a_grid_gives_every_parameter_and_meets_the_conditions_somewhere(theorem):
    for quick in (False, True):
        asked = COMPOSITION.asked(theorem, quick)
        assert len(asked) >= 4
        assert all(set(params) == set(theorem.parameters) for params in asked)
        assert not all(theorem.failed_conditions(**params) for params in asked)


def test_a_theorem_without_a_grid_is_refused():
    with pytest.raises(PldcheckError, match="thm-3.2 has no grid in suite composition"):
        COMPOSITION.asked(REGISTRY["thm-3.2"], quick=True)

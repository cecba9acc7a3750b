"""The built-in suite as data."""

import shutil
import subprocess
import sys
from collections import Counter
from itertools import product
from math import exp
from zipfile import ZipFile

import numpy as np
import pytest
from places import ROOT

from pldcheck.core.errors import PldcheckError, UnknownNameError
from pldcheck.protocols import PROTOCOLS
from pldcheck.theorems import REGISTRY
from pldcheck.verification import Row, Verdict, suites, verify
from pldcheck.verification.suites import SUITES, Grid, Job, Point

PAPER = suites.find("paper")
COMPOSITION = suites.find("composition")
SHUFFLE = suites.find("shuffle")
REFUTATIONS = suites.find("refuted")
APPROXIMATE = suites.find("approximate")


def points_of(suite, theorem, quick=False):
    """Return the parameters at which a suite tries a theorem."""
    return [cell.params for cell in suite.cells(quick, [theorem])]


def points(quick):
    """Return the points of the paper suite."""
    return {Point.of(cell.params) for cell in PAPER.cells(quick)}


# Of every theorem, the numbers of values of its parameters as the suite was first run; the product is its cells.
COUNTS = {
    "paper": [(4, 6 * 6 * 3 * 4), (2, 6 * 6 * 4)],
    "composition": [
        (2, 3 * 3 * 3 * 3),  # basic-1, adv-18
        (1, 4 * 3),  # gauss-8
        (1, 4 * 3 * 3),  # pld-7
        (1, 3 * 3 * 2 * 2),  # pld-9
        (6, 3 * 3 * 3),  # gauss-10, zcdp-13, zcdp-14, zcdp-14-tight, rr-24, rdp-34
        (1, 3 * 4 * 3),  # zcdp-16
        (1, 4 * 3 * 3 * 2),  # adv-22
        (1, 4 * 3 * 2 * 3),  # kov
        (1, 3 * 2 * 3),  # sub-29
        (1, 3 * 3 * 3 * 3),  # rdp-35
        (1, 4 * 3 * 3),  # rdp-38
        (1, 3 * 3 * 4),  # neg-25
        (1, 2 * 3 * 2),  # basic-2.1
        (9, 3 * 3 * 3),  # gauss-3, the forms of pld-7, zcdp-19, rdp-31, rdp-33-group, rdp-41, rdp-42
        (1, 3 * 2 * 2),  # gauss-8-simple
        (1, 3 * 3),  # zcdp-12
        (2, 2 * 2 * 3 * 2),  # zcdp-14-order, zcdp-14-markov
        (2, 3 * 2 * 3),  # zcdp-14-simple, zcdp-21
        (2, 2 * 3 * 3),  # zcdp-15, zcdp-15-root
        (1, 3 * 3 * 2),  # adv-18-noise
        (2, 2 * 3 * 3),  # rdp-33-infinity, rdp-33-one
        (2, 3 * 3 * 3 * 3),  # rdp-33-convex, rdp-35-weighted
        (1, 2 * 3 * 3 * 2),  # rdp-33-delta
        (1, 3 * 2 * 2 * 2 * 2),  # adv-22-unequal
        (1, 3 * 2 * 2 * 2 * 2),  # kov-unequal
        (1, 3 * 3 * 2 * 2 * 2),  # kov-closed
        (1, 2 * 3 * 2 * 2),  # rr-24-approx
        (2, 2 * 3 * 3),  # sub-29-gaussian, sub-29-fixed
        (1, 3 * 2),  # rdp-42-lower
        (1, 2 * 2 * 3),  # sgd-6.3
        (1, 2 * 2 * 2 + 2 * 2),  # sgd-6.7
        (1, 2 * 2 * 2),  # rdp-6.7-replaced
        (1, 4 * 3 * 3 * 3),  # lem-A.2
        (1, 3 * 3 * 3),  # cor-3.3
        (1, 2 * 2 * 2 * 2),  # cor-3.3-printed
        (2, 3 * 2 * 2 * 3),  # thm-A.4-simple, thm-A.4-simple-quarter
    ],
    "shuffle": [
        (3, 4 * 5 * 3),
        (1, 3 * 5 * 3),
        (1, 3 * 3 * 2),
        (1, 2 * 2 * 2),
        (1, 3 * 2 * 3 * 2),
        (4, 3 * 3 * 3),
        (1, 2 * 2 * 2 * 2),
    ],
    "approximate": [(2, 3 * 3 * 2 * 2 * 2), (1, 3 * 3 * 3 * 2 * 2), (1, 3 * 3 * 2 * 2), (1, 3 * 3 * 2 * 2 * 2)],
    "field": [
        (2, 4 * 3),  # dr14-A.1, bbg18-3
        (2, 4 * 4),  # mironov17-response, mironov17-laplace
        (2, 6 * 3),  # dr14-any-epsilon, linear-amplification
        (1, 2 * 5 * 2),  # chua24-cut
        (8, 3 * 3 * 3),  # group-linear, bs16-3.6, bbg18-8, zw19, wbk19-9, fs25-remove and -add, lt22
        (1, 3 * 3 * 3 + 1),  # mtz19-replaced
        (3, 5 * 6),  # fs25-decomposition, poisson-allocation, poisson-for-shuffled
        (12, 4 * 3 * 3),  # the rest: pure steps, lattices, groups, shuffling, mtz19-accountant
        (1, 4 * 3 * 3 + 1),  # fmt21-smaller-log
        (1, 5 * 3 * 3 + 3),  # drs19-limit
        (1, 3 * 4 * 4),  # mtz19-11
        (3, 3 * 3 * 3 * 2),  # bbg18-9, reused-apart, reused-together
        (1, 4 * 4 * 4 + 1),  # abadi16-3
        (1, 4 * 4 * 4),  # bdrs18-sampling
        (1, 4 * 3 * 3 * 3),  # bu20-limit
        (2, 2 * 2 * 2),  # fmt21-3.8, fmt22-approximate
        (1, 3 * 3 * 3),  # fmt21-renyi
        (1, 3 * 2 * 3),  # fmt22-renyi
        (1, 2 * 2 * 3 * 3),  # bbg18-10
        (1, 2 * 2 * 2 * 3),  # bbg18-10-single
        (1, 3 * 3 * 3 * 3),  # biswas23-one-value
        (1, 3 * 2 * 2 * 3),  # ccg24-personal
        (1, 2 * 2 * 2 * 2 * 3),  # ccg24-personal-approximate
        (1, 2 * 3 * 3 * 3),  # gdd21-upper
        (1, 2 * 3 * 3),  # gdd21-lower
        (1, 2 * 2 * 3 * 3),  # gdd21-exact
    ],
    "refuted": [(2, 3 * 3), (1, 2), (1, 2 * 2)],
}


@pytest.mark.parametrize("name", SUITES)
def test_every_suite_has_its_number_of_cells(name):
    cells = list(SUITES[name].cells())
    assert len(cells) == sum(grid.size for grid in SUITES[name].grids)
    cell_counts = sorted(cells_each for theorems, cells_each in COUNTS[name] for _ in range(theorems))
    assert sorted(Counter(cell.subject for cell in cells).values()) == cell_counts
    assert [cell.subject for cell in cells] == sorted((cell.subject for cell in cells), key=SUITES[name].subjects.index)
    assert all(cell.judged and cell.width is None and cell.protocol is None for cell in cells)
    quick = list(SUITES[name].cells(quick=True))
    assert 0 < len(quick) < len(cells)


def test_suites_are_read_once_and_go_with_the_package():
    assert list(SUITES) == list(suites.NAMES) and "paper" in SUITES and "papr" not in SUITES
    assert SUITES["paper"] is suites.find("paper") is suites.as_job("paper")
    for name in SUITES:
        assert SUITES[name].name == name and suites.parse(suites.suite_text(name)) == SUITES[name]


@pytest.mark.nightly
def test_the_wheel_has_the_files(tmp_path):
    source = tmp_path / "source"
    shutil.copytree(ROOT / "pldcheck", source / "pldcheck", ignore=shutil.ignore_patterns("__pycache__", "*.nb?"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, source)
    code = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
    pytest.importorskip("hatchling")
    process = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], cwd=source, capture_output=True, text=True, check=True
    )
    with ZipFile(tmp_path / process.stdout.split()[-1]) as wheel:
        files = {name for name in wheel.namelist() if name.endswith(".toml")}
    assert files == {path.relative_to(ROOT).as_posix() for path in (ROOT / "pldcheck").rglob("*.toml")}


def test_the_paper_suite_covers_what_it_promises():
    assert len(points(quick=False)) >= 300
    ranges = {"steps": (10, 10**9), "eps0": (0.1, 6), "delta": (1e-12, 1e-4), "weight": (0.01, 1)}
    for name, ends in ranges.items():
        values = {getattr(point, name) for point in points(quick=False)}
        assert (min(values), max(values)) == ends


def test_every_theorem_is_asked_inside_its_conditions_and_outside_if_it_has_any():
    for quick in (False, True):
        for theorem in PAPER.theorems:
            failures = [theorem.failed_conditions(**params) for params in points_of(PAPER, theorem, quick)]
            assert not all(failures)
            assert any(failures) == bool(theorem.conditions)


def test_the_sample_is_small_and_fills_a_page():
    assert 20 <= len(points(quick=True)) <= 30
    assert len({point.delta for point in points(quick=True)}) == 1


@pytest.mark.parametrize("theorem", PAPER.theorems, ids=lambda theorem: theorem.id)
def test_a_point_is_recovered_from_the_parameters(theorem):
    assert theorem.protocol in PROTOCOLS
    values = {"steps": 17, "window": 17, "eps0": 0.3, "weight": 1.0, "check_in_prob": 1.0, "delta": 1e-7}
    params = {name: values[name] for name in theorem.parameters}
    assert Point.has(params) and Point.of(params) == Point(17, 0.3, 1.0, 1e-7)


def test_an_unknown_suite_is_refused_with_a_suggestion():
    with pytest.raises(UnknownNameError, match="did you mean paper"):
        suites.find("papr")


def test_every_theorem_with_a_protocol_belongs_to_a_suite():
    with_verdict = {theorem.id for suite in suites.SUITES.values() for theorem in suite.theorems}
    with_protocol = {theorem.id for theorem in REGISTRY.values() if theorem.protocol in PROTOCOLS}
    # Their randomizers have a delta0, which no shuffled protocol is computed for.
    readings = {"thm-A.7-approx-printed", "thm-A.5-approx", "thm-A.5-approx-printed", "thm-4.1-approx-proof"}
    assert with_protocol - with_verdict == {"thm-5.1-approx", "thm-A.7-approx", "thm-4.1-approx", *readings}
    assert with_verdict <= with_protocol


@pytest.mark.parametrize("theorem", SHUFFLE.theorems, ids=lambda theorem: theorem.id)
def test_a_shuffling_theorem_is_tried_inside_its_conditions(theorem):
    for quick in (False, True):
        points = points_of(SHUFFLE, theorem, quick)
        assert all(set(params) == set(theorem.parameters) for params in points)
        assert not all(theorem.failed_conditions(**params) for params in points)


@pytest.mark.parametrize("theorem", APPROXIMATE.theorems, ids=lambda theorem: theorem.id)
def test_an_approximate_theorem_is_tried_inside_its_conditions(theorem):
    for quick in (False, True):
        points = points_of(APPROXIMATE, theorem, quick)
        assert all(set(params) == set(theorem.parameters) for params in points)
        outside = [bool(theorem.failed_conditions(**params)) for params in points]
        assert 0 < sum(outside) < len(points) / 2


def test_both_readings_of_theorem_3_2_hold_and_say_little():
    common = {"steps": (10**5,), "eps0": (0.2,), "check_in_prob": (1.0,), "delta": (1e-6,)}
    proof_axes = {**common, "delta0": (1e-17,), "delta1": (1e-13,)}
    print_axes = {**common, "delta0": (1e-12,), "delta1": (0.01,)}
    grids = (
        Grid(theorems=("thm-3.2-approx",), axes=proof_axes),
        Grid(theorems=("thm-3.2-approx-main",), axes=print_axes),
        Grid(theorems=("thm-3.2-approx-improved",), axes={**common, "delta0": 1e-12}),
    )
    report = verify(Job("few", "", grids))
    assert report.counts[Verdict.HOLDS] == 3 and report.exit_code == 0
    proof, main, improvement = (row.tightness_lower for row in report.rows)
    # 8 eps0 in place of eps0: (e^1.6 - 1) e^0.8 / (e^0.2 - 1) / e^0.1 = 36 times the epsilon.
    assert proof > 30 * improvement and main > 30 * improvement
    assert improvement < 5


@pytest.mark.parametrize("theorem", REFUTATIONS.theorems, ids=lambda theorem: theorem.id)
def test_a_refuted_bound_is_below_what_its_witness_attains(theorem):
    report = verify(REFUTATIONS, [theorem], quick=True)
    assert report.counts[Verdict.VIOLATED] == len(report.rows) >= 2
    assert report.exit_code == 1
    for row in report.rows:
        assert Row.from_dict(row.to_dict()).witness == row.witness
        if row.params["clients"] <= 6 and theorem.quantity == "delta":
            divergence_reached = shuffled_delta(row.witness, row.params["clients"], row.params["epsilon"])
            assert divergence_reached > 1.1 * row.analytic
            assert divergence_reached == pytest.approx(row.lower, rel=1e-6)


def shuffled_delta(witness, n, epsilon):
    """Return delta from all sequences of n messages, the record's at any place; nothing shared with the engine."""
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
        points = points_of(COMPOSITION, theorem, quick)
        assert len(points) >= 4
        assert all(set(params) == set(theorem.parameters) for params in points)
        assert not all(theorem.failed_conditions(**params) for params in points)


def test_a_theorem_without_a_grid_is_refused():
    with pytest.raises(PldcheckError, match="thm-3.2 has no grid in composition; it has lem-A.2, "):
        list(COMPOSITION.cells(theorems=["thm-3.2"]))

"""The everyday tasks and the guides of the site: their lines and files run as they stand, and accountants agree."""

import ast
import subprocess
import sys
from importlib.util import find_spec
from math import comb, exp

import matplotlib
import matplotlib.pyplot as plt
import pytest
from matplotlib.axes import Axes
from places import RESULTS

import pldcheck
from pldcheck.core.errors import PldcheckError
from pldcheck.report.site.everyday_tasks import IMPORTS, TASKS
from pldcheck.report.site.guide_pages import REPOSITORY, counterexamples
from pldcheck.report.site.reference_results import read

matplotlib.use("Agg")
BY_SLUG = {task.slug: task for task in TASKS}
# What dp_accounting's grid of losses, 1e-4 wide, adds to epsilon in 1000 steps and to noise, relatively, and more.
GRID = 1e-3


def answer(program, lines):
    """Return the value of the last line of a program, after its imports."""
    names = {}
    tree = ast.parse(f"{IMPORTS[program]}\n{lines}")
    last = tree.body.pop()
    assert isinstance(last, ast.Expr)
    exec(compile(tree, program, "exec"), names)
    return eval(compile(ast.Expression(last.value), program, "eval"), names)


def peer_lines(slug, peer):
    if find_spec(peer) is None:
        pytest.skip(f"{peer} is not installed")
    return answer(peer, BY_SLUG[slug].peers[peer])


def test_ours_are_one_or_two_lines_and_shorter_than_those_of_peers():
    assert len(TASKS) == 7
    for task in TASKS:
        assert len(task.ours.splitlines()) <= 2 and max(map(len, task.ours.splitlines())) <= 120
        for lines in task.peers.values():
            assert len(task.ours) < len(IMPORTS["dp_accounting"]) + len(lines)


def test_epsilon_of_a_training():
    interval = answer("pldcheck", BY_SLUG["dp-sgd"].ours)
    assert isinstance(interval, pldcheck.Interval) and interval.relative_width < 1e-3
    theirs = peer_lines("dp-sgd", "dp_accounting")
    assert interval.lower <= theirs <= interval.upper * (1 + GRID)
    run = answer("pldcheck", BY_SLUG["training"].ours)
    assert run.lower <= peer_lines("training", "dp_accounting") <= run.upper * (1 + GRID)
    # Of ten bits that are equal with probability 2/3, by hand: delta at epsilon is a sum over the binomial law.
    own = answer("pldcheck", BY_SLUG["own-mechanism"].ours)
    delta = sum(max(comb(10, k) * (2**k - exp(own.upper) * 2 ** (10 - k)) / 3**10, 0.0) for k in range(11))
    assert delta <= 1e-3 * (1 + 1e-9) and own.relative_width < 1e-9


@pytest.mark.nightly
@pytest.mark.parametrize("slug", ["dp-sgd", "different-mechanisms"])
def test_epsilons_of_dp_accounting_are_close_above(slug):
    interval = answer("pldcheck", BY_SLUG[slug].ours)
    assert interval.lower <= peer_lines(slug, "dp_accounting") <= interval.upper * (1 + GRID)


@pytest.mark.nightly
@pytest.mark.parametrize("slug", ["dp-sgd", "different-mechanisms"])
def test_intervals_of_prv_accountant_meet_ours(slug):
    lower, _, upper = peer_lines(slug, "prv_accountant")
    interval = answer("pldcheck", BY_SLUG[slug].ours)
    assert lower <= interval.upper and interval.lower <= upper


@pytest.mark.nightly
def test_epsilon_of_opacus_is_above():
    assert peer_lines("dp-sgd", "opacus") >= answer("pldcheck", BY_SLUG["dp-sgd"].ours).lower


@pytest.mark.nightly
def test_the_calibrated_noise_of_dp_accounting_is_close():
    ours, theirs = answer("pldcheck", BY_SLUG["calibrate"].ours), peer_lines("calibrate", "dp_accounting")
    assert theirs == pytest.approx(ours, rel=2 * GRID)
    training = pldcheck.SubsampledGaussian(sigma=ours, rate=0.01, steps=1000)
    assert (
        training.epsilon(1e-6).upper <= 1.0 < pldcheck.SubsampledGaussian(ours - 2e-3, 0.01, 1000).epsilon(1e-6).lower
    )


@pytest.mark.nightly
def test_the_noise_of_opacus_suffices():
    sigma = peer_lines("calibrate", "opacus")
    assert pldcheck.SubsampledGaussian(sigma=sigma, rate=0.01, steps=1000).epsilon(1e-6).lower <= 1.0


@pytest.mark.nightly
def test_profiles_are_the_same_curve():
    try:
        axes = answer("pldcheck", BY_SLUG["profile"].ours)
        assert isinstance(axes, Axes) and axes.collections
        (line,) = peer_lines("profile", "dp_accounting")
        epsilons, deltas = line.get_data()
    finally:
        plt.close("all")
    table = pldcheck.SubsampledGaussian(sigma=1, rate=0.01, steps=1000).profile(epsilons)
    for (_, interval), theirs in zip(table, deltas, strict=True):
        # Their grid is pessimistic; near a delta of 1e-10 it is so by a percent.
        assert interval.lower <= theirs * (1 + 1e-9) and theirs <= 1.02 * interval.upper


@pytest.mark.nightly
def test_a_theorem_is_a_table_or_says_what_to_install():
    if find_spec("pandas") is None:
        with pytest.raises(PldcheckError, match="pandas"):
            answer("pldcheck", BY_SLUG["theorem"].ours)
    else:
        table = answer("pldcheck", BY_SLUG["theorem"].ours)
        assert set(table["theorem"]) == {"thm-3.2"} and {"verdict", "lower", "upper"} <= set(table.columns)
    rows = pldcheck.verify("paper", ["thm-3.2"], quick=True).rows
    assert rows and {row.theorem for row in rows} == {"thm-3.2"} and {str(row.verdict) for row in rows} == {"HOLDS"}


@pytest.mark.nightly
def test_the_repository_of_the_guide_passes_its_own_tests(tmp_path):
    """Its files run as they stand, and a bound that is too small makes them fail with a command."""
    for name, text in REPOSITORY.items():
        (tmp_path / name).write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--pldcheck-quick"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "2 passed" in done.stdout, done.stdout
    bounds = tmp_path / "bounds.py"
    bounds.write_text(bounds.read_text().replace("-4 *", "-0.1 *"))
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "pldcheck " in done.stdout, done.stdout


def test_counterexamples_are_of_published_bounds_and_name_the_quantity():
    """One for each, of stored runs: what is attained is more than what is claimed."""
    found = {one.theorem.id: one for one in counterexamples(read(RESULTS))}
    assert {"vr-wang", "krr-merged"} == found.keys()
    for one in found.values():
        assert one.theorem.standing == "published"
        assert float(one.attained.removeprefix("at least ")) > float(one.claimed)
    assert found["vr-wang"].quantity == "δ"

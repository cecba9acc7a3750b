"""Assertions against what is known exactly: one slot, where the worst randomizer is randomized response."""

import doctest
import json
import re
import shlex
import subprocess
import sys
from math import exp, expm1, log, sqrt
from pathlib import Path
from shlex import quote

import mpmath
import pytest
from flint import arb, ctx

import pldcheck
import pldcheck.testing
from pldcheck.cli import run
from pldcheck.core.errors import ParameterError, PldcheckError, UnknownNameError
from pldcheck.testing import assertions, failure_messages, plugin_settings
from pldcheck.verification import Verdict
from pldcheck.verification.suites import Grid, Job, JobError

ONE_STEP_GRID = {"steps": 1, "eps0": [0.5, 1.0, 2.0], "delta": [1e-3, 1e-6]}


def exact(eps0, delta):
    """Return the epsilon where (e^eps0 - e^epsilon) / (e^eps0 + 1) is delta."""
    return log(exp(eps0) - delta * (exp(eps0) + 1))


def times(factor, relation="<=", **facts):
    return pldcheck.theorem(protocol="hidden-slot", relation=relation, id=f"times-{factor}", **facts)(
        lambda steps, eps0, delta: factor * exact(eps0, delta)
    )


@pldcheck.theorem(protocol="check-in")
def an_eighth(steps, eps0, check_in_prob, delta):
    """Theorem 3.2, divided by 8."""
    x, x_1, root = exp(eps0), check_in_prob * expm1(eps0), sqrt(-log(delta) / steps)
    return (x_1 * sqrt(2 * x) * root + x_1**2 * x / (2 * steps)) / 8


FALSE = {"steps": 1000, "eps0": 1.0, "check_in_prob": 1.0, "delta": 1e-6}


def failure(*args, **settings_):
    with pytest.raises(AssertionError) as error:
        assertions.assert_sound(*args, **settings_)
    return str(error.value)


def test_the_example_of_the_package_runs():
    assert doctest.testmod(pldcheck.testing, raise_on_error=True) == (0, 6)


@pytest.mark.parametrize(("factor", "relation"), [(1 + 1e-9, "<="), (1.0, "="), (1 - 1e-9, ">=")])
def test_what_is_true_passes(factor, relation):
    rows = pldcheck.assert_sound(times(factor, relation), ONE_STEP_GRID).rows
    assert len(rows) == 6
    for row in rows:
        with ctx.workprec(200):
            x, delta = arb(row.params["eps0"]).exp(), arb(row.params["delta"])
            truth = (x - delta * (x + 1)).log()
            assert arb(row.lower) <= truth <= arb(row.upper)
        assert row.upper <= row.lower * (1 + 1e-12)


@pytest.mark.parametrize(("factor", "relation"), [(1 - 1e-9, "<="), (1 + 1e-9, "="), (1 - 1e-9, "="), (1 + 1e-9, ">=")])
def test_what_is_false_fails(factor, relation):
    message = failure(times(factor, relation), ONE_STEP_GRID)
    assert message.startswith(f"times-{factor} is false at 6 of 6 cells (6 VIOLATED)\n")
    assert f"claimed    epsilon {relation} {factor * exact(0.5, 1e-3)!r}\n" in message


@pytest.mark.parametrize(
    "grid",
    [
        ONE_STEP_GRID,
        Job("j", "", (Grid(ONE_STEP_GRID, theorems=(times(2.0),)),)),
        Grid(ONE_STEP_GRID, theorems=(times(2.0),)),
        [
            {"steps": 1, "eps0": eps0, "delta": delta}
            for eps0 in ONE_STEP_GRID["eps0"]
            for delta in ONE_STEP_GRID["delta"]
        ],
    ],
    ids=["axes", "job", "grid", "points"],
)
def test_grids_of_every_kind_give_the_same_cells(grid):
    rows = pldcheck.assert_sound(times(2.0), grid).rows
    assert [(row.params["eps0"], row.params["delta"]) for row in rows] == [
        (eps0, delta) for eps0 in ONE_STEP_GRID["eps0"] for delta in ONE_STEP_GRID["delta"]
    ]


def test_grids_may_come_from_a_job_file_or_from_arrays(tmp_path):
    np = pytest.importorskip("numpy")
    file = tmp_path / "job.toml"
    file.write_text(
        'name = "a"\n[[grid]]\ntheorems = ["thm-A.4"]\nsteps = 1\neps0 = [1, 2]\nweight = 1\ndelta = 1e-6\n'
    )
    theorem = pldcheck.theorem(protocol="hidden-slot", id="weighted")(lambda steps, eps0, weight, delta: eps0)
    for path in (file, str(file)):
        assert [row.params["eps0"] for row in pldcheck.assert_sound(theorem, path).rows] == [1, 2]
    axes = {"steps": np.array([1]), "eps0": np.linspace(1, 2, 3), "weight": 1, "delta": np.float64(1e-6)}
    assert [row.params["eps0"] for row in pldcheck.assert_sound(theorem, axes).rows] == [1.0, 1.5, 2.0]


def test_a_registered_theorem_is_found_by_its_id():
    assert pldcheck.assert_sound("thm-3.2", FALSE).rows[0].theorem == "thm-3.2"


with_epochs = pldcheck.theorem(protocol="hidden-slot", id="with-epochs")(lambda steps, eps0, epochs, delta: eps0)


@pytest.mark.parametrize(
    ("theorem", "grid", "kind", "message"),
    [
        (times(2.0), {"steps": 1, "eps0": 1, "d": 1e-6}, UnknownNameError, "unknown parameter of times-2.0 'd'"),
        (times(2.0), {"steps": 1, "eps0": 1}, JobError, "grid.delta is missing"),
        (times(2.0), {"steps": 0, "eps0": 1, "delta": 1e-6}, JobError, "grid.steps must be an integer from 1 to 1e12"),
        (times(2.0), [], ParameterError, "grid must be a dict of axes, a list of points"),
        (times(2.0), [{"steps": 1}], ParameterError, "eps0 of a point must be given, because times-2.0 needs it"),
        (times(2.0), "none.toml", JobError, "none.toml: cannot be read (no such file or directory)"),
        (times(2.0), "papers", UnknownNameError, "unknown suite 'papers'; did you mean paper"),
        (with_epochs, None, PldcheckError, "no built-in grid has the parameters of with-epochs"),
        (times(2.0), "paper", PldcheckError, "times-2.0 has no grid in paper"),
        ("thm-3", ONE_STEP_GRID, UnknownNameError, "unknown theorem 'thm-3'"),
        (lambda steps: 1.0, ONE_STEP_GRID, PldcheckError, "<lambda> is about no protocol: give --protocol NAME"),
    ],
    ids=["axis", "missing", "value", "empty", "point", "file", "suite", "no grid", "not in suite", "id", "function"],
)  # fmt: skip
def test_bad_grids_are_refused_in_one_line(theorem, grid, kind, message):
    with pytest.raises(kind) as error:
        pldcheck.assert_sound(theorem, grid)
    assert message in str(error.value) and "\n" not in str(error.value)


def test_without_a_grid_the_suite_of_similar_theorems_is_used():
    before = plugin_settings.use(plugin_settings.Settings(quick=True))
    try:
        rows = pldcheck.assert_sound("thm-A.4").rows
    finally:
        plugin_settings.use(before)
    quick = [cell.params for cell in pldcheck.verification.suites.find("paper").cells(quick=True, theorems=["thm-A.4"])]
    assert [dict(row.params) for row in rows] == quick


def test_a_false_theorem_fails_with_cell_value_interval_witness_and_commands(tmp_path):
    message = failure(an_eighth, [FALSE, {**FALSE, "eps0": 4.0}])
    head, point, claim_line, certified_line, witness, command, verdict = message.splitlines()
    assert head == "an_eighth is false at 1 of 2 cells (1 HOLDS, 1 VIOLATED)"
    assert point == "  steps=1000, eps0=1.0, check_in_prob=1.0, delta=1e-06: VIOLATED"
    assert claim_line.split() == ["claimed", "epsilon", "<=", repr(an_eighth(**FALSE).epsilon)]
    lower, upper = map(float, re.fullmatch(r" +certified  epsilon in \[(\S+), (\S+)\]", certified_line).groups())
    assert an_eighth(**FALSE).epsilon < lower <= upper < 1.005 * lower
    assert re.fullmatch(r" +witness    \S+ randomizer \w+ in every slot: delta >= \S+ at epsilon = \S+", witness)
    words = shlex.split(command)[1:]
    assert words == shlex.split("pldcheck eps hidden-slot --steps-per-epoch 1000 --eps0 1.0 --delta 1e-06")
    process = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, check=True)
    again = [float(end) for end in re.search(r"epsilon in \[(\S+), (\S+)\]", process.stdout).groups()]
    assert again[0] <= upper and lower <= again[1]
    # The other command, from a shell, comes to the same verdict and writes the counterexample.
    assert f"{Path(__file__).name}:an_eighth --cell steps=1000 --cell eps0=1.0" in verdict
    line = f"{sys.executable} -m {verdict.partition('verify ')[2].strip()} --quiet --json --out {quote(str(tmp_path))}"
    process = subprocess.run(line, shell=True, capture_output=True, text=True)
    found = json.loads(process.stdout)
    assert process.returncode == found["exit_code"] == 1 and found["counts"]["VIOLATED"] == 1
    [check] = found["certify"]["commands"]
    alone = subprocess.run(check, shell=True, capture_output=True, text=True, cwd=tmp_path)
    assert alone.returncode == 0 and "accepted: the claim of the file is false" in alone.stdout
    # Another randomizer refutes it too: randomized response in every slot, the others' answers as the replacement's.
    # The record's world over the other is the mean of x over its ones and 1/x over its zeros.
    with mpmath.workdps(40):
        x, m = mpmath.e, FALSE["steps"]
        bound, q = mpmath.exp(an_eighth(**FALSE).epsilon), 1 / (1 + x)
        delta = mpmath.fsum(
            mpmath.binomial(m, k) * q**k * (1 - q) ** (m - k) * max(mpmath.mpf(0), (k * x + (m - k) / x) / m - bound)
            for k in range(m + 1)
        )
    assert delta > 100 * FALSE["delta"]


def test_at_most_three_cells_are_shown_and_false_ones_come_first():
    grid = [{**FALSE, "steps": steps, "eps0": eps0} for eps0 in (4.0, 0.5) for steps in (100, 200, 300, 400)]
    lines = failure(an_eighth, grid).splitlines()
    assert lines[0] == "an_eighth is false at 4 of 8 cells (4 HOLDS, 4 VIOLATED)"
    assert sum("VIOLATED" in line for line in lines[1:]) == 3 and lines[-1] == "... and 1 more"


@pytest.mark.nightly
def test_the_command_asks_for_a_width_that_tells_the_two_apart():
    truth = pldcheck.HiddenSlot(1000, 1.0).epsilon(1e-6, width=1e-4)
    close = pldcheck.theorem(protocol="hidden-slot", id="close")(lambda steps, eps0, delta: 0.9995 * truth.lower)
    message = failure(close, {"steps": 1000, "eps0": 1.0, "delta": 1e-6})
    words = shlex.split(message.splitlines()[-1])
    assert words[-2] == "--width" and 0 < float(words[-1]) <= 0.0005


@pytest.mark.parametrize(
    ("theorem", "params"),
    [
        ("thm-4.3", {"window": 20, "eps0": 1.0, "delta": 1e-6}),
        ("thm-A.4", {"steps": 20, "eps0": 0.5, "weight": 0.5, "delta": 1e-6}),
        ("cor-3.3", {"steps": 100, "clients": 200, "eps0": 0.1, "beta": 1e-8, "delta": 1e-6}),
        ("adv-18", {"steps": 20, "eps0": 0.5, "eps0_last": 0.25, "delta": 1e-6}),
        ("kov", {"steps": 20, "eps0": 0.1, "delta0": 1e-6, "epsilon": 1.0}),
        ("gauss-10", {"sigma": 2.0, "steps": 10, "epsilon": 1.0}),
        ("rdp-38", {"sigma": 2.0, "rate": 0.01, "order": 3.0}),
        ("thm-5.1", {"clients": 1000, "eps0": 0.4, "delta": 1e-6}),
        ("girgis-lb", {"clients": 100, "eps0": 1.0, "order": 3.0}),
    ],
    ids=lambda value: value if isinstance(value, str) else "at",
)
def test_the_command_prints_the_interval_it_stands_beside(theorem, params, capsys):
    entry = pldcheck.REGISTRY[theorem]
    [row] = pldcheck.verify(Job("one", "", (Grid(params, theorems=(theorem,)),))).rows
    words = shlex.split(failure_messages.reproduce(entry, row))
    assert words[:2] == ["pldcheck", {"epsilon": "eps", "delta": "delta", "renyi": "renyi"}[entry.quantity]]
    assert run(words[1:]) == 0
    lower, upper = map(float, re.search(rf"{entry.quantity} in \[(\S+), (\S+)\]", capsys.readouterr().out).groups())
    assert lower <= row.upper and row.lower <= upper and abs(lower / row.lower - 1) < 0.01


def test_a_mechanism_without_words_has_no_command_for_its_interval():
    table = pldcheck.TableMechanism((0.3, 0.7), (0.7, 0.3))
    claim = pldcheck.theorem(protocol=table, id="of-a-table")(lambda delta: 0.1)
    message = failure(claim, {"delta": [1e-3]})
    assert "violated" in message.lower() and "reproduce" not in message


def test_undecided_fails_unless_it_is_allowed():
    # The exact value is inside every interval, and the slack of a formula is wider than this one.
    close = pldcheck.theorem(protocol="hidden-slot", id="close")(
        lambda steps, eps0, delta: (1.0 if eps0 == 1.0 else 2.0) * exact(eps0, delta)
    )
    grid = {"steps": 1, "eps0": [2.0, 1.0], "delta": 1e-6}
    message = failure(close, grid)
    assert message.startswith("close is not certain at 1 of 2 cells (1 HOLDS, 1 UNDECIDED)\n  steps=1, eps0=1.0")
    assert "reason     undecided" in message
    assert pldcheck.assert_sound(close, grid, allow_undecided=True).counts[Verdict.UNDECIDED] == 1
    # Nothing else was judged: that is no success.
    assert "nothing was judged in 1 cell (1 UNDECIDED)" in failure(close, {**grid, "eps0": 1.0}, allow_undecided=True)


def test_a_cell_that_cannot_be_computed_fails_always():
    faulty = pldcheck.theorem(protocol="hidden-slot", id="broken")(
        lambda steps, eps0, delta: None if steps > 1 else 9.0
    )
    message = failure(faulty, {"steps": [1, 2], "eps0": 1.0, "delta": 1e-6}, allow_undecided=True)
    assert (
        "broken is not certain at 1 of 2 cells" in message
        and "reason     broken cannot be evaluated: TypeError" in message
    )


def test_a_mistake_in_a_formula_is_not_called_a_number_out_of_range():
    grid = {"steps": 10, "eps0": 1.0, "delta": 1e-6}
    mistakes = {
        "own cannot be evaluated: ValueError: math domain error, at steps = 10, eps0 = 1.0, delta = 1e-06": (
            lambda steps, eps0, delta: sqrt(-eps0)
        ),
        "own returned -1.0, which no epsilon can be, at steps = 10, eps0 = 1.0, delta = 1e-06": (
            lambda steps, eps0, delta: -1
        ),
        "own returned nan, which no epsilon can be, at steps = 10, eps0 = 1.0, delta = 1e-06": (
            lambda steps, eps0, delta: float("nan")
        ),
    }
    for reason, formula in mistakes.items():
        message = failure(pldcheck.theorem(protocol="hidden-slot", id="own")(formula), grid)
        assert "(1 UNJUDGEABLE)" in message and f"reason     {reason}" in message


def test_a_grid_outside_all_conditions_is_a_failure():
    theorem = times(2.0, conditions=[("eps0 <= 1/4", lambda eps0: eps0 <= 0.25)])
    assert failure(theorem, ONE_STEP_GRID) == (
        "times-2.0: nothing was judged in 6 cells (6 OUT-OF-CONDITIONS); steps=1, eps0=0.5, delta=0.001: "
        "times-2.0 requires eps0 <= 1/4; got eps0 = 0.5"
    )


@pytest.mark.parametrize(("relation", "factor"), [("<=", 1.5), (">=", 1 / 1.5)])
def test_tightness_is_that_of_the_claim(relation, factor):
    theorem = times(factor, relation)
    assert len(pldcheck.assert_tightness(theorem, 1.5 * (1 + 1e-9), ONE_STEP_GRID).rows) == 6
    with pytest.raises(AssertionError) as error:
        pldcheck.assert_tightness(theorem, 1.5 * (1 - 1e-9), ONE_STEP_GRID)
    head, point, *_ = str(error.value).splitlines()
    assert re.fullmatch(
        rf"times-{factor} is up to 1\.5 times the truth, more than 1\.5 times at 6 of 6 cells; loosest:", head
    )
    assert point.startswith("  steps=1, ")


def test_tightness_names_the_loosest_cell():
    loose = pldcheck.theorem(protocol="hidden-slot", id="loose")(
        lambda steps, eps0, delta: (1.5 + eps0) * exact(eps0, delta)
    )
    with pytest.raises(AssertionError, match="up to 3.5 times the truth, more than 2.6 times at 2 of 6 cells") as error:
        pldcheck.assert_tightness(loose, 2.6, ONE_STEP_GRID)
    assert "eps0=2.0" in str(error.value)


@pytest.mark.nightly
def test_tightness_narrows_open_intervals():
    slot = pldcheck.HiddenSlot(1000, 1.0)
    wide, narrow = slot.epsilon(1e-6, 0.005), slot.epsilon(1e-6, 1e-4)
    claim = 2 * wide.upper
    theorem = pldcheck.theorem(protocol="hidden-slot", id="twice")(lambda steps, eps0, delta: claim)
    grid = {"steps": 1000, "eps0": 1.0, "delta": 1e-6}
    between = (claim / wide.lower + claim / narrow.lower) / 2
    assert claim / wide.upper < between < claim / wide.lower  # open at the first width
    assert pldcheck.assert_tightness(theorem, between, grid).rows[0].lower > wide.lower


def test_tightness_fails_for_a_false_or_silent_theorem():
    with pytest.raises(AssertionError, match="times-0.5 is false at 6 of 6 cells"):
        pldcheck.assert_tightness(times(0.5), 2, ONE_STEP_GRID)
    silent = times(2.0, conditions=[("eps0 <= 1/4", lambda eps0: eps0 <= 0.25)])
    with pytest.raises(AssertionError, match="nothing was judged"):
        pldcheck.assert_tightness(silent, 2, ONE_STEP_GRID)


def test_a_truth_of_zero_is_not_within_any_factor():
    # Below delta = (e^eps0 - 1) / (e^eps0 + 1) only: here every randomizer is (0, delta)-DP.
    constant_theorem = pldcheck.theorem(protocol="hidden-slot", id="some")(lambda steps, eps0, delta: eps0)
    with pytest.raises(AssertionError, match="some is not within any factor of the truth"):
        pldcheck.assert_tightness(constant_theorem, 10, {"steps": 1, "eps0": 0.1, "delta": 0.2})


@pytest.mark.parametrize("at_most", [0.5, float("nan"), float("inf"), "2", True])
def test_the_allowed_tightness_must_be_a_factor(at_most):
    with pytest.raises(ParameterError, match="at_most must be at least 1 and finite"):
        pldcheck.assert_tightness(times(2.0), at_most, ONE_STEP_GRID)


def test_an_exact_value_has_no_tightness():
    with pytest.raises(ParameterError, match="theorem must be an upper or a lower bound"):
        pldcheck.assert_tightness(times(1.0, "="), 2, ONE_STEP_GRID)

"""Runs against an engine that is replaced by something that can be steered."""

import math
import pickle
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import mpmath
import pytest

from pldcheck.core.errors import ParameterError, PldcheckError, UnknownNameError
from pldcheck.core.interval import ErrorBudget, Interval
from pldcheck.protocols import HiddenSlot, RandomAllocation
from pldcheck.report.run_table import notes
from pldcheck.testing import assert_sound
from pldcheck.theorems import GIVEN, REGISTRY, Bound, Source, Theorem
from pldcheck.verification import WIDTH, WIDTH_FLOOR, Problem, Verdict, problem_of_bound, run_cells, verify
from pldcheck.verification.problem import unjudgeable
from pldcheck.verification.runs.executors import InProcess
from pldcheck.verification.suites import SUITES, Grid, Job, JobError, Point, find

PAPER = find("paper")
COMPOSITION = find("composition")


def slots(name, steps, eps0=1.0, weight=1.0, delta=1e-6, **more):
    """Return a job on hidden slots: the theorems with a weight on all points, those without on the rest."""
    axes = {"steps": steps, "eps0": eps0, "weight": weight, "delta": delta}
    prob = {"steps": steps, "eps0": eps0, "check_in_prob": weight, "delta": delta}
    window = {"window": steps, "eps0": eps0, "delta": delta}
    grids = (
        Grid(theorems=("thm-3.2", "thm-3.2-simple", "thm-3.2-improved"), axes=prob),
        Grid(theorems=("thm-4.3", "thm-4.3-simple"), axes=window),
        Grid(theorems=("thm-A.4",), axes=axes, **more),
    )
    return Job(name, "for tests", grids)


STEPS = (10, 1000)
BUDGETS = (0.5, 1.0, 2.0)
WEIGHTS = (0.1, 1.0)
SUITE = slots("small", STEPS, BUDGETS, WEIGHTS, quick={"steps": 10, "eps0": 0.5})
ONE_POINT_JOB = slots("one", 100)


def claim(value, **changes):
    """Return a theorem on the hidden slot that claims ``value`` everywhere."""
    facts = {
        "id": "thm-test",
        "title": "Test",
        "statement": "",
        "adjacency": "replace",
        "protocol": "hidden-slot",
        "parameters": ("steps", "eps0", "weight", "delta"),
        "conditions": (),
        "source": Source("test", "", "", ""),
        "formula": lambda **params: value,
    }
    return Theorem(**{**facts, **changes})


@pytest.fixture
def engine(monkeypatch):
    """Replaces the engine by a function of (slot, delta, width); returns the list of its calls."""

    def install(answer):
        calls = []

        def epsilon(slot, delta, width=WIDTH):
            calls.append((slot, delta, width))
            return answer(slot, delta, width)

        monkeypatch.setattr(HiddenSlot, "epsilon", epsilon)
        return calls

    return install


def around(truth):
    """Return intervals of the width asked for that contain ``truth``."""
    return lambda slot, delta, width: Interval(truth * (1 - width / 2), truth * (1 + width / 2))


def test_true_theorems_hold_and_false_ones_are_violated(engine):
    engine(around(1.0))
    report = verify(ONE_POINT_JOB, [claim(2.0, id="true"), claim(0.5, id="false")])
    assert [(row.theorem, row.verdict) for row in report.rows] == [
        ("true", Verdict.HOLDS),
        ("false", Verdict.VIOLATED),
    ]
    assert report.exit_code == 1


def test_a_theorem_a_tenth_below_the_truth_is_violated():
    truth = HiddenSlot(10, 1.0, 1.0).epsilon(1e-6)
    report = verify(slots("ten", 10), [claim(0.9 * truth.lower, id="low"), claim(1.1 * truth.upper, id="high")])
    assert [row.verdict for row in report.rows] == [Verdict.VIOLATED, Verdict.HOLDS]


def test_the_real_engine_confirms_the_registry_on_a_few_points():
    report = verify(slots("few", (10, 10**6), weight=(0.1, 1.0)))
    assert {row.theorem for row in report.rows} == {theorem.id for theorem in PAPER.theorems}
    assert report.exit_code == 0 and report.counts[Verdict.HOLDS] == len(report.rows)
    assert all(1.0 < row.tightness_lower <= row.tightness_upper < 100 for row in report.rows)


def test_undecided_is_refined_until_it_is_decided(engine):
    calls = engine(around(1.0))
    (row,) = verify(ONE_POINT_JOB, [claim(1.0003)]).rows
    assert [width for *_, width in calls] == [0.005, 0.001, 0.0002]
    assert row.verdict is Verdict.HOLDS and row.reason is None
    assert row.upper - row.lower == pytest.approx(0.0002)


def test_refinement_stops_at_the_floor(engine):
    calls = engine(around(1.0))
    (row,) = verify(ONE_POINT_JOB, [claim(1.0)]).rows
    assert calls[-1][-1] == WIDTH_FLOOR and len(calls) == 4
    assert row.verdict is Verdict.UNDECIDED and "0.0001" in row.reason
    assert verify(ONE_POINT_JOB, [claim(1.0)]).exit_code == 3


def test_an_equality_is_refined_to_the_floor(engine):
    # The claim .130568 of issue 17: a first answer of a width under 1e-3 contains it, the truth is 4e-4 above it.
    truth = 0.1306205
    answers = {0.005: (0.13045, 0.13065), 0.001: (0.1305, 0.13063), 0.0002: (0.13061, 0.13063)}
    calls = engine(lambda slot, delta, width: Interval(*answers[width]))
    (row,) = verify(ONE_POINT_JOB, [claim(0.130568, relation="=")]).rows
    assert [width for *_, width in calls] == [0.005, 0.001, 0.0002] and row.verdict is Verdict.VIOLATED
    calls = engine(around(truth))
    (row,) = verify(ONE_POINT_JOB, [claim(truth, relation="=")]).rows
    assert calls[-1][-1] == WIDTH_FLOOR and row.verdict is Verdict.CONSISTENT
    assert row.reason == "consistent to 1.01e-04 of its size"
    assert row.upper / row.lower - 1 < 1.01e-4 and row.tightness_lower < 1 < row.tightness_upper
    report = verify(ONE_POINT_JOB, [claim(truth, relation="=")])
    assert report.exit_code == 0 and report.counts[Verdict.CONSISTENT] == 1 and report.summary()[0].tightness


def test_an_equality_with_a_known_number_holds(engine):
    calls = engine(lambda slot, delta, width: Interval(1.0, 1.0 + 2**-52))
    (row,) = verify(ONE_POINT_JOB, [claim(1.0, relation="=")]).rows
    assert len(calls) == 1 and row.verdict is Verdict.HOLDS and row.reason is None


def test_a_width_below_the_floor_is_asked_once(engine):
    calls = engine(around(1.0))
    verify(ONE_POINT_JOB, [claim(1.0)], width=1e-6)
    assert [width for *_, width in calls] == [1e-6]


def test_enclosures_are_intersected(engine):
    budget = ErrorBudget(1.0, 2.0, 3.0)
    answers = {0.005: Interval(0.9, 1.2), 0.001: Interval(0.8, 1.0, budget=budget)}
    engine(lambda slot, delta, width: answers[width])
    (row,) = verify(ONE_POINT_JOB, [claim(1.1)]).rows
    assert (row.lower, row.upper, row.verdict) == (0.9, 1.0, Verdict.HOLDS)
    assert row.budget == budget


def test_disjoint_enclosures_are_believed_in_no_part(engine):
    answers = {0.005: Interval(0.9, 1.2), 0.001: Interval(1.3, 1.4)}
    engine(lambda slot, delta, width: answers[width])
    report = verify(ONE_POINT_JOB, [claim(1.1), claim(9.0, id="easy")])
    for row in report.rows:
        assert row.verdict is Verdict.UNDECIDED and row.lower is None and row.analytic is not None
        assert "empty enclosure" in row.reason


def test_an_engine_that_fails_leaves_a_row_and_the_rest_alone(engine):
    def answer(slot, delta, width):
        if slot.steps == 1000:
            raise MemoryError("too\nbig")
        return Interval(0.01, 0.01)

    engine(answer)
    report = verify(SUITE, ["thm-A.4"])
    failures = [row for row in report.rows if row.params["steps"] == 1000]
    assert {(row.verdict, row.reason) for row in failures} == {(Verdict.UNDECIDED, "MemoryError: too big")}
    assert all(row.verdict is Verdict.HOLDS for row in report.rows if row not in failures)
    assert report.exit_code == 3


def test_a_theorem_that_overflows_leaves_a_row(engine):
    engine(around(1.0))
    report = verify(ONE_POINT_JOB, [claim(float("inf"))])
    (row,) = report.rows
    assert row.verdict is Verdict.UNJUDGEABLE and "floating-point" in row.reason and report.exit_code == 3


def test_each_problem_is_solved_once_for_all_theorems(engine):
    calls = engine(lambda slot, delta, width: Interval(1e-9, 1e-9))
    report = verify(SUITE)
    points = len(STEPS) * len(BUDGETS) * len(WEIGHTS)
    assert len(calls) == len(set(calls)) == points == report.header["problems"]
    assert len(report.rows) == 4 * points + 2 * points // 2


def test_a_cell_outside_the_conditions_needs_no_engine_and_spoils_nothing(engine):
    calls = engine(lambda slot, delta, width: Interval(1e-9, 1e-9))
    report = verify(SUITE, ["thm-3.2-simple"])
    outside = [row for row in report.rows if row.params["eps0"] > 1]
    assert {row.verdict for row in outside} == {Verdict.OUT_OF_CONDITIONS} and len(outside) == 4
    assert all("eps0 <= 1" in row.reason and row.analytic is None for row in outside)
    assert all(slot.eps0 <= 1 for slot, *_ in calls)
    assert report.exit_code == 0


def test_the_order_is_the_suites_whatever_finishes_first(engine):
    def answer(slot, delta, width):
        time.sleep((30 - slot.steps) * 1e-3)
        return Interval(1e-9, 1e-9)

    engine(answer)
    report = verify(slots("many", range(10, 30)), ["thm-A.4", "thm-4.3"], workers=8)
    order = [(name, steps) for name in ("thm-A.4", "thm-4.3") for steps in range(10, 30)]
    assert [(row.theorem, Point.of(row.params).steps) for row in report.rows] == order


@pytest.mark.parametrize("theorem", PAPER.theorems, ids=lambda theorem: theorem.id)
def test_parameters_are_handed_over_by_name(theorem):
    values = {"steps": 100, "window": 100, "eps0": 0.7, "weight": 1.0, "check_in_prob": 1.0, "delta": 1e-5}
    params = {name: values[name] for name in theorem.parameters}
    bound = Bound(theorem.id, params, "epsilon", 1.0, 1e-5, ())
    assert problem_of_bound(theorem, bound) == Problem(HiddenSlot(100, 0.7, 1.0), "epsilon", 1e-5)


@pytest.mark.parametrize("theorem", COMPOSITION.theorems, ids=lambda theorem: theorem.id)
def test_composition_theorems_find_their_protocol(theorem):
    points = (cell.params for cell in COMPOSITION.cells(theorems=[theorem]))
    params = next(point for point in points if not theorem.failed_conditions(**point))
    problem = problem_of_bound(theorem, theorem(**params))
    assert problem.quantity == theorem.quantity and problem.protocol.supports(theorem.quantity)
    for name, value in params.items():
        if name not in (GIVEN[theorem.quantity], "clients", "beta", "delta", "order") and not theorem.subject:
            assert getattr(problem.protocol, name) == value


def test_corollary_3_3_is_judged_for_all_its_repetitions():
    theorem = REGISTRY["cor-3.3"]
    params = {"steps": 100, "clients": 10**4, "eps0": 0.2, "beta": 1e-8, "delta": 1e-6}
    problem = problem_of_bound(theorem, theorem(**params))
    assert problem.protocol == HiddenSlot(100, 0.2, 0.01, epochs=100)
    assert problem.at == pytest.approx(100 * 1e-8 + 1e-6, rel=1e-12)


@pytest.mark.parametrize("name", ["thm-3.2-approx", "thm-4.3-approx", "thm-A.4-approx", "thm-3.2-approx-improved"])
def test_delta0_is_handed_over(name):
    theorem = REGISTRY[name]
    params = {"eps0": 0.2, "delta0": 1e-17, "delta1": 1e-13, "delta": 1e-6}
    params |= {"steps": 1000, "window": 1000, "check_in_prob": 1.0, "weight": 1.0}
    params = {key: params[key] for key in theorem.parameters}
    problem = problem_of_bound(theorem, theorem(**params))
    assert problem.protocol == HiddenSlot(1000, 0.2, 1.0, delta0=1e-17)
    assert problem.at == theorem.at(**params) > 1e-6


def test_delta0_is_refused_where_it_is_not_computed():
    params = {"clients": 10**6, "eps0": 0.2, "delta0": 1e-17, "delta1": 1e-13, "delta": 1e-6}
    theorem = REGISTRY["thm-A.7-approx"]
    with pytest.raises(PldcheckError, match="thm-A.7-approx has delta0, but swap is computed for eps0-DP randomizers"):
        problem_of_bound(theorem, theorem(**params))


def test_an_existence_claim_has_nothing_to_be_judged_by():
    theorem, params = REGISTRY["lem-A.3"], {"eps0": 0.2, "delta0": 1e-17, "delta1": 1e-13}
    with pytest.raises(PldcheckError, match="lem-A.3 is about a randomizer, of which there are no certified answers"):
        problem_of_bound(theorem, theorem(**params))


def test_what_no_protocol_answers_is_unjudgeable_and_not_called_undecided():
    """Every theorem is in a suite, or no protocol is what it is about, which its row says."""
    in_suites = {theorem.id for suite in SUITES.values() for theorem in suite.theorems}
    assert unjudgeable().keys() == {*REGISTRY} - in_suites
    assert len(REGISTRY) == 144 and len(in_suites) == 136
    theorem = REGISTRY["thm-5.1-approx"]
    job = Job("unjudgeable", "", (Grid({**theorem.example, "delta1": 1e-13, "delta": 1e-6}, (theorem,)),))
    report = verify(job)
    reason = "thm-5.1-approx has delta0, but shuffle is computed for eps0-DP randomizers only"
    assert [(row.verdict, row.reason, row.lower) for row in report.rows] == [(Verdict.UNJUDGEABLE, reason, None)]
    assert report.exit_code == 3 and report.counts[Verdict.UNDECIDED] == 0
    assert "no violation, but 1 of 1 cell is UNJUDGEABLE" == notes(report)[0] and reason in notes(report)[-1]
    with pytest.raises(AssertionError, match="thm-5.1-approx is not certain at 1 of 1 cell"):
        assert_sound(theorem, job, allow_undecided=True)


def test_adjacency_is_handed_over_or_refused(engine):
    calls = engine(around(1.0))
    verify(ONE_POINT_JOB, [claim(2.0, adjacency="zero-out")])
    assert calls[0][0].adjacency == "zero-out"
    wrong = claim(
        2.0, adjacency="zero-out", protocol="check-in", parameters=("steps", "eps0", "check_in_prob", "delta")
    )
    grid = Grid(theorems=(wrong,), axes={"steps": 100, "eps0": 1.0, "check_in_prob": 1.0, "delta": 1e-6})
    (row,) = verify(Job("wrong", "", (grid,))).rows
    assert row.verdict is Verdict.UNJUDGEABLE and "stated for zero-out" in row.reason


def test_progress_hears_of_every_row_in_the_callers_thread(engine):
    engine(lambda slot, delta, width: Interval(1e-9, 1e-9))
    steps = []
    report = verify(SUITE, progress=lambda row, total: steps.append((row, total, threading.get_ident())))
    assert {total for _, total, _ in steps} == {len(report.rows)} == {len(steps)}
    assert {thread for *_, thread in steps} == {threading.get_ident()}
    assert {id(row) for row, *_ in steps} == {id(row) for row in report.rows}


def test_an_interrupt_cancels_what_has_not_begun(engine):
    def answer(slot, delta, width):
        time.sleep(0.02)
        return Interval(1e-9, 1e-9)

    calls = engine(answer)

    def interrupt(row, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        verify(slots("many", range(10, 200)), ["thm-A.4"], progress=interrupt, workers=2)
    time.sleep(0.1)
    assert len(calls) < 20


def test_quick_takes_the_sample_and_says_so(engine):
    engine(lambda slot, delta, width: Interval(1e-9, 1e-9))
    report = verify(SUITE, ["thm-A.4", "thm-A.4"], quick=True)
    assert report.suite == report.header["suite"] == "small-quick"
    assert len(report.rows) == 2 and report.header["theorems"] == ["thm-A.4"]


def test_names_and_widths_are_checked_before_anything_runs(engine):
    calls = engine(around(1.0))
    with pytest.raises(UnknownNameError, match="did you mean thm-3.2"):
        verify(ONE_POINT_JOB, ["thm-3.22"])
    with pytest.raises(UnknownNameError):
        verify("nowhere")
    with pytest.raises(JobError, match="nowhere.toml: cannot be read"):
        verify("nowhere.toml")
    with pytest.raises(ParameterError, match="width"):
        verify(ONE_POINT_JOB, width=float("nan"))
    assert calls == []


def test_a_theorem_no_grid_names_is_tried_where_its_parameters_are(engine):
    engine(around(1.0))
    report = verify(SUITE, [claim(2.0)])
    assert [row.params for row in report.rows] == [cell.params for cell in SUITE.cells(theorems=["thm-A.4"])]
    with pytest.raises(PldcheckError, match="gauss-8 has no grid in small; it has thm-3.2, .*thm-A.4"):
        verify(SUITE, ["gauss-8"])


def test_the_width_of_the_call_goes_before_those_of_the_grid_and_the_job(engine):
    calls = engine(around(1.0))
    axes = {"steps": 10, "eps0": 1.0, "weight": 1.0, "delta": 1e-6}
    grids = (
        Grid(theorems=(claim(9.0, id="fine"),), axes=axes, width=0.001),
        Grid(theorems=(claim(9.0, id="usual"),), axes={**axes, "steps": 20}),
    )
    job = Job("widths", "", grids, width=0.02)
    assert verify(job).header["width"] == 0.02
    assert {(slot.steps, width) for slot, _, width in calls} == {(10, 0.001), (20, 0.02)}
    calls.clear()
    assert verify(job, width=0.1).header["width"] == 0.1
    assert {width for *_, width in calls} == {0.1}
    # The same problem at two widths is solved once, at the less.
    calls.clear()
    verify(Job("one", "", (grids[0], Grid(theorems=(claim(9.0, id="usual"),), axes=axes))))
    assert [width for *_, width in calls] == [0.001]


def test_without_judging_nothing_is_computed(engine):
    calls = engine(around(1.0))
    axes = {"steps": (10, 100), "eps0": (1.0, 2.0), "check_in_prob": 1.0, "delta": 1e-6}
    report = verify(Job("said", "", (Grid(theorems=("thm-3.2-simple",), axes=axes, judge=False),)))
    assert calls == [] and report.header["problems"] == 0 and report.exit_code == 0
    for row in report.rows:
        inside = row.params["eps0"] == 1.0
        assert row.verdict is (Verdict.NOT_JUDGED if inside else Verdict.OUT_OF_CONDITIONS)
        assert row.lower is None and row.theorem == "thm-3.2-simple"
        assert row.analytic == (REGISTRY["thm-3.2-simple"](**row.params).value if inside else None)


def test_a_protocol_without_a_theorem_is_computed(engine):
    calls = engine(around(1.0))
    axes = {"steps": (10, 100), "eps0": 1.0, "check_in_prob": 1.0, "delta": 1e-6}
    report = verify(Job("alone", "", (Grid(protocol="check-in", axes=axes, width=0.03),)))
    assert [(slot, at, width) for slot, at, width in calls] == [
        (HiddenSlot(steps, 1.0, 1.0), 1e-6, 0.03) for steps in (10, 100)
    ]
    for row in report.rows:
        assert (row.theorem, row.protocol, row.quantity, row.analytic) == (None, "check-in", "epsilon", None)
        assert row.verdict is Verdict.NOT_JUDGED and (row.lower, row.upper) == (0.985, 1.015)
    assert report.theorems == ("check-in",) and report.header["theorems"] == [] and report.exit_code == 0


def test_a_theorem_and_its_protocol_share_their_problem(engine):
    calls = engine(around(1.0))
    axes = {"steps": 10, "eps0": 1.0, "weight": 1.0, "delta": 1e-6}
    grids = (Grid(theorems=(claim(9.0),), axes=axes), Grid(protocol="hidden-slot", axes=axes, width=0.002))
    with_theorem, alone = verify(Job("both", "", grids)).rows
    assert [width for *_, width in calls] == [0.002]
    assert (with_theorem.verdict, alone.verdict) == (Verdict.HOLDS, Verdict.NOT_JUDGED)
    assert (with_theorem.lower, with_theorem.upper) == (alone.lower, alone.upper) == (0.999, 1.001)


def test_protocols_are_answered_by_the_real_engine():
    grids = (
        Grid(
            protocol="random-allocation", axes={"steps": 10, "sigma": 2, "delta": 1e-6, "adjacency": ("add", "remove")}
        ),
        Grid(protocol="gaussian", quantity="delta", axes={"sigma": 2.0, "epsilon": 1.0}),
        Grid(protocol="gaussian", quantity="renyi", axes={"sigma": 2.0, "order": 8.0}),
        Grid(protocol="gaussian-mean", quantity="error", axes={"clients": 100, "dimension": 10, "epsilon": 1.0}),
        Grid(protocol="composition", axes={"mechanism": [["rr:0.1*9", "gaussian:2"], "gaussian:2"], "delta": 1e-6}),
    )
    rows = verify(Job("all", "", grids)).rows
    assert {row.verdict for row in rows} == {Verdict.NOT_JUDGED} and len(rows) == 7
    both = RandomAllocation(10, 2.0, adjacency="add-remove").epsilon(1e-6)
    assert max(row.upper for row in rows[:2]) == pytest.approx(both.upper, rel=1e-3)
    # delta(1) of sensitivity 1/2: Phi(-7/4) - e Phi(-9/4)
    with mpmath.workdps(40):
        exact = mpmath.ncdf(mpmath.mpf(-7) / 4) - mpmath.e * mpmath.ncdf(mpmath.mpf(-9) / 4)
        assert rows[2].lower <= exact <= rows[2].upper <= rows[2].lower * (1.0 + 1e-12)
    # order / (2 sigma^2)
    assert rows[3].lower <= 1.0 <= rows[3].upper and rows[3].quantity == "renyi"
    assert rows[6].upper < rows[5].lower
    assert all(row.upper - row.lower <= 1e-3 * row.upper for row in rows)


@pytest.mark.nightly
def test_parameters_that_do_not_go_together_are_outside(engine):
    axes = {"steps": (2, 10), "sigma": 2.0, "selected": (1, 5), "delta": 1e-6}
    report = verify(Job("few", "", (Grid(protocol="random-allocation", axes=axes),)))
    outside = [row for row in report.rows if row.verdict is Verdict.OUT_OF_CONDITIONS]
    assert [(row.params["steps"], row.params["selected"]) for row in outside] == [(2, 5)]
    assert outside[0].reason == "random-allocation requires selected at most steps = 2; got 5"
    assert report.exit_code == 0


def test_a_protocol_that_fails_is_undecided(engine):
    def fail(slot, delta, width):
        raise MemoryError("too big")

    engine(fail)
    axes = {"steps": 10, "eps0": 1.0, "delta": 1e-6}
    (row,) = verify(Job("fails", "", (Grid(protocol="hidden-slot", axes=axes),))).rows
    assert (row.verdict, row.reason, row.protocol) == (Verdict.UNDECIDED, "MemoryError: too big", "hidden-slot")


def test_the_pieces_of_a_run_pickle():
    cells = list(find("paper").cells(quick=True, theorems=["thm-A.4"]))[:2]
    tasks = [
        run_cells.task(problem, [(cell, value)], None)
        for cell in cells
        for value, problem, _ in [run_cells.plan_of(cell)]
    ]
    copies = pickle.loads(pickle.dumps(tasks))
    assert copies == tasks and pickle.loads(pickle.dumps(run_cells.solve)) is run_cells.solve
    answer = run_cells.solve(copies[0])
    back = pickle.loads(pickle.dumps(answer))
    assert (back.truth, back.reason) == (answer.truth, answer.reason)
    row = run_cells.row(cells[0], run_cells.claim_of(cells[0]).value, back)
    assert row.verdict is Verdict.HOLDS and pickle.loads(pickle.dumps(row)) == row


@pytest.mark.nightly
def test_a_grid_and_a_dict_of_axes_are_jobs():
    axes = {"steps": [10, 100], "eps0": 1.0, "check_in_prob": 1.0, "delta": 1e-6}
    by_axes = verify(axes, ["thm-3.2", REGISTRY["thm-3.2-improved"]])
    by_grid = verify(Grid({**axes, "steps": (10, 100)}, ("thm-3.2", "thm-3.2-improved")))
    assert [row.params["steps"] for row in by_axes.rows] == [10, 100] * 2 and by_axes.exit_code == 0
    assert [(row.theorem, row.lower) for row in by_axes.rows] == [(row.theorem, row.lower) for row in by_grid.rows]
    with pytest.raises(ParameterError, match="theorems must be given beside the axes"):
        verify(axes)


@pytest.mark.nightly
def test_any_client_computes_and_a_log_is_taken_over(tmp_path):
    axes = {"steps": [10, 100], "eps0": 1.0, "check_in_prob": 1.0, "delta": 1e-6}
    log = tmp_path / "own.sqlite"
    with ThreadPoolExecutor(2) as pool:
        report = verify(axes, ["thm-3.2"], client=pool, log=log)
    again = verify(axes, ["thm-3.2"], client=InProcess(), log=str(log), resume=True)
    assert (report.header["resumed"], again.header["resumed"]) == (0, 2) and again.rows == report.rows
    assert report.header["executor"] == "workers of ThreadPoolExecutor"
    with pytest.raises(ParameterError, match="resume must be left out without log"):
        verify(axes, ["thm-3.2"], resume=True)
    with pytest.raises(ParameterError, match=r"log must be a file whose name ends in \.sqlite"):
        verify(axes, ["thm-3.2"], log=tmp_path / "own.jsonl")
    with pytest.raises(PldcheckError, match="holds other cells than these; resume=True keeps its rows"):
        verify({**axes, "steps": [10]}, ["thm-3.2"], log=log)


def test_answers_that_contradict_each_other_raise():
    both = Interval(0.1, 0.3).meet(Interval(0.2, 0.4))
    assert (both.lower, both.upper) == (0.2, 0.3)
    with pytest.raises(ArithmeticError, match="empty enclosure"):
        Interval(0.1, 0.2).meet(Interval(math.nextafter(0.2, 1.0), 0.4))

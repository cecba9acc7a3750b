"""Rows of cells from an iterator: those of a plain loop, each once, with few cells held at a time."""

from dataclasses import replace
from itertools import islice

import pytest

from pldcheck.theorems import REGISTRY
from pldcheck.verification import Verdict, run_cells
from pldcheck.verification.runs import rows_of_cells
from pldcheck.verification.runs.executors import Cores, InProcess, Threads
from pldcheck.verification.runs.rows_of_cells import Standing, rows_of
from pldcheck.verification.suites import Cell, Grid, Job

SLOTS = Grid(
    {"steps": (10, 30, 100), "eps0": (0.5, 1.0, 3.0), "check_in_prob": (0.5, 1.0), "delta": (1e-6, 1e-7)},
    ("thm-3.2", "thm-3.2-improved", "thm-3.2-simple"),
)
ALONE = Grid({"sigma": (1.0, 2.0, 4.0), "delta": (1e-6, 1e-5)}, protocol="gaussian")
SAID = replace(SLOTS, judge=False)
JOB = Job("mixed", "cells of each kind", (SLOTS, ALONE, SAID))
CELLS = list(Job("judged", "", (SLOTS, ALONE)).cells()) + list(Job("said", "", (SAID,)).cells())


def plain_loop(cells, width=None):
    """Return the rows of cells one after the other, without any of the machinery of runs."""
    problems, plans = {}, {}
    for index, cell in enumerate(cells):
        plans[index] = claim, problem, _ = run_cells.plan_of(cell)
        if problem is not None:
            problems.setdefault(problem, []).append((cell, claim))
    answers = {problem: run_cells.solve(run_cells.task(problem, of, width)) for problem, of in problems.items()}
    rows = {}
    for index, (claim, problem, refusal) in plans.items():
        answer = answers[problem] if problem is not None else None
        row = run_cells.row_of_refusal(cells[index], refusal) if refusal else run_cells.row(cells[index], claim, answer)
        rows[index] = replace(row, seconds=0.0)
    return rows


def collected(executor, cells=CELLS, **more):
    """Return the rows by number; a number that comes twice is an error."""
    rows = {}
    for finished in rows_of(iter(enumerate(cells)), executor, **more):
        for index, row in finished:
            assert index not in rows
            rows[index] = replace(row, seconds=0.0)
    return rows


@pytest.fixture(scope="module")
def loop():
    return plain_loop(CELLS)


def test_the_rows_are_those_of_a_plain_loop(loop):
    standing = Standing()
    assert collected(InProcess(), standing=standing) == loop
    assert {row.verdict for row in loop.values()} >= {Verdict.HOLDS, Verdict.NOT_JUDGED, Verdict.OUT_OF_CONDITIONS}
    assert standing.problems == 42 and standing.looked_at == len(CELLS)


@pytest.mark.nightly
@pytest.mark.parametrize("executor", [Cores(2), Cores(1, cell_timeout=600.0), Threads(3)], ids=lambda one: one.about)
def test_the_rows_are_the_same_on_every_executor(executor, loop):
    assert collected(executor) == loop


@pytest.mark.nightly
def test_a_theorem_that_no_worker_knows_shares_its_problem_with_those_that_workers_know():
    own = replace(REGISTRY["thm-3.2"], id="own", formula=lambda **values: REGISTRY["thm-3.2"](**values).value * 0.3)
    cells = list(Job("own", "", (replace(SLOTS, theorems=("thm-3.2", own)),)).cells())
    loop = plain_loop(cells)
    assert collected(Cores(2), cells) == loop and {row.theorem for row in loop.values()} == {"thm-3.2", "own"}


def test_cells_are_taken_when_they_are_needed(monkeypatch):
    monkeypatch.setattr(rows_of_cells, "BLOCK", 50)
    taken, theorem = [0], REGISTRY["thm-3.2-improved"]

    def endless():
        while True:
            params = {"steps": 10 + taken[0], "eps0": 1.0, "check_in_prob": 1.0, "delta": 1e-6}
            yield taken[0], Cell(theorem, None, "epsilon", params, None, False)
            taken[0] += 1

    rows, most = [], 0
    source = rows_of(endless(), InProcess())
    for finished in islice(source, 40):
        rows += finished
        most = max(most, taken[0] - len(rows))
    source.close()
    assert sorted(index for index, _ in rows) == list(range(len(rows))) and len(rows) >= 1000
    assert most <= (rows_of_cells.AHEAD + 1) * 50


def test_cells_with_a_row_have_none_but_their_claims_count(loop, monkeypatch):
    # Of cells that share a problem, some have a row and some have none.
    stored = {index for index in range(len(CELLS)) if index % 5}
    rows = collected(InProcess(), stored=stored)
    assert rows == {index: row for index, row in loop.items() if index not in stored}
    # By blocks: a block is the same whatever came before it.
    monkeypatch.setattr(rows_of_cells, "BLOCK", 20)
    whole = collected(InProcess())
    assert rows.keys() | stored == whole.keys() == loop.keys()
    some = {}
    late_cells = ((index, cell) for index, cell in enumerate(CELLS) if index >= 40)
    for finished in rows_of(late_cells, InProcess()):
        some |= {index: replace(row, seconds=0.0) for index, row in finished}
    assert some == {index: row for index, row in whole.items() if index >= 40}


def test_a_run_without_compiled_kernels_says_so_in_one_line(monkeypatch, caplog):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    collected(InProcess(), CELLS[-1:])
    assert [message.partition(":")[0] for message in caplog.messages] == ["NUMBA_DISABLE_JIT is set"]
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    collected(InProcess(), CELLS[-1:])
    assert len(caplog.messages) == 1


@pytest.mark.nightly
def test_an_error_in_one_cell_is_the_reason_in_its_row():
    def fail(**values):
        raise RuntimeError("no\nsuch number")

    own = replace(REGISTRY["thm-3.2-improved"], formula=lambda **values: 1.0, at=fail)
    cells = [replace(cell, theorem=own) for cell in CELLS[:2]] + CELLS[-2:]
    rows = collected(InProcess(), cells)
    assert [rows[index].verdict for index in (0, 1)] == [Verdict.UNDECIDED] * 2 and rows[0].lower is None
    assert rows[0].reason == "RuntimeError: no such number" and rows[3].verdict is not Verdict.UNDECIDED

"""Job files: what they ask for, and one line for everything they must not say."""

import json
import math
import os
import pickle
import random
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pldcheck.core.errors import PldcheckError
from pldcheck.theorems import REGISTRY
from pldcheck.verification.suites import START, Grid, Job, JobError, load, parse, text
from pldcheck.verification.suites.toml_lines import line, lines
from pldcheck.verification.suites.value_ranges import even_values, log_even_values

HEAD = 'name = "my-job"\nsummary = ""\n'
GRID = """
[[grid]]
theorems = ["thm-A.4"]
steps = [10, 1e6]
eps0 = 1
weight = 1
delta = 1e-6
"""


def params(body, quick=False, head=HEAD):
    """Return the parameters of all cells of a file with these grids."""
    return [cell.params for cell in parse(head + body).cells(quick)]


def test_a_job_is_what_its_file_says():
    job = parse(
        """
name = "my-job"
summary = "what it is for"
width = 0.02
out = "here"

[[grid]]
theorems = ["thm-3.2", "thm-3.2-improved"]
steps = [10, 1000, 1e6]
eps0 = { from = 0.1, to = 1, points = 4 }
delta = { from = 1e-3, to = 1e-9, points = 3, log = true }
check_in_prob = 1
zip = [["steps", "delta"]]
width = 0.001

[[grid]]
protocol = "random-allocation"
quantity = "renyi"
steps = [100, 1000]
sigma = [1, 2]
order = 2
adjacency = ["add", "remove"]
""".replace('quantity = "renyi"\n', "").replace("order = 2", "delta = 1e-6")
    )
    assert (job.name, job.summary, job.width, job.out) == ("my-job", "what it is for", 0.02, "here")
    cells = list(job.cells())
    reference = [
        ("thm-3.2", {"steps": steps, "eps0": eps0, "delta": delta, "check_in_prob": 1.0}, 0.001, True)
        for steps, delta in ((10, 1e-3), (1000, 1e-6), (10**6, 1e-9))
        for eps0 in (0.1, 0.4, 0.7, 1.0)
    ]
    reference += [("thm-3.2-improved", values, 0.001, True) for _, values, *_ in reference]
    reference += [
        ("random-allocation", {"steps": steps, "sigma": sigma, "delta": 1e-6, "adjacency": adjacency}, 0.02, False)
        for steps, sigma, adjacency in product((100, 1000), (1.0, 2.0), ("add", "remove"))
    ]
    assert [(cell.subject, cell.params, cell.width, cell.judged) for cell in cells] == reference
    assert [list(cell.params) for cell in cells[:1]] == [["steps", "eps0", "delta", "check_in_prob"]]
    assert {type(cell.params["steps"]) for cell in cells} == {int}
    assert {type(cell.params["sigma"]) for cell in cells if cell.protocol} == {float}
    assert job.subjects == ("thm-3.2", "thm-3.2-improved", "random-allocation")
    assert {(cell.theorem, cell.quantity) for cell in cells if cell.protocol} == {(None, "epsilon")}


def test_the_first_file_of_a_new_job_is_a_valid_job():
    job = load(START)
    assert (job.name, job.out, len(list(job.cells())), len(list(job.cells(quick=True)))) == ("my-job", None, 76, 12)
    # Every line that is commented out may be put in.
    job_text = text(START)
    lines = [row.removeprefix("# ") if " = " in row and row.startswith("# ") else row for row in job_text.splitlines()]
    full = parse("\n".join(row for row in lines if "zip" not in row))
    assert (full.width, full.out, full.grids[0].width, full.grids[0].judge) == (0.005, "results", 0.001, False)


def test_quick_takes_the_ends_or_the_values_of_its_key():
    axes = "theorems = ['thm-A.4']\nsteps = [1, 2, 3]\neps0 = [1, 2, 3]\nweight = 1\ndelta = 1e-6\n"
    first = [(values["steps"], values["eps0"]) for values in params("[[grid]]\n" + axes, quick=True)]
    assert first == [(1, 1), (1, 3), (3, 1), (3, 3)]
    grid_points = params("[[grid]]\nquick = { steps = 7, delta = [1e-3, 1e-4] }\n" + axes, quick=True)
    triples = [(values["steps"], values["eps0"], values["delta"]) for values in grid_points]
    assert triples == [(7, 1, 1e-3), (7, 1, 1e-4), (7, 3, 1e-3), (7, 3, 1e-4)]
    zipped_points = params("[[grid]]\nzip = [['steps', 'eps0']]\n" + axes, quick=True)
    assert [(values["steps"], values["eps0"]) for values in zipped_points] == [(1, 1), (3, 3)]
    grid_points = params(
        "[[grid]]\nzip = [['eps0', 'steps']]\nquick = { steps = [8, 9], eps0 = [4, 5] }\n" + axes, quick=True
    )
    assert [(values["steps"], values["eps0"]) for values in grid_points] == [(8, 4), (9, 5)]


def test_the_same_cell_is_asked_once():
    assert len(params(GRID + GRID)) == 2 and len(params(GRID.replace("[10, 1e6]", "[10, 10, 10.0]"))) == 1
    grid_text = GRID.replace("[10, 1e6]", "[10, 20, 10]").replace(
        "eps0 = 1", "zip = [['eps0', 'steps']]\neps0 = [1, 2, 1]"
    )
    assert [(point["steps"], point["eps0"]) for point in params(grid_text)] == [(10, 1), (20, 2)]
    assert [list(point) for point in params(grid_text)] == [["steps", "eps0", "weight", "delta"]] * 2
    more = GRID.replace("thm-A.4", "thm-A.4', 'thm-A.4".replace("'", '"'))
    assert len(params(more)) == 2


def test_cells_come_theorem_by_theorem():
    grids = "".join(
        f"[[grid]]\ntheorems = {names}\nsteps = {steps}\neps0 = 1\ncheck_in_prob = 1\ndelta = 1e-6\n"
        for names, steps in (("['thm-3.2', 'thm-3.2-simple']", 10), ("['thm-3.2']", 20))
    )
    job = parse(HEAD + grids)
    pairs = [(cell.subject, cell.params["steps"]) for cell in job.cells()]
    assert pairs == [("thm-3.2", 10), ("thm-3.2", 20), ("thm-3.2-simple", 10)]
    few = list(job.cells(theorems=["thm-3.2-simple", REGISTRY["thm-3.2"], "thm-3.2"]))
    assert [cell.subject for cell in few] == ["thm-3.2-simple", "thm-3.2", "thm-3.2"]
    assert list(job.cells(theorems=[])) == []


# Values at i = 0 .. n - 1 by exact fractions, and by 60 digits.
@given(
    st.floats(1e-12, 1e12, allow_subnormal=False),
    st.floats(1e-12, 1e12, allow_subnormal=False),
    st.integers(2, 30),
    st.booleans(),
)
def test_ranges_are_rounded_once(first, last, points, log):
    numbers = (log_even_values if log else even_values)(first, last, points, False)
    assert (numbers[0], numbers[-1]) == (first, last) and len(set(numbers)) == len(numbers) <= points
    if len(numbers) < points:
        return
    for index, value in enumerate(numbers):
        if log:
            with localcontext() as context:
                context.prec = 60
                exact = Decimal(first) * (Decimal(last) / Decimal(first)) ** (Decimal(index) / (points - 1))
                assert abs(Decimal(value) / exact - 1) < 2.0**-52
        else:
            exact = Fraction(first) + (Fraction(last) - Fraction(first)) * index / (points - 1)
            assert abs(Fraction(value) - exact) <= Fraction(max(first, last)) / 2**52


@pytest.mark.parametrize(
    ("message", "values"),
    [
        ("{ from = 0.1, to = 1, points = 4 }", (0.1, 0.4, 0.7, 1.0)),
        ("{ from = 0.3, to = 0.1, points = 3 }", (0.3, 0.2, 0.1)),
        ("{ from = 0.1, to = 0.1, points = 5 }", (0.1,)),
        ("{ from = 1, to = 1, points = 1, log = true }", (1.0,)),
        ("{ from = 1e-3, to = 10, points = 5, log = true }", (1e-3, 1e-2, 0.1, 1.0, 10.0)),
        ("{ from = 10, to = 1e-3, points = 5e0, log = true }", (10.0, 1.0, 0.1, 1e-2, 1e-3)),
    ],
)
def test_ranges_of_numbers_are_expanded(message, values):
    points = params(GRID.replace("eps0 = 1", f"eps0 = {message}").replace("[10, 1e6]", "10"))
    assert tuple(point["eps0"] for point in points) == values


@pytest.mark.parametrize(
    ("message", "values"),
    [
        ("{ from = 1, to = 10, points = 4 }", (1, 4, 7, 10)),
        ("{ from = 1, to = 4, points = 7 }", (1, 2, 3, 4)),  # 1.5, 2.5 and 3.5 go to the even neighbour
        ("{ from = 1, to = 1e12, points = 13, log = true }", tuple(10**place for place in range(13))),
        ("{ from = 1, to = 100, points = 5, log = true }", (1, 3, 10, 32, 100)),
        ("{ from = 1, to = 4, points = 9, log = true }", (1, 2, 3, 4)),
    ],
)
def test_ranges_of_whole_numbers_are_expanded(message, values):
    points = params(GRID.replace("[10, 1e6]", message))
    assert tuple(point["steps"] for point in points) == values
    assert {type(arguments["steps"]) for arguments in points} == {int}


# Each with what replaces a line of GRID (or is put before it), the line of the error, and what it says.
G = 4  # the line of [[grid]]
SAME = {
    "delta out of range": ("delta = 1e-6", "delta = 2", G + 5, "grid.delta must be above 0 and below 1, got 2"),
    "delta zero": ("delta = 1e-6", "delta = 0.0", G + 5, "grid.delta must be above 0 and below 1, got 0.0"),
    "delta nan": ("delta = 1e-6", "delta = nan", G + 5, "grid.delta must be above 0 and below 1, got nan"),
    "eps0 infinite": ("eps0 = 1", "eps0 = inf", G + 3, "grid.eps0 must be above 0 and at most 20, got inf"),
    "eps0 too large to be a float": ("eps0 = 1", "eps0 = 1e999",
        G + 3, "grid.eps0 must be above 0 and at most 20, got inf"),
    "in a list": ("[10, 1e6]", "[10,\n # one\n 1.5]", G + 4, "grid.steps must be an integer from 1 to 1e12, got 1.5"),
    "text for a number": ("eps0 = 1", "eps0 = 'one'", G + 3, "grid.eps0 must be above 0 and at most 20, got 'one'"),
    "true for a number": ("eps0 = 1", "eps0 = true", G + 3, "grid.eps0 must be above 0 and at most 20, got True"),
    "a date for a number": (
        "eps0 = 1", "eps0 = 2020-01-01 01:02:03", G + 3,
        "grid.eps0 must be above 0 and at most 20, got datetime.datetime(2020, 1, 1, 1, 2, 3)",
    ),
    "a list in a list": ("eps0 = 1", "eps0 = [1, [2]]", G + 3, "grid.eps0 must be above 0 and at most 20, got [2]"),
    "an empty list": ("[10, 1e6]", "[]", G + 2, "grid.steps must have at least one value"),
    "hex of any length": (
        "eps0 = 1", f"eps0 = 0x{'f' * 9000}", G + 3,
        "grid.eps0 must be above 0 and at most 20, got a number of thousands of digits",
    ),
    "steps of any length": (
        "[10, 1e6]", f"0x{'f' * 9000}", G + 2,
        "grid.steps must be an integer from 1 to 1e12, got a number of thousands of digits",
    ),
    "unknown key": (
        *("eps0 = 1", "eps = 1", G + 3),
        "unknown key of a grid 'eps'; eps0 is in its place: eps0 is the budget of a local randomizer",
    ),
    "unknown setting": (
        "theorems", "width = 0.1\njuge = false\ntheorems", G + 2, "unknown key of a grid 'juge'; did you mean judge?"
    ),
    "foreign parameter": (
        "eps0 = 1", "eps0 = 1\nwindow = 3", G + 4,
        "grid.window is no parameter of thm-A.4; it has steps, eps0, weight, delta",
    ),
    "missing parameter": (
        "weight = 1\n", "", G, "grid.weight is missing; thm-A.4 needs steps, eps0, weight, delta"
    ),
    "the second theorem": (
        '["thm-A.4"]', '["thm-A.4", "thm-3.2"]', G + 4,
        "grid.weight is no parameter of thm-3.2; it has steps, eps0, check_in_prob, delta",
    ),
    "unknown theorem": (
        '["thm-A.4"]', '["thm-A.4",\n "thm-3.22"]', G + 2,
        "unknown theorem 'thm-3.22'; did you mean thm-3.2?",
    ),
    "a number for a theorem": ('["thm-A.4"]', "[3.2]", G + 1, "grid.theorems must be ids of theorems, got 3.2"),
    "a theorem not in a list": (
        '["thm-A.4"]', '"thm-A.4"', G + 1, "grid.theorems must be a list that is not empty, got 'thm-A.4'"
    ),
    "no theorems": ('["thm-A.4"]', "[]", G + 1, "grid.theorems must be a list that is not empty, got []"),
    "neither": ('theorems = ["thm-A.4"]', "", G, "grid must have theorems or a protocol, and not both"),
    "both": ("eps0 = 1", 'protocol = "check-in"', G, "grid must have theorems or a protocol, and not both"),
    "quantity of a theorem": (
        "eps0 = 1", 'eps0 = 1\nquantity = "delta"', G + 4, "grid.quantity is for a protocol; a theorem has its own"
    ),
    "judge": ("eps0 = 1", "eps0 = 1\njudge = 0", G + 4, "grid.judge must be true or false, got 0"),
    "width": ("eps0 = 1", "eps0 = 1\nwidth = 1", G + 4, "grid.width must be above 0 and below 1, got 1"),
    "range without to": ("eps0 = 1", "eps0 = { from = 1, points = 3 }", G + 3, "grid.eps0.to is missing"),
    "range without from": ("eps0 = 1", "eps0 = { to = 1, points = 3 }", G + 3, "grid.eps0.from is missing"),
    "range without points": ("eps0 = 1", "eps0 = { from = 1, to = 3 }", G + 3, "grid.eps0.points is missing"),
    "range of no points": (
        "eps0 = 1", "eps0 = { from = 1, to = 3, points = 0 }", G + 3,
        "grid.eps0.points must be an integer from 1 to 100000, got 0",
    ),
    "range of one point": (
        "eps0 = 1", "eps0 = { from = 1, to = 3, points = 1 }", G + 3,
        "grid.eps0.points must be at least 2 where from and to differ, got 1",
    ),
    "range with an open end": (
        "delta = 1e-6", "delta = { from = 0, to = 0.5, points = 3 }", G + 5,
        "grid.delta.from must be above 0 and below 1, got 0"
    ),
    "range of whole numbers from a fraction": (
        "[10, 1e6]", "{ from = 1, to = 2.5, points = 3 }", G + 2,
        "grid.steps.to must be an integer from 1 to 1e12, got 2.5",
    ),
    "range with a typing error": (
        "eps0 = 1", "eps0 = { from = 1, to = 2, point = 3 }", G + 3,
        "unknown key of grid.eps0 'point'; did you mean points?",
    ),
    "log": (
        "eps0 = 1", "eps0 = { from = 1, to = 2, points = 3, log = 1 }", G + 3,
        "grid.eps0.log must be true or false, got 1",
    ),
    "range as a table": (
        "delta = 1e-6\n", "[grid.delta]\nfrom = 1e-3\nto = 0.5\npoints = -1\n", G + 8,
        "grid.delta.points must be an integer from 1 to 100000, got -1",
    ),
    "range by dotted keys": (
        "eps0 = 1", 'eps0.from = 1\neps0 . "to" = 30\neps0.points = 2',
        G + 4, "grid.eps0.to must be above 0 and at most 20, got 30"
    ),
    "zip of unequal lengths": (
        "eps0 = 1", "eps0 = [1, 2, 3]\nzip = [['steps', 'eps0']]", G + 4,
        "grid.zip must join keys with equally many values, got 2 of steps, 3 of eps0",
    ),
    "zip of one": (
        "eps0 = 1", "eps0 = 1\nzip = [['steps']]", G + 4,
        "grid.zip must be groups of two or more keys, each key once, got [['steps']]",
    ),
    "zip of the same": (
        "eps0 = 1", "eps0 = 1\nzip = [['eps0', 'delta'],\n ['delta', 'weight']]", G + 5,
        "grid.zip must be groups of two or more keys, each key once, got [['eps0', 'delta'], ['delta', 'weight']]",
    ),
    "zip of an unknown key": (
        "eps0 = 1", "eps0 = 1\nzip = [['steps', 'eps']]", G + 4,
        "unknown key in grid.zip 'eps'; eps0 is in its place: eps0 is the budget of a local randomizer",
    ),
    "zip that is no list": (
        "eps0 = 1", "eps0 = 1\nzip = ['steps', 'eps0']", G + 4, "grid.zip must be lists of keys, got 'steps'"
    ),
    "quick with an unknown key": (
        "eps0 = 1", "eps0 = 1\nquick = { eps = 1 }", G + 4,
        "unknown key of grid.quick 'eps'; eps0 is in its place: eps0 is the budget of a local randomizer",
    ),
    "quick out of range": (
        "delta = 1e-6", "delta = 1e-6\n[grid.quick]\nsteps = 1\neps0 = [1,\n 21]", G + 9,
        "grid.quick.eps0 must be above 0 and at most 20, got 21",
    ),
    "quick with no values": (
        "eps0 = 1", "eps0 = 1\nquick = { eps0 = [] }", G + 4, "grid.quick.eps0 must have at least one value"
    ),
    "quick with half a zip": (
        "eps0 = 1", "eps0 = [1, 2]\nzip = [['steps', 'eps0']]\nquick = { steps = 1 }", G + 5,
        "grid.quick must have equally many values for zipped keys, got 1 of steps, 0 of eps0",
    ),
    "quick that is no table": ("eps0 = 1", "eps0 = 1\nquick = 1", G + 4, "grid.quick must be a table of values, got 1"),
    "too many cells": (
        "[10, 1e6]\neps0 = 1",
        "{ from = 1, to = 1e5, points = 1e5 }\neps0 = { from = 1, to = 2, points = 1010 }",
        G, "a job must have at most 100,000,000 cells, got 101,000,000",
    ),
    "the second grid": (
        "delta = 1e-6",
        "delta = 1e-6\n\n[[grid]] # two\ntheorems = ['thm-A.4']\nsteps = 1\neps0 = 1\ndelta = 1e-6\nweight = -1",
        G + 12, "grid.weight must be above 0 and at most 1, got -1",
    ),
    "unknown key of the job": (
        "[[grid]]", "widht = 0.1\n[[grid]]", G, "unknown key of a job 'widht'; did you mean width?"
    ),
    "width of the job": ("[[grid]]", "width = 0\n[[grid]]", G, "width must be above 0 and below 1, got 0"),
    "out": ("[[grid]]", "out = 3\n[[grid]]", G, "out must be text on one line, got 3"),
    "out with a NUL": ("[[grid]]", 'out = "\\u0000"\n[[grid]]', G, "out must be text on one line, got '\\x00'"),
    "text that does not end": ("delta = 1e-6", "delta = '1", G + 6, "not TOML: Expected \"'\" (at the end)"),
    "not a value": ("eps0 = 1", "eps0 = one", G + 3, "not TOML: Invalid value (column 8)"),
    "a key twice": ("eps0 = 1", "eps0 = 1\neps0 = 2", G + 4, "not TOML: Cannot overwrite a value (column 9)"),
    "digits": ("eps0 = 1", f"eps0 = {'1' * 5000}", G + 3, "not TOML: a number of thousands of digits"),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "row", "complaint"), SAME.values(), ids=SAME)
def test_every_error_names_the_key_and_its_line(old, new, row, complaint):
    whole = HEAD + GRID
    assert whole.count(old) == 1
    with pytest.raises(JobError) as error:
        parse(whole.replace(old, new), "job.toml")
    message = str(error.value)
    assert message == f"job.toml, line {row}: {complaint}" and "\n" not in message


ALLOCATION = '[[grid]]\nprotocol = "random-allocation"\nsteps = 10\nsigma = 1\ndelta = 1e-6\n'
ALONE = {
    "unknown protocol": (
        "random-allocation",
        "random-alocation",
        4,
        "unknown protocol 'random-alocation'; did you mean",
    ),
    "a number for a protocol": ('"random-allocation"', "1", 4, "grid.protocol must be a name, got 1"),
    "unknown quantity": ("steps = 10", 'steps = 10\nquantity = "epsilom"', 6, "unknown quantity of random-allocation"),
    "a quantity it has not": (
        "steps = 10",
        'steps = 10\nquantity = "renyi"',
        6,
        "unknown quantity of random-allocation",
    ),
    "judge": ("steps = 10", "steps = 10\njudge = false", 6, "grid.judge is for theorems; a protocol is not judged"),
    "missing": ("sigma = 1\n", "", 3, "grid.sigma is missing; random-allocation needs steps, sigma, delta"),
    "what is given": (
        "delta = 1e-6",
        "epsilon = 1",
        7,
        "grid.epsilon is no parameter of random-allocation; it has steps,",
    ),
    "foreign": (
        "sigma = 1",
        "sigma = 1\nwindow = 1",
        7,
        "grid.window is no parameter of random-allocation; it has steps",
    ),
    "text": (
        "sigma = 1",
        'sigma = 1\nadjacency = ["add",\n"ad"]',
        8,
        "grid.adjacency must be one of remove, add, add-remove",
    ),
    "text in quick": (
        "sigma = 1",
        'sigma = 1\nadjacency = "add"\nquick = { adjacency = "ad" }',
        8,
        "grid.adjacency must",
    ),
    "number for text": ("sigma = 1", "sigma = 1\nadjacency = 1", 7, "grid.adjacency must be text, got 1"),
    "range for text": ("sigma = 1", "sigma = 1\nadjacency = { from = 1 }", 7, "grid.adjacency must be text, got {"),
}


@pytest.mark.parametrize(("old", "new", "row", "message"), ALONE.values(), ids=ALONE)
def test_errors_of_protocols_name_the_key_and_its_line(old, new, row, message):
    with pytest.raises(JobError) as error:
        parse(HEAD + ALLOCATION.replace(old, new), "job.toml")
    assert str(error.value).startswith(f"job.toml, line {row}: {message}")


@pytest.mark.parametrize(
    ("body", "row", "message"),
    [
        (
            'protocol = "hidden-slot"\nsteps = 10\ndelta = 1e-6',
            3,
            "grid.eps0 is missing; it must be above 0 and at most 20",
        ),
        (
            'protocol = "shuffle"\nclients = 10\neps0 = 1\ndelta = 1e-6\nrandomizer = ["krr:3", "krr:1"]',
            8,
            "grid.randomizer: categories must be an integer from 2 to 1e6, got '1'",
        ),
        (
            'protocol = "composition"\nmechanism = ["rr:0.1", ["gaussian:1", 2]]\ndelta = 1e-6',
            5,
            "grid.mechanism must be text",
        ),
        (
            'protocol = "composition"\nmechanism = ["rr:0.1", "gausian:1"]\ndelta = 1e-6',
            5,
            "grid.mechanism must be one of rr:EPS0",
        ),
    ],
)
def test_texts_are_tried_when_the_file_is_read(body, row, message):
    with pytest.raises(JobError) as error:
        parse(f"{HEAD}[[grid]]\n{body}", "job.toml")
    assert str(error.value).startswith(f"job.toml, line {row}: {message}")


TOP = {
    "no name": ("width = 0.1\n" + GRID, "line 1: name is missing"),
    "a name that is no file's": (
        "\nname = '../x'\n" + GRID,
        "line 2: name must be letters, digits and . _ - (at most 64)",
    ),
    "an empty name": ("name = ''\n" + GRID, "line 1: name must be letters"),
    "a summary of two lines": ("name = 'x'\nsummary = '''a\nb'''\n" + GRID, "line 2: summary must be text on one line"),
    "no grid": (HEAD, "line 1: a job must have at least one [[grid]]"),
    "one grid": (HEAD + "[grid]\nsteps = 1", "line 3: grid must be tables that begin with [[grid]], got {'steps': 1}"),
    "grids of numbers": (HEAD + "grid = [\n1]", "line 4: grid must be tables that begin with [[grid]], got 1"),
    "grids in a list": (HEAD + "grid = [\n{ width = 2 }]", "line 4: grid must have theorems or a protocol"),
    "nothing": ("", "line 1: name is missing"),
    "NUL": ("name = '\0'", "line 1: not TOML: Found invalid character '\\x00' (column 9)"),
    "the end": ("name = 'x'\nsummary", "line 2: not TOML: Expected '=' after a key in a key/value pair (at the end)"),
    "nested": ("x = " + "[" * 20000, "nested too deeply"),
}


@pytest.mark.parametrize(("whole", "message"), TOP.values(), ids=TOP)
def test_errors_of_the_job_are_refused_in_one_line(whole, message):
    with pytest.raises(JobError) as error:
        parse(whole, "job.toml")
    assert message in str(error.value) and str(error.value).startswith("job.toml")
    # After a stack that was full, Python 3.11 may take pickling for too deep as well.
    if whole != TOP["nested"][0]:
        assert pickle.loads(pickle.dumps(error.value)).args == error.value.args


@pytest.mark.nightly
def test_files_that_cannot_be_read_are_refused(tmp_path):
    path = tmp_path / "job.toml"
    refusals = {}
    for name, content in {
        "latin": b'name = "x"\r\nsummary = "caf\xe9"',
        "large": b"#" * (10**6 + 1),
    }.items():
        path.write_bytes(content)
        with pytest.raises(JobError) as error:
            load(path)
        refusals[name] = str(error.value)
    assert refusals == {
        "latin": f"{path}, line 2: not UTF-8",
        "large": f"{path}: cannot be read (longer than 1000000 bytes)",
    }
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)  # nobody writes to it: whoever opened it would wait
    for odd in (tmp_path / "none.toml", tmp_path, "a\0b.toml", pipe, "/dev/zero"):
        with pytest.raises(JobError, match="cannot be read"):
            load(odd)


@pytest.mark.nightly
def test_line_ends_and_byte_order_marks_of_other_systems_are_read(tmp_path):
    path = tmp_path / "job.toml"
    path.write_bytes(b"\xef\xbb\xbf" + (HEAD + GRID).replace("\n", "\r\n").encode())
    assert load(path) == parse(HEAD + GRID)
    path.write_bytes((HEAD + GRID.replace("1e-6", "3")).replace("\n", "\r\n").encode())
    with pytest.raises(JobError, match=f"line {G + 5}: grid.delta"):
        load(path)


@pytest.mark.nightly
def test_keys_of_every_construct_of_toml_have_their_line():
    whole = '''a = 1 # [b]
"b.c" = """
x = [
"""
d.e = [ # ]
  1, [2,
  3], { f = "]", g.h = 4 },
]
[[t]]
[[t]]
u = 1979-05-27 07:32:00
v = '}'
[t.w]
x = \'\'\'
\'\'\'
[[t.w.y]]
z = "\\""
'''
    assert lines(whole) == {
        ("a",): 1, ("b.c",): 2, ("d",): 5, ("d", "e"): 5, ("d", "e", 0): 6, ("d", "e", 1): 6, ("d", "e", 1, 0): 6,
        ("d", "e", 1, 1): 7, ("d", "e", 2): 7, ("d", "e", 2, "f"): 7, ("d", "e", 2, "g"): 7, ("d", "e", 2, "g", "h"): 7,
        ("t",): 9, ("t", 0): 9, ("t", 1): 10, ("t", 1, "u"): 11, ("t", 1, "v"): 12, ("t", 1, "w"): 13,
        ("t", 1, "w", "x"): 14, ("t", 1, "w", "y"): 16, ("t", 1, "w", "y", 0): 16, ("t", 1, "w", "y", 0, "z"): 17,
    }  # fmt: skip
    assert line(whole, ("t", 1, "w", "none")) == 13 and line(whole, ("none",)) == 1


@pytest.mark.nightly
def test_jobs_built_in_python_are_checked_as_files_are():
    axes = {"steps": 10, "eps0": 1.0, "weight": 1.0, "delta": 1e-6}
    assert Job("x", "", (Grid(axes=axes, theorems=("thm-A.4",)),)).theorems == (REGISTRY["thm-A.4"],)
    with pytest.raises(JobError, match=r"^grid.delta must be above 0 and below 1, got 2$"):
        Grid(axes={**axes, "delta": (0.1, 2)}, theorems=("thm-A.4",))
    with pytest.raises(JobError, match="at least one"):
        Job("x", "", ())
    with pytest.raises(JobError, match="at most 100,000,000 cells, got 100,000,100"):
        many = {**axes, "steps": range(1, 1011), "eps0": tuple(i / 10**5 for i in range(1, 99_011))}
        Job("x", "", (Grid(axes=many, theorems=("thm-A.4",)),))
    assert Grid(axes=axes, theorems=("thm-A.4",)) == Grid(axes=axes, theorems=(REGISTRY["thm-A.4"],))


BITS = (
    """[ ] { } = , " ' # . \\ [[[[ [[grid]] nan -inf 1e999 0xffffffffffff true steps quick zip 1979-05-27 -1 from to
points é log judge width theorems protocol grid 'delta' \0""".split()
    + ["\n", '"' * 3, "points = 0"]
)


@settings(max_examples=200)
@given(st.randoms(use_true_random=False), st.integers(1, 6))
def test_a_broken_file_is_refused_in_one_line(source, changes):
    whole = damage(source, changes)
    try:
        job = parse(whole, "job.toml")
    except PldcheckError as error:
        assert str(error).startswith("job.toml") and "\n" not in str(error) and len(str(error)) < 2000
        number = getattr(error, "place", "").partition("line ")[2]
        assert not number or 1 <= int(number) <= whole.count("\n") + 1
    else:
        for cell in job.cells(quick=True):
            if cell.theorem:
                cell.theorem.failed_conditions(**cell.params)


def damage(source: random.Random, changes: int) -> str:
    """Return the file to begin with, after a few cuts, copies and insertions."""
    whole = text(START)
    for _ in range(changes):
        first = source.randrange(len(whole))
        last = min(first + source.choice((1, 1, 2, 5, 40)), len(whole))
        kind = source.choice(("cut", "put", "copy", "swap"))
        if kind == "cut":
            whole = whole[:first] + whole[last:]
        elif kind == "put":
            whole = whole[:first] + source.choice(BITS) + whole[first:]
        elif kind == "copy":
            whole = whole[:last] + whole[first:]
        else:
            whole = whole[:first] + source.choice(BITS) + whole[last:]
    return whole


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["from", "to", "points", "log", "x"]), inner)
    ),
    max_leaves=6,
)


def toml(value) -> str:
    """Return a value as TOML writes it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {toml(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and math.isfinite(value):
        return repr(value)
    if isinstance(value, int | float):
        return str(value)
    return json.dumps(str(value).replace("\x7f", ""))


@pytest.mark.nightly
@settings(max_examples=120)
@given(st.sampled_from(["steps", "eps0", "delta", "theorems", "zip", "quick", "width", "judge", "protocol"]), VALUES)
def test_any_value_of_any_key_is_taken_or_refused(key, value):
    rows = [row for row in GRID.splitlines() if not row.startswith(key)]
    try:
        parse(HEAD + "\n".join([*rows, f"{key} = {toml(value)}"]))
    except JobError as error:
        assert "\n" not in str(error) and "line " in str(error)

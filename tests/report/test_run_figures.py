"""Curves and maps of any run: which rows they show, and that they show those."""

from math import inf
from statistics import median

import pytest
from stored_results import HOSTILE, rows_of_every_kind

from pldcheck.drawing.dot_places import DOTS
from pldcheck.drawing.parameter_labels import has_place
from pldcheck.drawing.tile_panel import FALSE, OPEN, TILES
from pldcheck.report.claim_curves import FEWEST, MOST, curves, select_curves
from pldcheck.report.folder_figures import of_run, render
from pldcheck.report.formula_drawings import ARGUMENTS, add_braces, formulas
from pldcheck.report.tightness_heat import maps
from pldcheck.report.tightness_spread import sorted_bounds, spread, spread_of_bounds
from pldcheck.theorems import REGISTRY
from pldcheck.verification import Report, Row, Verdict
from pldcheck.verification.tightness_map import tile_map


def row(params, ratio=2.0, verdict=Verdict.HOLDS, theorem="thm-A.4", lower=1.0):
    return Row(theorem, params, verdict, ratio * 1.1, lower, 1.1)


def test_the_longest_line_is_drawn_and_of_several_the_middle_one():
    lines = {0.5: 3, 1.0: 5, 2.0: 5, 3.0: 5, 4.0: 4}
    rows = [row({"steps": 10**k, "eps0": eps0}) for eps0, many in lines.items() for k in range(many)]
    (curve,) = select_curves(Report("x", tuple(rows[::-1])), "size")
    assert (curve.subject, curve.axis, curve.others) == ("thm-A.4", "steps", {"eps0": 2.0})
    assert [entry.params["steps"] for entry in curve.rows] == [1, 10, 100, 1000, 10_000]
    assert list(select_curves(Report("x", tuple(rows[: FEWEST - 1])), "size")) == []
    assert list(select_curves(Report("x", tuple(rows)), "privacy")) == []


def test_rows_that_tell_nothing_do_not_count_and_a_long_line_is_thinned():
    full = [row({"steps": m, "eps0": 1.0}) for m in (1, 2, 3)]
    zero = [row({"steps": m, "eps0": 2.0}, lower=0.0) for m in (1, 2, 3, 4)]
    missing = [Row("thm-A.4", {"steps": m, "eps0": 3.0}, Verdict.UNDECIDED, 1.0) for m in range(1, 9)]
    infinite = [Row("thm-A.4", {"steps": m, "eps0": 4.0}, Verdict.UNDECIDED, 1.0, 0.1, inf) for m in range(1, 9)]
    (curve,) = select_curves(Report("x", (*missing, *zero, *infinite, *full)), "size")
    assert curve.rows == tuple(full)
    # A long line is thinned evenly.
    (curve,) = select_curves(Report("x", tuple(row({"delta": 1.0 / m}) for m in range(1, 1001))), "privacy")
    places = [1.0 / entry.params["delta"] for entry in curve.rows]
    assert len(places) <= MOST and places[0] == pytest.approx(1000)
    assert {round(first - second) for first, second in zip(places, places[1:], strict=False)} == {25}


def test_the_curves_are_the_rows():
    figure = curves(Report("x", rows_of_every_kind()), "size")
    (axes,) = figure.axes
    (claimed,) = [line for line in axes.lines if line.get_linestyle() == "--"]
    assert list(claimed.get_xdata()) == [10, 100, 1000, 10_000]
    assert list(claimed.get_ydata()) == [2.0 / k for k in (1, 2, 3, 4)]
    assert [list(line.get_ydata()) for line in axes.lines[:2]] == [
        [1 / k for k in (1, 2, 3, 4)],
        [1 / k * 1.001 for k in (1, 2, 3, 4)],
    ]
    assert axes.get_title() == "thm-A.4\nε₀ = 1, δ = 10⁻⁶, w = 1"


def test_what_has_a_place_on_an_axis():
    assert [has_place(value) for value in (1, 0.5, 0, -1.0, inf, float("nan"), True, "1", None)] == [True, True] + [
        False
    ] * 7


def test_a_tile_is_the_median_and_is_marked_by_its_worst_cell():
    ratios = [3.0, 5.0, 40.0]
    rows = [row({"steps": 10, "eps0": 1.0, "delta": 10.0**-k}, ratio) for k, ratio in enumerate(ratios, 1)]
    rows += [row({"steps": 100, "eps0": 1.0, "delta": 0.1}, 0.5, Verdict.UNDECIDED)]
    rows += [row({"steps": 100, "eps0": 1.0, "delta": 0.1}, 0.5, Verdict.VIOLATED)]
    rows += [row({"steps": 100, "eps0": 2.0, "delta": 0.1}, 1.0, Verdict.UNDECIDED)]
    part = tile_map("thm-A.4", rows)
    assert part.axes == ("steps", "eps0") and part.ticks == (("10", "10²"), ("1", "2"))
    assert part.tiles[0, 0] == median(entry.tightness_lower for entry in rows[:3])
    assert part.marks == {(1, 0): FALSE, (1, 1): OPEN}
    texts = [text.get_text() for text in maps(Report("x", tuple(rows))).axes[0].texts]
    assert texts == ["5.0", "", "0.5\nfalse", "1.0\n?"]


def test_neighbours_share_a_tile_where_there_are_too_many():
    rows = [row({"steps": m, "eps0": eps0}) for m in range(1, 101) for eps0 in (1.0, 2.0)]
    part = tile_map("thm-A.4", rows)
    assert len(part.tiles) == 2 * TILES and part.ticks[0][:3] == ("1…", "14…", "26…")
    assert tile_map("thm-A.4", rows[::2]) is None and tile_map("thm-A.4", [rows[0]]) is None


def test_published_bounds_of_all_runs_have_one_line_each_false_ones_first_then_from_tight_to_loose():
    false = [row({"steps": m}, 0.5, Verdict.VIOLATED, "vr-wang") for m in (1, 2)]
    loose = [row({"steps": m}, 9.0) for m in (1, 2, 3)]
    tight = [row({"steps": m}, 1.5, theorem="thm-5.1") for m in (1, 2)]
    below = [row({"steps": 1}, 0.25, theorem="basic-2.1")]
    # Neither exact values that hold, nor what is not published.
    others = [row({"sigma": 1.0}, 1.0, theorem=name) for name in ("gauss-8", "bs16-3.6", "group-linear", "unknown")]
    runs = [Report("a", (*loose[:2], *others, *below)), Report("b", (*tight, *loose[2:], *false))]
    lines = sorted_bounds(runs, "published")
    assert [line.name for line in lines] == ["vr-wang", "thm-5.1", "basic-2.1", "thm-A.4"]
    assert [len(line.ratios + line.violated) for line in lines] == [2, 2, 1, 3]
    assert [line.name for line in sorted_bounds(runs, "")] == ["unknown"]
    (axes,) = spread_of_bounds(lines, "Bounds").axes
    assert [label.get_text() for label in axes.get_yticklabels()][::-1] == [
        *("vr-wang · Wang et al. (2024)", "thm-5.1 · Balle et al. (2020)"),
        *("basic-2.1 · Steinke (2022)", "thm-A.4 · Balle et al. (2020)"),
    ]
    medians = axes.lines[-1]
    assert list(medians.get_xdata()) == pytest.approx([0.5, 1.5, 0.25, 9.0])
    assert list(medians.get_ydata()) == [3, 2, 1, 0]


def test_exact_values_and_answers_have_no_map():
    exact = [
        row({"steps": m, "eps0": eps0, "epsilon": 1.0}, 1.0, theorem="pld-7") for m in (1, 2) for eps0 in (1.0, 2.0)
    ]
    assert maps(Report("x", tuple(exact))) is None


def test_very_many_dots_are_put_together():
    rows = [row({"steps": m}, 1.0 + m / 1000) for m in range(5000)]
    axes = spread(Report("x", tuple(rows))).axes[0]
    assert sum(len(line.get_xdata()) for line in axes.lines if line.get_marker() == "o") < 40
    few = spread(Report("x", tuple(rows[:DOTS]))).axes[0]
    assert max(len(line.get_xdata()) for line in few.lines) == DOTS


@pytest.mark.nightly
def test_names_that_matplotlib_would_read_as_formulas_are_drawn():
    rows = [
        row({"steps": m, "eps0": eps0, HOSTILE: HOSTILE}, theorem=HOSTILE) for m in (1, 2, 3) for eps0 in (1.0, 2.0)
    ]
    run = Report(HOSTILE, tuple(rows))
    for name, _, _, _ in of_run(run):
        assert set(render(run, name, "stem")) in ({"stem.svg", "stem.png"}, set())
    assert render(Report("none", ()), "heat", "stem") == {}


@pytest.mark.nightly
def test_every_statement_is_set():
    found = formulas(theorem.statement for theorem in REGISTRY.values())
    assert set(found.drawings) == {theorem.statement for theorem in REGISTRY.values()}
    names = set(found.glyphs.split('id="')[i].split('"')[0] for i in range(1, found.glyphs.count('id="') + 1))
    used = {part.split('"')[0] for drawing in found.drawings.values() for part in drawing.split('href="#')[1:]}
    assert used == names
    assert formulas([r"\unknown{x}"]).drawings == {}


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (r"\frac nm", r"\dfrac{n}{m}"),
        (r"e^{\frac{1}{\sqrt n}}", r"e^{\frac{1}{\sqrt{n}}}"),
        (r"\tfrac1d\log x \le 2", r"\frac{1}{d}\,\log x \leq 2"),
    ],
)
def test_arguments_get_their_braces(statement, expected):
    assert add_braces(statement) == expected
    assert all(count in (1, 2) for count in ARGUMENTS.values())

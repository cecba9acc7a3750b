"""The figures of comparisons."""

from dataclasses import replace
from functools import cache

import pytest

from pldcheck.drawing import line_panels as panels
from pldcheck.drawing.figure_style import STYLE
from pldcheck.study.comparisons import COMPARISONS, QUICK, comparison_figures
from pldcheck.study.comparisons.comparison import Comparison
from pldcheck.study.comparisons.figure_2 import ShuffleRow


@cache
def comparison(name):
    """Return the quick form of a comparison, which is computed once."""
    return COMPARISONS[name](**QUICK[name])


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_there_is_a_figure_for_every_comparison():
    assert list(comparison_figures.FIGURES) == list(COMPARISONS)


@pytest.mark.nightly
@pytest.mark.parametrize(
    "name",
    [name if name == "table-1" else pytest.param(name, marks=pytest.mark.nightly) for name in COMPARISONS],
)
def test_it_is_rendered_alike_twice_and_named_as_asked(name):
    first, second = (
        comparison_figures.render(comparison(name), "stem"),
        comparison_figures.render(comparison(name), "stem"),
    )
    assert set(first) == {"stem.svg", "stem.png"} and first == second
    assert set(comparison_figures.render(comparison(name))) == {f"{name}.svg", f"{name}.png"}


@pytest.mark.nightly
@pytest.mark.parametrize("name", COMPARISONS)
def test_no_text_is_clipped_or_overlaps_another(name):
    from matplotlib import rc_context
    from matplotlib.text import Text

    figure = comparison_figures.picture(comparison(name))
    with rc_context(STYLE):
        figure.draw_without_rendering()
        whole = figure.bbox.padded(1.0)
        titles = [figure.get_suptitle(), *(axes.get_title() for axes in figure.axes)]
        labels = [text for axes in figure.axes for text in (*axes.texts, axes.title)]
        # Of an annotation without its arrow.
        boxes = [(text.get_text(), Text.get_window_extent(text)) for text in labels]
    assert all(titles[:2])
    for place, (first, box) in enumerate(boxes):
        assert whole.contains(*box.min) and whole.contains(*box.max), first
        for second, other in boxes[:place]:
            assert not box.padded(-1.0).overlaps(other), (first, second)


def test_figure_2_draws_every_bound_that_applies_and_the_certified_band():
    rows = comparison("figure-2").rows
    (axes,) = comparison_figures.FIGURES["figure-2"](comparison("figure-2")).axes
    curves = [list(line.get_ydata()) for line in axes.lines]
    for field in (
        "eps0",
        "efmrtt_7",
        "thm_5_1",
        "fmt21_3_1",
        "fmt22_closed",
        "fmt21_upper",
        "fmt22_upper",
        "lower",
        "upper",
    ):
        assert [getattr(row, field) for row in rows] in curves
    assert len(axes.collections) == 1
    assert "no amplification, ε = ε₀" in texts(axes)
    # A closed form that applies nowhere has neither a line nor a name.
    without = tuple(replace(row, fmt21_3_1=None) for row in rows)
    (axes,) = comparison_figures.FIGURES["figure-2"](replace(comparison("figure-2"), rows=without)).axes
    assert len(axes.lines) == len(curves) - 1 and "clones, closed form" not in texts(axes)


def test_figure_2_has_a_panel_a_size():
    row = ShuffleRow(10, 0.5, 9.0, 3.0, None, None, 0.4, 0.4, 0.3, 0.3, 0.2, 0.3)
    two = Comparison("figure-2", "", {"delta": 1e-6}, (row, replace(row, clients=100)))
    drawn = comparison_figures.FIGURES["figure-2"](two).axes
    assert [axes.get_title() for axes in drawn] == ["n = 10", "n = 10²"]
    assert texts(drawn[0]) == []


@pytest.mark.nightly
def test_rounds_draws_both_ends():
    rows = comparison("rounds").rows
    (axes,) = comparison_figures.FIGURES["rounds"](comparison("rounds")).axes
    curves = [list(line.get_ydata()) for line in axes.lines]
    for field in ("girgis_ub1", "rdp_binary", "fmt21_kov", "fmt21_upper", "fmt22_upper", "lower", "upper"):
        assert [getattr(row, field) for row in rows] in curves


def test_table_1_marks_the_claims_and_the_ranges():
    large, small, power = comparison_figures.FIGURES["table-1"](comparison("table-1")).axes
    rings = [float(line.get_xdata()[0]) for line in large.lines if line.get_markerfacecolor() == "none"]
    assert rings == [1.0, 3.0, 2.5, 1.5]
    bars = [list(line.get_xdata()) for line in small.lines if len(line.get_xdata()) == 2]
    truths = [row for row in comparison("table-1").rows if row.bound.endswith("truth") and row.regime == "eps0 <= 1"]
    assert bars == [[row.growth_lower, row.growth_upper] for row in truths]
    assert len([line for line in power.lines if line.get_markerfacecolor() == "none"]) == 8


def test_krr_shows_by_how_much_the_false_claim_falls_short():
    panel, short = comparison_figures.FIGURES["krr"](comparison("krr")).axes
    assert texts(panel) == ["clones", "stronger clones"]
    (line,) = short.lines
    false = [row for row in comparison("krr").rows if row.merged_false]
    assert list(line.get_xdata()) == [row.categories for row in false]
    assert list(line.get_ydata()) == [1.0 - row.merged for row in false]
    # With nothing false there is nothing to draw there.
    rows = tuple(row for row in comparison("krr").rows if not row.merged_false)
    figure = comparison_figures.FIGURES["krr"](replace(comparison("krr"), rows=rows))
    assert not list(figure.axes[1].lines[0].get_xdata())


def test_names_are_moved_apart_as_little_as_need_be():
    assert panels.apart([0.1, 0.5], [0.1, 0.1]) == [0.1, 0.5]
    assert panels.apart([0.5, 0.5], [0.1, 0.1]) == pytest.approx([0.45, 0.55])
    places = panels.apart([0.10, 0.12, 0.13, 0.9], [0.1, 0.2, 0.1, 0.1])
    assert places == sorted(places) and places[3] == 0.9
    assert places[1] - places[0] == pytest.approx(0.15) and places[2] - places[1] == pytest.approx(0.15)


def test_numbers_on_axes_are_short():
    assert [panels.power(value) for value in (1e-6, 0.05, 0.1, 1.0, 10, 1e7, 0.0, 3e5)] == [
        "10⁻⁶", "0.05", "0.1", "1", "10", "10⁷", "0", "300000",
    ]  # fmt: skip

"""A band shows the certified ends, and nothing narrower."""

from math import inf

import pytest
from matplotlib.figure import Figure

from pldcheck.core.interval import Interval
from pldcheck.drawing.interval_band import BAND, INSIDE, LINE, draw


@pytest.fixture
def axes():
    return Figure().subplots()


def intervals(*ends):
    return [Interval(low, high) for low, high in ends]


def drawn(axes):
    """The lines of the lower and of the upper ends, and the band between them."""
    low, high = ([line for line in axes.lines if line.get_gid() is None][place::2] for place in (0, 1))
    return [list(line.get_ydata()) for line in low], [list(line.get_ydata()) for line in high]


def test_the_ends_are_drawn_as_they_are(axes):
    third = 1.0 / 3.0
    draw(axes, "steps", "epsilon", [1000, 10, 100], intervals((0.1, 0.2), (third, 2 * third), (0.25, 0.3)))
    assert drawn(axes) == ([[third, 0.25, 0.1]], [[2 * third, 0.3, 0.2]])
    assert [list(line.get_xdata()) for line in axes.lines] == [[10, 100, 1000]] * 3
    (band,) = axes.collections
    vertices = {tuple(point) for point in band.get_paths()[0].vertices}
    assert {(10, third), (10, 2 * third), (1000, 0.1), (1000, 0.2)} <= vertices
    assert axes.get_xlabel() == "steps m" and axes.get_ylabel() == "ε"
    assert axes.get_legend() is None


def test_axes_are_logarithmic_where_values_differ_by_much(axes):
    draw(axes, "steps", "delta", [10, 1000], intervals((1e-9, 1e-8), (1e-3, 1e-2)))
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    low, high = axes.get_ylim()
    assert low < 1e-9 and high > 1e-2


def test_near_values_and_epsilon_have_linear_axes(axes):
    draw(axes, "epsilon", "delta", [0.01, 10.0], intervals((0.1, 0.1), (0.2, 0.3)))
    assert (axes.get_xscale(), axes.get_yscale()) == ("linear", "linear")
    low, high = axes.get_ylim()
    assert low < 0.1 and high > 0.3


def test_what_is_zero_or_infinite_leads_out_of_the_picture(axes):
    draw(axes, "steps", "epsilon", [1, 2, 3], intervals((0.0, 1e-6), (0.01, 1.0), (1.0, inf)))
    assert axes.get_yscale() == "log"
    low, high = axes.get_ylim()
    (lowers,), (uppers,) = drawn(axes)
    assert lowers == [0.0, 0.01, 1.0] and uppers[:2] == [1e-6, 1.0]
    assert uppers[2] > 1e6 * high and 0.0 < low < 1e-6 and high < 10.0


def test_a_single_point_of_zero_width_at_zero_is_drawn(axes):
    draw(axes, "steps", "epsilon", [1], intervals((0.0, 0.0)))
    low, high = axes.get_ylim()
    assert low < 0.0 < high


def test_bands_and_lines_have_colours_of_their_own_and_a_legend(axes):
    draw(axes, "sigma", "epsilon", [1.0, 2.0], intervals((1, 1), (2, 2)), "first")
    draw(axes, "sigma", "epsilon", [1.0, 2.0], intervals((3, 3), (4, 4)), "second", {"bound $x$": [5.0, None]})
    bands, lines = ([line for line in axes.lines if line.get_gid() == gid] for gid in (BAND, LINE))
    assert len({line.get_color() for line in bands}) == len({line.get_marker() for line in bands}) == 2
    (line,) = lines
    assert line.get_ydata()[0] == 5.0 and line.get_ydata()[1] != line.get_ydata()[1]
    assert line.get_color() not in {line.get_color() for line in bands} or line.get_linestyle() == "--"
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["first", "second", r"bound \$x\$"]


def test_a_long_legend_stands_beside_the_axes(axes):
    lines = {str(number): [number, number] for number in range(INSIDE)}
    draw(axes, "sigma", "epsilon", [1.0, 2.0], intervals((1, 1), (2, 2)), lines=lines)
    axes.figure.draw_without_rendering()
    legend, panel = axes.get_legend().get_window_extent(), axes.get_window_extent()
    assert legend.x0 >= panel.x1

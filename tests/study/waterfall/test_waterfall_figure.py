"""The figures of a waterfall and of a suite of many theorems."""

import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure

from pldcheck.core.interval import Interval
from pldcheck.report import tightness_spread
from pldcheck.study.waterfall import waterfall_figure
from pldcheck.study.waterfall.waterfall import Level, Waterfall
from pldcheck.verification import Report, Row, Verdict


@pytest.fixture
def fall():
    levels = [("L0", "formula", (2.0, 2.0)), ("L1", "steps", (1.0, 1.0)), ("L2", "truth", (0.24, 0.25))]
    return Waterfall("thm-x", {"steps": 10}, tuple(Level(name, words, Interval(*ends)) for name, words, ends in levels))


def test_there_is_a_bar_for_every_level_and_its_loss(fall):
    axes = waterfall_figure.figure(fall).axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["L0  formula", "L1  steps", "L2  truth"]
    texts = [text.get_text() for text in axes.texts]
    assert texts == ["≤ 2   lost: × 2", "≤ 1   lost: × 4", "≤ 0.25"]
    ends = [bar.get_x() + bar.get_width() for bar in axes.patches[::2]]
    assert ends == pytest.approx([2.0, 1.0, 0.25])


@pytest.mark.nightly
def test_the_waterfall_is_rendered_alike_twice(fall):
    first, second = waterfall_figure.render(fall), waterfall_figure.render(fall)
    assert set(first) == {"waterfall-thm-x.svg", "waterfall-thm-x.png"} and first == second


def test_there_is_a_line_for_every_theorem():
    rows = (
        Row("gauss-8", {"sigma": 1.0}, Verdict.HOLDS, 0.5, 0.5, 0.5),
        Row("adv-18", {"steps": 3}, Verdict.HOLDS, 3.0, 1.0, 1.5),
        Row("adv-18", {"steps": 4}, Verdict.VIOLATED, 1.0, 1.9, 2.0),
        Row("rdp-38", {"order": 2}, Verdict.OUT_OF_CONDITIONS, reason="no"),
    )
    figure = tightness_spread.spread(Report("few", rows))
    axes = figure.axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["rdp-38", "adv-18", "gauss-8"]
    points = {(float(line.get_xdata()[0]), int(line.get_ydata()[0])) for line in axes.lines[1:]}
    assert points == {(1.0, 2), (2.0, 1), (0.5, 1)}
    assert "no cell inside its conditions" in [text.get_text() for text in axes.texts]
    assert "violated" in [text.get_text() for text in figure.legends[0].get_texts()]


def test_a_waterfall_is_plotted_on_any_axes(fall):
    axes = Figure().subplots()
    assert fall.plot(axes) is axes and axes.get_xlabel() == "ε"
    ends = [bar.get_x() + bar.get_width() for bar in axes.patches[::2]]
    assert ends == pytest.approx([2.0, 1.0, 0.25])
    own = fall.plot()
    assert own is not axes and len(own.patches) == len(axes.patches)
    pyplot.close("all")

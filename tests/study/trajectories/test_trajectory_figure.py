"""The figure of posterior trajectories shows the trajectory's own numbers and says what they are."""

from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure

from pldcheck.drawing.figure_style import STYLE
from pldcheck.study import trajectories
from pldcheck.study.trajectories.trajectory_figure import figure, render


@pytest.fixture(scope="module")
def trajectory():
    # Levels out of order: the figure puts them in order.
    return trajectories.random_replacement(100, 1.0, 0.5, levels=(0.99, 0.5, 1 - 1e-6), points=11)


def lines(picture):
    return {line.get_label(): line for line in picture.axes[0].get_lines()}


def test_the_curves_are_the_trajectorys(trajectory):
    curves = lines(figure(trajectory))
    labels = {
        "median": trajectory.quantile_upper[1],
        "quantile 0.99": trajectory.quantile_upper[0],
        "quantile 1 − 1e-06": trajectory.quantile_upper[2],
        "envelope (paper)": trajectory.envelope,
        "envelope (improved)": trajectory.envelope_improved,
    }
    assert list(curves) == list(labels)
    for label, values in labels.items():
        np.testing.assert_array_equal(curves[label].get_xdata(), trajectory.indices / 100)
        np.testing.assert_array_equal(curves[label].get_ydata(), 100 * values)


def test_the_bands_lie_between_successive_quantiles(trajectory):
    bands = figure(trajectory).axes[0].collections
    quantiles = 100 * trajectory.quantile_upper[[1, 0, 2]]
    assert len(bands) == 2
    for band, low, high in zip(bands, quantiles[:-1], quantiles[1:], strict=True):
        corners = set(map(tuple, band.get_paths()[0].vertices))
        for edge in (low, high):
            assert set(zip(trajectory.indices / 100, edge, strict=True)) <= corners


def test_envelopes_differ_in_dashes_not_only_in_colour(trajectory):
    curves = lines(figure(trajectory))
    styles = [curves[name].get_linestyle() for name in ("median", "envelope (paper)", "envelope (improved)")]
    assert styles == ["-", "--", ":"]


def test_everything_lies_inside_the_axes(trajectory):
    axes = figure(trajectory).axes[0]
    bottom, top = axes.get_ylim()
    for line in axes.get_lines():
        assert bottom < min(line.get_ydata()) and max(line.get_ydata()) < top


def test_it_says_what_it_shows(trajectory):
    files = render(trajectory)
    assert sorted(files) == ["random-replacement-CF.png", "random-replacement-CF.svg"]
    svg = ElementTree.fromstring(files["random-replacement-CF.svg"])
    labels = " ".join("".join(text.itertext()) for text in svg.iter() if "text" in text.tag)
    titles = ["one random replacement", "m = 100, ε₀ = 1, w = 0.5, law CF under d", "i / m", "m qᵢ"]
    for words in [*titles, "median", "envelope (paper)", "envelope (improved)"]:
        assert words in labels


@pytest.mark.nightly
@pytest.mark.parametrize(("steps", "eps0"), [(1000, 0.01), (1000, 20.0), (1, 1.0)])
def test_extreme_trajectories_are_drawn(steps, eps0):
    assert len(render(trajectories.random_replacement(steps, eps0, points=5))) == 2


@pytest.mark.nightly
def test_the_same_trajectory_gives_the_same_files_and_leaves_matplotlib_alone(trajectory):
    import matplotlib

    before = {name: matplotlib.rcParams[name] for name in STYLE}
    assert render(trajectory) == render(trajectory)
    assert {name: matplotlib.rcParams[name] for name in STYLE} == before


def test_a_trajectory_is_plotted_on_any_axes(trajectory):
    axes = Figure().subplots()
    assert trajectory.plot(axes) is axes and (axes.get_xlabel(), axes.get_ylabel()) == ("i / m", "m qᵢ")
    own = trajectory.plot()
    for one, other in zip(own.get_lines(), axes.get_lines(), strict=True):
        np.testing.assert_array_equal(one.get_ydata(), other.get_ydata())
    assert [text.get_text() for text in own.get_legend().get_texts()][0] == "median"
    pyplot.close("all")

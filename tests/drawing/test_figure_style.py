"""What a figure says lies within it, however small it is; what an axis does not reach is an arrow at its edge."""

from io import BytesIO

import pytest
from matplotlib.axis import Axis, Tick
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.image import imread
from matplotlib.text import Text

from pldcheck.drawing import figure_style
from pldcheck.drawing.ratio_dots import RatioLine, draw
from pldcheck.report import run_figures
from pldcheck.report.page_slices import select_slice
from pldcheck.verification import Report, Row, Verdict


def row(steps, eps0):
    params = {"steps": steps, "eps0": eps0, "check_in_prob": 1.0, "delta": 1e-6}
    return Row("a-bound-with-a-long-name", params, Verdict.HOLDS, 0.2, 0.1, 0.11)


@pytest.mark.parametrize("make", [run_figures.tightness, run_figures.epsilon])
@pytest.mark.parametrize("budgets", [(0.5,), (0.5, 1.0, 2.0)])
def test_the_texts_of_small_figures_lie_within_them(make, budgets):
    rows = tuple(row(steps, eps0) for eps0 in budgets for steps in (10, 1000))
    figure = make(select_slice(Report("claims-of-a-long-name", rows)))
    files = figure_style.figure_files(figure, "x")
    FigureCanvasAgg(figure).draw()
    frame = figure.bbox.padded(1.0)
    # Labels of ticks outside of an axis are not drawn.
    labels = {text for axis in figure.findobj(Axis) for tick in axis.findobj(Tick) for text in tick.findobj(Text)}
    texts = [one for one in figure.findobj(Text) if one not in labels and one.get_text()]
    assert len(texts) > 5
    for one in texts:
        box = one.get_window_extent()
        assert frame.contains(box.x0, box.y0) and frame.contains(box.x1, box.y1), one.get_text()
    assert imread(BytesIO(files["x.png"])).size > 0


def test_ratios_beyond_the_axis_are_arrows_at_its_edge():
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    entries = draw(axes, [RatioLine("thm", "<=", (1.5, 1e9), (1e-6, 0.5), "")])
    marks = {line.get_marker(): list(line.get_xdata()) for line in axes.lines if line.get_linestyle() == "None"}
    assert marks == {"o": [0.5], ">": [1e4], "<": [1e-4]} and entries[-1].get_label() == "beyond the axis"
    within = draw(Figure().subplots(), [RatioLine("thm", "<=", (1.5,), (), "")])
    assert [one.get_label() for one in within] == ["upper bound"]

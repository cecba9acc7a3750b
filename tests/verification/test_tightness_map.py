"""The picture of a report shows its rows: a map, a curve or dots."""

import doctest

import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure

from pldcheck.core.errors import PldcheckError, UnknownNameError
from pldcheck.verification import Report, Row, Verdict, run_report


@pytest.fixture(autouse=True)
def no_figure_stays():
    yield
    pyplot.close("all")


def row(claim, lower=1.0, upper=1.25, theorem="thm-A.4", verdict=Verdict.HOLDS, **params):
    return Row(theorem, params, verdict, claim, lower, upper)


MAP = tuple(row(claim, steps=m, eps0=e) for m, e, claim in ((10, 1.0, 2.5), (10, 2.0, 5.0), (100, 1.0, 10.0)))


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_two_parameters_give_a_map():
    false = row(0.5, steps=100, eps0=2.0, verdict=Verdict.VIOLATED)
    axes = Report("x", (*MAP, false)).plot()
    assert texts(axes) == ["2.0", "4.0", "8.0", "0.4\nfalse"]
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_title()) == ("steps m", "eps0 ε₀", "thm-A.4")
    (bar,) = (other for other in axes.figure.axes if other is not axes)
    assert bar.get_ylabel().startswith("claimed / certified upper end")


def test_one_parameter_gives_the_claim_and_the_certified_band():
    rows = (row(4.0, steps=10, eps0=1.0), row(2.0, 0.25, 0.5, steps=100, eps0=1.0))
    axes = Report("x", rows).plot()
    lower, upper, _, claim = (list(line.get_ydata()) for line in axes.lines)
    assert (lower, upper, claim) == ([1.0, 0.25], [1.25, 0.5], [4.0, 2.0])
    assert [text.get_text() for text in axes.get_legend().get_texts()][1] == "thm-A.4"


def test_several_theorems_give_dots():
    other = row(1.0, 1.9, 2.0, "adv-18", Verdict.VIOLATED, steps=3)
    without = Row("rdp-38", {"order": 2}, Verdict.OUT_OF_CONDITIONS, reason="no")
    report = Report("x", (*MAP, other, without))
    axes = report.plot()
    assert [label.get_text() for label in axes.get_yticklabels()] == ["rdp-38", "adv-18", "thm-A.4"]
    points = {(value, int(height)) for line in axes.lines[1:] for value, height in zip(*line.get_data(), strict=True)}
    assert points == {(2.0, 2), (4.0, 2), (8.0, 2), (0.5, 1)}
    assert texts(axes) == ["no cell inside its conditions"]
    assert "violated" in [text.get_text() for text in axes.get_legend().get_texts()]


def test_a_theorem_is_chosen_by_its_id():
    report = Report("x", (*MAP, row(1.0, theorem="adv-18", steps=3)))
    assert texts(report.plot(theorem="thm-A.4")) == ["2.0", "4.0", "8.0", ""]
    assert [label.get_text() for label in report.plot(theorem="adv-18").get_yticklabels()] == ["adv-18"]
    with pytest.raises(UnknownNameError, match="thm-A.5"):
        report.plot(theorem="thm-A.5")
    with pytest.raises(PldcheckError, match="a report without rows has no picture"):
        Report("x", ()).plot()


def test_the_axes_are_those_that_are_given():
    axes = Figure().subplots()
    assert Report("x", MAP).plot(axes) is axes and pyplot.get_fignums() == []


def test_examples_of_the_docstring_are_right():
    assert doctest.testmod(run_report, raise_on_error=True).attempted > 1


def test_a_protocol_has_no_claim():
    rows = tuple(Row(None, {"sigma": s}, Verdict.NOT_JUDGED, None, 1.0, 2.0, protocol="gaussian") for s in (1.0, 2.0))
    axes = Report("x", rows).plot()
    assert len(axes.lines) == 3 and axes.get_legend() is None
    (line,) = Report("x", rows).ratio_lines
    assert (line.name, line.ratios, line.violated, line.remark) == ("gaussian", (), (), "no claim")

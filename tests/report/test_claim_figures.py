"""The figures exist, say what they show, and are the same for the same rows."""

from xml.etree import ElementTree

import pytest

from pldcheck.core.errors import PldcheckError
from pldcheck.drawing.figure_style import STYLE
from pldcheck.report.page_slices import select_slice
from pldcheck.report.run_figures import render, tightness
from pldcheck.verification import Report, Row, Verdict, verify

PARAMS = {"steps": 100, "eps0": 1.0, "weight": 1.0, "delta": 1e-6}


def texts(svg):
    """Return all text of an SVG."""
    elements = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return ["".join(element.itertext()).strip() for element in elements]


@pytest.mark.nightly
def test_a_run_has_two_figures_in_two_formats(drawn):
    assert sorted(drawn) == sorted(
        f"paper-quick-{name}.{suffix}" for name in ("tightness", "epsilon") for suffix in ("svg", "png")
    )
    for name, content in drawn.items():
        assert content.startswith(b"\x89PNG\r\n" if name.endswith("png") else b"<?xml")


@pytest.mark.nightly
def test_the_figures_say_what_they_show(drawn):
    heat, lines = (texts(drawn[f"paper-quick-{name}.svg"]) for name in ("tightness", "epsilon"))
    for text in (heat, lines):
        title = " ".join(text)  # in lines, where the figure is narrower than it
        assert "thm-3.2: " in title and "(δ = 10⁻⁶, suite paper-quick)" in title
    assert {"w = 0.1", "w = 1", "0.5", "4", "ε = 0", "steps m", "10⁹"} <= set(heat)
    assert {"w = 0.1", "w = 1", "ε₀ = 4", "10⁻²", "theorem", "certified, lower to upper"} <= set(lines)


@pytest.mark.nightly
def test_the_heat_map_is_annotated_with_the_tightness(quick_run, drawn):
    labels = texts(drawn["paper-quick-tightness.svg"])
    (row,) = [row for row in quick_run.rows if row.theorem == "thm-3.2" and row.params == _params(1000, 0.5, 1.0)]
    assert f"{row.tightness_lower:.1f}" in labels


def _params(steps, eps0, weight):
    return {"steps": steps, "eps0": eps0, "check_in_prob": weight, "delta": 1e-6}


@pytest.mark.long
def test_the_same_rows_give_the_same_files(report):
    assert render(report) == render(report)


@pytest.mark.nightly
def test_exceptional_cells_are_marked():
    rows = (
        Row("thm-A.4", {**PARAMS, "eps0": 0.1}, Verdict.VIOLATED, 0.42, 1.0, 1.0),
        Row("thm-A.4", {**PARAMS, "eps0": 0.5}, Verdict.UNDECIDED, 1.0, 0.9, 1.1),
        Row("thm-A.4", {**PARAMS, "eps0": 1.0}, Verdict.UNDECIDED, 1.0, reason="MemoryError"),
        Row("thm-A.4", {**PARAMS, "eps0": 2.0}, Verdict.OUT_OF_CONDITIONS, reason="eps0"),
        Row("thm-A.4", {**PARAMS, "eps0": 4.0}, Verdict.HOLDS, 2.34e6, 1.0, 1.0),
        Row("thm-A.4", {**PARAMS, "eps0": 6.0}, Verdict.HOLDS, 5e12, 1.0, 1.0),
    )
    files = render(Report("odd", rows))
    labels = texts(files["odd-tightness.svg"])
    assert {"0.4", "false", "n/a", "2.3M", "5e12"} <= set(labels) and labels.count("?") == 2


@pytest.mark.nightly
@pytest.mark.parametrize("verdict", [Verdict.OUT_OF_CONDITIONS, Verdict.UNDECIDED])
def test_a_run_in_which_nothing_was_computed_still_has_figures(verdict):
    assert len(render(Report("none", (Row("thm-A.4", PARAMS, verdict, reason="why"),)))) == 4


def test_a_run_without_rows_has_no_figures():
    with pytest.raises(PldcheckError, match="without rows"):
        render(Report("none", ()))


def test_a_theorem_with_a_window_is_drawn(report):
    part = select_slice(Report("x", tuple(row for row in report.rows if row.theorem == "thm-4.3")))
    assert part.theorem == "thm-4.3" and part.values("weight") == [1.0]
    assert len(tightness(part).axes) == 2  # the panel and its colour bar


def test_the_middle_delta_with_the_most_cells_is_chosen(report):
    full = verify(theorems=["thm-3.2-simple", "thm-3.2"])
    part = select_slice(full)
    assert (part.theorem, part.delta) == ("thm-3.2", 1e-8)
    assert part.finite_count == len(part.rows) == 108


@pytest.mark.nightly
def test_drawing_leaves_matplotlibs_settings_alone(report):
    import matplotlib

    before = {name: matplotlib.rcParams[name] for name in STYLE}
    render(report)
    assert {name: matplotlib.rcParams[name] for name in STYLE} == before

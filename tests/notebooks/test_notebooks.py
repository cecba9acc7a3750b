"""Notebooks print and draw what is stored in them, and are stored as a stranger should find them."""

import ast
import copy
import json
import re
from io import BytesIO

import pytest
from matplotlib.image import imread, imsave

from . import comparison
from .comparison import differences, output_differences, picture_differences
from .execution import execute, normal_form
from .stored_notebook import PICTURE, TEXT, CodeCell, Output, code_cells, load, paths, store

# Executed by default; the others by night.
SHORT = "07_my_training_run.ipynb"
# The one that starts a cluster, which warns of what it finds on the machine.
CLUSTER = "08_a_grid_of_cells.ipynb"
# The most lines of a cell of code; a longer one is hard to follow.
LINES = 20
# The size of all notebooks, in bytes.
SIZE = 1.5e6
NOTEBOOKS = paths()


def test_a_short_notebook_is_as_stored():
    (path,) = (path for path in NOTEBOOKS if path.name == SHORT)
    assert differences(path) == []


@pytest.mark.nightly
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(
            path,
            id=path.name,
            marks=[pytest.mark.filterwarnings("ignore")] if path.name == CLUSTER else [],
        )
        for path in NOTEBOOKS
        if path.name != SHORT
    ],
)
def test_notebooks_are_as_stored(path):
    assert differences(path) == []


def test_notebooks_are_stored_whole_and_say_nothing_of_the_machine():
    assert len(NOTEBOOKS) == 9 and {path.name for path in NOTEBOOKS} > {SHORT, CLUSTER}
    assert sum(path.stat().st_size for path in NOTEBOOKS) < SIZE
    for path in NOTEBOOKS:
        content = load(path)
        assert content["metadata"].keys() == {"kernelspec", "language_info", "matplotlib"}, path.name
        assert path.read_text(encoding="utf-8").endswith("\n}\n") and content["nbformat"] == 4
        code = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
        assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1)), path.name
        assert all(cell["metadata"] == {} for cell in content["cells"])
        cells = code_cells(content)
        assert any(PICTURE in output.data for cell in cells for output in cell.outputs), path.name
        texts = [text for cell in cells for output in cell.outputs for kind, text in output.data.items()]
        whole_text = "".join(text for text in texts if isinstance(text, str))
        assert not re.search(r"/home/|/tmp/|/usr/|C:\\|0x[0-9a-f]{6}|20\d\d-\d\d-\d\d", whole_text), path.name
        assert all(normal_form(text) for text in texts if isinstance(text, str))


def test_cells_are_short_and_assert_nothing():
    for path in NOTEBOOKS:
        for cell in code_cells(load(path)):
            assert not any(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(cell.source))), path.name
            assert len(cell.source.splitlines()) <= LINES, (path.name, cell.source)


def test_numbers_are_left_to_cells():
    for path in NOTEBOOKS:
        cells = load(path)["cells"]
        text = "".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
        text = re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL)
        assert not re.search(r"(?<!Theorem )\b[0-9]+\.[0-9]", text), path.name


def outputs(*sources):
    return execute([CodeCell(source, ()) for source in sources], "test")


def test_outputs_are_those_of_a_kernel():
    printed, value, silent, nothing = outputs("x = 2\nprint('a', x)", "x + 1", "x + 1;", "None")
    assert printed == [Output("stream", {TEXT: "a 2\n"})]
    assert value == [Output("execute_result", {TEXT: "3"})]
    assert silent == nothing == []
    plot = "from matplotlib import pyplot\npyplot.subplots(figsize=(2, 1))\npyplot.subplots(figsize=(1, 1));"
    (figures, after) = outputs(plot, "1")
    assert [imread(BytesIO(one.data[PICTURE])).shape[:2] for one in figures] == [(90, 180), (90, 90)]
    assert all(one.kind == "display_data" for one in figures) and len(after) == 1


def test_objects_are_shown_as_html_and_errors_are_raised():
    (values,) = outputs("from pldcheck import Interval\nInterval(0.25, 0.5)")
    assert "<table>" in values[0].data["text/html"] and values[0].data[TEXT].startswith("Interval(")
    with pytest.raises(ZeroDivisionError):
        outputs("1 / 0")


def test_seconds_and_last_digits_are_all_that_may_differ():
    assert normal_form("passed in 0.52s, 12 s left") == normal_form("passed in 1.70s, 3 s left")
    assert normal_form("[0.13056617387164837]") == normal_form("[0.13056617387164912]") == "[0.130566]"
    assert normal_form("0.130566, 5 slots, 1e-06") == "0.130566, 5 slots, 1e-06"
    assert normal_form("0.13056617") != normal_form("0.13057617")
    assert normal_form("truncation 4.84e-16, 1.23e-9") == normal_form("truncation 4.8e-16, 1.23e-9")
    assert normal_form("4.84e-16") != normal_form("4.84e-15") and normal_form("4.84e-6") != normal_form("4.8e-6")


def test_differences_are_noticed(tmp_path, monkeypatch):
    path = tmp_path / "one.ipynb"
    source = "print(1)\nfrom matplotlib import pyplot\npyplot.figure(figsize=(1, 1));"
    cell = {"cell_type": "code", "execution_count": None, "id": "cell-0", "metadata": {}, "outputs": []}
    content = {"cells": [{**cell, "source": [source]}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(content))
    assert differences(path) == ["one.ipynb, cell 1: stored nothing, now stream, a figure"]
    store(path, execute(code_cells(content), "one"))
    assert differences(path) == []
    whole = load(path)
    changed = copy.deepcopy(whole)
    changed["cells"][0]["outputs"][0]["text"] = ["2\n"]
    path.write_text(json.dumps(changed))
    assert differences(path) == ["one.ipynb, cell 1: stored text/plain\n2\n\nnow\n1\n"]
    del changed["cells"][0]["outputs"][1]
    path.write_text(json.dumps(changed))
    assert differences(path) == ["one.ipynb, cell 1: stored stream, now stream, a figure"]
    path.write_text(json.dumps({**whole, "metadata": {**whole["metadata"], "matplotlib": "0"}}))
    monkeypatch.setattr(comparison, "NEARLY", -1.0)
    assert differences(path) == []


def png(*rows):
    buffer = BytesIO()
    imsave(buffer, [[[value] * 3 for value in row] for row in rows], format="png")
    return buffer.getvalue()


def test_figures_are_compared_by_size_and_pixels():
    white = png(*[[1.0] * 10] * 10)
    other = png(*[[1.0] * 10] * 9, [0.0] * 10)
    assert picture_differences(white, white, True) == []
    assert picture_differences(white, other, False) == []
    (line,) = picture_differences(white, other, True)
    assert line.startswith("a figure has changed")
    assert picture_differences(white, png([1.0]), False) == ["a figure of 10 x 10 dots, now 1 x 1"]
    assert output_differences(Output("x", {TEXT: "a"}), Output("x", {}), True) == ["stored text/plain, now "]

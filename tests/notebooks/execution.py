"""Execution of a notebook's cells in this process, with the outputs that Jupyter would show below them."""

import ast
import re
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, StringIO
from typing import Any

import matplotlib
from matplotlib import pyplot
from matplotlib.figure import Figure

from .stored_notebook import HTML, PICTURE, TEXT, CodeCell, Output

# Dots per inch of stored figures.
DPI = 90
# Seconds differ from run to run.
SECONDS = re.compile(r"\b\d+(?:\.\d+)? ?s\b")
# Further digits of a number differ from machine to machine: sums of floating-point numbers have no fixed order.
LONG = re.compile(r"\b\d+\.\d{6,}(?:e[+-]?\d+)?\b")
# So do all digits but the first of a tiny number: it is what roundings add to a bound, or a tail that is cut off.
TINY = re.compile(r"\b\d(?:\.\d+)?e-(?:1[0-9]|[2-9]\d)\b")


def without_seconds(text: str) -> str:
    """The text with an ellipsis in place of each number of seconds."""
    return SECONDS.sub("… s", text)


def normal_form(text: str) -> str:
    """The text as it is compared: without seconds, with six significant digits of long numbers, one of tiny ones."""
    short = LONG.sub(lambda number: f"{float(number[0]):.6g}", without_seconds(text))
    return TINY.sub(lambda number: f"{float(number[0]):.0e}", short)


def execute(cells: list[CodeCell], name: str) -> list[list[Output]]:
    """The outputs of each cell; the cells share one name space, as in a kernel."""
    matplotlib.use("agg")
    names: dict[str, Any] = {"__name__": "__main__"}
    pyplot.close("all")
    with matplotlib.rc_context():
        try:
            return [_outputs(cell.source, f"{name}, cell {number}", names) for number, cell in enumerate(cells, 1)]
        finally:
            pyplot.close("all")


def _outputs(source: str, place: str, names: dict[str, Any]) -> list[Output]:
    """What a cell prints, the value of its last line unless it ends in a semicolon, and the figures that it leaves."""
    printed = StringIO()
    with redirect_stdout(printed), redirect_stderr(StringIO()):
        value = _run(source, place, names)
    outputs = [Output("stream", {TEXT: without_seconds(printed.getvalue())})] if printed.getvalue() else []
    if value is not None and not source.rstrip().endswith(";"):
        outputs.append(Output("execute_result", _representation(value)))
    figures = [pyplot.figure(number) for number in pyplot.get_fignums()]
    outputs += [Output("display_data", {PICTURE: _picture(figure), TEXT: "<Figure>"}) for figure in figures]
    pyplot.close("all")
    return outputs


def _run(source: str, place: str, names: dict[str, Any]) -> Any:
    """Run the statements of a cell, and return the value of the last one if it is an expression."""
    tree = ast.parse(source, place)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, place, "exec"), names)
    return eval(compile(ast.Expression(last.value), place, "eval"), names) if last else None


def _representation(value: Any) -> dict[str, str | bytes]:
    """A value as text and, where it can, as HTML; a figure as a picture."""
    if isinstance(value, Figure):
        return {PICTURE: _picture(value), TEXT: "<Figure>"}
    representation: dict[str, str | bytes] = {TEXT: without_seconds(repr(value))}
    if hasattr(value, "_repr_html_"):
        representation[HTML] = without_seconds(value._repr_html_())
    return representation


def _picture(figure: Any) -> bytes:
    """A figure as PNG, without the name of the program that drew it."""
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=DPI, metadata={"Software": None})
    return buffer.getvalue()

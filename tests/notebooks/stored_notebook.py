"""A notebook as a file: its cells, with the outputs and figures that were stored when it was last executed."""

import json
from base64 import b64decode, b64encode
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib

from ..places import ROOT

FOLDER = ROOT / "notebooks"
# The entry of a notebook's metadata that names the version of matplotlib which drew its figures.
MATPLOTLIB = "matplotlib"
# The kinds of data that an output has.
TEXT = "text/plain"
HTML = "text/html"
PICTURE = "image/png"


@dataclass(frozen=True)
class Output:
    """One output of a cell: what was printed, what its last line is, or a figure."""

    kind: str
    data: dict[str, str | bytes]


@dataclass(frozen=True)
class CodeCell:
    """A cell of code with its outputs."""

    source: str
    outputs: tuple[Output, ...]


def paths() -> list[Path]:
    """The notebooks, in the order of their numbers."""
    return sorted(FOLDER.glob("*.ipynb"))


def load(path: Path) -> dict[str, Any]:
    """The content of a notebook's file."""
    return json.loads(path.read_text(encoding="utf-8"))


def code_cells(content: dict[str, Any]) -> list[CodeCell]:
    """The cells of code, each with what is stored below it."""
    return [
        CodeCell("".join(cell["source"]), tuple(map(_output, cell["outputs"])))
        for cell in content["cells"]
        if cell["cell_type"] == "code"
    ]


def has_same_matplotlib(content: dict[str, Any]) -> bool:
    """Whether this version of matplotlib drew the stored figures."""
    return content["metadata"].get(MATPLOTLIB) == matplotlib.__version__


def store(path: Path, outputs: list[list[Output]]) -> None:
    """Write a notebook with these outputs, a list for each cell of code."""
    content = load(path)
    cells = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    for number, (cell, outputs_of_cell) in enumerate(zip(cells, outputs, strict=True), 1):
        cell["execution_count"] = number
        cell["outputs"] = [_entry(output, number) for output in outputs_of_cell]
    content["metadata"] = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
        MATPLOTLIB: matplotlib.__version__,
    }
    text = json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False)
    path.write_text(f"{text}\n", encoding="utf-8")


def _output(entry: dict[str, Any]) -> Output:
    kind = entry["output_type"]
    if kind == "stream":
        return Output(kind, {TEXT: "".join(entry["text"])})
    data = {name: "".join(value) for name, value in entry["data"].items()}
    return Output(kind, {name: b64decode(value) if name == PICTURE else value for name, value in data.items()})


def _entry(output: Output, number: int) -> dict[str, Any]:
    """An output as the format of notebooks has it."""
    if output.kind == "stream":
        return {"name": "stdout", "output_type": "stream", "text": _lines(output.data[TEXT])}
    data = {name: _lines(value) for name, value in output.data.items()}
    count = {"execution_count": number} if output.kind == "execute_result" else {}
    return {"data": data, "metadata": {}, "output_type": output.kind, **count}


def _lines(value: str | bytes) -> list[str] | str:
    """Text as a list of lines; a picture as one line in base 64."""
    return value.splitlines(keepends=True) if isinstance(value, str) else b64encode(value).decode() + "\n"

"""The comparison of outputs with those that are stored."""

from io import BytesIO

import numpy as np
from matplotlib.image import imread

from .execution import execute, normal_form
from .stored_notebook import PICTURE, Output, code_cells, has_same_matplotlib, load

# Two figures are nearly the same if their brightness differs by at most this much of its range on average: the
# last digits of a number that is drawn may move the edge of a line by less than a pixel.
NEARLY = 0.002


def differences(path) -> list[str]:
    """A line for each output of a notebook that is no longer what is stored."""
    content = load(path)
    cells, alike = code_cells(content), has_same_matplotlib(content)
    now = execute(cells, path.name)
    lines = []
    for number, (cell, outputs) in enumerate(zip(cells, now, strict=True), 1):
        place = f"{path.name}, cell {number}"
        if [output.kind for output in cell.outputs] != [output.kind for output in outputs]:
            lines.append(f"{place}: stored {_kinds(cell.outputs)}, now {_kinds(outputs)}")
            continue
        for stored, fresh in zip(cell.outputs, outputs, strict=True):
            lines += [f"{place}: {line}" for line in output_differences(stored, fresh, alike)]
    return lines


def output_differences(stored: Output, fresh: Output, alike: bool) -> list[str]:
    """What differs between two outputs of one kind; ``alike``: whether one version of matplotlib drew both."""
    if stored.data.keys() != fresh.data.keys():
        return [f"stored {', '.join(stored.data)}, now {', '.join(fresh.data)}"]
    lines = []
    for kind, before in stored.data.items():
        after = fresh.data[kind]
        if isinstance(before, bytes) and isinstance(after, bytes):
            lines += picture_differences(before, after, alike)
        elif isinstance(before, str) and normal_form(before) != normal_form(after):
            lines.append(f"stored {kind}\n{before}\nnow\n{after}")
    return lines


def picture_differences(stored: bytes, fresh: bytes, alike: bool) -> list[str]:
    """What differs between two PNG files: their sizes, or more of their pixels than a rounding may move."""
    before, after = (imread(BytesIO(content), format="png") for content in (stored, fresh))
    if before.shape != after.shape:
        return [f"a figure of {before.shape[1]} x {before.shape[0]} dots, now {after.shape[1]} x {after.shape[0]}"]
    far = float(np.mean(np.abs(before - after)))
    return [f"a figure has changed: pixels differ by {far:.4f} on average"] if alike and far > NEARLY else []


def _kinds(outputs) -> str:
    return ", ".join("a figure" if PICTURE in output.data else output.kind for output in outputs) or "nothing"

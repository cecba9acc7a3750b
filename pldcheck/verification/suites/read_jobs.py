"""Reader of jobs in TOML; every error names the key and its line."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...core import sealed_files
from ...core.errors import UnknownNameError
from ...core.parameters import PARAMETERS, Parameter
from .job_cells import Job, check_size
from .job_grid import SETTINGS, Grid
from .job_refusals import JobError, Key, number, refusal
from .toml_lines import line
from .value_ranges import even_values, log_even_values

# The largest length of a job file in bytes; longer ones are a mistake, since a job may have 10^8 cells.
LARGEST_FILE = 10**6
_KEYS = ("name", "summary", "width", "out", "grid")
_RANGE = ("from", "to", "points", "log")
_POINTS = Parameter("points", "number of values", 1, 10**5, integer=True)


def load(path: str | os.PathLike[str]) -> Job:
    """Return the job in a TOML file; raise JobError, which names the file, the line and the key."""
    return parse(text(path), str(path))


def text(path: str | os.PathLike[str]) -> str:
    """Return the text of a file with its line ends as newlines.

    Raise JobError unless it is a regular file of at most ``LARGEST_FILE`` bytes of UTF-8 text.
    """
    try:
        content = sealed_files.load(Path(path), LARGEST_FILE)
    except (OSError, sealed_files.DamageError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise JobError(f"cannot be read ({reason.lower()})", place=str(path)) from None
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        row = error.object.count(b"\n", 0, error.start) + 1
        raise JobError("not UTF-8", place=f"{path}, line {row}") from None


def parse(text: str, source: str = "job") -> Job:
    """Return the job that a TOML text describes; errors call the text ``source``."""
    tables = _toml(text, source)
    try:
        return _job(tables)
    except JobError as error:
        raise JobError(error.message, error.key, f"{source}, line {line(text, error.key)}") from None


def _toml(text: str, source: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise JobError("nested too deeply", place=source) from None
    except ValueError as error:
        message, row = str(error), 0
        if match := re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", message, re.DOTALL):
            message, row = f"{match[1]} (column {match[3]})", int(match[2])
        elif match := re.fullmatch(r"(.*) \(at end of document\)", message, re.DOTALL):
            message, row = f"{match[1]} (at the end)", text.count("\n") + 1
        elif digits := re.search(r"[0-9_]{4300,}", text):
            message, row = "a number of thousands of digits", text.count("\n", 0, digits.start()) + 1
        place = f"{source}, line {row}" if row else source
        raise JobError(f"not TOML: {message}", place=place) from None


def _job(tables: Mapping[str, Any]) -> Job:
    _check_keys(tables, _KEYS, "a job", ())
    if "name" not in tables:
        raise JobError("name is missing")
    grid_tables = tables.get("grid", [])
    if not isinstance(grid_tables, list):
        raise refusal("grid", "tables that begin with [[grid]]", grid_tables, ("grid",))
    grids: list[Grid] = []
    cells = 0
    for place, table in enumerate(grid_tables):
        if not isinstance(table, dict):
            raise refusal("grid", "tables that begin with [[grid]]", table, ("grid", place))
        try:
            grids.append(_grid(table))
        except JobError as error:
            raise error.under("grid", place) from None
        cells += grids[-1].size
        check_size(cells, place)  # before the axes of further grids take memory
    settings = {key: tables[key] for key in ("width", "out") if key in tables}
    return Job(tables["name"], tables.get("summary", ""), tuple(grids), **settings)


def _grid(table: Mapping[str, Any]) -> Grid:
    settings = {key: table[key] for key in SETTINGS if key in table}
    for key in ("theorems", "zip"):
        if key in settings and not (isinstance(settings[key], list) and settings[key]):
            raise refusal(f"grid.{key}", "a list that is not empty", settings[key], (key,))
    for place, group in enumerate(settings.get("zip", ())):
        if not isinstance(group, list) or not all(isinstance(name, str) for name in group):
            raise refusal("grid.zip", "lists of keys", group, ("zip", place))
    for key in ("protocol", "quantity"):
        if key in settings and not isinstance(settings[key], str):
            raise refusal(f"grid.{key}", "a name", settings[key], (key,))
    quick = settings.get("quick", {})
    if not isinstance(quick, dict):
        raise refusal("grid.quick", "a table of values", quick, ("quick",))
    axes = {name: values for name, values in table.items() if name not in SETTINGS}
    settings["axes"] = {name: _axis(name, values, "grid", ()) for name, values in axes.items()}
    settings["quick"] = {name: _axis(name, values, "grid.quick", ("quick",)) for name, values in quick.items()}
    return Grid(**settings)


def _axis(name: str, values: Any, table: str, above: Key) -> Any:
    """Return the values of an axis: a list, one value, or the values of a range."""
    if not isinstance(values, dict) or name not in PARAMETERS:
        return values
    label, key = f"{table}.{name}", (*above, name)
    _check_keys(values, _RANGE, label, key)
    for part in ("from", "to", "points"):
        if part not in values:
            raise JobError(f"{label}.{part} is missing", key)
    ends = [number(PARAMETERS[name], values[part], f"{label}.{part}", (*key, part)) for part in ("from", "to")]
    points = int(number(_POINTS, values["points"], f"{label}.points", (*key, "points")))
    if points == 1 and ends[0] != ends[1]:
        raise refusal(f"{label}.points", "at least 2 where from and to differ", 1, (*key, "points"))
    log = values.get("log", False)
    if not isinstance(log, bool):
        raise refusal(f"{label}.log", "true or false", log, (*key, "log"))
    for part, end in zip(("from", "to"), ends, strict=True):
        if log and end <= 0:
            raise refusal(f"{label}.{part}", "positive where log = true", values[part], (*key, part))
    return (log_even_values if log else even_values)(ends[0], ends[1], points, PARAMETERS[name].integer)


def _check_keys(table: Mapping[str, Any], keys: tuple[str, ...], what: str, key: Key) -> None:
    for name in table:
        if name not in keys:
            raise JobError(str(UnknownNameError(f"key of {what}", name, keys)), (*key, name))

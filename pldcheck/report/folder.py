"""What a folder of results holds: runs, comparisons, waterfalls and trajectories, read back from what was stored."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from ..comparisons import ROWS, Comparison
from ..errors import ParameterError, PldcheckError
from ..interval import Interval
from ..verify import Report

if TYPE_CHECKING:
    from ..trajectories import Trajectory
    from ..waterfall import Waterfall

# What a stored value that is not of its kind raises when it is taken apart.
MALFORMED = (KeyError, TypeError, ValueError, AttributeError, ArithmeticError, IndexError, RecursionError)

Kind = Union[Report, Comparison[Any], "Waterfall", "Trajectory"]


@dataclass(frozen=True)
class Folder:
    """The readable files by stem, in the order of their names; ``damaged``: the others by name, and why.

    ``aside``: names of JSON files that are something else.
    """

    path: Path
    runs: Mapping[str, Report]
    comparisons: Mapping[str, Comparison[Any]]
    waterfalls: Mapping[str, Waterfall]
    trajectories: Mapping[str, Trajectory]
    damaged: Mapping[str, str]
    aside: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nothing in it can be shown."""
        return not (self.runs or self.comparisons or self.waterfalls or self.trajectories)


def read(path: Path, read_run: Callable[[Path], Report]) -> Folder:
    """Everything stored in ``path``, not in folders in it; ``read_run`` reads a file of rows.

    Raises ParameterError if it is no folder that can be read.
    """
    try:
        files = sorted(entry for entry in path.iterdir() if entry.suffix in (".json", ".jsonl"))
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise ParameterError("folder", f"one with stored results ({why})", str(path)) from None
    kinds: dict[str, dict[str, Any]] = {name: {} for name in ("Report", "Comparison", "Waterfall", "Trajectory")}
    damaged, aside = {}, []
    for file in (file for file in files if not file.name.startswith(".")):
        try:
            known = _checked(read_run(file)) if file.suffix == ".jsonl" else stored(json.loads(file.read_bytes()))
        except OSError as error:
            damaged[file.name] = (error.strerror or str(error)).lower()
        except PldcheckError as error:
            damaged[file.name] = str(error).replace(f"{file}, ", "").replace(f"{file}: ", "")
        except json.JSONDecodeError as error:
            damaged[file.name] = f"not JSON ({error})"
        except MALFORMED as error:
            damaged[file.name] = f"not what it says it is ({type(error).__name__}: {error})"
        else:
            if known is None:
                aside.append(file.name)
            else:
                kinds[type(known).__name__][file.stem] = known
    return Folder(
        path,
        runs=kinds["Report"],
        comparisons=kinds["Comparison"],
        waterfalls=kinds["Waterfall"],
        trajectories=kinds["Trajectory"],
        damaged=damaged,
        aside=tuple(aside),
    )


def stored(values: Any) -> Kind | None:
    """The comparison, waterfall or trajectory that this is the ``to_dict`` of; None if it is of none of them."""
    if not isinstance(values, dict):
        return None
    if "comparison" in values:
        return _comparison(values)
    if {"theorem", "levels"} <= set(values):
        return _waterfall(values)
    return _trajectory(values) if {"protocol", "quantile_upper"} <= set(values) else None


def _comparison(values: Mapping[str, Any]) -> Comparison[Any]:
    if values["comparison"] not in ROWS:
        raise PldcheckError(f"no comparison is called {values['comparison']!r}")
    found = Comparison.from_dict(values, ROWS[values["comparison"]])
    for entry in fields(ROWS[found.name]):
        for row in found.rows:
            if not _fits(getattr(row, entry.name), str(entry.type)):
                raise PldcheckError(f"{getattr(row, entry.name)!r} is no {entry.name}")
    if not found.rows:
        raise PldcheckError("a comparison without rows")
    return found


def _fits(value: Any, kind: str) -> bool:
    """Whether a stored value is of a kind such as "float | None"."""
    if value is None or isinstance(value, str | bool):
        return ("None" if value is None else type(value).__name__) in kind
    return isinstance(value, int | float) and isfinite(value) and ("int" in kind or "float" in kind)


def _waterfall(values: Mapping[str, Any]) -> Waterfall:
    from ..waterfall import Level, Waterfall  # compiles; few folders need it

    levels = tuple(
        Level(str(level["name"]), str(level["title"]), Interval(level["lower"], level["upper"]))
        for level in values["levels"]
    )
    if not levels:
        raise PldcheckError("a waterfall without levels")
    if not all(_fits(value, "float") for value in values["params"].values()):
        raise PldcheckError("a parameter that is no number")
    return Waterfall(str(values["theorem"]), dict(values["params"]), levels)


def _trajectory(values: Mapping[str, Any]) -> Trajectory:
    import numpy as np

    from ..trajectories import Trajectory
    from .trajectories import NAMES

    columns = ("quantile_upper", "quantile_upper_reference", "mean_reference", "envelope", "envelope_improved")
    levels, indices = np.array(values["levels"], dtype=float), np.array(values["indices"], dtype=np.int64)
    arrays = {name: np.array(values[name], dtype=float) for name in columns}
    for name, array in arrays.items():
        expected = (levels.size, indices.size) if name.startswith("quantile") else (indices.size,)
        if array.shape != expected:
            raise PldcheckError(f"{name} has shape {array.shape}, not {expected}")
    told = values["params"]
    if (
        values["protocol"] not in NAMES
        or not {"eps0", "law", "record"} <= set(told)
        or not _fits(told["eps0"], "float")
    ):
        raise PldcheckError("a trajectory of nothing that is known")
    if not all(np.all(np.isfinite(array)) for array in (levels, *arrays.values())) or not indices.size:
        raise PldcheckError("a trajectory with numbers that are none")
    return Trajectory(
        protocol=values["protocol"],
        params=values["params"],
        slots=int(values["slots"]),
        indices=indices,
        levels=levels,
        **arrays,
    )


def _checked(run: Report) -> Report:
    """The run itself; raises PldcheckError for a value that is no number where one is meant."""
    if not isinstance(run.suite, str):
        raise PldcheckError("a run without a name")
    for number, row in enumerate(run.rows, 2):
        for value in (row.analytic, row.lower, row.upper, row.seconds):
            if not (value is None or (type(value) in (int, float) and value == value)):
                raise PldcheckError(f"line {number}: {value!r} is not a number")
        for text in (row.theorem, row.protocol, row.reason, row.quantity):
            if not (text is None or isinstance(text, str)):
                raise PldcheckError(f"line {number}: {text!r} is not a text")
    return run


def complaints(folder: Folder) -> Iterator[str]:
    """A line for every file that cannot be read."""
    for name, why in folder.damaged.items():
        yield f"{name} is left out: {' '.join(why.split())}"

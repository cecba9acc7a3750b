"""The kinds of results that studies store: how each is read back, and how it is drawn on a page of results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from math import isfinite
from typing import Any

import numpy as np

from ..core.errors import PldcheckError
from ..core.interval import Interval
from ..core.outward_decimals import up
from ..report.stored_kinds import Drawing, StoredKind
from .comparisons import ROWS, Comparison, comparison_figures
from .trajectories import Trajectory, trajectory_figure
from .waterfall import waterfall_figure
from .waterfall.waterfall import Level, Waterfall


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
    """Return whether a stored value is of a kind such as "float | None"."""
    if value is None or isinstance(value, str | bool):
        return ("None" if value is None else type(value).__name__) in kind
    return isinstance(value, int | float) and isfinite(value) and ("int" in kind or "float" in kind)


def _waterfall(values: Mapping[str, Any]) -> Waterfall:

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

    columns = ("quantile_upper", "quantile_upper_reference", "mean_reference", "envelope", "envelope_improved")
    levels, indices = np.array(values["levels"], dtype=float), np.array(values["indices"], dtype=np.int64)
    arrays = {name: np.array(values[name], dtype=float) for name in columns}
    for name, array in arrays.items():
        expected = (levels.size, indices.size) if name.startswith("quantile") else (indices.size,)
        if array.shape != expected:
            raise PldcheckError(f"{name} has shape {array.shape}, not {expected}")
    told = values["params"]
    if (
        values["protocol"] not in trajectory_figure.NAMES
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


def _drawn_waterfall(fall: Waterfall) -> Drawing:
    return Drawing(
        f"Where {fall.theorem} loses",
        "A bar a step of the proof, down to its epsilon; beside it by which factor the step is loose: "
        + "; ".join(f"{level.title} at most {up(level.interval.upper, 4)}" for level in fall.levels),
        lambda: waterfall_figure.figure(fall),
    )


def _drawn_comparison(found: Comparison[Any]) -> Drawing:
    return Drawing(
        found.title,
        "Published bounds as lines, named at their ends; what is certified as a band or a bar.",
        lambda: comparison_figures.FIGURES[found.name](found),
    )


def _drawn_trajectory(found: Trajectory) -> Drawing:
    return Drawing(
        f"Posterior of the hidden slot, {found.protocol}",
        "Quantiles of the posterior before each output as bands, the envelope of the proof dashed, the improved one "
        "dotted.",
        lambda: trajectory_figure.figure(found),
    )


# In the order of the page; those without a reader are not shown there.
KINDS = (
    StoredKind("waterfall", "waterfalls", "Where proofs lose", _waterfall, _drawn_waterfall),
    StoredKind("comparison", "comparisons", "Published bounds compared", _comparison, _drawn_comparison),
    StoredKind("trajectory", "trajectories", "Posterior trajectories", _trajectory, _drawn_trajectory),
    *map(StoredKind, ("audit", "attack", "dominance", "findings", "mutation", "simulation")),
)

"""Where an assertion tries a theorem: whatever it is given, as a job."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from ..core.errors import ParameterError, PldcheckError, UnknownNameError
from ..theorems import REGISTRY, Theorem
from ..verification import suites
from ..verification.suites import Grid, Job

FORMS = "a dict of axes, a list of points, a Grid, a Job, a job file or the name of a suite"


def found(theorem: object) -> Theorem:
    """Return a theorem, or the registered one of that id."""
    if isinstance(theorem, Theorem):
        return theorem
    if isinstance(theorem, str):
        return REGISTRY[theorem]
    raise ParameterError("theorem", "one made by @pldcheck.theorem, or an id", theorem)


def job(theorem: Theorem, grid: Any) -> Job:
    """The job on whose grids ``theorem`` is tried; without a grid, the first built-in one of theorems like it."""
    match grid:
        case None:
            return _job(theorem, _usual(theorem))
        case Job():
            return grid
        case Grid():
            return _job(theorem, grid)
        case str() | os.PathLike():
            return suites.given(grid)
        case Mapping():
            return _job(theorem, Grid(_axes(theorem, grid), theorems=(theorem,)))
        case Sequence() if grid and all(isinstance(point, Mapping) for point in grid):
            return _job(theorem, points(theorem, grid))
    raise ParameterError("grid", FORMS, grid)


def points(theorem: Theorem, given: Sequence[Mapping[str, Any]]) -> Grid:
    """Return the grid of these points alone."""
    for point in given:
        for name in theorem.parameters:
            if name not in point:
                raise ParameterError(f"{name} of a point", f"given: {theorem.id} needs it", dict(point))
        for name in point:
            if name not in theorem.parameters:
                raise UnknownNameError(f"parameter of {theorem.id}", str(name), theorem.parameters)
    axes = {name: tuple(point[name] for point in given) for name in theorem.parameters}
    return Grid(axes, theorems=(theorem,), zip=(theorem.parameters,) if len(theorem.parameters) > 1 else ())


def _axes(theorem: Theorem, grid: Mapping[str, Any]) -> dict[str, Any]:
    """Return values as lists, whatever holds them: numpy's arrays and their numbers too."""
    for name in grid:
        if name not in theorem.parameters:
            raise UnknownNameError(f"parameter of {theorem.id}", str(name), theorem.parameters)
    return {name: values.tolist() if hasattr(values, "tolist") else values for name, values in grid.items()}


def _job(theorem: Theorem, grid: Grid) -> Job:
    return Job("assertion", theorem.id if theorem.id.isprintable() else "", (grid,))


def _usual(theorem: Theorem) -> Grid:
    for name in suites.NAMES:
        for grid in suites.find(name).grids:
            alike = [known for known in grid.theorems if known.protocol == theorem.protocol]
            if alike and set(grid.axes) == set(theorem.parameters) and grid.judge:
                return Grid(grid.axes, (theorem,), zip=grid.zip, quick=grid.quick, width=grid.width)
    raise PldcheckError(f"no built-in grid has the parameters of {theorem.id}; grid must be {FORMS}")

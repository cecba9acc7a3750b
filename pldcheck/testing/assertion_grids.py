"""The job of an assertion: the grids at which it tests a theorem, from any of the accepted forms."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from ..core.errors import ParameterError, PldcheckError, UnknownNameError
from ..theorems import REGISTRY, Theorem
from ..verification import suites
from ..verification.suites import Grid, Job

# The forms of a grid, as error messages list them.
FORMS = "a dict of axes, a list of points, a Grid, a Job, a job file or the name of a suite"


def resolve_theorem(theorem: object) -> Theorem:
    """Return the theorem itself, or the registered theorem with that id; raise ParameterError for anything else."""
    if isinstance(theorem, Theorem):
        return theorem
    if isinstance(theorem, str):
        return REGISTRY[theorem]
    raise ParameterError(
        "theorem", "an object defined with @pldcheck.theorem, or the id of a registered theorem", theorem
    )


def job(theorem: Theorem, grid: Any) -> Job:
    """Return the job on whose grids ``theorem`` is tested.

    If ``grid`` is None, that is the first built-in grid of theorems on the same protocol with the same parameters.
    """
    match grid:
        case None:
            return _job(theorem, _usual_grid(theorem))
        case Job():
            return grid
        case Grid():
            return _job(theorem, grid)
        case str() | os.PathLike():
            return suites.as_job(grid)
        case Mapping():
            return _job(theorem, Grid(_axes(theorem, grid), theorems=(theorem,)))
        case Sequence() if grid and all(isinstance(point, Mapping) for point in grid):
            return _job(theorem, points(theorem, grid))
    raise ParameterError("grid", FORMS, grid)


def points(theorem: Theorem, entries: Sequence[Mapping[str, Any]]) -> Grid:
    """Return the grid that has exactly the listed points."""
    for point in entries:
        for name in theorem.parameters:
            if name not in point:
                raise ParameterError(f"{name} of a point", f"given, because {theorem.id} needs it", dict(point))
        for name in point:
            if name not in theorem.parameters:
                raise UnknownNameError(f"parameter of {theorem.id}", str(name), theorem.parameters)
    axes = {name: tuple(point[name] for point in entries) for name in theorem.parameters}
    return Grid(axes, theorems=(theorem,), zip=(theorem.parameters,) if len(theorem.parameters) > 1 else ())


def _axes(theorem: Theorem, grid: Mapping[str, Any]) -> dict[str, Any]:
    """Return the axes with numpy arrays and numpy scalars converted to lists and Python numbers."""
    for name in grid:
        if name not in theorem.parameters:
            raise UnknownNameError(f"parameter of {theorem.id}", str(name), theorem.parameters)
    return {name: values.tolist() if hasattr(values, "tolist") else values for name, values in grid.items()}


def _job(theorem: Theorem, grid: Grid) -> Job:
    return Job("assertion", theorem.id if theorem.id.isprintable() else "", (grid,))


def _usual_grid(theorem: Theorem) -> Grid:
    for name in suites.NAMES:
        for grid in suites.find(name).grids:
            alike = [other for other in grid.theorems if other.protocol == theorem.protocol]
            if alike and set(grid.axes) == set(theorem.parameters) and grid.judge:
                return Grid(grid.axes, (theorem,), zip=grid.zip, quick=grid.quick, width=grid.width)
    raise PldcheckError(f"no built-in grid has the parameters of {theorem.id}; grid must be {FORMS}")

"""The job of an assertion: the grids at which it tests a theorem, from any of the accepted forms."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import Any

from ..core.errors import ParameterError, PldcheckError, UnknownNameError
from ..core.parameters import PARAMETERS
from ..theorems import REGISTRY, Theorem
from ..verification import suites
from ..verification.suites import Grid, Job
from .own_claims import grid_of, place_of, theorem_of

# The name of the job of an assertion.
NAME = "assertion"
# The forms of a grid, as error messages list them.
FORMS = "a dict of axes, a list of points, a Grid, a Job, a job file or the name of a suite"


def resolve_theorem(theorem: object) -> Theorem:
    """Return the theorem itself, the registered theorem with that id, or that of a plain function and its protocol.

    Raise ParameterError for anything else.
    """
    if isinstance(theorem, Theorem):
        return theorem
    if isinstance(theorem, str):
        return REGISTRY[theorem]
    if isinstance(theorem, FunctionType):
        return theorem_of(theorem)
    raise ParameterError(
        "theorem", "an object defined with @pldcheck.theorem, or the id of a registered theorem", theorem
    )


def job(theorem: Theorem, grid: Any) -> Job:
    """Return the job on whose grids ``theorem`` is tested.

    If ``grid`` is None, that is the theorem's own grid, or else the first built-in grid of theorems on the same
    protocol with the same parameters.  Raise PldcheckError for a grid that is not allowed, with its file if it is the
    theorem's own.
    """
    if grid is not None:
        return _job_of(theorem, grid)
    own = grid_of(theorem)
    if own is None:
        return _job(theorem, _usual_grid(theorem))
    try:
        return _job_of(theorem, own)
    except PldcheckError as error:
        raise PldcheckError(f"the grid of {place_of(theorem) or theorem.id}: {error}") from None


def _job_of(theorem: Theorem, grid: Any) -> Job:
    match grid:
        case Job() as whole:
            return whole
        case Grid() as one:
            return _job(theorem, one)
        case str() | os.PathLike() as name:
            return suites.as_job(name)
        case Mapping() as axes:
            return _job(theorem, Grid(_axes(theorem, axes), theorems=(theorem,)))
        case Sequence() as entries if entries and all(isinstance(point, Mapping) for point in entries):
            return _job(theorem, points(theorem, entries))
    raise ParameterError("grid", FORMS, grid)


def job_name(text: str) -> str:
    """Return a text as a name of jobs and files."""
    return (
        "".join(letter if letter.isascii() and (letter.isalnum() or letter in "._") else "-" for letter in text).strip(
            "._-"
        )[:60]
        or "own"
    )


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


def chosen_cells(theorem: Theorem, given: Mapping[str, Sequence[object]]) -> Job:
    """Return the job of the cells that have some values, and otherwise those of the usual grid of a theorem.

    Raises
    ------
    PldcheckError
        If a name is no parameter, a value is not allowed, or the usual grid does not combine the others freely.

    """
    for name in given:
        if name not in theorem.parameters:
            raise UnknownNameError(f"parameter of {theorem.id}", name, theorem.parameters)
    axes: dict[str, Any] = {name: [PARAMETERS[name].admit(value) for value in given[name]] for name in given}
    missing = [name for name in theorem.parameters if name not in given]
    if missing:
        usual = job(theorem, None)
        if len(usual.grids) > 1 or any(set(missing) & set(group) for group in usual.grids[0].zip):
            raise ParameterError("--cell", f"given for {', '.join(missing)} as well", ", ".join(given))
        axes |= {name: usual.grids[0].axes[name] for name in missing}
    return _job(theorem, Grid({name: axes[name] for name in theorem.parameters}, theorems=(theorem,)))


def _axes(theorem: Theorem, grid: Mapping[str, Any]) -> dict[str, Any]:
    """Return the axes with numpy arrays and numpy scalars converted to lists and Python numbers."""
    for name in grid:
        if name not in theorem.parameters:
            raise UnknownNameError(f"parameter of {theorem.id}", str(name), theorem.parameters)
    return {name: values.tolist() if hasattr(values, "tolist") else values for name, values in grid.items()}


def _job(theorem: Theorem, grid: Grid) -> Job:
    return Job(NAME, theorem.id if theorem.id.isprintable() else "", (grid,))


def _usual_grid(theorem: Theorem) -> Grid:
    for name in suites.NAMES:
        for grid in suites.find(name).grids:
            alike = [other for other in grid.theorems if other.protocol == theorem.protocol]
            same = set(grid.axes) == set(theorem.parameters)
            if alike and grid.judge and (same or (set(grid.axes) > set(theorem.parameters) and not grid.zip)):
                # What the theorem does not name has its default.
                axes, quick = (
                    {name: one[name] for name in theorem.parameters if name in one} for one in (grid.axes, grid.quick)
                )
                return Grid(axes, (theorem,), zip=grid.zip, quick=quick, width=grid.width)
    raise PldcheckError(f"no built-in grid has the parameters of {theorem.id}; grid must be {FORMS}")

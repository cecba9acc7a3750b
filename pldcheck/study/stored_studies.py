"""The kinds of stored results of studies, with a reader and a drawing for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from math import isfinite
from typing import Any

import numpy as np

from ..core.errors import PldcheckError
from ..core.interval import Interval
from ..core.outward_decimals import up
from ..report.page_table import Table
from ..report.stored_kinds import Drawing, StoredKind
from .attack import attack_figure
from .attack.attack_grid import Agreement
from .comparisons import ROWS, Comparison, comparison_figures
from .stored_tables import comparison_tables, finding_tables, measured_tables, proof_tables, theorem_columns
from .trajectories import Trajectory, trajectory_figure
from .waterfall import waterfall_figure
from .waterfall.waterfall import Level, Waterfall

# A function of the beginning of their names and of what is stored that yields tables.
Tables = Callable[[str, Any], Iterable[Table | None]]
# A function of what is stored that returns texts by theorem.
Columns = Callable[[Any], Mapping[str, str]]


def _comparison(values: Mapping[str, Any]) -> Comparison[Any]:
    if values["comparison"] not in ROWS:
        raise PldcheckError(f"there is no comparison {values['comparison']!r}")
    comparison = Comparison.from_dict(values, ROWS[values["comparison"]])
    if not comparison.rows:
        raise PldcheckError("the comparison has no rows")
    _check_rows(comparison.rows)
    return comparison


def _check_rows(rows: Iterable[Any]) -> None:
    """Raise PldcheckError for a row with a value of another type than its field."""
    for row in rows:
        for entry in fields(row):
            if not _fits(getattr(row, entry.name), str(entry.type)):
                raise PldcheckError(f"{getattr(row, entry.name)!r} is not a value of {entry.name}")


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
        raise PldcheckError("the waterfall has no levels")
    if not all(_fits(value, "float") for value in values["params"].values()):
        raise PldcheckError("a parameter is not a number")
    return Waterfall(str(values["theorem"]), dict(values["params"]), levels)


def _trajectory(values: Mapping[str, Any]) -> Trajectory:
    columns = ("quantile_upper", "envelope", "envelope_improved")
    levels, indices = np.array(values["levels"], dtype=float), np.array(values["indices"], dtype=np.int64)
    arrays = {name: np.array(values[name], dtype=float) for name in columns}
    for name, array in arrays.items():
        shape = (levels.size, indices.size) if name.startswith("quantile") else (indices.size,)
        if array.shape != shape:
            raise PldcheckError(f"{name} has shape {array.shape}, not {shape}")
    params = values["params"]
    numbers = all(_fits(params.get(name, "none"), "float") for name in ("eps0", "weight"))
    if values["protocol"] != "random-replacement" or not numbers or not {"law", "record"} <= set(params):
        raise PldcheckError("the trajectory is of an unknown protocol, or lacks a parameter")
    if not all(np.all(np.isfinite(array)) for array in (levels, *arrays.values())) or not indices.size:
        raise PldcheckError("the trajectory has numbers that are not finite, or no indices")
    return Trajectory(
        protocol=values["protocol"],
        params=params,
        slots=int(values["slots"]),
        indices=indices,
        levels=levels,
        **arrays,
    )


def _draw_waterfall(fall: Waterfall) -> Drawing:
    return Drawing(
        f"Where {fall.theorem} loses",
        "Each bar is one level of the proof and ends at its epsilon; the factor beside it is the loss of the step: "
        + "; ".join(f"{level.title} at most {up(level.interval.upper, 4)}" for level in fall.levels),
        lambda: waterfall_figure.figure(fall),
    )


def _draw_comparison(comparison: Comparison[Any]) -> Drawing:
    return Drawing(
        comparison.title,
        "Published bounds are lines with their names at the end; certified intervals are bands or bars.",
        lambda: comparison_figures.FIGURES[comparison.name](comparison),
    )


def _draw_trajectory(trajectory: Trajectory) -> Drawing:
    return Drawing(
        f"Posterior of the hidden slot, {trajectory.protocol}",
        "Bands are quantiles of the posterior before each output; the envelope of the proof is dashed, the improved "
        "one dotted.",
        lambda: trajectory_figure.figure(trajectory),
    )


def _attacks(values: Mapping[str, Any]) -> Agreement:
    grid = Agreement.from_dict(values)
    _check_rows(grid.rows)
    budgets = {row.eps0 for row in grid.rows if row.certified_lower > 0.0}
    if not budgets <= set(grid.params["eps0"]) or not _fits(grid.params["transcripts"], "int"):
        raise PldcheckError("the parameters of the attacks are not those of the rows")
    if not budgets:
        raise PldcheckError("no attack is on a positive epsilon")
    return grid


def _draw_attacks(grid: Agreement) -> Drawing:
    return Drawing(
        "Attacks against the certified intervals (empirical)",
        "Left, the epsilon that each attack shows against the certified upper end, which none is above; right, the "
        "certified interval and what the attack reaches, over the certified lower end.",
        lambda: attack_figure.figure(grid),
    )


def _attack_tables(name: str, grid: Agreement) -> Iterable[Table | None]:
    return measured_tables.attacks(name, grid.to_dict())


def _readable(tables: Tables, of_theorems: Columns | None) -> Callable[[Mapping[str, Any]], Mapping[str, Any]]:
    """Return a reader of values that are shown as these tables alone, which must have a line."""

    def read(values: Mapping[str, Any]) -> Mapping[str, Any]:
        if not any(tables("", values)):
            raise PldcheckError("it has nothing to show")
        if of_theorems:
            of_theorems(values)
        return values

    return read


def _of_tables(
    name: str,
    one: str,
    many: str,
    heading: str,
    tables: Tables,
    column: str = "",
    of_theorems: Columns | None = None,
    of_lines: bool = False,
) -> StoredKind:
    read = _readable(tables, of_theorems)
    return StoredKind(name, one, many, heading, read, None, tables, column, of_theorems, of_lines)


# All kinds in the order of the page.
KINDS = (
    _of_tables("findings", "list of findings", "lists of findings", "Findings about the papers",
               finding_tables.findings, "findings", theorem_columns.findings),
    _of_tables("audit", "audit", "audits", "Proofs, step by step", proof_tables.audits, "proof",
               theorem_columns.proofs),
    _of_tables("dominance", "comparison of theorems", "comparisons of theorems", "Which theorem implies which",
               proof_tables.dominance, "implied by", theorem_columns.implied_by),
    StoredKind("attack", "grid of attacks", "grids of attacks", "Attacks", _attacks, _draw_attacks, _attack_tables),
    StoredKind("waterfall", "waterfall", "waterfalls", "Where proofs lose", _waterfall, _draw_waterfall,
               comparison_tables.waterfall),
    StoredKind("comparison", "comparison", "comparisons", "Published bounds compared", _comparison, _draw_comparison,
               comparison_tables.comparison),
    StoredKind("trajectory", "trajectory", "trajectories", "Posterior trajectories", _trajectory, _draw_trajectory),
    _of_tables("simulation", "simulation", "simulations", "Simulations", measured_tables.simulations),
    _of_tables("mutation", "table of mutants", "tables of mutants", "Formulas made wrong", finding_tables.mutants),
    _of_tables("certificates", "list of certificates", "lists of certificates", "Files that prove verdicts",
               finding_tables.certificates),
    _of_tables("benchmarks", "benchmark", "benchmarks", "Speed", measured_tables.speeds, of_lines=True),
    _of_tables("widths", "table of widths", "tables of widths", "Widths", measured_tables.widths, of_lines=True),
)  # fmt: skip

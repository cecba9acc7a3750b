"""``assert_sound`` and ``assert_tightness`` compare a theorem with certified intervals at every point of a grid."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isfinite
from numbers import Real
from typing import Any

from ..core.errors import ParameterError
from ..core.interval import Interval
from ..theorems import Theorem
from ..verification import WIDTH, WIDTH_FLOOR, Report, Row, Verdict, problem_of_bound, verify
from . import assertion_grids, failure_messages, plugin_settings

# The factor by which widths shrink while an interval leaves open whether a bound is tight enough.  A small factor
# would repeat nearly equal computations; this one reaches ``WIDTH_FLOOR`` in three steps.
REFINEMENT = 5.0


def assert_sound(
    theorem: Theorem | str, grid: Any = None, width: float | None = None, allow_undecided: bool = False
) -> Report:
    """Assert that a theorem is certainly true at every point of a grid at which its conditions hold.

    An upper bound must be at or above the upper end of every certified interval, a lower bound at or below the lower
    end.  No interval proves that a claimed exact value is the truth: such a claim must lie in every interval, and each
    interval is made as narrow as possible, down to ``WIDTH_FLOOR``.

    Parameters
    ----------
    theorem : Theorem or str
        An object defined with :func:`pldcheck.theorem`, or the id of a registered theorem.
    grid : dict, list, Grid, Job, path or str
        A dict maps parameters to lists of values, all of which are combined; a list holds points.  Of a job file, or of
        the suite of that name, the grids with the theorem's parameters are taken.  The default is the first such grid
        of the built-in suites.
    width : float in (0, 1), optional
        The relative width of the first intervals; they are narrowed until the verdict is certain.
    allow_undecided : bool
        Whether a cell may stay undecided at the least width, provided that the claim holds in another cell.

    Returns
    -------
    Report
        The rows of all cells, as :func:`pldcheck.verify` returns them.

    Raises
    ------
    AssertionError
        If a cell fails, or if all cells are outside the conditions.  The message shows the first failing cells:
        parameters, claim, certified interval, witness, and the commands that repeat the computation and the verdict.
    PldcheckError
        If the theorem or the grid cannot be read.

    Examples
    --------
    >>> import pldcheck
    >>> pldcheck.assert_sound("fmt22-closed", grid={"clients": [1000], "eps0": [1.0], "delta": 1e-6}).exit_code
    0

    """
    __tracebackhide__ = True
    statement = assertion_grids.resolve_theorem(theorem)
    report = _run(statement, grid, width)
    failing = [row for row in report.rows if _fails(row, allow_undecided)]
    if failing:
        raise AssertionError(failure_messages.unsound_message(statement, report, failing))
    if not any(row.verdict in (Verdict.HOLDS, Verdict.CONSISTENT) for row in report.rows):
        raise AssertionError(failure_messages.no_verdict_message(statement, report))
    return report


def assert_tightness(theorem: Theorem | str, at_most: float, grid: Any = None, width: float | None = None) -> Report:
    """Assert that a bound is certainly at most ``at_most`` times the truth at every point of a grid.

    The ratio of an upper bound is the claim over the lower end of the certified interval; that of a lower bound is the
    upper end over the claim.  An interval that leaves open whether the ratio is allowed is narrowed, down to
    ``WIDTH_FLOOR``.

    Parameters
    ----------
    theorem, grid, width
        The same as in :func:`assert_sound`; a theorem that claims an exact value is refused.
    at_most : float in [1, inf)
        The largest ratio that is allowed.

    Returns
    -------
    Report
        The rows of all cells, with the narrowest intervals that were computed.

    Raises
    ------
    AssertionError
        If a cell is violated or undecided, if all cells are outside the conditions, or if the ratio is too large
        somewhere; the message then shows the cell with the largest ratio.
    PldcheckError
        If the theorem, the grid or ``at_most`` cannot be read.

    """
    __tracebackhide__ = True
    statement = assertion_grids.resolve_theorem(theorem)
    if not isinstance(at_most, Real) or isinstance(at_most, bool) or not 1 <= at_most < inf:
        raise ParameterError("at_most", "at least 1 and finite", at_most)
    if statement.relation == "=":
        raise ParameterError("theorem", "an upper or a lower bound (assert_sound judges exact values)", statement.id)
    report = _narrow_report(statement, _run(statement, grid, width), float(at_most))
    failing = [row for row in report.rows if _fails(row, allow_undecided=False)]
    if failing:
        raise AssertionError(failure_messages.unsound_message(statement, report, failing))
    holding_rows = [row for row in report.rows if row.verdict is Verdict.HOLDS]
    if not holding_rows:
        raise AssertionError(failure_messages.no_verdict_message(statement, report))
    loose_rows = [row for row in holding_rows if loosest(statement, row) > at_most]
    if loose_rows:
        worst = max(loose_rows, key=lambda row: loosest(statement, row))
        raise AssertionError(
            failure_messages.loose_message(
                statement, float(at_most), worst, loosest(statement, worst), len(loose_rows), len(holding_rows)
            )
        )
    return report


def loosest(theorem: Theorem, row: Row) -> float:
    """Return a certain limit of bound over truth (of truth over bound for a lower bound); 1 where both are 0."""
    return _ratio(theorem, row, certain=True)


def _ratio(theorem: Theorem, row: Row, certain: bool) -> float:
    assert row.analytic is not None and row.lower is not None and row.upper is not None
    upper_bound = theorem.relation == "<="
    end = row.lower if upper_bound is certain else row.upper
    above, below = (row.analytic, end) if upper_bound else (end, row.analytic)
    if above <= below:
        return 1.0
    return above / below if below > 0 and isfinite(above) else inf


def _run(theorem: Theorem, grid: Any, width: float | None) -> Report:
    now = plugin_settings.current()
    return verify(assertion_grids.job(theorem, grid), [theorem], now.quick, width, workers=now.workers)


def _fails(row: Row, allow_undecided: bool) -> bool:
    if row.verdict is Verdict.UNDECIDED:
        # A cell with no interval could not be computed at all: that is an error, not an undecided comparison.
        return row.lower is None or not allow_undecided
    return row.verdict in (Verdict.VIOLATED, Verdict.UNJUDGEABLE, Verdict.NOT_JUDGED)


def _narrow_report(theorem: Theorem, report: Report, at_most: float) -> Report:
    """Return the report with narrower intervals in the cells whose ratio may be on either side of ``at_most``."""
    return Report(report.suite, tuple(_narrow_row(theorem, row, at_most) for row in report.rows), report.header)


def _narrow_row(theorem: Theorem, row: Row, at_most: float) -> Row:
    width = WIDTH
    while width > WIDTH_FLOOR and row.verdict is Verdict.HOLDS and _is_open(theorem, row, at_most):
        width = max(width / REFINEMENT, WIDTH_FLOOR)
        truth = problem_of_bound(theorem, theorem(**row.params)).answer(width)
        assert row.lower is not None and row.upper is not None
        both = truth.meet(Interval(row.lower, row.upper, truth.quantity))
        row = replace(row, lower=both.lower, upper=both.upper, budget=truth.budget)
    return row


def _is_open(theorem: Theorem, row: Row, at_most: float) -> bool:
    return _ratio(theorem, row, certain=False) <= at_most < _ratio(theorem, row, certain=True)

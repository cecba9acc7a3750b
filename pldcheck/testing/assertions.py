"""``assert_sound`` and ``assert_tightness``: a theorem against certified intervals, at every point of a grid."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isfinite
from numbers import Real
from typing import Any

from ..core.errors import ParameterError
from ..core.interval import Interval
from ..theorems import Theorem
from ..verification import WIDTH, WIDTH_FLOOR, Report, Row, Verdict, bounded, intersection, verify
from . import assertion_grids, failure_messages, plugin_settings

# By how much widths shrink while a tightness is on neither side of what is allowed.
REFINEMENT = 5.0


def assert_sound(
    theorem: Theorem | str, grid: Any = None, width: float | None = None, allow_undecided: bool = False
) -> Report:
    """Assert that a theorem is certainly true wherever it was tried and its conditions hold.

    No interval proves that a claimed exact value is the truth: for such a theorem it is enough that the claim lies in
    every interval, each as narrow as can be had, down to ``WIDTH_FLOOR``.

    Parameters
    ----------
    theorem : Theorem or str
        Made by :func:`pldcheck.theorem`, or the id of a registered one.
    grid : dict, list, Grid, Job, path or str
        Axes, all of whose values are combined; or points; or a job file, or a suite's name, whose grids with the
        theorem's parameters are taken.  By default the first such grid of the built-in suites.
    width : float in (0, 1), optional
        Relative width first asked of the intervals; they are narrowed until the verdict is certain.
    allow_undecided : bool
        Whether cells may stay undecided at the least width, provided that another holds.

    Returns
    -------
    Report
        All cells, as :func:`pldcheck.verify` has them.

    Raises
    ------
    AssertionError
        With the first cells that fail: parameters, claim, certified interval, witness, and the command that repeats
        it.  Also if all cells are outside the conditions.
    PldcheckError
        If the theorem or the grid cannot be read.

    """
    __tracebackhide__ = True
    known = assertion_grids.found(theorem)
    report = _run(known, grid, width)
    failing = [row for row in report.rows if _fails(row, allow_undecided)]
    if failing:
        raise AssertionError(failure_messages.unsound(known, report, failing))
    if not any(row.verdict in (Verdict.HOLDS, Verdict.CONSISTENT) for row in report.rows):
        raise AssertionError(failure_messages.nothing_judged(known, report))
    return report


def assert_tightness(theorem: Theorem | str, at_most: float, grid: Any = None, width: float | None = None) -> Report:
    """Assert that a bound is certainly at most ``at_most`` times the truth wherever it was tried.

    The ratio is claim over the certified interval's lower end, for a lower bound its upper end over the claim.  Where
    the interval leaves both open it is narrowed.  Parameters and errors otherwise as in :func:`assert_sound`; what is
    false or undecided fails.
    """
    __tracebackhide__ = True
    known = assertion_grids.found(theorem)
    if not isinstance(at_most, Real) or isinstance(at_most, bool) or not 1 <= at_most < inf:
        raise ParameterError("at_most", "at least 1 and finite", at_most)
    if known.relation == "=":
        raise ParameterError("theorem", "a bound; an exact value is judged by assert_sound", known.id)
    report = _narrowed(known, _run(known, grid, width), float(at_most))
    failing = [row for row in report.rows if _fails(row, allow_undecided=False)]
    if failing:
        raise AssertionError(failure_messages.unsound(known, report, failing))
    judged = [row for row in report.rows if row.verdict is Verdict.HOLDS]
    if not judged:
        raise AssertionError(failure_messages.nothing_judged(known, report))
    loose = [row for row in judged if loosest(known, row) > at_most]
    if loose:
        worst = max(loose, key=lambda row: loosest(known, row))
        raise AssertionError(
            failure_messages.loose(known, float(at_most), worst, loosest(known, worst), len(loose), len(judged))
        )
    return report


def loosest(theorem: Theorem, row: Row) -> float:
    """The bound is at most so many times the truth, or the truth so many times the bound; 1 where both are 0."""
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
        # A cell with no interval could not be computed at all: that is an error, not a close call.
        return row.lower is None or not allow_undecided
    return row.verdict in (Verdict.VIOLATED, Verdict.NOT_JUDGED)


def _narrowed(theorem: Theorem, report: Report, at_most: float) -> Report:
    """The report with narrower intervals where they decide on which side of ``at_most`` a cell is."""
    return Report(report.suite, tuple(_narrower(theorem, row, at_most) for row in report.rows), report.header)


def _narrower(theorem: Theorem, row: Row, at_most: float) -> Row:
    width = WIDTH
    while width > WIDTH_FLOOR and row.verdict is Verdict.HOLDS and _open(theorem, row, at_most):
        width = max(width / REFINEMENT, WIDTH_FLOOR)
        truth = bounded(theorem, theorem(**row.params)).answer(width)
        assert row.lower is not None and row.upper is not None
        both = intersection(Interval(row.lower, row.upper, truth.quantity), truth)
        row = replace(row, lower=both.lower, upper=both.upper, budget=truth.budget)
    return row


def _open(theorem: Theorem, row: Row, at_most: float) -> bool:
    return _ratio(theorem, row, certain=False) <= at_most < _ratio(theorem, row, certain=True)

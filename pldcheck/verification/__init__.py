"""Comparison of theorems with certified intervals; the two meet only here.

Read :mod:`~pldcheck.verification.problem` first (the quantity of a protocol that a theorem bounds), then
:mod:`~pldcheck.verification.verdict` and :mod:`~pldcheck.verification.run_cells`, the loop over cells.
:mod:`~pldcheck.verification.suites` defines the cells, and :mod:`~pldcheck.verification.runs` stores what was computed.
"""

from __future__ import annotations

from .problem import Problem as Problem
from .problem import problem_of_bound as problem_of_bound
from .problem import subject as subject
from .run_cells import WIDTH as WIDTH
from .run_cells import WIDTH_FLOOR as WIDTH_FLOOR
from .run_fold import Summary as Summary
from .run_report import Report as Report
from .run_rows import Row as Row
from .verdict import FORMULA_SLACK as FORMULA_SLACK
from .verdict import Verdict as Verdict
from .verdict import judge as judge
from .verdict import judge_theorem as judge_theorem
from .verdict import relative_width as relative_width
from .verify_job import verify as verify

__all__ = [
    "FORMULA_SLACK",
    "Problem",
    "Report",
    "Row",
    "Summary",
    "Verdict",
    "WIDTH",
    "WIDTH_FLOOR",
    "problem_of_bound",
    "judge",
    "judge_theorem",
    "relative_width",
    "subject",
    "verify",
]

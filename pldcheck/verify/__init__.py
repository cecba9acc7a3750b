"""Theorems against certified intervals: the only place where the two meet."""

from __future__ import annotations

from .problem import Problem as Problem
from .problem import bounded as bounded
from .rows import Report as Report
from .rows import Row as Row
from .rows import Summary as Summary
from .run import WIDTH as WIDTH
from .run import WIDTH_FLOOR as WIDTH_FLOOR
from .run import verify as verify
from .verdict import FORMULA_SLACK as FORMULA_SLACK
from .verdict import Verdict as Verdict
from .verdict import judge as judge

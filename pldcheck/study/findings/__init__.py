"""Findings about the papers: each with its numbers and the command that shows it again.

Read ``finding`` first (one finding), then ``collect_findings`` (each kind from runs, audits, comparisons and mutants),
``all_findings`` (all of them, in order of consequence), and ``issue_text`` (one of them, for those whom it concerns).
"""

from __future__ import annotations

from .all_findings import Findings as Findings
from .all_findings import findings as findings
from .all_findings import violated_rows as violated_rows
from .counterexample_script import counterexample_script as counterexample_script
from .finding import Finding as Finding
from .finding import Kind as Kind
from .issue_text import issue_text as issue_text

__all__ = [
    "Finding",
    "Findings",
    "Kind",
    "counterexample_script",
    "findings",
    "issue_text",
    "violated_rows",
]

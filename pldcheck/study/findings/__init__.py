"""Findings about the papers: each with its numbers and the command that shows it again.

Read ``finding`` first (one finding), then ``collect_findings`` (each kind from runs, audits, comparisons and mutants),
``all_findings`` (all of them, in order of consequence), and ``issue_text`` (one of them, for those whom it concerns).
"""

from __future__ import annotations

from .all_findings import Findings, findings, violated_rows
from .counterexample_script import counterexample_script
from .finding import Finding, Kind
from .issue_text import issue_text

__all__ = ["Finding", "Findings", "Kind", "counterexample_script", "findings", "issue_text", "violated_rows"]

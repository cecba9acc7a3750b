"""Findings about the papers: each with its numbers and the command that shows it again.

Read ``finding`` first (one finding), then ``collect_findings`` (each kind from runs, audits, comparisons and mutants),
and ``all_findings`` (all of them, in order of consequence).
"""

from __future__ import annotations

from .all_findings import Findings, findings
from .finding import Finding, Kind

__all__ = ["Finding", "Findings", "Kind", "findings"]

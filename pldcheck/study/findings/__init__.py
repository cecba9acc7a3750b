"""What was found out about the papers: each finding with its numbers and the command that shows it."""

from __future__ import annotations

from .all_findings import Findings as Findings
from .all_findings import findings as findings
from .finding import Finding as Finding
from .finding import Kind as Kind

__all__ = [
    "Finding",
    "Findings",
    "Kind",
    "findings",
]

"""Proofs as chains of inequalities, each checked on a grid and proved on a box.

>>> audit("lem-A.1")
<Audit of lem-A.1: 1 proved>
"""

from .theorem_audit import Report, StepReport, audit

__all__ = ["Report", "StepReport", "audit"]

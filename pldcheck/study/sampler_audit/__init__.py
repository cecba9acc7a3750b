"""Audits of a user's own mechanism by its outputs, or by one run with many canaries: empirical lower bounds of epsilon.

Read ``audit_by_events`` first (the bound and its proof), then ``output_scores`` (which events are tried) and
``one_run_audit``.  Nothing here is certified: each bound holds with a stated confidence over its random draws.
"""

from __future__ import annotations

from .audit_by_events import audit_sampler
from .one_run_audit import OneRunAudit, audit_one_run
from .sampler_audit_result import SamplerAudit

__all__ = ["OneRunAudit", "SamplerAudit", "audit_one_run", "audit_sampler"]

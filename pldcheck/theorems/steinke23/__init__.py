"""Steinke, Nasr, Jagielski (2023): audits of differential privacy from one run with many canaries."""

from ..theorem import Theorem
from . import one_run_tail

THEOREMS: tuple[Theorem, ...] = ()
REMARKS = one_run_tail.REMARKS
PROOFS: tuple[str, ...] = ()
REDUCTIONS: tuple[str, ...] = ()

"""The theorems pldcheck verifies, by id.

Read :mod:`~pldcheck.theorems.registry` first: what a theorem is.  Then a paper's folder, such as ``steinke22``.  In it
are the statements with conditions, source and formula, the theorems' cells of the built-in suites (``shuffle.toml``),
their proofs as chains of inequalities (:mod:`~pldcheck.theorems.proof_step`) and the reductions to what other theorems
are stated for (:mod:`~pldcheck.theorems.reduction`).  :mod:`~pldcheck.theorems.papers` gathers them.  A theorem is
added to a paper in its folder alone; only a step of a proof that certified numbers are to check has its check in
:mod:`pldcheck.study.audit.measured`.

>>> REGISTRY["thm-3.2"](steps=1000, eps0=1, check_in_prob=1, delta=1e-6)
Bound('thm-3.2', epsilon=0.474925, delta_total=1e-06)
"""

from .papers import PAPERS
from .registry import GIVEN, Bound, Condition, Registry, Source, Theorem

REGISTRY = Registry(theorem for paper in PAPERS for theorem in paper.THEOREMS)

__all__ = ["GIVEN", "REGISTRY", "Bound", "Condition", "Source", "Theorem"]

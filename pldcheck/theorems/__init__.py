"""The theorems that pldcheck verifies, by id.

Read :mod:`~pldcheck.theorems.theorem` first (the class of theorems), then a paper's folder, such as ``steinke22``.  It
has the statements with conditions, source and formula, the theorems' cells of the built-in suites (``shuffle.toml``),
their proofs as chains of inequalities (:mod:`~pldcheck.theorems.proof_step`) and the reductions to the mechanisms of
other theorems (:mod:`~pldcheck.theorems.reduction`), and the paper's definitions and lemmas that bound no quantity of a
protocol (:mod:`~pldcheck.theorems.remark`).  :mod:`~pldcheck.theorems.papers` collects them.  To add a theorem
to a paper, change its folder only; a step of a proof that certified numbers check has its check in
:mod:`pldcheck.study.audit.measured`.  What certificates of upper ends rest on is no formula but a
:mod:`~pldcheck.theorems.statement`, with its whole proof in :mod:`~pldcheck.theorems.statements`.

>>> REGISTRY["thm-3.2"](steps=1000, eps0=1, check_in_prob=1, delta=1e-6)
Bound('thm-3.2', epsilon=0.474925, delta_total=1e-06)
"""

from .claimed_bound import GIVEN, Bound
from .papers import PAPERS
from .registry import Registry
from .remark import Remark, Remarks
from .theorem import Condition, Source, Theorem

REGISTRY = Registry(theorem for paper in PAPERS for theorem in paper.THEOREMS)
REMARKS = Remarks(remark for paper in PAPERS for remark in getattr(paper, "REMARKS", ()))

__all__ = ["GIVEN", "REGISTRY", "REMARKS", "Bound", "Condition", "Remark", "Source", "Theorem"]

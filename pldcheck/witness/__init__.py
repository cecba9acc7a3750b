"""Files that prove a lower or an upper end, or that a claim holds or is false, and the search for them.

The programs that verify them are :mod:`pldcheck.checkers`, which needs nothing of this package; read that first.  A
witness file has a counterexample in exact numbers: :mod:`~pldcheck.witness.witness_files` writes it, and
:mod:`~pldcheck.witness.witness_claims` computes the claim of a file again from the registry.  A certificate of an upper
end has a claim, and how fine a computation verifies it: :mod:`~pldcheck.witness.upper_certificates` writes one for a
question.  :mod:`~pldcheck.witness.run_files` writes and checks files beside the rows of a run, and
:mod:`~pldcheck.witness.row_certificates` says what a certificate of a row must claim.
:mod:`~pldcheck.witness.checker_archive` puts the programs beside files, and says how they are called.
:mod:`~pldcheck.witness.judge_corpus` judges another accountant by a file of certified points.
"""

from __future__ import annotations

from .witness_examination import examine as examine
from .witness_files import check as check
from .witness_files import dumps as dumps
from .witness_files import of_question as of_question
from .witness_files import of_row as of_row

__all__ = [
    "check",
    "dumps",
    "examine",
    "of_question",
    "of_row",
]

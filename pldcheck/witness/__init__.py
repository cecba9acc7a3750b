"""Witness files: counterexamples in exact numbers, which small stand-alone programs verify.

The programs are :mod:`~pldcheck.witness.checker` (one randomizer), :mod:`~pldcheck.witness.composed_checker`
(compositions) and :mod:`~pldcheck.witness.adaptive` (policies); read one of them first.  Then read
:mod:`~pldcheck.witness.witness_files`, which writes the files, and :mod:`~pldcheck.witness.witness_claims`, which
computes the claim of a file again from the registry.

Upper ends have certificates.  The programs :mod:`~pldcheck.witness.upper_slot`, :mod:`~pldcheck.witness.upper_shuffle`,
:mod:`~pldcheck.witness.upper_sum`, :mod:`~pldcheck.witness.upper_loss`, :mod:`~pldcheck.witness.upper_epochs`,
:mod:`~pldcheck.witness.upper_swap`, :mod:`~pldcheck.witness.upper_few` and :mod:`~pldcheck.witness.upper_rounds`, which
calls the first three, verify them.  Each says at its top what it claims, and which modules beside it it needs; each
module has its part of the proof.
:mod:`~pldcheck.witness.upper_certificates` chooses among them, and writes a file for a question.
:mod:`~pldcheck.witness.run_files` writes and checks files beside the rows of a run, and
:mod:`~pldcheck.witness.row_certificates` says what a certificate of a row must claim.
:mod:`~pldcheck.witness.judge_corpus` judges another accountant by a file of certified points.
"""

from __future__ import annotations

from .checker_programs import check as check
from .witness_examination import examine as examine
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

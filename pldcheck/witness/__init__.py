"""Witness files: counterexamples that a small program of its own verifies, and how they are made.

The programs stand alone: :mod:`~pldcheck.witness.checker` (one randomizer), :mod:`~pldcheck.witness.composed_checker`
(compositions), :mod:`~pldcheck.witness.adaptive` (policies); read one of them first.  Then
:mod:`~pldcheck.witness.witness_files`, which writes what they read, and :mod:`~pldcheck.witness.witness_claims`, which
builds a file's claim anew from the registry.
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

"""The statements that certificates of upper ends rest on, by id, each with its proof.

:mod:`~pldcheck.theorems.statements.composed_pairs` has what all others use: curves of pairs and their composition.
``PROOFS`` lists the files with steps of proofs that are inequalities, which the audit checks.
"""

from ..statement import NOTATION, Statement, Statements
from . import (
    approximate_slots,
    batch_pairs,
    composed_pairs,
    hidden_slots,
    known_slots,
    noise_pairs,
    sampled_pairs,
    shuffled_clones,
    shuffled_responses,
    shuffles,
)

STATEMENTS = Statements(
    statement
    for file in (
        composed_pairs,
        noise_pairs,
        hidden_slots,
        approximate_slots,
        known_slots,
        sampled_pairs,
        batch_pairs,
        shuffles,
        shuffled_clones,
        shuffled_responses,
    )
    for statement in file.STATEMENTS
)
PROOFS: tuple[str, ...] = ("statement_chains",)

__all__ = ["NOTATION", "STATEMENTS", "Statement", "Statements"]

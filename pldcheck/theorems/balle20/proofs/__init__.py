"""The proofs of the theorems, a step after the other; :mod:`pldcheck.theorems.proof_step` says what a step is."""

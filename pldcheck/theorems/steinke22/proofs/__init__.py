"""Proofs of the chapter's elementary lemmas, as chains of inequalities between functions of a few numbers."""

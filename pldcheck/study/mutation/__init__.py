"""Mutation analysis of the registered formulas: every small change of each, and the guards that notice it.

Read ``syntax_changes`` and ``mutants`` first (the changes), then ``guards`` (each may notice a change), and
``kill_table`` (all mutants and all guards).
"""

from __future__ import annotations

from .kill_table import Fate, Mutation, mutate
from .mutants import KINDS, Mutant, mutants

__all__ = ["Fate", "KINDS", "Mutant", "Mutation", "mutants", "mutate"]

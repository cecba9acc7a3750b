"""Mutation guard: every registered formula changed in every way there is, and which guard notices."""

from __future__ import annotations

from .kill_table import Fate as Fate
from .kill_table import Mutation as Mutation
from .kill_table import mutate as mutate
from .mutants import KINDS as KINDS
from .mutants import Mutant as Mutant
from .mutants import mutants as mutants

__all__ = [
    "Fate",
    "KINDS",
    "Mutant",
    "Mutation",
    "mutants",
    "mutate",
]

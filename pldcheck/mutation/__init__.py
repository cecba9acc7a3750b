"""Mutation guard: every registered formula changed in every way there is, and which guard notices."""

from __future__ import annotations

from .mutants import KINDS as KINDS
from .mutants import Mutant as Mutant
from .mutants import mutants as mutants
from .table import Fate as Fate
from .table import Mutation as Mutation
from .table import mutate as mutate

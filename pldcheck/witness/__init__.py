"""Witness files: counterexamples that a small program of its own verifies, and how they are made."""

from __future__ import annotations

from .files import dumps as dumps
from .files import of_question as of_question
from .files import of_row as of_row
from .programs import check as check
from .programs import examine as examine

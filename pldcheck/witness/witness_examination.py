"""Whether a witness file is accepted: by its program, and as the claim of what it says that it is of."""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike
from typing import Any

from ..core import sealed_files
from ..core.outward_decimals import safe
from . import checker, composed_checker, witness_claims
from .checker_programs import PROGRAMS


def examine(path: str | PathLike[str]) -> tuple[bool, str]:
    """Return whether the file is accepted, and why: its program accepts it, and its claim is that of what it is of."""
    facts: Mapping[str, Any] = {}
    try:
        facts = composed_checker._read(path)
        sealed_files.parse(json.dumps(facts))  # not too deep, no halves of characters
        program = PROGRAMS[facts["pldcheck_witness"]]
    except (LookupError, OSError, RecursionError, TypeError, ValueError):
        program = checker  # which says what is wrong
    fine, said = program.examine(path)
    if not fine:
        return fine, safe(said)
    try:
        return True, f"{said}; {witness_claims.rebuilt(facts)}"
    except ValueError as error:
        return False, safe(error)

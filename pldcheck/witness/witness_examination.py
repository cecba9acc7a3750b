"""The examination of a witness file by its checker and, if it names a theorem or a protocol, against the registry."""

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
    """Return whether a witness file is accepted, and a phrase that says why.

    Its stand-alone checker must accept it, and its claim must be the one that the theorem or the protocol under ``of``
    makes.

    Parameters
    ----------
    path : path
        The file; it need not exist or be readable.

    """
    facts: Mapping[str, Any] = {}
    try:
        facts = composed_checker.read(path)
        sealed_files.parse(json.dumps(facts))  # refuses deep nesting and unpaired surrogates
        program = PROGRAMS[facts["pldcheck_witness"]]
    except (LookupError, OSError, RecursionError, TypeError, ValueError):
        program = checker  # it reports what is wrong
    accepted, reason = program.examine(path)
    if not accepted:
        return accepted, safe(reason)
    try:
        return True, f"{reason}; {witness_claims.rebuild(facts)}"
    except ValueError as error:
        return False, safe(error)

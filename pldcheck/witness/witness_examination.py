"""The examination of a witness file by its checker and, if it names a theorem or a protocol, against the registry."""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike
from typing import Any

from ..core import sealed_files
from ..core.outward_decimals import safe
from . import composed_checker, witness_claims
from .checker_programs import PROGRAMS

# The keys that every witness file has.
KEYS = frozenset({"pldcheck_witness", "of", "claim", "mechanism", "delta_attained_at_least"})
NOT_A_WITNESS = "not a witness file"


def examine(path: str | PathLike[str]) -> tuple[bool, str]:
    """Return whether a witness file is accepted, and a phrase that says why.

    Its stand-alone checker must accept it, and its claim must be the one that the theorem or the protocol under ``of``
    makes.

    Parameters
    ----------
    path : path
        The file; it need not exist or be readable.

    """
    try:
        facts: Mapping[str, Any] = composed_checker.read(path)
        sealed_files.parse(json.dumps(facts))  # refuses deep nesting and unpaired surrogates
        program = PROGRAMS[facts["pldcheck_witness"]]
        if not facts.keys() >= KEYS:
            return False, NOT_A_WITNESS
    except ValueError as error:
        return False, safe(f"{NOT_A_WITNESS}: {error}")
    except (LookupError, OSError, RecursionError, TypeError):
        return False, NOT_A_WITNESS
    try:
        attained_delta = program.check(facts)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        return False, safe(" ".join((str(error) if type(error) is ValueError else repr(error)).split()))
    try:
        return True, witness_claims.rebuild(facts, attained_delta)
    except ValueError as error:
        return False, safe(error)

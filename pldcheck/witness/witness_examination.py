"""The examination of a witness file by its checker and, if it names a theorem or a protocol, against the registry."""

from __future__ import annotations

import json
from os import PathLike

from ..checkers import claim_files
from ..checkers.programs import program_of
from ..core import sealed_files
from ..core.outward_decimals import safe
from . import witness_claims

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
        facts = claim_files.parse(claim_files.read(path))
        sealed_files.parse(json.dumps(facts))  # refuses deep nesting and unpaired surrogates
        program = program_of(facts, ("pldcheck_witness",))
        if not facts.keys() >= KEYS:
            return False, NOT_A_WITNESS
    except ValueError as error:
        return False, safe(f"{NOT_A_WITNESS}: {error}")
    except (LookupError, OSError, RecursionError, TypeError):
        return False, NOT_A_WITNESS
    try:
        attained_delta = program.check(facts)
    except claim_files.ERRORS as error:
        return False, safe(" ".join((str(error) if isinstance(error, ValueError) else repr(error)).split()))
    try:
        return True, witness_claims.rebuild(facts, attained_delta)
    except ValueError as error:
        return False, safe(error)

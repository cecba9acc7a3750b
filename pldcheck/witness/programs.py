"""Which of the stand-alone programs verifies a file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from os import PathLike
from types import MappingProxyType, ModuleType
from typing import Any

from . import adaptive, checker, composed

# By the number under "pldcheck_witness".
PROGRAMS: Mapping[int, ModuleType] = MappingProxyType({1: checker, 2: composed, 3: adaptive})


def check(facts: Mapping[str, Any]) -> Fraction:
    """The delta that a file's mechanism attains; raises ValueError where the file does not show what it says."""
    return PROGRAMS[facts["pldcheck_witness"]].check(facts)


def examine(path: str | PathLike[str]) -> tuple[bool, str]:
    """Whether the file is accepted, and why."""
    try:
        with open(path, "rb") as file:
            number = json.loads(file.read(composed.BYTES))["pldcheck_witness"]
        program = PROGRAMS[number]
    except (LookupError, OSError, RecursionError, TypeError, ValueError):
        program = checker  # which says what is wrong
    fine, said = program.examine(path)
    return fine, said

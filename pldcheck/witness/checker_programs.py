"""The stand-alone checkers, and the choice among them for a witness file."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType, ModuleType
from typing import Any

from . import adaptive, checker, composed_checker

# The checkers by the number that a file has under "pldcheck_witness".
PROGRAMS: Mapping[int, ModuleType] = MappingProxyType({1: checker, 2: composed_checker, 3: adaptive})


def check(facts: Mapping[str, Any]) -> Fraction:
    """Return a delta that a file's mechanism certainly attains and that is above the claimed one.

    Raise an error (usually ValueError) if the file does not show that.
    """
    return PROGRAMS[facts["pldcheck_witness"]].check(facts)

"""Which of the stand-alone programs verifies a file."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType, ModuleType
from typing import Any

from . import adaptive, checker, composed_checker

# By the number under "pldcheck_witness".
PROGRAMS: Mapping[int, ModuleType] = MappingProxyType({1: checker, 2: composed_checker, 3: adaptive})


def check(facts: Mapping[str, Any]) -> Fraction:
    """Return the delta that a file's mechanism attains; raises ValueError where the file does not show what it says."""
    return PROGRAMS[facts["pldcheck_witness"]].check(facts)

"""Checks by certified numbers, for steps of proofs that are not inequalities between elementary functions.

The statement of a step, its points and the reason for the check stand with the theorem, in :mod:`pldcheck.theorems`.
``CHECKS`` maps the id of a step to a function that encloses both sides at a point; ``READINGS`` maps it to such
functions for other meanings of the text, by name.
"""

from collections.abc import Mapping

from . import (
    measured_averages,
    measured_check_ins,
    measured_equal_records,
    measured_laws_of_losses,
    measured_shuffles,
    measured_swaps,
)
from .exact_protocols import Check

_FILES = (
    measured_averages,
    measured_check_ins,
    measured_equal_records,
    measured_laws_of_losses,
    measured_shuffles,
    measured_swaps,
)

CHECKS: Mapping[str, Check] = {step: check for file in _FILES for step, check in file.CHECKS.items()}
READINGS: Mapping[str, Mapping[str, Check]] = {
    step: readings for file in _FILES for step, readings in getattr(file, "READINGS", {}).items()
}

"""Checks of the steps of proofs that are no inequality of elementary functions, by certified numbers.

The statement, the points and the reason are with the theorem, in :mod:`pldcheck.theorems`; here, by the id of the step,
is what encloses its two sides at a point, and for some steps those of other readings of it, by name.
"""

from collections.abc import Mapping

from . import (
    measured_approximate_check_ins,
    measured_averaged_updates,
    measured_averaged_utility,
    measured_biased_sampling,
    measured_dummy_updates,
    measured_earlier_shuffling,
    measured_fixed_window,
    measured_repeated_windows,
    measured_shuffling_chain,
    measured_slot_loads,
    measured_swap_bins,
    measured_swap_posterior,
    measured_swapping_chain,
)
from .check_type import Check

_FILES = (
    measured_approximate_check_ins,
    measured_averaged_updates,
    measured_averaged_utility,
    measured_biased_sampling,
    measured_dummy_updates,
    measured_earlier_shuffling,
    measured_fixed_window,
    measured_repeated_windows,
    measured_shuffling_chain,
    measured_slot_loads,
    measured_swap_bins,
    measured_swap_posterior,
    measured_swapping_chain,
)

CHECKS: Mapping[str, Check] = {step: check for file in _FILES for step, check in file.CHECKS.items()}
READINGS: Mapping[str, Mapping[str, Check]] = {
    step: readings for file in _FILES for step, readings in getattr(file, "READINGS", {}).items()
}

"""Balle, Kairouz, McMahan, Thakkar, Thakurta (2020): privacy amplification via random check-ins."""

from . import (
    approximate_check_in_bounds,
    check_ins,
    printed_deltas,
    remarks_and_lemmas,
    shuffling_and_swaps,
    simple_forms,
)

THEOREMS = (
    *check_ins.THEOREMS,
    *approximate_check_in_bounds.THEOREMS,
    *shuffling_and_swaps.THEOREMS,
    *simple_forms.THEOREMS,
    *printed_deltas.THEOREMS,
)
REMARKS = remarks_and_lemmas.REMARKS
PROOFS: tuple[str, ...] = (
    "proofs.biased_sampling",
    "proofs.fixed_window",
    "proofs.repeated_windows",
    "proofs.approximate_check_ins",
    "proofs.swapping_chain",
    "proofs.shuffling_chain",
    "proofs.swap_bins",
    "proofs.slot_loads",
    "proofs.averaged_updates",
    "proofs.averaged_simple_form",
    "proofs.dummy_updates",
    "proofs.check_in_utility",
    "proofs.averaged_utility",
    "proofs.utility_comparison",
    "proofs.check_in_remarks",
    "proofs.figure_caption",
)
REDUCTIONS: tuple[str, ...] = ("check_in_reductions",)

"""Balle, Kairouz, McMahan, Thakkar, Thakurta (2020): privacy amplification via random check-ins."""

from . import approximate_check_in_bounds, check_ins, shuffling_and_swaps

THEOREMS = (*check_ins.THEOREMS, *approximate_check_in_bounds.THEOREMS, *shuffling_and_swaps.THEOREMS)
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
    "proofs.dummy_updates",
    "proofs.check_in_utility",
    "proofs.averaged_utility",
)
REDUCTIONS: tuple[str, ...] = ("check_in_reductions",)

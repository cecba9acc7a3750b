"""Steinke (2022): composition of differential privacy and privacy amplification by subsampling."""

from . import (
    composition_bounds,
    concentrated_forms,
    definitions,
    gaussian_noise,
    lemmas,
    loss_tails,
    renyi_properties,
    response_composition,
    sampled_noise,
    subsampling,
    unequal_budgets,
)

THEOREMS = (
    *composition_bounds.THEOREMS,
    *gaussian_noise.THEOREMS,
    *response_composition.THEOREMS,
    *subsampling.THEOREMS,
    *loss_tails.THEOREMS,
    *concentrated_forms.THEOREMS,
    *renyi_properties.THEOREMS,
    *unequal_budgets.THEOREMS,
    *sampled_noise.THEOREMS,
)
REMARKS = (*definitions.REMARKS, *lemmas.REMARKS)
PROOFS: tuple[str, ...] = (
    "proofs.hoeffding",
    "proofs.exchanged_mixtures",
    "proofs.sampled_moments",
    "proofs.many_orders",
    "proofs.concentrated_steps",
    "proofs.divergence_properties",
    "proofs.expected_values",
    "proofs.loss_identities",
    "proofs.approximate_pairs",
)
REDUCTIONS: tuple[str, ...] = ("noise_reductions",)

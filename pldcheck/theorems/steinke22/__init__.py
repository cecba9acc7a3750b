"""Steinke (2022): composition of differential privacy and privacy amplification by subsampling."""

from . import composition_bounds, definitions, gaussian_noise, response_composition, subsampling

THEOREMS = (
    *composition_bounds.THEOREMS,
    *gaussian_noise.THEOREMS,
    *response_composition.THEOREMS,
    *subsampling.THEOREMS,
)
REMARKS = definitions.REMARKS
PROOFS: tuple[str, ...] = ()
REDUCTIONS: tuple[str, ...] = ("noise_reductions",)

"""The theorems pldcheck verifies, by id.

>>> REGISTRY["thm-3.2"](steps=1000, eps0=1, check_in_prob=1, delta=1e-6)
Bound('thm-3.2', epsilon=0.474925, delta_total=1e-06)
"""

from . import (
    balle20,
    balle20_approximate,
    balle20_shuffling,
    girgis21,
    refuted,
    shuffling,
    steinke22,
    steinke22_gaussian,
    steinke22_response,
    steinke22_subsampling,
)
from .registry import GIVEN, Bound, Condition, Registry, Source, Theorem

REGISTRY = Registry(
    theorem
    for paper in (
        balle20,
        balle20_approximate,
        balle20_shuffling,
        steinke22,
        steinke22_gaussian,
        steinke22_response,
        steinke22_subsampling,
        shuffling,
        girgis21,
        refuted,
    )
    for theorem in paper.THEOREMS
)

__all__ = ["GIVEN", "REGISTRY", "Bound", "Condition", "Source", "Theorem"]

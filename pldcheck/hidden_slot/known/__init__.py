"""One hidden slot of a known randomizer: certified stop-loss transforms of sums of likelihood ratios.

Read :mod:`~pldcheck.hidden_slot.known.slot_increments` first (what one slot adds to the sum), then
:mod:`~pldcheck.pld.lattice_fourier` (sums of many, by Fourier inversion) and
:mod:`~pldcheck.hidden_slot.known.two_sided_sum`.  Randomizers with bounded ratios are in
:mod:`~pldcheck.hidden_slot.known.bounded_ratio_slot`, in integers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.lazy import lazy_parts

__all__ = [
    "allocation_closed_form",
    "correlated_slots",
    "encoder_gram",
    "likelihood_epochs",
    "neighbour_pairs",
    "noise_ratios",
    "score_test",
    "separated_candidates",
    "separated_steps",
]

if TYPE_CHECKING:
    from . import allocation_closed_form as allocation_closed_form
    from . import correlated_slots as correlated_slots
    from . import encoder_gram as encoder_gram
    from . import likelihood_epochs as likelihood_epochs
    from . import neighbour_pairs as neighbour_pairs
    from . import noise_ratios as noise_ratios
    from . import score_test as score_test
    from . import separated_candidates as separated_candidates
    from . import separated_steps as separated_steps
else:
    __getattr__, __dir__ = lazy_parts(__name__, dict.fromkeys(__all__, ()), __all__)

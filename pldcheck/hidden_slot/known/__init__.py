"""One hidden slot of a known randomizer: certified stop-loss transforms of sums of likelihood ratios.

Read :mod:`~pldcheck.hidden_slot.known.slot_increments` first (what one slot adds to the sum), then
:mod:`~pldcheck.pld.lattice_fourier` (sums of many, by Fourier inversion) and
:mod:`~pldcheck.hidden_slot.known.two_sided_sum`.  Randomizers with bounded ratios are in
:mod:`~pldcheck.hidden_slot.known.bounded_ratio_slot`, in integers.
"""

"""Numba kernels: their arguments and results are arrays, scalars and named tuples; there are no classes, no validation.

Each file holds one loop and its error bound, and imports nothing but :mod:`~pldcheck.core.directed`.  Read
:mod:`~pldcheck.kernels.binomial_tails` first, on which most others rest, then
:mod:`~pldcheck.kernels.slot_recursion`, the recursion of the hidden slot.
"""

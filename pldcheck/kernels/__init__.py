"""Numba kernels: arrays, scalars and named tuples of them in and out; no classes, no validation.

Each file holds one loop and its error bound.  Nothing but :mod:`~pldcheck.core.directed` is imported.  Read
:mod:`~pldcheck.kernels.binomial_tails` first, which most others stand on, then
:mod:`~pldcheck.kernels.slot_recursion`, the recursion of the hidden slot.
"""

"""Shuffling: certified divergences of the pairs that dominate it, and of those that it dominates.

Read :mod:`~pldcheck.shuffling.three_symbol_pair` first (the pairs with three symbols, in closed sums), then
:mod:`~pldcheck.shuffling.one_client_fewer` (the reduction to a hidden slot with one client fewer, with its proof) and
:mod:`~pldcheck.shuffling.shuffled_curves`, which tries all of them.  :mod:`~pldcheck.shuffling.swap_curves` has random
swapping.
"""

"""One record in one of many slots, all of them released: the engines behind hidden slots, check-ins and allocations.

Read :mod:`~pldcheck.hidden_slot.worst` first, the worst case over all adaptive eps0-DP randomizers; then
:mod:`~pldcheck.hidden_slot.worst_epochs`, :mod:`~pldcheck.hidden_slot.approximate` ((eps0, delta0)-DP randomizers) and
:mod:`~pldcheck.hidden_slot.population` (the number of clients is known).  :mod:`~pldcheck.hidden_slot.known` has sums
of likelihood ratios of known randomizers, :mod:`~pldcheck.hidden_slot.replaced` those where the other records lie in a
ball.  :mod:`~pldcheck.hidden_slot.hidden_slot_answers` chooses among them.
"""

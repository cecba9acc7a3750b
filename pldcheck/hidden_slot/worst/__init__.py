"""The hidden slot against every adaptive eps0-DP randomizer: exact, upper and lower ends, and their witnesses.

Read :mod:`~pldcheck.hidden_slot.worst.step_laws` first (the three laws that are ever needed), then
:mod:`~pldcheck.hidden_slot.worst.worst_upper` (the recursion in blocks), :mod:`~pldcheck.hidden_slot.worst.worst_lower`
(policies that attain it) and :mod:`~pldcheck.hidden_slot.worst.worst_intervals`, which joins them.
"""

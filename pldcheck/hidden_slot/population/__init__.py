"""Random check-ins when the number of clients is known: how many slots stay empty, and what that hides.

Read :mod:`~pldcheck.hidden_slot.population.occupied_pattern` first (the proof), then
:mod:`~pldcheck.hidden_slot.population.populated_upper`.
"""

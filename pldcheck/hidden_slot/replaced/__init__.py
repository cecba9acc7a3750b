"""One hidden slot of Gaussian noise where the other records lie in a ball, or are one of two records.

Every step may differ.  Read :mod:`~pldcheck.hidden_slot.replaced.ball_stoploss` first, which has the argument; then,
for uneven nodes, :mod:`~pldcheck.hidden_slot.replaced.ball_step_curves` and
:mod:`~pldcheck.hidden_slot.replaced.ball_uneven_value`.
"""

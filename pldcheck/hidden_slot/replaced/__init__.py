"""One hidden slot of Gaussian noise where the other records lie in a ball, or are one of two: every step may differ.

:mod:`~pldcheck.hidden_slot.replaced.ball_stoploss` has the argument; read it first.
"""

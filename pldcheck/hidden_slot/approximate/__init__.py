"""One hidden slot behind (eps0, delta0)-DP randomizers.

:mod:`~pldcheck.hidden_slot.approximate.near_pure` reduces them to pure ones;
:mod:`~pldcheck.hidden_slot.approximate.square_steps` and :mod:`~pldcheck.hidden_slot.approximate.zero_out_exact` are
special cases; :mod:`~pldcheck.hidden_slot.approximate.approximate_slot` joins them, and
:mod:`~pldcheck.hidden_slot.approximate.approximate_epochs` composes epochs.
"""

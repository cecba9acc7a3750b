r"""Posterior trajectories: the probability, before each output, that the next slot is the hidden one.

The proofs of Balle et al. (2020) replace this posterior by its largest possible value, the envelope.  Here is its exact
distribution when every slot uses binary randomized response, with the epsilon of each step that follows from it.

>>> from pldcheck.study import trajectories
>>> run = trajectories.random_replacement(steps=1000, eps0=1.0, indices=[1000])
>>> float(1000 * run.envelope[0]), float(1000 * run.quantile_upper[-1, 0])  # level 1 - 1e-6
(2.7136..., 1.1792...)
"""

from __future__ import annotations

from .trajectory import Trajectory, random_replacement

__all__ = ["Trajectory", "random_replacement"]

"""Attacks: the optimal test on transcripts drawn at random, an empirical lower bound on epsilon and delta.

An attack on a correct protocol stays below the certified interval.  Read ``run_attack`` first, then ``hidden_records``
(what is attacked, and the likelihoods of its transcripts) and ``weighted_limits`` (confidence limits at small delta).

>>> from pldcheck import HiddenSlot
>>> from pldcheck.study.attack import attack
>>> answer = attack(HiddenSlot(1000, 1.0), delta=1e-6, transcripts=20_000)
>>> answer.verdict, 0.126 < answer.epsilon_lower < answer.certified.upper
('below the certificate', True)
"""

from __future__ import annotations

from .attack_result import Attack
from .run_attack import attack

__all__ = ["Attack", "attack"]

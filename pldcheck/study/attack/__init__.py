"""Attacks: the best test there is, run on transcripts that are drawn; empirical, and to stay below what is certified.

>>> from pldcheck import HiddenSlot
>>> from pldcheck.study.attack import attack
>>> found = attack(HiddenSlot(1000, 1.0), delta=1e-6, transcripts=20_000)
>>> found.verdict, 0.126 < found.epsilon_lower < found.certified.upper
('below the certificate', True)
"""

from __future__ import annotations

from .attack_result import Attack as Attack
from .attack_targets import VIEWS as VIEWS
from .attacked_mechanism import Mechanism as Mechanism
from .confidence_limits import Confidence as Confidence
from .run_attack import attack as attack

__all__ = [
    "Attack",
    "Confidence",
    "Mechanism",
    "VIEWS",
    "attack",
]

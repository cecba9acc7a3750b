"""Attacks: the best test there is, run on transcripts that are drawn; empirical, and to stay below what is certified.

>>> from pldcheck import HiddenSlot
>>> from pldcheck.attack import attack
>>> found = attack(HiddenSlot(1000, 1.0), delta=1e-6, transcripts=20_000)
>>> found.verdict, 0.126 < found.epsilon_lower < found.certified.upper
('below the certificate', True)
"""

from __future__ import annotations

from .answer import Attack as Attack
from .confidence import Confidence as Confidence
from .mechanism import Mechanism as Mechanism
from .run import attack as attack
from .targets import VIEWS as VIEWS

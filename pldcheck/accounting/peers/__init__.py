"""Other accountants on the same point: what each claims, and whether that can be true.

>>> from pldcheck import protocols
>>> from pldcheck.accounting import peers
>>> peers.compare(protocols.RandomizedResponse(100, 1.0), 1e-6)  # doctest: +SKIP
randomized-response steps=100 eps0=1.0 ... epsilon in [83.2..., 83.2...], adjacency replace
peer           version  lower  upper  verdict ...
"""

from __future__ import annotations

from .claim_judgement import judge as judge
from .known_points import KNOWN as KNOWN
from .known_points import Known as Known
from .known_points import Seen as Seen
from .known_points import run_known as run_known
from .peer_comparison import Comparison as Comparison
from .peer_comparison import Row as Row
from .peer_comparison import compare as compare
from .peer_point import Point as Point
from .peer_point import point as point
from .peer_processes import Claim as Claim
from .peer_processes import Question as Question
from .peer_processes import ask as ask
from .peer_processes import ask_all as ask_all
from .peer_table import PEERS as PEERS
from .peer_table import Peer as Peer
from .peer_table import installed as installed
from .peer_table import named as named

__all__ = [
    "Claim",
    "Comparison",
    "KNOWN",
    "Known",
    "PEERS",
    "Peer",
    "Point",
    "Question",
    "Row",
    "Seen",
    "ask",
    "ask_all",
    "compare",
    "installed",
    "judge",
    "named",
    "point",
    "run_known",
]

"""Peers: the claims of other accountants about one point, compared with the certified interval.

>>> from pldcheck import protocols
>>> from pldcheck.accounting import peers
>>> peers.compare(protocols.RandomizedResponse(100, 1.0), 1e-6)  # doctest: +SKIP
randomized-response steps=100 eps0=1.0 ... epsilon in [83.2..., 83.2...], adjacency replace
peer           version  lower  upper  verdict ...
"""

from __future__ import annotations

from .claim_judgement import judge as judge
from .known_point_results import KnownPointResult as KnownPointResult
from .known_point_results import run_known_points as run_known_points
from .known_points import KNOWN as KNOWN
from .known_points import KnownPoint as KnownPoint
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
from .peer_table import installed_peers as installed_peers
from .peer_table import parse_peer as parse_peer

__all__ = [
    "Claim",
    "Comparison",
    "KNOWN",
    "KnownPoint",
    "KnownPointResult",
    "PEERS",
    "Peer",
    "Point",
    "Question",
    "Row",
    "ask",
    "ask_all",
    "compare",
    "installed_peers",
    "judge",
    "parse_peer",
    "point",
    "run_known_points",
]

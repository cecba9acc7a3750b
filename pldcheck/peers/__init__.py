"""Other accountants on the same point: what each claims, and whether that can be true.

>>> from pldcheck import peers, protocols
>>> peers.compare(protocols.RandomizedResponse(100, 1.0), 1e-6)  # doctest: +SKIP
randomized-response steps=100 eps0=1.0 ... epsilon in [83.2..., 83.2...], adjacency replace
peer           version  lower  upper  verdict ...
"""

from __future__ import annotations

from .comparison import Comparison as Comparison
from .comparison import Row as Row
from .comparison import compare as compare
from .judge import judge as judge
from .known import KNOWN as KNOWN
from .known import Known as Known
from .known import Seen as Seen
from .known import run_known as run_known
from .point import Point as Point
from .point import point as point
from .run import Claim as Claim
from .run import Question as Question
from .run import ask as ask
from .run import ask_all as ask_all
from .table import PEERS as PEERS
from .table import Peer as Peer
from .table import installed as installed
from .table import named as named

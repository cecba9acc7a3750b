"""Claims of a mechanism: a pair of epsilon and delta, or a protocol with its certified curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...core.errors import ParameterError
from ...core.interval import Interval
from ...core.parameters import PARAMETERS, Parameter
from ...protocols import Protocol

# The range of a claimed delta, which may be 0.
CLAIMED_DELTA = Parameter("delta", PARAMETERS["delta"].help, 0, 1, high_open=True)


@dataclass(frozen=True)
class Claim:
    """A claim that the mechanism is (epsilon, delta)-DP, with the certified interval of a protocol where there is one.

    Parameters
    ----------
    words
        The claim in words.
    delta, epsilon
        The claim at one delta; of a protocol, epsilon is the upper end of its certified interval there.
    certified
        The certified epsilon(delta) of the protocol, and None for a pair, which is claimed without a certificate.
    protocol
        The protocol, whose curve can be asked at other points.

    """

    words: str
    delta: float
    epsilon: float
    certified: Interval | None
    protocol: Protocol | None

    def certified_delta(self, epsilon: float) -> Interval | None:
        """Return the certified delta(epsilon) of the protocol, None for a pair."""
        return None if self.protocol is None else self.protocol.delta(epsilon)


def read_claim(claim: Protocol | Sequence[float], delta: float | None) -> Claim:
    """Return a claim as given; raises ParameterError, also for a delta that a pair does not claim."""
    if isinstance(claim, Protocol):
        if delta is None:
            raise ParameterError("delta", f"given with a protocol as claim, {PARAMETERS['delta'].domain}", delta)
        at = float(PARAMETERS["delta"].parse(delta))
        certified = claim.epsilon(at)
        return Claim(repr(claim), at, certified.upper, certified, claim)
    if isinstance(claim, str) or not isinstance(claim, Sequence) or len(claim) != 2:
        raise ParameterError("claim", "a pair (epsilon, delta) or a protocol of pldcheck", claim)
    epsilon, at = float(PARAMETERS["epsilon"].parse(claim[0])), float(CLAIMED_DELTA.parse(claim[1]))
    if delta is not None and CLAIMED_DELTA.parse(delta) != at:
        raise ParameterError("delta", f"left out, or {at!r} as in the claim", delta)
    return Claim(f"({epsilon!r}, {at!r})-DP", at, epsilon, None, None)

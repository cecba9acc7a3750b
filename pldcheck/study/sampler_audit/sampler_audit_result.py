"""The answer of an audit of two samplers: empirical limits of events, beside what is claimed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ...core.directed import LARGEST
from ...core.interval import Interval
from ...core.parameters import PARAMETERS
from ...report.decimal_ends import down, up
from ..attack.event_limits import Limits
from .sampler_claims import Claim

# The verdict on a claim that a lower bound exceeds.
CONTRADICTS = "contradicts the claim"
# The verdict on any other claim, which need not be true.
CONSISTENT = "consistent with the claim"


class CountedEvent(NamedTuple):
    """An event, how often it happened among ``samples`` new outputs of either sampler, and its confidence limits.

    ``forward`` says that it is likelier under the first sampler; ``record`` of the limits is the likelier law.
    """

    words: str
    forward: bool
    hits: int
    other_hits: int
    limits: Limits

    def __str__(self) -> str:
        return f"{self.words}, {self.hits} and {self.other_hits} times by {'p and q' if self.forward else 'q and p'}"


class CurvePoint(NamedTuple):
    """An empirical lower bound of delta(epsilon), and the certified interval of the protocol that is claimed."""

    epsilon: float
    delta_lower: float
    certified: Interval | None


@dataclass(frozen=True)
class SamplerAudit:
    """An empirical lower bound of epsilon from outputs: all limits hold together except with probability ``beta``.

    Parameters
    ----------
    claim
        What the mechanism claims to be.
    events
        All events that were tried, with their limits on outputs by which they were not chosen.
    samples, seed
        The number of outputs of each sampler among which events were counted, and the seed.
    beta
        The probability, over the draws, that any of the limits is on the wrong side.

    """

    claim: Claim
    events: tuple[CountedEvent, ...] = field(repr=False)
    samples: int
    seed: int
    beta: float

    @property
    def delta(self) -> float:
        """The delta at which epsilon is bounded."""
        return self.claim.delta

    @property
    def event(self) -> CountedEvent:
        """The event that shows the largest epsilon."""
        return max(self.events, key=lambda event: event.limits.epsilon(self.delta))

    @property
    def epsilon_lower(self) -> float:
        """The empirical lower bound of epsilon(delta); 0 if no event shows one."""
        return self.event.limits.epsilon(self.delta)

    @property
    def delta_lower(self) -> float:
        """The empirical lower bound of delta at the claimed epsilon."""
        return self.delta_at(self.claim.epsilon)

    @property
    def contradicts(self) -> bool:
        """Whether a lower bound exceeds what is claimed, of a protocol the upper end of its certified interval."""
        return self.epsilon_lower > self.claim.epsilon

    @property
    def verdict(self) -> str:
        """The relation to the claim, in words; with probability ``beta`` at most a true claim is contradicted."""
        return CONTRADICTS if self.contradicts else CONSISTENT

    def delta_at(self, epsilon: float) -> float:
        """Return the empirical lower bound of delta(epsilon), at any epsilon of at least 0."""
        if not epsilon < LARGEST:
            # The upper limit of a probability among 1e9 outputs is above 1e-10: with that factor it exceeds 1.
            return 0.0
        at = float(PARAMETERS["epsilon"].parse(epsilon))
        return max(event.limits.delta(at) for event in self.events)

    def curve(self, epsilons: Iterable[float]) -> tuple[CurvePoint, ...]:
        """Return lower bounds of delta, which hold together, beside the certified curve of a claimed protocol."""
        return tuple(
            CurvePoint(float(epsilon), self.delta_at(epsilon), self.claim.certified_delta(epsilon))
            for epsilon in epsilons
        )

    def lines(self) -> list[str]:
        """Return the lines for a terminal."""
        certified = self.claim.certified
        claimed = (
            f"certified: epsilon in [{down(certified.lower)}, {up(certified.upper)}]"
            if certified
            else f"claimed: epsilon <= {self.claim.epsilon!r}, which nothing certifies"
        )
        return [
            f"audit of two samplers that claim to be {self.claim.words}",
            f"epsilon > {down(self.epsilon_lower)} at delta={self.delta!r}  empirical, confidence 1 - {self.beta:g}",
            claimed,
            f"by {self.event}, of {self.samples} outputs each; {len(self.events)} events tried, seed {self.seed}",
            f"{self.verdict} (confidence 1 - {self.beta:g})",
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON; all numbers but the certified interval are empirical or claimed."""
        certified = self.claim.certified
        return {
            "empirical": {
                "epsilon_lower": self.epsilon_lower,
                "delta_lower": self.delta_lower,
                "confidence": 1.0 - self.beta,
                "event": self.event.words,
                "events": len(self.events),
                "samples": self.samples,
                "seed": self.seed,
            },
            "claim": self.claim.words,
            "delta": self.delta,
            "claimed_epsilon": self.claim.epsilon,
            "certified_epsilon": {"lower": certified.lower, "upper": certified.upper} if certified else None,
            "verdict": self.verdict,
            "contradicts": self.contradicts,
        }

    def __str__(self) -> str:
        return "\n".join(self.lines())

"""The result of an attack, beside the certified intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...core.interval import Interval
from ...report.decimal_ends import down, up
from .confidence_limits import FAILURE, Confidence

# The verdict on an attack that is consistent with the certified intervals.
BELOW = "below the certificate"
# The verdict on an attack that contradicts a certified interval.
EXCEEDS = "EXCEEDS the certificate"


@dataclass(frozen=True)
class Attack:
    """The result of an attack: empirical limits, all of which hold together except with probability 1e-6.

    Parameters
    ----------
    protocol, params, randomizer
        The protocol, its parameters, and the randomizer under attack.
    transcripts, seed
        The number of transcripts of each kind, and the seed of the random numbers.
    delta, epsilon
        The delta at which epsilon is bounded, and the epsilon at which delta is bounded.
    epsilon_lower, delta_lower
        Empirical lower bounds of epsilon(delta) and delta(epsilon).
    by_events
        The lower bound of epsilon from counts of events alone, which holds for any mechanism.
    attained, attained_delta
        Confidence intervals of the values that this attack reaches with ever more transcripts; the protocol may be less
        private than this.
    certified, certified_delta
        The certified intervals of the protocol.
    seconds
        The time that it took.

    """

    protocol: str
    params: Mapping[str, Any] = field(hash=False)
    randomizer: str
    transcripts: int
    seed: int
    delta: float
    epsilon: float
    epsilon_lower: float
    delta_lower: float
    by_events: float
    attained: Confidence
    attained_delta: Confidence
    certified: Interval = field(hash=False)
    certified_delta: Interval = field(hash=False)
    seconds: float = field(compare=False)

    @property
    def exceeds(self) -> bool:
        """Whether a lower bound exceeds a certified interval: then the mechanism or the certificate is wrong."""
        return self.epsilon_lower > self.certified.upper or self.delta_lower > self.certified_delta.upper

    @property
    def verdict(self) -> str:
        """The relation to the certified intervals, in words."""
        return EXCEEDS if self.exceeds else BELOW

    def lines(self) -> list[str]:
        """Return the lines for a terminal."""
        return [
            f"attack on {self.protocol}: {self.randomizer}",
            f"epsilon > {down(self.epsilon_lower)} at delta={self.delta!r}  empirical  "
            f"certified [{down(self.certified.lower)}, {up(self.certified.upper)}]",
            f"delta > {down(self.delta_lower)} at epsilon={self.epsilon!r}  empirical  "
            f"certified [{down(self.certified_delta.lower)}, {up(self.certified_delta.upper)}]",
            f"this attack alone reaches epsilon in [{down(self.attained.lower)}, {up(self.attained.upper)}]"
            f"  empirical; epsilon > {down(self.by_events)} by counts of events",
            f"{self.transcripts} transcripts of each kind, seed {self.seed}, confidence 1 - {FAILURE:g}  "
            f"{self.seconds:.1f} s",
            self.verdict,
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON; all numbers but the certified intervals are empirical."""
        return {
            "protocol": self.protocol,
            "params": dict(self.params),
            "empirical": {
                "randomizer": self.randomizer,
                "transcripts": self.transcripts,
                "seed": self.seed,
                "confidence": 1.0 - FAILURE,
                "epsilon_lower": self.epsilon_lower,
                "delta_lower": self.delta_lower,
                "epsilon_lower_by_events": self.by_events,
                "attained_epsilon": self.attained.to_dict(),
                "attained_delta": self.attained_delta.to_dict(),
            },
            "delta": self.delta,
            "epsilon": self.epsilon,
            "certified_epsilon": dict(zip(("lower", "upper"), self.certified, strict=True)),
            "certified_delta": dict(zip(("lower", "upper"), self.certified_delta, strict=True)),
            "verdict": self.verdict,
            "exceeds": self.exceeds,
            "seconds": self.seconds,
        }

    def __str__(self) -> str:
        return "\n".join(self.lines())

"""Points of a corpus: a question in decimal texts, the mechanism that it is about, and its certified ends as texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...core import sealed_files
from ...core.interval import Interval
from ...core.outward_decimals import ends
from ...pld import PrivacyLossDistribution
from ...protocols import PROTOCOLS, Composition, Protocol, SubsampledGaussian

# A parameter as a corpus has it: a text, or of a composition a text for each entry.
Value = str | tuple[str, ...]
# The adjacencies that are one direction.
DIRECTIONS = ("add", "remove")


@dataclass(frozen=True)
class CorpusQuestion:
    """A question of a corpus: the ``quantity`` of a protocol, where the other one has the value ``at``."""

    id: str
    protocol: str
    adjacency: str
    parameters: tuple[tuple[str, Value], ...]
    quantity: str
    at: str

    @property
    def direction(self) -> str:
        """The one direction that the question is about, ``add`` or ``remove``; empty where it is about both."""
        return self.adjacency if self.adjacency in DIRECTIONS else ""

    @property
    def both_ways(self) -> Protocol:
        """The protocol for both directions of its adjacency."""
        adjacency = "add-remove" if self.direction else self.adjacency
        mechanism = replace(self, adjacency=adjacency).mechanism
        assert isinstance(mechanism, Protocol), "only one direction has no protocol"
        return mechanism

    @property
    def mechanism(self) -> Protocol | PrivacyLossDistribution:
        """The object that answers: a protocol, or for one direction of a sampled mechanism its loss."""
        values: dict[str, Any] = dict(self.parameters)
        if self.protocol == Composition.name:
            pairs = zip(values["sigma"], values["steps"], strict=True)
            return Composition(tuple(f"gaussian:{sigma}*{steps}" for sigma, steps in pairs))
        if self.protocol == SubsampledGaussian.name and self.direction:
            loss = SubsampledGaussian(**values).loss
            return (loss if self.adjacency == "remove" else loss.reversed).one_way
        if values.get("sampling") == "poisson" and self.adjacency == "replace":
            values["sampling"] = "poisson-replaced"
        if self.protocol == "random-allocation":
            values["adjacency"] = self.adjacency
        return PROTOCOLS[self.protocol](**values)

    def interval(self) -> Interval:
        """Return the certified interval of the quantity."""
        mechanism = self.mechanism
        if isinstance(mechanism, Protocol):
            return mechanism.answer(self.quantity, float(self.at))
        return mechanism.epsilon(float(self.at)) if self.quantity == "epsilon" else mechanism.delta(float(self.at))

    def facts(self) -> dict[str, Any]:
        """Return the question as a corpus stores it."""
        return {
            "kind": "point",
            "id": self.id,
            "protocol": self.protocol,
            "adjacency": self.adjacency,
            "parameters": dict(self.parameters),
            "quantity": self.quantity,
            "delta" if self.quantity == "epsilon" else "epsilon": self.at,
        }


def certified_point(question: CorpusQuestion, files: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return a point with its certified ends as texts, rounded outward, sealed by its digest.

    ``files`` are the names of its witness and certificate.
    """
    lower, upper = question.interval()
    if question.quantity == "delta":
        upper = min(upper, 1.0)
    low, high = ends(lower, upper)
    return sealed_files.seal({**question.facts(), "lower": low, "upper": high, **(files or {})})

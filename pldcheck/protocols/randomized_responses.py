"""Randomized responses composed: equal, evenly spaced or decaying budgets, on all records or on a sample."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import log1p
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from .. import pld
from ..core.errors import ParameterError
from .answer_relations import Relation, up_to_rate_one
from .capabilities import (
    MIXTURE,
    MORE_RELEASES,
    MOST_PARTS,
    POISSON_SAMPLES,
    RESPONSE_BUDGETS,
    Direction,
    Examples,
    Part,
    part,
    rises,
)
from .composed import ComposedMechanism

if TYPE_CHECKING:
    from ..pld import PrivacyLossDistribution


@dataclass(frozen=True)
class RandomizedResponse(ComposedMechanism):
    """Randomized response runs repeatedly, with budgets evenly spaced from ``eps0`` to ``eps0_last``.

    Each step is (budget, ``delta0``)-randomized response, which dominates every such mechanism.
    """

    steps: int
    eps0: float
    eps0_last: float | None = None
    delta0: float = 0.0
    name: ClassVar[str] = "randomized-response"
    adjacencies: ClassVar[tuple[str, ...]] = ("replace",)
    directions: ClassVar[Mapping[str, Direction]] = MappingProxyType(
        {
            "steps": rises(MORE_RELEASES, 100),
            "eps0": rises(RESPONSE_BUDGETS, 0.1),
            "eps0_last": rises(RESPONSE_BUDGETS, 0.1),
        }
    )
    unwritten: ClassVar[str] = ""
    examples: ClassVar[Examples] = Examples(
        calibrate=("steps", 200.0),
        compare="--steps 100 --eps0 1 --delta 1e-6",
        witness="--steps 1000 --eps0 0.1 --delta 1e-6",
    )

    @property
    def parts(self) -> tuple[Part, ...]:
        """One mechanism, or one a step where budgets differ."""
        first, last, steps = self.eps0, self.eps0_last, self.steps
        if last in (None, first) or steps == 1:
            return (part("rr", self.params(), steps),)
        assert last is not None
        budgets = [first + (last - first) * i / (steps - 1) for i in range(steps if steps <= MOST_PARTS else 0)]
        return _one_part_a_step(self.params(), budgets) or super().parts

    @property
    def loss(self) -> PrivacyLossDistribution:
        """The privacy loss distribution."""
        last = self.eps0 if self.eps0_last is None else self.eps0_last
        if last == self.eps0 or self.steps == 1:
            return pld.randomized_response(self.eps0, self.delta0).compose(self.steps)
        _check_steps(self.steps)
        return pld.response_budgets.evenly_spaced(self.eps0, last, self.steps, self.delta0)


@dataclass(frozen=True)
class DecayingBudgets(ComposedMechanism):
    """Randomized responses run one after the other; the i-th is log(1 + first/(steps - decay (i - 1)))-DP."""

    steps: int
    first: float
    decay: float
    name: ClassVar[str] = "decaying-budgets"
    adjacencies: ClassVar[tuple[str, ...]] = ("replace",)
    directions: ClassVar[Mapping[str, Direction]] = MappingProxyType(
        {
            "first": rises(RESPONSE_BUDGETS, 1.0),
            "decay": rises(RESPONSE_BUDGETS, 0.5),
        }
    )
    unwritten: ClassVar[str] = ""
    examples: ClassVar[Examples] = Examples(
        calibrate=("first", 0.1), witness="--steps 100 --first 1 --decay 0.5 --delta 1e-6"
    )

    @property
    def parts(self) -> tuple[Part, ...]:
        """One mechanism a step."""
        places = range(self.steps if self.steps <= MOST_PARTS else 0)
        budgets = [log1p(self.first / (self.steps - self.decay * i)) for i in places]
        return _one_part_a_step({"delta0": 0.0}, budgets) or super().parts

    @property
    def loss(self) -> PrivacyLossDistribution:
        """The privacy loss distribution."""
        _check_steps(self.steps)
        return pld.response_budgets.decaying(self.first, self.decay, self.steps)


@dataclass(frozen=True)
class SubsampledRandomizedResponse(ComposedMechanism):
    """Randomized response runs repeatedly, each time on a fresh Poisson sample of the records."""

    eps0: float
    rate: float
    delta0: float = 0.0
    steps: int = 1
    name: ClassVar[str] = "subsampled-randomized-response"
    adjacencies: ClassVar[tuple[str, ...]] = ("add-remove",)
    directions: ClassVar[Mapping[str, Direction]] = MappingProxyType(
        {
            "eps0": rises(RESPONSE_BUDGETS, 0.1),
            "rate": rises(MIXTURE, 0.01),
            "steps": rises(MORE_RELEASES, 100),
        }
    )
    unwritten: ClassVar[str] = ""
    examples: ClassVar[Examples] = Examples(
        calibrate=("rate", 1.0), witness="--eps0 1 --rate 0.01 --steps 1000 --delta 1e-6"
    )

    @property
    def scope(self) -> str:
        """The way in which records are drawn."""
        return POISSON_SAMPLES

    @property
    def parts(self) -> tuple[Part, ...]:
        """One mechanism."""
        return (part("subsampled-rr", self.params(), self.steps),)

    def relations(self, reached: float, width: float) -> Iterator[Relation]:
        """Yield protocols that assume less: at a rate next to 1, all records."""
        yield from super().relations(reached, width)
        yield from up_to_rate_one(self, self.directions, reached)

    @property
    def loss(self) -> PrivacyLossDistribution:
        """The privacy loss distribution."""
        return pld.subsampled_randomized_response(self.eps0, self.rate, self.delta0).compose(self.steps)


@dataclass(frozen=True)
class MixedPair(ComposedMechanism):
    """One coin Q is told from the mixture ``rate`` P + (1 - ``rate``) Q, in this direction only."""

    heads_p: float
    heads_q: float
    rate: float
    name: ClassVar[str] = "mixed-pair"
    adjacencies: ClassVar[tuple[str, ...]] = ("any",)
    directions: ClassVar[Mapping[str, Direction]] = MappingProxyType({"rate": rises(MIXTURE, 0.1)})
    unwritten: ClassVar[str] = ""
    examples: ClassVar[Examples] = Examples(
        calibrate=("rate", 0.1), witness="--heads-p 0.01 --heads-q 0.5 --rate 0.5 --delta 0.1"
    )

    @property
    def loss(self) -> PrivacyLossDistribution:
        """The privacy loss distribution."""
        p, q = (self.heads_p, 1.0 - self.heads_p), (self.heads_q, 1.0 - self.heads_q)
        return pld.subsampled_pmf(p, q, self.rate).reversed.one_way


def _one_part_a_step(numbers: dict[str, Any], budgets: list[float]) -> tuple[Part, ...]:
    """Return one part a step."""
    return tuple(part("rr", {**numbers, "eps0": budget}, 1) for budget in budgets)


def _check_steps(steps: int) -> None:
    if steps > 10**6:
        raise ParameterError("steps", "at most 1e+06 where every step has a budget of its own", steps)

"""Random check-ins with a known number of clients: one run, and epochs composed from its curve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..interval import Interval
from ..pld import PrivacyLossDistribution, from_curve
from ..population import bracket
from ..population.upper import Population
from .epochs import LEAST, TAIL
from .hidden_slot import HiddenSlot

if TYPE_CHECKING:
    from .check_in import CheckIn

COMPOSED = "composed: " + bracket.TOLD


def epsilon(protocol: CheckIn, clients: int, delta: float, width: float) -> Interval:
    """epsilon(delta); see :mod:`pldcheck.population.bracket`."""
    population, plain = _population(protocol, clients), _plain(protocol, clients)
    if not plain:
        return bracket.epsilon(population, delta, width)
    alone = protocol.alone.epsilon(delta, width)
    if protocol.delta0 > 0.0 or clients == 1:
        return _narrowed(alone, _alike(protocol, population).epsilon(delta, width).lower, None)
    low = _alike(protocol, population).epsilon(delta, width).lower
    return _narrowed(alone, low, _composed(protocol, population, delta).epsilon(delta).upper)


def delta(protocol: CheckIn, clients: int, epsilon: float, width: float) -> Interval:
    """delta(epsilon), likewise."""
    population, plain = _population(protocol, clients), _plain(protocol, clients)
    if not plain:
        return bracket.delta(population, epsilon, width)
    alone, low = protocol.alone.delta(epsilon, width), _alike(protocol, population).delta(epsilon, width).lower
    if protocol.delta0 > 0.0 or clients == 1:
        return _narrowed(alone, low, None)
    return _narrowed(alone, low, _composed(protocol, population, max(low, 1e-200)).delta(epsilon).upper)


def _population(protocol: CheckIn, clients: int) -> Population:
    assert protocol.eps0 is not None  # clients are known with the worst randomizers only
    return Population(protocol.steps, protocol.eps0, protocol.check_in_prob, clients)


def _plain(protocol: CheckIn, clients: int) -> bool:
    """Whether something must be composed, or there is slack in the randomizer."""
    return protocol.epochs > 1 or protocol.delta0 > 0.0


def _alike(protocol: CheckIn, population: Population) -> HiddenSlot:
    """What it is when all other records are dummies."""
    slot = bracket.below(population)
    return HiddenSlot(slot.steps, slot.eps0, slot.weight, epochs=protocol.epochs, delta0=protocol.delta0)


def _composed(protocol: CheckIn, population: Population, delta: float) -> PrivacyLossDistribution:
    """A loss that dominates all epochs: the polygon through certified points of one, composed."""
    points, deltas = bracket.curve(population, max(min(TAIL * delta / protocol.epochs, 0.01), LEAST))
    return from_curve(points, deltas, symmetric=True).compose(protocol.epochs)


def _narrowed(alone: Interval, low: float, high: float | None) -> Interval:
    """One client's interval with its ends replaced, the upper one where that is lower."""
    told = high is not None and high < alone.upper
    upper = high if high is not None and told else alone.upper
    sources = (bracket.ALIKE, COMPOSED if told else bracket.ALONE)
    budget = None if told else alone.budget
    return Interval(min(low, upper), upper, alone.quantity, budget, None, sources)

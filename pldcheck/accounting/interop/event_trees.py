"""Privacy loss distributions of dp_accounting's event trees.

Each event is stated for its own adjacency: one record is added or removed for Poisson samples and random allocation;
one record is replaced for randomized response, check-ins and shuffling; the sensitivity of Gaussian and Laplace noise
refers to either.  In a tree with both kinds, one data set has the record and the other a reference record in its place.
Events of the second kind then count with their upper side only, which covers any replacement; their lower side is that
of a mechanism that releases nothing.

Concentrated events are added up to one, wherever they stand among the others.  For let the other ones be dominated by
pairs, whatever came before.  Each of those is then a function of the outcome of its pair, of earlier outputs and of
coins (Blackwell 1951).  Draw all these outcomes and coins first: whatever they are, the concentrated events alone
remain to be composed, and they make one that is concentrated with the sums of rho and xi.

With a neighbouring relation of dp_accounting, all events are read for that one instead: see
:mod:`~pldcheck.accounting.interop.event_relations`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dp_accounting import NeighboringRelation as Relation

from ...core.errors import ParameterError
from ...core.parameters import PARAMETERS
from ...pld import compose_all
from ...pld.distribution import PrivacyLossDistribution
from ...pld.loss_sides import Dominating, between, nothing
from .concentrated_loss import concentrated_loss
from .event_leaves import Leaf, concentrated, leaves_of
from .event_mechanisms import AMPLIFIED_LOSSES, MECHANISM_LOSSES
from .event_names import ADD_REMOVE, REPLACE, UnsupportedEventError, in_fields
from .event_relations import restated, special_response
from .event_samples import sampled_loss

# Why some events have no loss, and what is nearest.
REASONS = {
    "NonPrivateDpEvent": (
        "its loss is always infinite, which cannot be composed; pldcheck.accounting.Accountant answers epsilon = "
        "infinity"
    ),
    "UnsupportedDpEvent": (
        "it stands for a mechanism that is not described; nearest is EpsilonDeltaDpEvent or ZCDpEvent with what is "
        "known"
    ),
    "RepeatAndSelectDpEvent": (
        "only its Renyi divergences are bounded (Papernot and Steinke 2022); nearest is ZCDpEvent or "
        "EpsilonDeltaDpEvent with what they give"
    ),
}


def from_event(event: Any, delta: float = 1e-12, relation: Relation | str | None = None) -> PrivacyLossDistribution:
    """Return the privacy loss distribution of an event tree.

    A Poisson sample of a Poisson sample is one sample with the product of the rates.  EpsilonDeltaDpEvent, which later
    versions of dp_accounting have, stands for the worst mechanism that is (epsilon, delta)-DP.  ZCDpEvent is known from
    above only; the rho and xi of a whole tree are added up first.

    Parameters
    ----------
    event : DpEvent
        An event of dp_accounting or of :mod:`~pldcheck.accounting.interop.amplification_events`, or a tree of them.
    delta : float
        The least delta at which the loss will be used; check-ins, random allocation and shuffling are known only
        coarsely below it.
    relation : NeighboringRelation of dp_accounting or its name, optional
        The relation for which all events are read; by default each for its own.

    Returns
    -------
    PrivacyLossDistribution
        A loss with certified upper and lower sides, which can be composed and evaluated.

    Raises
    ------
    UnsupportedEventError
        If an event has no known loss, such as a Poisson sample of randomized response, or none for the relation.  The
        error names the event and its place in the tree, and says why.
    ParameterError
        If a parameter is out of range; noise of 0 is, as a loss that is always infinite cannot be composed.

    """
    tree = EventLosses(PARAMETERS["delta"].parse(delta), relation_of(relation))
    leaves = list(leaves_of(event))
    mixed = bool({leaf.name for leaf in leaves} & ADD_REMOVE) and tree.relation is None
    losses, rho, xi = [], Fraction(0), Fraction(0)
    for leaf in leaves:
        if (budget := concentrated(leaf.event)) is not None:
            rho, xi = rho + leaf.count * budget[0], xi + leaf.count * budget[1]
            continue
        loss = tree.loss(leaf)
        losses.append((between(None, Dominating(loss)) if mixed and leaf.name in REPLACE else loss).compose(leaf.count))
    if rho or xi:
        losses.append(concentrated_loss(rho, xi))
    return compose_all(losses) if losses else nothing()


def relation_of(relation: Relation | str | None) -> Relation | None:
    """Return a neighbouring relation from its name."""
    if relation is None or isinstance(relation, Relation):
        return relation
    if relation not in Relation.__members__:
        raise ParameterError("relation", f"one of {', '.join(Relation.__members__)}", relation)
    return Relation[relation]


@dataclass(frozen=True, eq=False)
class EventLosses:
    """Losses of leaves down to the least ``delta`` of use, for a relation; equal events have the same object.

    The engine counts such an object instead of visiting it again.
    """

    delta: float
    relation: Relation | None
    memo: dict[tuple[str, str], PrivacyLossDistribution] = field(default_factory=dict)

    def loss(self, leaf: Leaf) -> PrivacyLossDistribution:
        """Return the loss of a leaf with noise that is not concentrated; raises UnsupportedEventError."""
        if leaf.key not in self.memo:
            try:
                self.memo[leaf.key] = self._new(leaf)
            except ParameterError as error:
                raise in_fields(error, leaf.event, leaf.position) from None
        return self.memo[leaf.key]

    def _new(self, leaf: Leaf) -> PrivacyLossDistribution:
        name, relation = leaf.name, self.relation
        if name == "PoissonSampledDpEvent":
            return sampled_loss(leaf.event, leaf.position, relation)
        if name not in MECHANISM_LOSSES and name not in AMPLIFIED_LOSSES:
            raise UnsupportedEventError(name, leaf.position, REASONS.get(name, ""))
        event = restated(leaf.event, leaf.position, relation)
        special = relation is Relation.REPLACE_SPECIAL
        if special and name == "RandomizedResponseDpEvent":
            return special_response(event)
        if name in MECHANISM_LOSSES:
            return MECHANISM_LOSSES[name](event, leaf.position)
        loss = AMPLIFIED_LOSSES[name](event, leaf.position, self.delta)
        # A special record is one way to replace a record, and perhaps not the worst one.
        return between(None, Dominating(loss)) if special and name in REPLACE else loss

"""The claim about a protocol, the program that verifies it, and the search for a file: the choice by its kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Any

from ..core.errors import ParameterError
from ..core.parameters import PARAMETERS
from ..hidden_slot.known_randomizer_slot import joined_upper_end
from ..protocols import (
    Averaged,
    BallsInBins,
    CheckIn,
    HiddenSlot,
    MatrixMechanism,
    PersonalShuffle,
    Protocol,
    RandomAllocation,
    SampledShuffle,
    Shuffle,
    ShuffledBatches,
    Swap,
)
from ..protocols.composed import ComposedMechanism
from ..randomizers import DiscreteGaussian, Finite, Gaussian, Laplace, Response, Worst
from ..randomizers.finite import budget
from . import (
    composition_claims,
    epoch_certificates,
    few_certificates,
    loss_certificates,
    round_certificates,
    shuffle_certificates,
    slot_certificates,
    sum_certificates,
    swap_certificates,
)
from .certificate_checks import accepted
from .rough_ends import rough_end


@dataclass(frozen=True)
class Kind:
    """The claim about a protocol, and the search for a file that proves it.

    ``about``: the claim but for its epsilon and delta.  ``search`` returns a file that its program accepts for a claim,
    or None where it finds none.  ``least``: about the least upper end of a quantity at an argument that the statements
    lead to, where that may be above the engine's.  ``wider``: whom the claim covers besides, if it is about more than
    was asked.
    """

    about: Mapping[str, Any]
    search: Callable[[dict[str, Any]], Mapping[str, Any] | None]
    least: Callable[[str, float], float] | None = None
    wider: str = ""

    def claim(self, epsilon: str, delta: str) -> dict[str, Any]:
        """Return the claim with these decimal texts."""
        return {**self.about, "epsilon": epsilon, "delta": delta}


def kind_of(protocol: Protocol) -> Kind:
    """Return how claims about a protocol are written and verified; raise PldcheckError if it has no certificates."""
    worst = with_the_worst(protocol)
    if worst is not None:
        return _of_all_randomizers(worst)
    if isinstance(protocol, ComposedMechanism):
        about = composition_claims.claim_of(composition_claims.rounds_of(protocol))
        return Kind(about, lambda claim: accepted(loss_certificates.search(claim)))
    if isinstance(protocol, HiddenSlot) and protocol.epochs > 1 and is_replaced_in_noise(protocol):
        raise ParameterError("epochs", "1 for a certificate of noise and a record that is replaced", protocol.epochs)
    if isinstance(protocol, Shuffle | HiddenSlot | CheckIn | RandomAllocation) and runs_in_rounds(protocol):
        one, times = round_certificates.one_round(protocol)
        about = round_certificates.claim_of(one.claim, times)
        return Kind(about, one.search, one.least)
    if (isinstance(protocol, RandomAllocation) and (protocol.epochs > 1 or protocol.selected > 1)) or (
        isinstance(protocol, HiddenSlot) and protocol.randomizer.known and protocol.epochs > 1
    ):
        about = epoch_certificates.claim_of(protocol)
        return Kind(about, lambda claim: accepted(epoch_certificates.search(claim)))
    if isinstance(protocol, HiddenSlot) and is_sum(protocol):
        if isinstance(protocol.randomizer, DiscreteGaussian):
            return _of_sum(protocol)
        return _of_noisy_slot(protocol) if is_replaced_in_noise(protocol) else _of_known_slot(protocol)
    if isinstance(protocol, ShuffledBatches):
        kind = kind_of(protocol.with_known_order)
        return replace(kind, wider="every order of the batches, also a known one")
    if isinstance(protocol, MatrixMechanism):
        run = protocol.dominating_run
        return replace(kind_of(run), least=partial(_engine_end, run), wider=protocol.dominating_scope)
    if isinstance(protocol, RandomAllocation | BallsInBins):
        return _of_sum(protocol)
    if isinstance(protocol, PersonalShuffle | SampledShuffle):
        return Kind(few_certificates.claim_of(protocol), few_certificates.search)
    if isinstance(protocol, Swap):
        return Kind(swap_certificates.claim_of(protocol), swap_certificates.search)
    if isinstance(protocol, Shuffle | Averaged):
        randomizer = protocol.randomizer if isinstance(protocol, Shuffle) else shuffle_certificates.WORST
        search = partial(shuffle_certificates.search, randomizer=randomizer)
        return Kind(shuffle_certificates.claim_of(protocol), search)
    # What is verified of check-ins holds whatever the number of clients is.
    least = None
    if isinstance(protocol, CheckIn) and protocol.clients is not None:
        least = partial(_engine_end, protocol.alone)
    return Kind(slot_certificates.claim_of(protocol), slot_certificates.search, least)


def with_the_worst(protocol: Protocol) -> Protocol | None:
    """Return the protocol with any randomizers of the same budget, where no program knows the law of its own ones.

    Return None where one does, or where there is no budget.
    """
    if isinstance(protocol, HiddenSlot):  # points of rounds lie where the engine has the end of one
        unknown = isinstance(protocol.randomizer, Laplace) and protocol.adjacency == "replace" and protocol.epochs > 1
        return replace(protocol, randomizer=Worst()) if unknown else None
    if isinstance(protocol, CheckIn):
        unknown = isinstance(protocol.randomizer, Laplace | Response)
        return replace(protocol, randomizer=Worst()) if unknown else None
    if not isinstance(protocol, Shuffle) or isinstance(protocol.randomizer, Worst | Gaussian):
        return None
    randomizer, eps0 = protocol.randomizer, protocol.eps0
    if protocol.rounds == 1 and slot_certificates.named(randomizer, eps0) is not None:
        return None
    if isinstance(randomizer, Finite):  # a table has its own budget, rounded up
        try:
            eps0 = budget(randomizer.rows())
        except OverflowError:
            return None
    allowed = PARAMETERS["eps0"].floor <= eps0 <= PARAMETERS["eps0"].high
    return replace(protocol, randomizer=Worst(), eps0=eps0) if allowed else None


def _of_all_randomizers(worst: Protocol) -> Kind:
    """Return the kind of the worst randomizers, which serves a known one of the same budget."""
    kind, end = kind_of(worst), partial(_engine_end, worst)

    def least(quantity: str, at: float) -> float:
        return max(end(quantity, at), kind.least(quantity, at) if kind.least else 0.0)

    def search(claim: dict[str, Any]) -> Mapping[str, Any] | None:
        delta = float(claim["delta"])
        if 0.0 < delta < 1.0 and float(claim["epsilon"]) < end("epsilon", delta):  # a claim that nothing would verify
            return None
        return kind.search(claim)

    return Kind(kind.about, search, least, wider="every randomizer of the same budget")


def is_sum(protocol: HiddenSlot) -> bool:
    """Return whether a hidden slot has a known randomizer other than binary response, a record replaced."""
    return protocol.randomizer.known and not slot_certificates.is_replaced_binary_response(protocol)


def is_replaced_in_noise(protocol: HiddenSlot) -> bool:
    """Return whether a hidden slot has noise, of infinitely many outputs, and a record that is replaced."""
    return protocol.adjacency == "replace" and not protocol.randomizer.finite


def runs_in_rounds(protocol: Shuffle | HiddenSlot | CheckIn | RandomAllocation) -> bool:
    """Return whether a protocol is rounds of one whose curve has certificates at points, and of no narrower kind."""
    if isinstance(protocol, Shuffle):
        return protocol.rounds > 1
    if isinstance(protocol, RandomAllocation):
        return protocol.epochs > 1 and protocol.adjacency == "replace" and protocol.selected == 1
    return protocol.epochs > 1 and (not protocol.randomizer.known or protocol.adjacency == "replace")


def _of_sum(protocol: RandomAllocation | BallsInBins | HiddenSlot) -> Kind:
    """Return the kind of what a sum of steps verifies as near as is asked."""
    return Kind(sum_certificates.claim_of(protocol), lambda claim: accepted(sum_certificates.search(claim)))


def _of_known_slot(protocol: HiddenSlot) -> Kind:
    """Return the kind of a hidden slot of a known randomizer: by one law for every slot, or by the best choice of laws.

    The first is quick, and enough where its end is not above the claim.
    """
    joined, least = sum_certificates.claim_of(protocol), partial(joined_upper_end, protocol.problem)
    known = slot_certificates.named(protocol.randomizer, protocol.eps0) if protocol.adjacency == "replace" else None
    own = slot_certificates.claim_of(protocol) if known else None

    def search(claim: dict[str, Any]) -> Mapping[str, Any] | None:
        ends = {name: claim[name] for name in ("epsilon", "delta")}
        if own is not None and least("epsilon", float(claim["delta"])) > float(claim["epsilon"]):
            return slot_certificates.search(own | ends)
        return accepted(sum_certificates.search(claim))

    return Kind(joined, search, least)


def _of_noisy_slot(protocol: HiddenSlot) -> Kind:
    """Return the kind of a hidden slot of continuous noise, a record replaced: by one law for every slot.

    Laplace noise has a budget: where all randomizers of it have the smaller end, the claim is about these.
    """
    joined = sum_certificates.claim_of(protocol)
    worst = None
    if isinstance(protocol.randomizer, Laplace):
        worst = _of_all_randomizers(replace(protocol, randomizer=Worst()))

    def least(quantity: str, at: float) -> float:
        return min(rough_end(joined, quantity, at), _end_of(worst, quantity, at))

    def search(claim: dict[str, Any]) -> Mapping[str, Any] | None:
        epsilon, delta = float(claim["epsilon"]), float(claim["delta"])
        own = rough_end(joined, "epsilon", delta)
        # No lattice shows that delta is 0.
        if worst is not None and (delta == 0.0 or own > _end_of(worst, "epsilon", delta)):
            return worst.search(worst.claim(claim["epsilon"], claim["delta"]))
        return accepted(sum_certificates.search(claim)) if epsilon >= own else None

    return Kind(joined, search, least)


def _end_of(kind: Kind | None, quantity: str, at: float) -> float:
    return kind.least(quantity, at) if kind is not None and kind.least is not None else inf


def _engine_end(protocol: Protocol, quantity: str, at: float) -> float:
    return float(getattr(protocol, quantity)(at).upper)

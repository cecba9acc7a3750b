"""The target of an attack on each protocol: the randomizer that attains the lower end of its answer."""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch
from math import exp, inf, sqrt
from typing import Any

import numpy as np

from ...core.errors import ParameterError, Unsupported
from ...core.interval import Interval
from ...hidden_slot.known.neighbour_pairs import ADDITION, REMOVAL, REPLACEMENT
from ...hidden_slot.worst import worst_lower
from ...hidden_slot.worst.slot_problem import Slot
from ...hidden_slot.worst.step_laws import LAWS, VERTICES
from ...hidden_slot.worst.threshold_policies import Policy
from ...protocols import (
    Averaged,
    CheckIn,
    HiddenSlot,
    Protocol,
    RandomAllocation,
    Shuffle,
    SlidingWindow,
    Swap,
)
from ...randomizers import DiscreteGaussian, Gaussian, Laplace, Randomizer, Response
from ...shuffling import subset_selection
from . import last_model, rounded_noise
from .attacked_mechanism import Law, Target
from .attacked_slots import ALL, FEW, Adaptive, OneLaw
from .attacked_swaps import TwoGroupSwap

# The parts of a transcript that an attack may observe.
VIEWS = ("all", "last")
# The names of the worst-case laws, in the order of ``LAWS``.
NAMES = tuple(law.name for law in LAWS)
# Smallest budget that can be attacked: below it all likelihood ratios are 1 to the digits of the computation.
LEAST_EPS0 = 1e-12


def require_attackable(protocol: object, view: str) -> None:
    """Raise ParameterError or Unsupported for a protocol or view that cannot be attacked, before any computation."""
    if view not in VIEWS:
        raise ParameterError("view", f"one of {', '.join(VIEWS)}", view)
    names = [kind.name for kind in _mechanism.registry if kind is not object]
    if not isinstance(protocol, Protocol):
        raise ParameterError("protocol", f"one of {', '.join(names)} for an attack", protocol)
    if _mechanism.dispatch(type(protocol)) is _mechanism.dispatch(object):
        raise Unsupported(protocol.name, "attack", f"there are attacks on {', '.join(names)}")
    params = protocol.params()
    if (params.get("eps0") or 1.0) < LEAST_EPS0:
        domain = f"at least {LEAST_EPS0:g} for an attack: below this, all outputs are equally likely"
        raise ParameterError("eps0", domain, params["eps0"])
    for field in ("epochs", "rounds", "selected"):
        if params.get(field, 1) > 1:
            raise ParameterError(field, "1 for an attack", params[field])
    if isinstance(protocol, CheckIn) and protocol.clients is not None and protocol.delta0 > 0.0:
        raise ParameterError("delta0", "0 for an attack with known clients", protocol.delta0)


def target(protocol: Protocol, interval: Interval, delta: float, view: str) -> Target:
    """Return the mechanism to attack.

    ``interval`` is the certified interval of epsilon(delta).  ``view`` is ``all`` for all models, or ``last`` for the
    last model only.
    """
    if interval.lower == inf:
        raise ParameterError("delta", "above weight * delta0 for an attack", delta)
    mechanism = _mechanism(protocol, interval, delta, view)
    if isinstance(mechanism, OneLaw) and mechanism.law.reference.size > FEW:
        return rounded_noise.merge_decisive(mechanism, interval.lower)
    return mechanism


@singledispatch
def _mechanism(protocol: Protocol, interval: Interval, delta: float, view: str) -> Target:
    """Return the target for a protocol; raises Unsupported where no target is registered."""
    raise Unsupported(protocol.name, "attack", "no mechanism to attack is registered for it")


@_mechanism.register
def _hidden_slot(slot: HiddenSlot, interval: Interval, delta: float, view: str) -> Target:
    _require_view(slot.randomizer, view)
    is_addition = bool(interval.sources) and "added" in (interval.sources or ("",))[0]
    # The record of the slot and its replacement exchange their roles if the worst direction is the addition.
    centres = (0, 1, 0) if is_addition else (1, 0, 0)
    return noise_in_slots(slot.randomizer, slot, centres, view) or _of_witness(slot, interval, delta, view)


@singledispatch
def noise_in_slots(randomizer: Randomizer, slot: HiddenSlot, centres: tuple[int, int, int], view: str) -> Target | None:
    """Return additive noise about the centres, rounded, in every slot; None where the witness is the target."""
    return None


@noise_in_slots.register(Gaussian)
def _(randomizer: Gaussian, slot: HiddenSlot, centres: tuple[int, int, int], view: str) -> Target:
    return _gaussian(slot.steps, slot.weight, randomizer.sigma, centres, view)


@noise_in_slots.register(DiscreteGaussian)
def _(randomizer: DiscreteGaussian, slot: HiddenSlot, centres: tuple[int, int, int], view: str) -> Target:
    law = rounded_noise.discrete_gaussian(centres, randomizer.sigma)
    return OneLaw("discrete Gaussian noise", slot.steps, slot.weight, law)


@noise_in_slots.register(Laplace)
def _(randomizer: Laplace, slot: HiddenSlot, centres: tuple[int, int, int], view: str) -> Target | None:
    if slot.adjacency != "zero-out":
        return None
    assert slot.eps0 is not None  # checked
    return OneLaw("Laplace noise, rounded", slot.steps, slot.weight, rounded_noise.laplace(centres, slot.eps0))


def _require_view(randomizer: Randomizer, view: str) -> None:
    """Raise ParameterError where the view needs the law of a sum of outputs and that is not known."""
    if view == "last" and not (randomizer.finite or isinstance(randomizer, Gaussian)):
        raise ParameterError("view", f"all with randomizer {randomizer}", view)


def _gaussian(steps: int, weight: float, sigma: float, centres: tuple[float, float, float], view: str) -> Target:
    if view == "last":  # a sum of normal variables is one slot with the noise of all
        law = rounded_noise.gaussian(centres, sigma * sqrt(steps))
        return OneLaw("Gaussian noise, rounded", 1, weight, law, last_model.SUM)
    return OneLaw("Gaussian noise, rounded", steps, weight, rounded_noise.gaussian(centres, sigma))


@_mechanism.register
def _check_in(protocol: CheckIn, interval: Interval, delta: float, view: str) -> Target:
    if protocol.clients is None:
        return _hidden_slot(protocol.alone, interval, delta, view)
    return _of_witness(protocol, interval, delta, view)


@_mechanism.register
def _sliding_window(protocol: SlidingWindow, interval: Interval, delta: float, view: str) -> Target:
    return _hidden_slot(protocol.slots[0], interval, delta, view)


@_mechanism.register
def _shuffle(protocol: Shuffle, interval: Interval, delta: float, view: str) -> Target:
    _require_view(protocol.randomizer, view)
    if isinstance(protocol.randomizer, Gaussian) and view == "last":
        return _gaussian(protocol.clients, 1.0, protocol.randomizer.sigma, (1.0, 0.0, 0.0), view)
    if interval.witness or not isinstance(protocol.randomizer, Response):
        return _of_witness(protocol, interval, delta, view)
    # The worst composition of the other records has no witness; if all are equal they form a hidden slot.
    alike = HiddenSlot(protocol.clients, protocol.eps0, randomizer=protocol.randomizer)
    return _of_witness(alike, alike.epsilon(delta), delta, view)


@_mechanism.register
def _swap(protocol: Swap, interval: Interval, delta: float, view: str) -> Target:
    # Of random subsets, which attain the lower end, two fixed ones are attacked.
    if view == "all" and interval.sources and interval.sources[0] == subset_selection.NAME:
        share = 1.0 / (1.0 + exp(protocol.eps0))
        return TwoGroupSwap(
            protocol.clients, protocol.eps0, law_of("ACE", protocol.eps0), round((protocol.clients - 1) * share)
        )
    alike = HiddenSlot(protocol.clients, protocol.eps0)
    return _of_witness(alike, alike.epsilon(delta), delta, view)


@_mechanism.register
def _averaged(protocol: Averaged, interval: Interval, delta: float, view: str) -> Target:
    if view == "last":
        raise ParameterError("view", "all with averaged check-ins", view)
    return _of_witness(protocol, interval, delta, view)


@_mechanism.register
def _random_allocation(protocol: RandomAllocation, interval: Interval, delta: float, view: str) -> Target:
    ways = {REMOVAL: (1, 0, 0), ADDITION: (0, 1, 0), REPLACEMENT: (1, -1, 0)}
    # A lower end from a closed form names no direction: then removal is attacked.
    centres = ways.get(interval.sources[0] if interval.sources else "", ways[REMOVAL])
    return _gaussian(protocol.steps, protocol.check_in_prob, protocol.sigma, centres, view)


def _of_witness(protocol: Protocol, interval: Interval, delta: float, view: str) -> Target:
    """Return the target from the witness of the lower end; where epsilon is 0, from that of delta."""
    witness = interval.witness or protocol.delta(interval.lower).witness
    if not witness:
        raise ParameterError("delta", "one at which the lower end has a witness, which the attack needs", delta)
    mechanism = of_witness(witness, delta, view)
    if view == "all":
        return mechanism
    assert isinstance(mechanism, OneLaw)
    # With two outputs the sum determines the counts of both, which is all the information.
    if mechanism.law.reference.size == 2:
        return OneLaw(mechanism.name, mechanism.slots, mechanism.weight, mechanism.law, last_model.VOTES)
    return last_model.votes(mechanism)


def of_witness(witness: Mapping[str, Any], delta: float, view: str = "all") -> Target:
    """Return a witness as a target; for the last model only, the best single law replaces a policy."""
    kind = witness["kind"]
    if kind == "revealing":  # without the revealed part the target is weaker
        return of_witness(witness["otherwise"], delta, view)
    if kind == "shuffle":
        return _of_rows(witness, witness["clients"], 1.0, witness["others"])
    if kind == "hidden-slot":
        return _of_rows(witness, witness["steps"], witness["weight"], witness["reference"])
    slot = Slot(witness["steps"], witness["eps0"], witness["weight"])
    if kind == "law" or view == "last":
        name = witness["law"] if kind == "law" else NAMES[worst_lower.single_law_epsilon(slot, delta)[1].law]
        return single_law(slot, name)
    laws = law_of("BE", slot.eps0), law_of("CF", slot.eps0), law_of("ACE", slot.eps0)
    policy = _policy(witness["policy"])
    return Adaptive(witness["summary"], *slot[:1], slot.weight, slot.eps0, witness["epsilon"], policy, laws)


def single_law(slot: Slot, name: str) -> OneLaw:
    """Return the target with one worst-case law, BE, CF or ACE, in every slot."""
    return OneLaw(f"{len(name)}-ary randomizer {name} in every slot", slot.steps, slot.weight, law_of(name, slot.eps0))


def law_of(name: str, eps0: float) -> Law:
    """Return one of the worst-case laws BE, CF and ACE."""
    reference = LAWS[NAMES.index(name)].probabilities(eps0)
    powers = np.array([VERTICES[vertex] for vertex in name])
    return Law(reference, (reference[:, None] * np.exp(eps0 * powers)).T)


def _of_rows(witness: Mapping[str, Any], slots: int, weight: float, others: list[float]) -> OneLaw:
    record, replacement, reference = (np.array(row) for row in (witness["record"], witness["replacement"], others))
    some = (record > 0.0) | (replacement > 0.0) | (reference > 0.0)
    if not reference[some].all():
        domain = "one with all outputs possible on every input, for an attack"
        raise ParameterError("randomizer", domain, witness["summary"])
    law = Law(reference[some], np.array([record[some], replacement[some]]))
    return OneLaw(witness["summary"], slots, weight, law, ALL)


def _policy(slices: list[dict[str, Any]]) -> Policy:
    """Return the policy that :meth:`pldcheck.hidden_slot.worst.threshold_policies.Policy.to_dict` has stored."""
    starts = np.cumsum([0, *(len(entry["laws"]) for entry in slices)])
    thresholds = [u for entry in slices for u in (-np.inf, *entry["thresholds"])]
    laws = [NAMES.index(name) for entry in slices for name in entry["laws"]]
    times = [entry["to_go"] for entry in slices]
    return Policy(np.array(times, np.int64), starts.astype(np.int64), np.array(thresholds), np.array(laws, np.int64))

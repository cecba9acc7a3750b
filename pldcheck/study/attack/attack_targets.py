"""The target of an attack on each protocol: the randomizer that attains the lower end of its answer, or nearly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from typing import Any

import numpy as np
from scipy.stats import laplace

from ...core.errors import ParameterError, Unsupported
from ...core.interval import Interval
from ...hidden_slot.known.neighbour_pairs import ADDITION, REMOVAL, REPLACEMENT
from ...hidden_slot.worst.step_laws import LAWS, VERTICES
from ...hidden_slot.worst.threshold_policies import Policy
from ...protocols import Averaged, CheckIn, HiddenSlot, Protocol, RandomAllocation, Shuffle, SlidingWindow, Swap
from ...randomizers import DiscreteGaussian, Gaussian, Laplace, Response
from . import rounded_noise
from .hidden_records import Adaptive, Law, OneLaw, Target
from .rounded_noise import Centres

# The names of the worst-case laws, in the order of ``LAWS``.
NAMES = tuple(law.name for law in LAWS)
# Smallest budget that can be attacked: below it all likelihood ratios are 1 to the digits of the computation.
LEAST_EPS0 = 1e-12
# Most outputs of laws that are kept as they are; of rounded noise, decisive outputs are merged.
FEW = 4
# What moves in each direction of random allocation.
WAYS: Mapping[str, Centres] = {REMOVAL: (1, 0, 0), ADDITION: (0, 1, 0), REPLACEMENT: (1, -1, 0)}


def require_attackable(protocol: object) -> None:
    """Raise ParameterError or Unsupported for a protocol that cannot be attacked, before any computation."""
    names = ", ".join(kind.name for kind in TARGETS)
    if not isinstance(protocol, Protocol):
        raise ParameterError("protocol", f"one of {names} for an attack", protocol)
    if type(protocol) not in TARGETS:
        raise Unsupported(protocol.name, "attack", f"there are attacks on {names}")
    params = protocol.params()
    if (params.get("eps0") or 1.0) < LEAST_EPS0:
        domain = f"at least {LEAST_EPS0:g} for an attack: below this, all outputs are equally likely"
        raise ParameterError("eps0", domain, params["eps0"])
    for field in ("epochs", "rounds", "selected"):
        if params.get(field, 1) > 1:
            raise ParameterError(field, "1 for an attack", params[field])
    if isinstance(protocol, CheckIn) and protocol.clients is not None and protocol.delta0 > 0.0:
        raise ParameterError("delta0", "0 for an attack with known clients", protocol.delta0)


def target(protocol: Protocol, interval: Interval, delta: float) -> Target:
    """Return the mechanism to attack, for the certified interval of epsilon(delta)."""
    if interval.lower == inf:
        raise ParameterError("delta", "above weight * delta0 for an attack", delta)
    mechanism = TARGETS[type(protocol)](protocol, interval, delta)
    if isinstance(mechanism, OneLaw) and mechanism.law.reference.size > FEW:
        return rounded_noise.merge_decisive(mechanism, interval.lower)
    return mechanism


def _hidden_slot(slot: HiddenSlot, interval: Interval, delta: float) -> Target:
    is_addition = bool(interval.sources) and "added" in (interval.sources or ("",))[0]
    # The record of the slot and its replacement exchange their roles if the worst direction is the addition.
    centres: Centres = (0, 1, 0) if is_addition else (1, 0, 0)
    if isinstance(slot.randomizer, Gaussian):
        return _gaussian(slot.steps, slot.weight, slot.randomizer.sigma, centres)
    if isinstance(slot.randomizer, DiscreteGaussian):
        law = rounded_noise.discrete_gaussian(centres, slot.randomizer.sigma)
        return OneLaw("discrete Gaussian noise", slot.steps, slot.weight, law)
    if isinstance(slot.randomizer, Laplace) and slot.adjacency == "zero-out" and slot.eps0 is not None:
        # Outputs beyond an end of [0, 1] have the same likelihood ratios and are one cell.
        edges = np.linspace(0.0, 1.0, rounded_noise.CELLS - 1)
        law = rounded_noise.rounded(laplace(scale=1.0 / slot.eps0), centres, edges)
        return OneLaw("Laplace noise, rounded", slot.steps, slot.weight, law)
    return _of_witness(slot, interval, delta)


def _gaussian(steps: int, weight: float, sigma: float, centres: Centres) -> Target:
    return OneLaw("Gaussian noise, rounded", steps, weight, rounded_noise.gaussian(centres, sigma))


def _check_in(protocol: CheckIn, interval: Interval, delta: float) -> Target:
    if protocol.clients is None:
        return _hidden_slot(protocol.alone, interval, delta)
    return _of_witness(protocol, interval, delta)


def _shuffle(protocol: Shuffle, interval: Interval, delta: float) -> Target:
    if interval.witness or not isinstance(protocol.randomizer, Response):
        return _of_witness(protocol, interval, delta)
    # The worst composition of the other records has no witness; if all are equal they form a hidden slot.
    return _alike(HiddenSlot(protocol.clients, protocol.eps0, randomizer=protocol.randomizer), delta)


def _alike(slot: HiddenSlot, delta: float) -> Target:
    """Return the hidden slot that a protocol is where all other records are equal."""
    return _of_witness(slot, slot.epsilon(delta), delta)


def _random_allocation(protocol: RandomAllocation, interval: Interval, delta: float) -> Target:
    # A lower end from a closed form names no direction: then removal is attacked.
    centres = WAYS.get(interval.sources[0] if interval.sources else "", WAYS[REMOVAL])
    return _gaussian(protocol.steps, protocol.check_in_prob, protocol.sigma, centres)


def _of_witness(protocol: Protocol, interval: Interval, delta: float) -> Target:
    """Return the target from the witness of the lower end; where epsilon is 0, from that of delta."""
    witness = interval.witness or protocol.delta(interval.lower).witness
    if not witness:
        raise ParameterError("delta", "one at which the lower end has a witness, which the attack needs", delta)
    return of_witness(witness)


# The function that gives the target for each protocol.
TARGETS: Mapping[type[Protocol], Callable[[Any, Interval, float], Target]] = {
    HiddenSlot: _hidden_slot,
    CheckIn: _check_in,
    SlidingWindow: lambda protocol, interval, delta: _hidden_slot(protocol.slots[0], interval, delta),
    Shuffle: _shuffle,
    Swap: lambda protocol, interval, delta: _alike(HiddenSlot(protocol.clients, protocol.eps0), delta),
    Averaged: _of_witness,
    RandomAllocation: _random_allocation,
}


def of_witness(witness: Mapping[str, Any]) -> Target:
    """Return a witness as a target."""
    kind = witness["kind"]
    if kind == "revealing":  # without the revealed part the target is weaker
        return of_witness(witness["otherwise"])
    if kind == "shuffle":
        return _of_rows(witness, witness["clients"], 1.0, witness["others"])
    if kind == "hidden-slot":
        return _of_rows(witness, witness["steps"], witness["weight"], witness["reference"])
    steps, eps0, weight = witness["steps"], witness["eps0"], witness["weight"]
    if kind == "law":
        name = witness["law"]
        return OneLaw(f"{len(name)}-ary randomizer {name} in every slot", steps, weight, law_of(name, eps0))
    laws = law_of("BE", eps0), law_of("CF", eps0), law_of("ACE", eps0)
    return Adaptive(witness["summary"], steps, weight, eps0, witness["epsilon"], _policy(witness["policy"]), laws)


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
    return OneLaw(witness["summary"], slots, weight, Law(reference[some], np.array([record[some], replacement[some]])))


def _policy(slices: list[dict[str, Any]]) -> Policy:
    """Return the policy that :meth:`pldcheck.hidden_slot.worst.threshold_policies.Policy.to_dict` has stored."""
    starts = np.cumsum([0, *(len(entry["laws"]) for entry in slices)])
    thresholds = [u for entry in slices for u in (-np.inf, *entry["thresholds"])]
    laws = [NAMES.index(name) for entry in slices for name in entry["laws"]]
    times = [entry["to_go"] for entry in slices]
    return Policy(np.array(times, np.int64), starts.astype(np.int64), np.array(thresholds), np.array(laws, np.int64))

"""dp_accounting: its PLDAccountant, its RdpAccountant (``rdp``), and its PLDs (``pessimistic`` and ``optimistic``).

Under REPLACE_ONE its PLDs of Gaussian noise take a sensitivity that is twice the unit of ``noise_multiplier``; its
Rényi divergences do not.  The noise is therefore doubled for these PLDs, which is exact.
"""

from __future__ import annotations

from fractions import Fraction
from math import exp

import dp_accounting as dpa
from dp_accounting import dp_event
from dp_accounting.pld import common
from dp_accounting.pld import privacy_loss_distribution as losses
from dp_accounting.pld.pld_privacy_accountant import PLDAccountant
from dp_accounting.rdp import RdpAccountant

# The default discretization interval of dp_accounting.
STEP = 1e-4


def claim(question):
    """Return the claim of an upper end, or of a lower one for the way ``optimistic``."""
    way = question["way"]
    replace = question["adjacency"] == "replace"
    relation = dpa.NeighboringRelation.REPLACE_ONE if replace else dpa.NeighboringRelation.ADD_OR_REMOVE_ONE
    adjacency = "replace" if replace else "add-remove"
    step = float(question["options"].get("discretization", STEP))
    at = float(question["at"])
    if way in ("pessimistic", "optimistic"):
        loss = _composed_loss(question["parts"], way == "pessimistic", step)
        end = loss.get_epsilon_for_delta(at) if question["quantity"] == "epsilon" else loss.get_delta_for_epsilon(at)
        ends = {"lower": None, "upper": end} if way == "pessimistic" else {"lower": end, "upper": None}
        return {
            **ends,
            "adjacency": question["adjacency"],
            "how": f"{way} PLD, self_compose, discretization interval {step:g}",
        }
    factor = 2.0 if replace and way == "" else 1.0
    if way == "rdp":
        accountant, how = RdpAccountant(neighboring_relation=relation), "RdpAccountant"
    else:
        accountant, how = PLDAccountant(relation, step), f"PLDAccountant, discretization interval {step:g}"
    events = [_event(part, factor) for part in question["parts"]]
    try:
        accountant.compose(events[0] if len(events) == 1 else dpa.ComposedDpEvent(events))
    except dpa.UnsupportedEventError as error:
        raise NotImplementedError(" ".join(str(error).split())) from None
    end = accountant.get_epsilon(at) if question["quantity"] == "epsilon" else accountant.get_delta(at)
    return {"lower": None, "upper": end, "adjacency": adjacency, "how": how}


def _event(part, factor):
    kind, numbers = part["kind"], part["numbers"]
    if kind == "rr":
        event = _response(numbers)
    elif kind == "gaussian":
        event = dpa.GaussianDpEvent(factor * numbers["sigma"])
    elif kind == "laplace":
        event = dpa.LaplaceDpEvent(numbers["scale"])
    elif kind == "discrete-laplace":
        event = dp_event.DiscreteLaplaceDpEvent(1.0 / numbers["scale"], 1)
    elif kind == "subsampled-gaussian":
        event = dpa.PoissonSampledDpEvent(numbers["rate"], dpa.GaussianDpEvent(numbers["sigma"]))
    elif kind == "fixed-size-gaussian":
        size = Fraction(numbers["rate"])
        noise = dpa.GaussianDpEvent(numbers["sigma"])
        event = dpa.SampledWithoutReplacementDpEvent(size.denominator, size.numerator, noise)
    else:
        raise NotImplementedError(kind)
    return event if part["count"] == 1 else dpa.SelfComposedDpEvent(event, part["count"])


def _response(numbers):
    if numbers["delta0"] == 0.0:
        return dpa.RandomizedResponseDpEvent(2.0 / (exp(numbers["eps0"]) + 1.0), 2)
    if not hasattr(dp_event, "EpsilonDeltaDpEvent"):
        raise NotImplementedError("(eps0, delta0)-randomized response")
    return dp_event.EpsilonDeltaDpEvent(numbers["eps0"], numbers["delta0"])


def _composed_loss(parts, pessimistic, step):
    total = None
    for part in parts:
        loss = _loss(part["kind"], part["numbers"], pessimistic, step)
        loss = loss if part["count"] == 1 else loss.self_compose(part["count"])
        total = loss if total is None else total.compose(loss)
    return total


def _loss(kind, numbers, pessimistic, step):
    options = {"pessimistic_estimate": pessimistic, "value_discretization_interval": step}
    if kind == "rr" and pessimistic:
        return losses.from_privacy_parameters(
            common.DifferentialPrivacyParameters(numbers["eps0"], numbers["delta0"]), step
        )
    if kind == "rr" and numbers["delta0"] == 0.0:
        return losses.from_randomized_response(2.0 / (exp(numbers["eps0"]) + 1.0), 2, **options)
    if kind == "gaussian":
        return losses.from_gaussian_mechanism(numbers["sigma"], **options)
    if kind == "laplace":
        return losses.from_laplace_mechanism(numbers["scale"], **options)
    if kind == "discrete-laplace":
        return losses.from_discrete_laplace_mechanism(1.0 / numbers["scale"], **options)
    if kind == "subsampled-gaussian":
        return losses.from_gaussian_mechanism(numbers["sigma"], sampling_prob=numbers["rate"], **options)
    raise NotImplementedError(kind)

"""dp_accounting: its PLDAccountant, its RdpAccountant (``rdp``), and its PLDs (``pessimistic`` and ``optimistic``).

Under REPLACE_ONE its PLDs of Gaussian noise take a sensitivity that is twice the unit of ``noise_multiplier``; its
Rényi divergences do not.  The noise is therefore doubled for these PLDs, which is exact.  Poisson samples of a record
that is replaced take noise over the norm of one record on both sides, so that theirs is not doubled.

A sample that is used for several releases is told to RdpAccountant as it is; PLDAccountant takes samples of one release
alone, which is equivalent with the noise divided by the root of their number.
"""

from __future__ import annotations

from fractions import Fraction
from math import exp, sqrt

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
    step = question["options"].get("discretization", STEP)
    at = float(question["at"])
    if way in ("pessimistic", "optimistic"):
        loss = _composed_loss(question["parts"], way == "pessimistic", step)
        end = loss.get_epsilon_for_delta(at) if question["quantity"] == "epsilon" else loss.get_delta_for_epsilon(at)
        ends = {"lower": None, "upper": end} if way == "pessimistic" else {"lower": end, "upper": None}
        return {
            **ends,
            "adjacency": "add-remove" if question["adjacency"] in ("add", "remove") else question["adjacency"],
            "how": f"{way} PLD, self_compose, discretization interval {step:g}",
        }
    factor = 2.0 if replace and way == "" else 1.0
    if way == "rdp":
        accountant, how = RdpAccountant(neighboring_relation=relation), "RdpAccountant"
    else:
        accountant, how = PLDAccountant(relation, step), f"PLDAccountant, discretization interval {step:g}"
    events = [_event(part, factor, way == "rdp") for part in question["parts"]]
    try:
        accountant.compose(events[0] if len(events) == 1 else dpa.ComposedDpEvent(events))
    except dpa.UnsupportedEventError as error:
        raise NotImplementedError(" ".join(str(error).split())) from None
    end = accountant.get_epsilon(at) if question["quantity"] == "epsilon" else accountant.get_delta(at)
    return {"lower": None, "upper": end, "adjacency": adjacency, "how": how}


def _event(part, factor, nested):
    kind, numbers = part["kind"], part["numbers"]
    if kind == "reused-sample":
        return _reused(numbers, nested)
    if kind == "rr":
        event = _response(numbers)
    elif kind == "gaussian":
        event = dpa.GaussianDpEvent(factor * numbers["sigma"])
    elif kind == "laplace":
        event = dpa.LaplaceDpEvent(numbers["scale"])
    elif kind == "discrete-laplace":
        event = dp_event.DiscreteLaplaceDpEvent(1.0 / numbers["scale"], 1)
    elif kind in ("subsampled-gaussian", "replaced-subsampled-gaussian"):
        event = dpa.PoissonSampledDpEvent(numbers["rate"], dpa.GaussianDpEvent(numbers["sigma"]))
    elif kind == "fixed-size-gaussian":
        event = _fixed_size(numbers["rate"], dpa.GaussianDpEvent(numbers["sigma"]))
    else:
        raise NotImplementedError(kind)
    return event if part["count"] == 1 else dpa.SelfComposedDpEvent(event, part["count"])


def _fixed_size(rate, event):
    size = Fraction(rate)
    return dpa.SampledWithoutReplacementDpEvent(size.denominator, size.numerator, event)


def _reused(numbers, nested):
    """Return the event of samples that are used several times each, as it is if it may be ``nested``."""
    sigma, releases = numbers["sigma"], numbers["releases"]
    if nested:
        event = dpa.SelfComposedDpEvent(dpa.GaussianDpEvent(sigma), releases)
    else:
        event = dpa.GaussianDpEvent(sigma / sqrt(releases))
    if numbers["sampling"] == "fixed-size":
        sample = _fixed_size(numbers["rate"], event)
    else:
        sample = dpa.PoissonSampledDpEvent(numbers["rate"], event)
    return dpa.SelfComposedDpEvent(sample, numbers["steps"])


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
    if kind == "gaussian-mixture":
        lengths, chances = _lengths(numbers["lengths"])
        loss = losses.from_mixture_gaussian_mechanism(numbers["sigma"], lengths, chances, **options)
        return loss if numbers["steps"] == 1 else loss.self_compose(numbers["steps"])
    raise NotImplementedError(kind)


def _quotient(text):
    """Return a number such as 0.1 or 1/10, rounded once."""
    above, _, below = text.partition("/")
    return float(Fraction(above) / Fraction(below or 1))


def _lengths(text):
    """Return lengths and their probabilities; with the rest to 1 the length is 0."""
    pairs = [pair.split(":") for pair in text.replace(" ", "").split(",")]
    lengths, chances = [_quotient(length) for length, _ in pairs], [_quotient(chance) for _, chance in pairs]
    rest = float(1 - sum(map(Fraction, chances)))
    return (lengths + [0.0], chances + [rest]) if rest > 0.0 else (lengths, chances)

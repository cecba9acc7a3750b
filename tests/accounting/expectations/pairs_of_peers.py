"""The mechanisms of other accountants' tests, made of pldcheck's: noise over sensitivity, pairs of laws, and events.

What an expectation is ``of`` is a mapping.  With ``noise`` it is one pair of laws, or a composition of such; ``way``
says which of its directions: ``remove`` tells the data with the record from those without it, ``add`` the reverse, and
``both`` is the worse one.  With ``events`` it is what dp_accounting composes, and with ``opacus`` a history of Opacus.
"""

from math import exp, inf, nan
from typing import Any, ClassVar

import attr
import dp_accounting as dpa
from dp_accounting import dp_event

from pldcheck import Gaussian, pld
from pldcheck.accounting import Accountant, OpacusAccountant
from pldcheck.accounting.interop import from_event
from pldcheck.pld.step_losses import GaussianLoss
from pldcheck.protocols.composed import ComposedMechanism

REMOVAL = dpa.NeighboringRelation.ADD_OR_REMOVE_ONE


def number(value: Any) -> Any:
    """Return a stored number, of which infinite ones are texts."""
    return {"inf": inf, "-inf": -inf}.get(value, value) if isinstance(value, str) else value


def _ratio(noise: float, sensitivity: float) -> float:
    return noise / sensitivity if sensitivity else nan


def _laplace(of: dict[str, Any]) -> pld.PrivacyLossDistribution:
    return pld.subsampled_laplace(_ratio(of["scale"], of["sensitivity"]), of["rate"])


def _gaussian(of: dict[str, Any]) -> pld.PrivacyLossDistribution:
    sigma, rate = _ratio(of["sigma"], of["sensitivity"]), of["rate"]
    if of["way"] == "replace":
        return pld.gaussian(sigma / 2.0) if rate == 1.0 else pld.replaced_subsampled_gaussian(sigma, rate)
    return pld.subsampled_gaussian(sigma, rate)


def _discrete_laplace(of: dict[str, Any]) -> pld.PrivacyLossDistribution:
    noise = dp_event.DiscreteLaplaceDpEvent(of["parameter"], of["sensitivity"])
    rate = of["rate"]
    return from_event(noise if rate == 1.0 else dpa.PoissonSampledDpEvent(rate, noise), relation=REMOVAL)


def _discrete_gaussian(of: dict[str, Any]) -> pld.PrivacyLossDistribution:
    """Return discrete Gaussian noise on the integers from -``last`` to ``last``, far out where that is not given."""
    sigma, shift = of["sigma"], of["sensitivity"]
    last = of["last"] or int(16 * sigma) + shift
    weights = [exp(-0.5 * (x / sigma) ** 2) for x in range(-last, last + 1)]
    masses = [weight / sum(weights) for weight in weights]
    return pld.subsampled_pmf(masses + [0.0] * shift, [0.0] * shift + masses, of["rate"])


def _mixture(of: dict[str, Any]) -> pld.PrivacyLossDistribution:
    return pld.gaussian_mixture(of["sigma"], of["lengths"], of["chances"])


def _truncated(of: dict[str, Any]) -> pld.PrivacyLossDistribution:
    return pld.truncated_gaussian(of["sigma"], of["rate"], of["records"], of["largest_batch"])


def _response(of: dict[str, Any]) -> pld.PrivacyLossDistribution:
    """Return randomized response, told from that of another record or, by removal, from a uniform bucket."""
    noise, buckets = of["parameter"], of["buckets"]
    true, other = 1.0 - noise + noise / buckets, noise / buckets
    rest = [other] * (buckets - 2)
    if of["way"] == "replace":
        return pld.from_pmf([true, other, *rest], [other, true, *rest])
    return pld.from_pmf([true, other, *rest], [1.0 / buckets] * buckets)


def _pair(of: dict[str, Any]) -> pld.PrivacyLossDistribution:
    return pld.from_pmf(of["p"], of["q"])


def _budget(of: dict[str, Any]) -> pld.PrivacyLossDistribution:
    epsilon, delta = of["epsilon"], of["delta"]
    if epsilon:
        return pld.randomized_response(epsilon, delta)
    return pld.from_pmf([delta, 1.0 - delta, 0.0], [0.0, 1.0 - delta, delta])


def _composition(of: dict[str, Any]) -> pld.PrivacyLossDistribution:
    return pld.compose_all([MAKERS[part["noise"]](part).compose(times) for part, times in of["parts"]])


MAKERS = {
    "composition": _composition,
    "discrete gaussian": _discrete_gaussian,
    "discrete laplace": _discrete_laplace,
    "epsilon delta": _budget,
    "gaussian": _gaussian,
    "laplace": _laplace,
    "mixture": _mixture,
    "pair": _pair,
    "randomized response": _response,
    "truncated": _truncated,
}


def loss_of(of: dict[str, Any]) -> pld.PrivacyLossDistribution:
    """Return the loss of a mechanism with both directions, the one that is meant first."""
    whole = MAKERS[of["noise"]](of).compose(of.get("times", 1))
    return whole.reversed if of["way"] == "add" else whole


def event_of(stated: dict[str, Any]) -> Any:
    """Return an event of dp_accounting; of a class that the installed version lacks, one of the same name."""
    fields = {
        key: event_of(value)
        if isinstance(value, dict)
        else [event_of(one) if isinstance(one, dict) else number(one) for one in value]
        if isinstance(value, list)
        else number(value)
        for key, value in stated.items()
        if key != "class"
    }
    cls = getattr(dp_event, stated["class"], None)
    if cls is None:
        cls = attr.make_class(stated["class"], dict.fromkeys(fields, attr.ib()), bases=(dpa.DpEvent,), frozen=True)
    return cls(**fields)


def accountant_of(of: dict[str, Any]) -> Accountant | OpacusAccountant:
    """Return an accountant that has counted the events, or the steps of Opacus."""
    if "opacus" in of:
        opacus = OpacusAccountant()
        opacus.history = [(noise, rate, count) for noise, rate, count in of["opacus"]]
        return opacus
    accountant = Accountant(of["relation"])
    for stated, count in of["events"]:
        accountant.compose(event_of(stated), count)
    return accountant


class Known(ComposedMechanism):
    """A protocol of which nothing but the loss is known: it has a trade-off function and Gaussian parameters."""

    known: ClassVar[pld.PrivacyLossDistribution]
    name: ClassVar[str] = "known"
    adjacencies: ClassVar[tuple[str, ...]] = ("any",)

    @property
    def loss(self) -> pld.PrivacyLossDistribution:
        """The loss that is given."""
        return self.known


def protocol_of(loss: pld.PrivacyLossDistribution) -> ComposedMechanism:
    """Return a protocol with this loss: Gaussian noise, of which more is known, as such."""
    laws = [bounds.upper for bounds, _ in loss.forward]
    if all(isinstance(law, GaussianLoss) for law in laws) and loss.backward is None:
        return Gaussian(
            sigma=sum(law.variance * count for law, (_, count) in zip(laws, loss.forward, strict=True)) ** -0.5
        )
    return type("Known", (Known,), {"known": loss})()

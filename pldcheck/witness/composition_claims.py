"""Claims of upper certificates about compositions: the rounds of a protocol, as :mod:`.upper_loss` reads them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from ..checkers import upper_loss
from ..core.errors import ParameterError, PldcheckError
from ..protocols import Composition, FixedBatches, GaussianMixture, OwnMechanism, TableMechanism, TruncatedPoisson
from ..protocols.composed import ComposedMechanism
from ..protocols.fixed_batches import ANEW
from ..protocols.reused_sample import ReusedSample
from .claim_decimals import decimal_text

# What a mechanism of the engine is called in a certificate, and the names of its numbers.
NAMES = {
    "rr": ("rr", ("eps0", "delta0")),
    "gaussian": ("gaussian", ("sigma",)),
    "laplace": ("laplace", ("scale",)),
    "discrete-laplace": ("discrete-laplace", ("scale",)),
    "discrete-gaussian": ("discrete-gaussian", ("sigma",)),
    "subsampled-gaussian": ("gaussian", ("sigma", "rate")),
    "fixed-size-gaussian": ("fixed-size-gaussian", ("sigma", "rate")),
    "replaced-subsampled-gaussian": ("replaced-gaussian", ("sigma", "rate")),
    "subsampled-rr": ("rr", ("eps0", "delta0", "rate")),
}
# What they are called if one sample serves several releases.
REUSED = {
    "gaussian": "reused-gaussian",
    "fixed-size-gaussian": "reused-fixed-size-gaussian",
    "replaced-gaussian": "replaced-gaussian",
}


def rounds_of(protocol: ComposedMechanism) -> list[dict[str, Any]]:
    """Return the rounds of a certificate's claim; raise PldcheckError for what has none."""
    if isinstance(protocol, Composition) and not all(isinstance(entry, str) for entry in protocol.mechanism):
        lists = [rounds_of(Composition((entry,)) if isinstance(entry, str) else entry) for entry in protocol.mechanism]
        return [{**entry, "count": entry["count"] * protocol.steps} for rounds in lists for entry in rounds]
    if isinstance(protocol, TableMechanism | OwnMechanism):
        raise PldcheckError("no program of certificates knows tables and functions that a user states")
    if isinstance(protocol, ReusedSample):
        return _rounds_of_reused_samples(protocol)
    own = own_numbers(protocol)
    if own is not None:
        written = {key: value if isinstance(value, str) else decimal_text(value) for key, value in own.items()}
        return [{"rate": "1", "count": own_count(protocol), **written}]
    counts: Counter[tuple[str, tuple[str, ...]]] = Counter()
    for part in protocol.parts:
        if part.kind not in NAMES:
            raise ParameterError("protocol", f"composed of {', '.join(NAMES)}", part.kind)
        numbers = dict(part.numbers)
        texts = tuple(decimal_text(float(numbers.get(key, 0.0))) for key in NAMES[part.kind][1])
        counts[part.kind, texts] += part.count
    if len(counts) > upper_loss.MOST_ROUNDS:
        raise PldcheckError(f"certificates are for at most {upper_loss.MOST_ROUNDS} different mechanisms")
    rounds = []
    for (kind, values), count in counts.items():
        name, keys = NAMES[kind]
        releases = {"releases": "1"} if name == "replaced-gaussian" else {}
        numbers = dict(zip(keys, values, strict=True))
        rounds.append({"mechanism": name, "rate": "1", "count": count, **releases, **numbers})
    return rounds


def own_count(protocol: Any) -> int:
    """Return the number of runs of such a protocol."""
    return int(protocol.steps)


def own_numbers(protocol: ComposedMechanism) -> dict[str, Any] | None:
    """Return the mechanism and the numbers of a protocol that is no list of mechanisms; None for any other."""
    if isinstance(protocol, GaussianMixture):
        lengths = ",".join(":".join(map(decimal_text, pair)) for pair in protocol.possible_lengths)
        return {"mechanism": "random-lengths", "sigma": protocol.sigma, "lengths": lengths}
    if isinstance(protocol, FixedBatches):
        numbers = {name: getattr(protocol, name) for name in ("sigma", "records", "batch", "group")}
        return {"mechanism": "batch-gaussian", **numbers, "redrawn": int(protocol.sampling == ANEW)}
    if not isinstance(protocol, TruncatedPoisson):
        return None
    if protocol.largest_batch > protocol.records:  # no sample is cut
        return {"mechanism": "gaussian", "sigma": protocol.sigma, "rate": protocol.rate}
    numbers = {name: getattr(protocol, name) for name in ("sigma", "rate", "records")}
    return {"mechanism": "cut-gaussian", **numbers, "batch": protocol.largest_batch}


def _rounds_of_reused_samples(protocol: ReusedSample) -> list[dict[str, Any]]:
    """Return the rounds of samples that serve several releases, from those of samples that serve one."""
    once = replace(protocol.samples[0], sigma=protocol.sigma)
    more = {"sigma": decimal_text(protocol.sigma), "releases": str(protocol.releases)}
    return [{**entry, "mechanism": REUSED[entry["mechanism"]], **more} for entry in rounds_of(once)]


def claim_of(rounds: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a claim about rounds in the form that the program reads, but for its epsilon and delta."""
    return {"mechanism": "composition", "rounds": rounds, "times": 1}

"""The strata of a corpus: for each protocol a range of plain questions, and its corners, drawn by a seed.

Values are spread evenly in their logarithms and have three digits, so that their texts are short.  A question is drawn
by a generator of its own, from the seed and its id, of which only ``random()`` is used: its values are the same in all
versions of Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import exp, log
from random import Random

from ...core.errors import UnknownNameError
from ...core.parameters import number_text
from .certified_points import CorpusQuestion, Value

# A parameter: a value that is always the same, or a function that draws one.
Draw = Callable[[Random], Value]
Axis = Value | Draw
# The significant digits of a value.
DIGITS = 3
# The number of different mechanisms in a composition.
LENGTH = 3


def real(low: float, high: float) -> Draw:
    """Return the axis of numbers between two ends."""
    return lambda random: _real(low, high, random)


def whole(low: int, high: int) -> Draw:
    """Return the axis of whole numbers between two ends."""
    return lambda random: str(round(float(_real(low, high, random))))


def near_one(most: int) -> Draw:
    """Return the axis of the numbers 0.9, 0.99 and so on, with up to so many nines."""
    return lambda random: "0." + "9" * (1 + int(most * random.random()))


def several(one: Draw) -> Draw:
    """Return the axis of lists of as many values as a composition has mechanisms."""
    return lambda random: tuple(str(one(random)) for _ in range(LENGTH))


def _real(low: float, high: float, random: Random) -> str:
    value = exp(log(low) + (log(high) - log(low)) * random.random())
    return number_text(min(max(float(f"{value:.{DIGITS}g}"), low), high))


# The corners of epsilon and delta that all protocols have.
ENDS: Mapping[str, Mapping[str, Axis]] = {
    "tiny-delta": {"delta": real(1e-30, 1e-12)},
    "large-delta": {"delta": real(1e-3, 0.5)},
    "delta-at-epsilon": {"epsilon": real(1e-2, 10.0)},
    "epsilon-near-0": {"epsilon": real(1e-9, 1e-2)},
    "epsilon-0": {"epsilon": "0"},
}
# The number of steps in the corner of many.
MILLION = "1000000"
# The plain values of delta.
DELTA = real(1e-12, 1e-3)


@dataclass(frozen=True)
class Family:
    """A protocol for one adjacency: its plain parameters, and by the name of a corner those that differ there.

    ``name`` is the beginning of the ids of its questions.
    """

    name: str
    plain: Mapping[str, Axis]
    corners: Mapping[str, Mapping[str, Axis]]
    adjacency: str

    @property
    def protocol(self) -> str:
        """The name of the protocol."""
        return self.name.partition("/")[0]

    @property
    def strata(self) -> dict[str, Mapping[str, Axis]]:
        """The strata by name, each with all its axes; a corner may replace one that all protocols have."""
        return {name: {**self.plain, **axes} for name, axes in {"plain": {}, **ENDS, **self.corners}.items()}

    def question(self, stratum: str, number: int, seed: int) -> CorpusQuestion:
        """Return the question of that number in a stratum."""
        name = f"{self.name}/{stratum}/{number}"
        random = Random(f"{seed}/{name}")
        axes = self.strata[stratum]
        quantity, given = ("delta", "epsilon") if "epsilon" in axes else ("epsilon", "delta")
        values = {key: axis(random) if callable(axis) else axis for key, axis in {given: DELTA, **axes}.items()}
        at = str(values.pop(given))
        return CorpusQuestion(name, self.protocol, self.adjacency, tuple(values.items()), quantity, at)


_ONE_STEP: Mapping[str, Axis] = {"steps": "1"}
_NOISE: Mapping[str, Axis] = {"sigma": real(0.5, 50.0), "steps": whole(1, 10**4)}
_NOISE_CORNERS: Mapping[str, Mapping[str, Axis]] = {
    "small-noise": {"sigma": real(0.03, 0.5), "steps": whole(1, 100)},
    "large-noise": {"sigma": real(1e3, 1e6)},
    "one-step": _ONE_STEP,
    "million-steps": {"sigma": real(100.0, 1e4), "steps": MILLION},
}
_SAMPLED: Mapping[str, Axis] = {"sigma": real(0.6, 10.0), "rate": real(1e-3, 0.3), "steps": whole(1, 10**4)}
_SAMPLED_CORNERS: Mapping[str, Mapping[str, Axis]] = {
    "small-noise": {"sigma": real(0.2, 0.6), "steps": whole(1, 100)},
    "large-noise": {"sigma": real(10.0, 1e3)},
    "rate-near-0": {"rate": real(1e-8, 1e-4)},
    "rate-near-1": {"rate": near_one(6), "steps": whole(1, 100)},
    "one-step": _ONE_STEP,
    "million-steps": {"sigma": real(1.0, 20.0), "rate": real(1e-5, 1e-3), "steps": MILLION},
}


_SLOTS: Mapping[str, Axis] = {"steps": whole(2, 10**4), "sigma": real(0.5, 10.0), "epochs": "1"}
# Below this delta sums of epochs take half a minute.
_SLOT_CORNERS: Mapping[str, Mapping[str, Axis]] = {
    "tiny-delta": {"delta": real(1e-20, 1e-12)},
    "small-noise": {"sigma": real(0.2, 0.5)},
    "large-noise": {"sigma": real(10.0, 1e3)},
    "one-step": _ONE_STEP,
    "million-steps": {"steps": MILLION},
    "several-epochs": {"steps": whole(10, 1000), "sigma": real(1.0, 5.0), "epochs": whole(2, 10)},
}

_REUSED: Mapping[str, Axis] = {**_SAMPLED, "steps": whole(1, 100), "releases": whole(2, 100)}
_POISSON: Mapping[str, Axis] = {**_SAMPLED, "sampling": "poisson"}


def _families() -> Iterator[Family]:
    """Yield all protocols for all their adjacencies."""
    yield Family("gaussian/any", _NOISE, _NOISE_CORNERS, "any")
    laplace: Mapping[str, Axis] = {"scale": real(0.5, 50.0), "steps": whole(1, 10**4)}
    laplace_corners: Mapping[str, Mapping[str, Axis]] = {
        "small-noise": {"scale": real(0.05, 0.5), "steps": whole(1, 100)},
        "large-noise": {"scale": real(1e3, 1e6)},
        "one-step": _ONE_STEP,
        "million-steps": {"scale": real(100.0, 1e4), "steps": MILLION},
    }
    yield Family("laplace/any", laplace, laplace_corners, "any")
    responses: Mapping[str, Axis] = {"eps0": real(1e-2, 2.0), "steps": whole(1, 10**4)}
    response_corners: Mapping[str, Mapping[str, Axis]] = {
        "small-noise": {"eps0": real(2.0, 15.0), "steps": whole(1, 100)},
        "large-noise": {"eps0": real(1e-6, 1e-3)},
        "one-step": _ONE_STEP,
        "million-steps": {"eps0": real(1e-4, 1e-2), "steps": MILLION},
    }
    yield Family("randomized-response/replace", responses, response_corners, "replace")
    noises: Mapping[str, Axis] = {"sigma": several(real(0.5, 50.0)), "steps": several(whole(1, 10**4))}
    noise_corners: Mapping[str, Mapping[str, Axis]] = {
        "small-noise": {"sigma": several(real(0.05, 1.0)), "steps": several(whole(1, 10))},
        "large-noise": {"sigma": several(real(1e3, 1e6))},
        "million-steps": {"sigma": several(real(100.0, 1e4)), "steps": (MILLION,) * LENGTH},
    }
    yield Family("composition/any", noises, noise_corners, "any")
    for adjacency in ("add-remove", "remove", "add", "replace"):
        yield Family(f"subsampled-gaussian/{adjacency}", _POISSON, _SAMPLED_CORNERS, adjacency)
    fixed_size: Mapping[str, Axis] = {**_SAMPLED, "sampling": "fixed-size"}
    yield Family("subsampled-gaussian/fixed-size", fixed_size, _SAMPLED_CORNERS, "replace")
    yield Family("reused-sample/add-remove", _REUSED, _SAMPLED_CORNERS, "add-remove")
    for adjacency in ("add-remove", "remove", "add", "replace"):
        yield Family(f"random-allocation/{adjacency}", _SLOTS, _SLOT_CORNERS, adjacency)
    clients: Mapping[str, Axis] = {"clients": whole(10, 10**7), "eps0": real(0.1, 5.0), "rounds": "1"}
    client_corners: Mapping[str, Mapping[str, Axis]] = {
        "small-noise": {"eps0": real(5.0, 12.0)},
        "large-noise": {"eps0": real(1e-4, 0.1)},
        "few-clients": {"clients": whole(2, 10)},
        "many-clients": {"clients": whole(10**9, 10**12)},
        "several-rounds": {"clients": whole(10**3, 10**5), "eps0": real(0.1, 2.0), "rounds": whole(2, 100)},
    }
    yield Family("shuffle/replace", clients, client_corners, "replace")


FAMILIES: tuple[Family, ...] = tuple(_families())


def protocol_names() -> list[str]:
    """Return the names of the protocols that a corpus may have."""
    return list(dict.fromkeys(family.protocol for family in FAMILIES))


def questions(count: int, seed: int, protocols: Iterable[str] | None = None) -> list[CorpusQuestion]:
    """Return so many questions of some protocols, all unless given, from all of their strata in turn.

    Raises
    ------
    UnknownNameError
        For a protocol that no corpus has.

    """
    names = protocol_names() if protocols is None else list(protocols)
    for name in names:
        if name not in protocol_names():
            raise UnknownNameError("protocol of a corpus", name, protocol_names())
    # The first strata of all families come before the second ones, so that a small corpus has all protocols.
    places = [
        (place, number, family, stratum)
        for number, family in enumerate(FAMILIES)
        if family.protocol in names
        for place, stratum in enumerate(family.strata)
    ]
    strata = [(family, stratum) for _, _, family, stratum in sorted(places, key=lambda one: one[:2])]
    return [
        strata[i % len(strata)][0].question(strata[i % len(strata)][1], i // len(strata), seed) for i in range(count)
    ]

"""A point: one protocol at one delta (or epsilon), and the mechanisms it consists of, as peers are asked about them."""

from __future__ import annotations

from dataclasses import dataclass
from math import log1p
from typing import Any

from ..errors import ParameterError
from ..interval import Interval
from ..parameters import PARAMETERS
from ..protocols import PROTOCOLS

# Kinds of mechanisms: their numbers, in the order in which a composition lists them, and the adjacency they are for.
KINDS = {
    "rr": (("eps0", "delta0"), "replace"),
    "gaussian": (("sigma",), "any"),
    "laplace": (("scale",), "any"),
    "discrete-gaussian": (("sigma",), "any"),
    "discrete-laplace": (("scale",), "any"),
    "subsampled-gaussian": (("sigma", "rate"), "add-remove"),
    "fixed-size-gaussian": (("sigma", "rate"), "replace"),
    "subsampled-rr": (("eps0", "rate", "delta0"), "add-remove"),
}
# Of a composition whose mechanisms are for different adjacencies; nobody states one.
MIXED = "mixed"
# Steps with a budget each that are put to a peer one by one.
MOST_PARTS = 10**4


@dataclass(frozen=True)
class Part:
    """One mechanism, ``count`` times; ``numbers`` are its parameters by name."""

    kind: str
    numbers: tuple[tuple[str, Any], ...]
    count: int = 1


@dataclass(frozen=True)
class Point:
    """``quantity`` (``"epsilon"`` or ``"delta"``) of a protocol, given that the other one is ``at``."""

    protocol: str
    params: tuple[tuple[str, Any], ...]
    quantity: str
    at: float

    @property
    def instance(self) -> Any:
        """The protocol."""
        return PROTOCOLS[self.protocol](**dict(self.params))

    @property
    def given(self) -> str:
        """Which of both is given."""
        return "delta" if self.quantity == "epsilon" else "epsilon"

    @property
    def adjacency(self) -> str:
        """Which data sets the answer is about: those of its mechanisms, where some are for one kind only."""
        if self.protocol == "composition":
            found = {KINDS[part.kind][1] for part in self.parts} - {"any"}
            return MIXED if len(found) > 1 else next(iter(found), "any")
        stated = str(self.instance.reduced.adjacency)
        return "add-remove" if stated == "both" else stated  # the worse of adding and removing

    def interval(self, width: float | None = None) -> Interval:
        """What is certified."""
        instance = self.instance
        return getattr(instance, self.quantity)(self.at, instance.usual_width if width is None else width)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The mechanisms; a protocol that is no composition is a single part of its own name."""
        return _parts(self.protocol, dict(self.params))

    def __str__(self) -> str:
        params = "".join(f" {name}={value}" for name, value in self.params if value is not None)
        return f"{self.protocol}{params} {self.given}={self.at!r}"


def point(protocol: Any, delta: float | None = None, epsilon: float | None = None) -> Point:
    """The point of a protocol at a delta or at an epsilon; raises ParameterError unless one of them is given."""
    if (delta is None) == (epsilon is None):
        raise ParameterError("delta", "given, or epsilon instead of it", f"{'neither' if delta is None else 'both'}")
    given, quantity = ("delta", "epsilon") if epsilon is None else ("epsilon", "delta")
    if PROTOCOLS.get(getattr(protocol, "name", "")) is not type(protocol) or not hasattr(protocol, quantity):
        raise ParameterError("protocol", f"a protocol of pldcheck that has {quantity}", protocol)
    at = PARAMETERS[given].parse(delta if epsilon is None else epsilon)
    return Point(protocol.name, tuple(protocol.params().items()), quantity, float(at))


def _parts(protocol: str, params: dict[str, Any]) -> tuple[Part, ...]:
    if protocol == "composition":
        return tuple(_listed(text, params["steps"]) for text in params["mechanism"])
    steps = params.get("steps", 1)
    if protocol in ("gaussian", "laplace"):
        return (_part(protocol, params, steps),)
    if protocol == "subsampled-gaussian":
        kind = "subsampled-gaussian" if params["sampling"] == "poisson" else "fixed-size-gaussian"
        return (_part(kind, params, steps),)
    if protocol == "subsampled-randomized-response":
        return (_part("subsampled-rr", params, steps),)
    if protocol == "randomized-response":
        first, last = params["eps0"], params["eps0_last"]
        if last in (None, first) or steps == 1:
            return (_part("rr", params, steps),)
        return _each(protocol, params, [first + (last - first) * i / (steps - 1) for i in _few(steps)])
    if protocol == "decaying-budgets":
        budgets = [log1p(params["first"] / (steps - params["decay"] * i)) for i in _few(steps)]
        return _each(protocol, {**params, "delta0": 0.0}, budgets)
    return (Part(protocol, tuple(params.items())),)


def _part(kind: str, params: dict[str, Any], count: int) -> Part:
    return Part(kind, tuple((name, params[name]) for name in KINDS[kind][0]), count)


def _few(steps: int) -> range:
    return range(steps if steps <= MOST_PARTS else 0)


def _each(protocol: str, params: dict[str, Any], budgets: list[float]) -> tuple[Part, ...]:
    """One part a step, unless there are too many."""
    parts = tuple(_part("rr", {**params, "eps0": budget}, 1) for budget in budgets)
    return parts or (Part(protocol, tuple(params.items())),)


def _listed(text: str, steps: int) -> Part:
    """``NAME:NUMBER[:NUMBER][*COUNT]`` of a composition, whose syntax the protocol has checked."""
    kind, _, rest = text.partition(":")
    numbers, star, count = rest.partition("*")
    values = [float(part) for part in numbers.split(":") if part]
    names = KINDS[kind][0]
    given = dict.fromkeys(names, 0.0) | dict(zip(names, values, strict=False))
    return Part(kind, tuple(given.items()), steps * int(PARAMETERS["steps"].parse(count) if star else 1))

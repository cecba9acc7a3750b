"""Where theorems are tried: grids of points, and how a point's numbers become a theorem's parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from types import MappingProxyType

from .errors import PldcheckError, UnknownNameError
from .theorems import REGISTRY, Theorem

# Names under which theorems know a point's numbers.
_STEPS, _WEIGHT = ("steps", "window"), ("weight", "check_in_prob")


@dataclass(frozen=True)
class Point:
    """The numbers one certified answer depends on: a hidden slot and a delta."""

    steps: int
    eps0: float
    weight: float
    delta: float

    @staticmethod
    def has(params: Mapping[str, float]) -> bool:
        """Whether parameters are those of such a point."""
        return {"eps0", "delta"} <= set(params) <= {"eps0", "delta", *_STEPS, *_WEIGHT}

    @classmethod
    def of(cls, params: Mapping[str, float]) -> Point:
        """The inverse of :meth:`params`."""
        steps = next(params[name] for name in _STEPS if name in params)
        weight = next((params[name] for name in _WEIGHT if name in params), 1.0)
        return cls(int(steps), params["eps0"], weight, params["delta"])

    def params(self, theorem: Theorem) -> dict[str, float] | None:
        """The theorem's parameters at this point; None if it is stated for weight 1 only and this is not."""
        values: dict[str, float] = {"eps0": self.eps0, "delta": self.delta}
        values |= dict.fromkeys(_STEPS, self.steps) | dict.fromkeys(_WEIGHT, self.weight)
        unknown = [name for name in theorem.parameters if name not in values]
        if unknown:
            raise PldcheckError(f"{theorem.id} cannot be tried on a grid: no values for {', '.join(unknown)}")
        if self.weight != 1 and not any(name in theorem.parameters for name in _WEIGHT):
            return None
        return {name: values[name] for name in theorem.parameters}


def grid(
    *, steps: Iterable[int], eps0: Iterable[float], weight: Iterable[float], delta: Iterable[float]
) -> tuple[Point, ...]:
    """All combinations, the last name varying fastest."""
    return tuple(Point(*numbers) for numbers in product(steps, eps0, weight, delta))


@dataclass(frozen=True)
class Suite:
    """A named collection of hidden-slot points; ``sample`` is the small part of it that ``quick`` asks for."""

    name: str
    summary: str
    points: tuple[Point, ...] = field(repr=False)
    sample: tuple[Point, ...] = field(repr=False)

    @property
    def theorems(self) -> tuple[Theorem, ...]:
        """Those that bound the epsilon of a hidden slot, in the order of the registry."""
        of_slots = ("hidden-slot", "check-in", "sliding-window")
        return tuple(
            theorem
            for theorem in REGISTRY.values()
            if theorem.protocol in of_slots and Point.has(dict.fromkeys(theorem.parameters, 0.0))
        )

    def asked(self, theorem: Theorem, quick: bool) -> list[dict[str, float]]:
        """The parameters at which a theorem is tried."""
        points = self.sample if quick else self.points
        return [params for point in points if (params := point.params(theorem)) is not None]


@dataclass(frozen=True)
class Grids:
    """A named collection of grids, each theorem its own: ``axes[id]`` maps parameters to the values they take.

    ``quick`` asks for the first and the last value of each parameter.
    """

    name: str
    summary: str
    axes: Mapping[str, Mapping[str, tuple[float, ...]]] = field(repr=False, hash=False)

    @property
    def theorems(self) -> tuple[Theorem, ...]:
        """Those that have a grid, in its order."""
        return tuple(REGISTRY[name] for name in self.axes)

    def asked(self, theorem: Theorem, quick: bool) -> list[dict[str, float]]:
        """The parameters at which a theorem is tried: all combinations."""
        if theorem.id not in self.axes:
            raise PldcheckError(f"{theorem.id} has no grid in suite {self.name}; it has {', '.join(self.axes)}")
        axes = self.axes[theorem.id]
        chosen = {name: _ends(values) if quick else values for name, values in axes.items()}
        return [dict(zip(chosen, numbers, strict=True)) for numbers in product(*chosen.values())]


def _ends(values: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(dict.fromkeys((values[0], values[-1])))


PAPER = Suite(
    name="paper",
    summary="m from 10 to 1e9, eps0 from 0.1 to 6, delta from 1e-4 to 1e-12, w from 0.01 to 1",
    points=grid(
        steps=(10, 100, 1000, 10**4, 10**6, 10**9),
        eps0=(0.1, 0.5, 1.0, 2.0, 4.0, 6.0),
        weight=(0.01, 0.1, 1.0),
        delta=(1e-4, 1e-6, 1e-8, 1e-12),
    ),
    # One delta, so that both figures are complete; eps0 = 4 is outside the conditions of the simple forms.
    sample=grid(steps=(10, 1000, 10**6, 10**9), eps0=(0.5, 1.0, 4.0), weight=(0.1, 1.0), delta=(1e-6,)),
)

_STEPS_AND_DELTA: dict[str, tuple[float, ...]] = {"steps": (1, 10, 1000, 10**5), "delta": (1e-3, 1e-6, 1e-12)}
_BUDGETS: dict[str, tuple[float, ...]] = {
    "steps": (1, 10, 1000),
    "eps0": (0.01, 0.1, 1.0),
    "eps0_last": (0.01, 0.5, 2.0),
}

COMPOSITION = Grids(
    name="composition",
    summary="composition and subsampling theorems, each on a grid of its own",
    axes=MappingProxyType(
        {
            "basic-1": {**_BUDGETS, "delta": (1e-3, 1e-6, 1e-9)},
            "gauss-8": {"sigma": (0.3, 1.0, 5.0, 20.0), "epsilon": (0.01, 0.1, 1.0)},
            "gauss-10": {"sigma": (1.0, 10.0, 100.0), "steps": (100, 10**4, 10**6), "epsilon": (0.1, 1.0, 3.0)},
            "pld-7": {"steps": (1, 10, 1000, 10**5), "eps0": (0.01, 0.1, 1.0), "epsilon": (0.05, 0.5, 5.0)},
            "pld-9": {"steps": (2, 5, 12), "eps0": (0.05, 0.5, 1.0), "eps0_last": (0.1, 0.7), "epsilon": (0.1, 1.0)},
            "zcdp-13": {"sigma": (0.5, 2.0, 50.0), "steps": (1, 100, 10**6), "order": (1.5, 2.0, 32.0)},
            "zcdp-14": {"sigma": (0.5, 2.0, 50.0), "steps": (1, 100, 10**4), "delta": (1e-3, 1e-6, 1e-12)},
            "zcdp-14-tight": {"sigma": (0.5, 2.0, 5.0), "steps": (1, 100, 10**4), "epsilon": (0.5, 2.0, 5.0)},
            "zcdp-16": {"steps": (1, 100, 10**6), "eps0": (0.01, 0.1, 1.0, 4.0), "order": (1.5, 2.0, 32.0)},
            "adv-18": {**_BUDGETS, "delta": (1e-3, 1e-6, 1e-9)},
            "adv-22": {**_STEPS_AND_DELTA, "eps0": (0.01, 0.1, 1.0), "delta0": (1e-9, 1e-7)},
            "rr-24": {"scale": (1.0, 10.0, 100.0), "steps": (1, 10, 1000), "delta": (1e-3, 1e-5, 1e-7)},
            "kov": {
                "steps": (1, 10, 1000, 10**4),
                "eps0": (0.01, 0.1, 1.0),
                "delta0": (0.0, 1e-6),
                "epsilon": (0.05, 0.5, 5.0),
            },
            "sub-29": {"eps0": (0.1, 1.0, 5.0), "delta0": (1e-9, 1e-3), "rate": (1e-3, 0.1, 0.9)},
            "rdp-34": {"sigma": (1.0, 2.0, 4.0), "rate": (1e-3, 0.01, 0.3), "order": (2, 5, 8)},
            "rdp-35": {
                "heads_p": (0.01, 0.3, 0.8),
                "heads_q": (0.05, 0.5, 0.99),
                "rate": (0.01, 0.5, 0.9),
                "order": (1.5, 2.0, 10.0),
            },
            "rdp-38": {"sigma": (0.5, 1.0, 4.0, 20.0), "rate": (1e-6, 1e-3, 0.1), "order": (1.5, 2.0, 4.0)},
            "neg-25": {
                "epsilon": (0.01, 0.1, 1.0),
                "clients": (100, 10**4, 10**6),
                "dimension": (100, 10**5, 10**8, 10**12),
            },
            "lem-A.2": {
                "steps": (1, 10, 1000, 10**4),
                "delta": (1e-3, 1e-6, 1e-12),
                "first": (0.1, 1.0, 5.0),
                "decay": (0.1, 0.6, 0.98),
            },
            "cor-3.3": {
                "steps": (10, 100, 1000),
                "clients": (1000, 10**4, 10**5),
                "eps0": (0.2, 0.5, 1.0),
                "beta": (1e-8,),
                "delta": (1e-6,),
            },
        }
    ),
)

_SHUFFLED: dict[str, tuple[float, ...]] = {
    "clients": (10, 1000, 10**5, 10**8),
    "eps0": (0.1, 0.5, 1.0, 2.0, 4.0),
    "delta": (1e-4, 1e-6, 1e-9),
}
_RENYI: dict[str, tuple[float, ...]] = {"clients": (10**3, 10**4, 10**6), "eps0": (1.0, 2.0, 3.0), "order": (2, 4, 16)}

SHUFFLE = Grids(
    name="shuffle",
    summary="bounds on shuffling, swapping and averaged check-ins",
    axes=MappingProxyType(
        {
            "thm-5.1": _SHUFFLED,
            "efmrtt-7": {**_SHUFFLED, "clients": (1000, 10**5, 10**8)},  # with fewer it leaves the range of floats
            "fmt21-3.1": _SHUFFLED,
            "fmt22-closed": _SHUFFLED,
            "thm-A.7": {"clients": (10, 1000, 10**5), "eps0": (0.2, 1.0, 3.0), "delta": (1e-6, 1e-9)},
            "thm-A.5": {"clients": (1000, 10**5), "bin_norm": (320.0, 1000.0), "eps0": (0.2, 1.0), "delta": (1e-6,)},
            "thm-4.1": {
                "clients": (1000, 10**5, 10**7),
                "steps": (100, 1000),
                "eps0": (0.2, 0.5, 1.0),
                "delta2": (1e-7,),
                "delta": (1e-6, 1e-9),
            },
            "girgis-ub1": _RENYI,
            "girgis-ub2": _RENYI,
            "girgis-lb": _RENYI,
        }
    ),
)

_PURE_NEARBY: dict[str, tuple[float, ...]] = {
    "eps0": (0.05, 0.2, 0.5),
    "delta0": (1e-20, 1e-17),
    "delta1": (1e-13,),
    "delta": (1e-6, 1e-9),
}
_SLOTS: dict[str, tuple[float, ...]] = {"steps": (1000, 10**5, 10**7)}

APPROXIMATE = Grids(
    name="approximate",
    summary="check-ins with (eps0, delta0)-DP randomizers, eps0 up to 0.5 and delta0 up to 1e-8",
    axes=MappingProxyType(
        {
            "thm-3.2-approx": {**_SLOTS, **_PURE_NEARBY, "check_in_prob": (0.1, 1.0)},
            # Its delta has delta0 for delta1, which may then be as large as delta0's condition asks.
            "thm-3.2-approx-main": {
                **_SLOTS, **_PURE_NEARBY, "delta0": (1e-12, 1e-8), "delta1": (0.01,), "check_in_prob": (0.1, 1.0),
            },
            "thm-3.2-approx-improved": {
                **_SLOTS, "eps0": (0.2, 1.0, 4.0), "delta0": (1e-12, 1e-8, 1e-4), "delta": (1e-6, 1e-9),
                "check_in_prob": (0.1, 1.0),
            },
            "thm-4.3-approx": {**_PURE_NEARBY, "window": _SLOTS["steps"]},
            "thm-A.4-approx": {**_SLOTS, **_PURE_NEARBY, "weight": (0.1, 1.0)},
        }
    ),
)  # fmt: skip

# Every one of these cells is a counterexample; the smallest can be checked by hand.
REFUTED = Grids(
    name="refuted",
    summary="published upper bounds that are false, where they are",
    axes=MappingProxyType(
        {
            "krr-merged": {"clients": (2, 5, 30), "eps0": (1.0,), "categories": (3, 5, 10), "epsilon": (0.8,)},
            "vr-wang": {"clients": (2, 6, 30), "eps0": (2.0,), "tv": (0.1, 0.136, 0.3), "epsilon": (1.0,)},
            "chen-gdp": {"clients": (100,), "eps0": (4.0,), "epsilon": (2.8, 3.5)},
        }
    ),
)

_ALL = (PAPER, COMPOSITION, SHUFFLE, APPROXIMATE, REFUTED)
SUITES: Mapping[str, Suite | Grids] = MappingProxyType({suite.name: suite for suite in _ALL})


def find(name: str) -> Suite | Grids:
    """The suite of that name; raises UnknownNameError."""
    if name not in SUITES:
        raise UnknownNameError("suite", name, SUITES)
    return SUITES[name]

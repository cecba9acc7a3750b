"""Which way epsilon moves with each parameter of each protocol: data, with the reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Direction:
    """How epsilon moves with a parameter, why, where a search starts, and the least and largest value tried.

    Those may be the name of another parameter.
    """

    rises: bool
    why: str
    start: float
    least: float | str | None = None
    most: float | str | None = None


def _rises(why: str, start: float, least: float | None = None) -> Direction:
    return Direction(True, why, start, least)


def _falls(why: str, start: float, least: float | str | None = None, most: float | str | None = None) -> Direction:
    return Direction(False, why, start, least, most)


# Least values tried of reals whose range is open at 0.
TINY = 1e-9
_STRUCK = "in one slot more it is as if a random other slot were struck out and known; that is the average of as many"
_BUDGET = "an eps0-DP randomizer is one of any larger budget"
_MIXED = "at a smaller one both laws are those of a larger one mixed with what has no record in it"
_MORE = "what more of it releases includes what less of it does"
_NOISE = "more noise is less and some added to the output"
_EITHER = "so it is with any randomizer of a budget, and a known one of a smaller budget is a post-processing"
_EVEN = "every budget rises with it, and randomized response of a smaller one is a post-processing"
_RIVAL = "one client more may be used in place of the record, and where it checks in is not told"
_ADDED = "one client more is another known message, and where it went is not told"

DIRECTIONS: Mapping[tuple[str, str], Direction] = MappingProxyType(
    {
        ("hidden-slot", "steps"): _falls(_STRUCK, 1000),
        ("hidden-slot", "eps0"): _rises(_BUDGET, 1.0),
        ("hidden-slot", "weight"): _rises(_MIXED, 0.1),
        ("hidden-slot", "epochs"): _rises(_MORE, 1),
        ("check-in", "steps"): _falls(_STRUCK, 1000),
        ("check-in", "eps0"): _rises(_BUDGET, 1.0),
        ("check-in", "check_in_prob"): _rises(_MIXED, 0.1),
        ("check-in", "clients"): _falls(_RIVAL, 100, most=1e9),
        ("check-in", "epochs"): _rises(_MORE, 1),
        ("sliding-window", "window"): _falls(_STRUCK, 1000, most="clients"),
        ("sliding-window", "eps0"): _rises(_BUDGET, 1.0),
        ("shuffle", "clients"): _falls(_ADDED, 1000, most=1e12),
        ("shuffle", "eps0"): _rises(_EITHER, 1.0),
        ("shuffle", "rounds"): _rises(_MORE, 1),
        ("swap", "eps0"): _rises(_BUDGET, 1.0),
        ("averaged", "clients"): _falls(_ADDED, 1000, most=1e12),
        ("averaged", "eps0"): _rises(_BUDGET, 1.0),
        ("composition", "steps"): _rises(_MORE, 1),
        ("randomized-response", "steps"): _rises(_MORE, 100),
        ("randomized-response", "eps0"): _rises(_EVEN, 0.1),
        ("randomized-response", "eps0_last"): _rises(_EVEN, 0.1),
        ("gaussian", "sigma"): _falls(_NOISE, 1.0),
        ("gaussian", "steps"): _rises(_MORE, 1),
        ("laplace", "scale"): _falls(_NOISE, 1.0, least=1e-3),
        ("laplace", "steps"): _rises(_MORE, 1),
        ("subsampled-gaussian", "sigma"): _falls(_NOISE, 1.0, least=0.025),
        ("subsampled-gaussian", "rate"): _rises(_MIXED, 0.01),
        ("subsampled-gaussian", "steps"): _rises(_MORE, 100),
        ("subsampled-randomized-response", "eps0"): _rises(_EVEN, 0.1),
        ("subsampled-randomized-response", "rate"): _rises(_MIXED, 0.01),
        ("subsampled-randomized-response", "steps"): _rises(_MORE, 100),
        ("mixed-pair", "rate"): _rises(_MIXED, 0.1),
        ("decaying-budgets", "first"): _rises(_EVEN, 1.0),
        ("decaying-budgets", "decay"): _rises(_EVEN, 0.5),
        ("random-allocation", "steps"): _falls(_STRUCK, 1000, least="selected"),
        ("random-allocation", "sigma"): _falls(_NOISE, 1.0, least=0.1),
        ("random-allocation", "epochs"): _rises(_MORE, 1),
        ("random-allocation", "check_in_prob"): _rises(_MIXED, 0.1),
    }
)


def solvable(protocol: str) -> tuple[str, ...]:
    """The parameters of a protocol that can be solved for."""
    return tuple(parameter for name, parameter in DIRECTIONS if name == protocol)

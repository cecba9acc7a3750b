"""(g) Cost curves: our time as one size grows, and the exponent that fits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import log
from typing import Any

from . import limits, tasks_a, tasks_b, tasks_c, tasks_d
from .case import Case, Row

GROUP = "cost curves"
POWERS = tuple(10.0**power for power in range(2, 10))
DELTAS = tuple(10.0**-power for power in (3, 6, 12, 24, 48, 96))
LESS = tuple(10.0**-power for power in (3, 6, 9, 12, 18, 24))
WIDTHS = (2e-2, 1e-2, 5e-3, 2e-3, 1e-3, 5e-4)
FINER = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
MODULES = {"a": tasks_a, "b": tasks_b, "c": tasks_c, "d": tasks_d}


def cases(quick: bool) -> list[Case]:
    """Return points of every curve; those of one share a process."""
    points = list(_points())
    return [case for case in points if case.curve == "hidden slot: steps"][::3] if quick else points


def _points():
    slot = {"of": "a", "steps": 10**6, "eps0": 1.0, "weight": 1.0, "delta": 1e-6}
    spread = {"of": "b", "sigma": 1.0, "steps": 1000, "delta": 1e-6}
    pair = {"of": "c", "pair": tasks_c.STRONGER, "n": 10**6, "eps0": 1.0, "delta": 1e-6}
    for x in POWERS:
        yield _point("hidden slot: steps", x, slot, steps=int(x))
        yield _point("random allocation: steps", x, spread, steps=int(x))
        yield _point("clones: clients", x * 1e3, pair, n=int(x * 1e3))
        if x >= 1e3:
            sigma = 0.5 * x**0.5
            yield _point("Gaussian: k", x, {"of": "d"}, name="gaussian", params={"sigma": sigma, "steps": int(x)})
            yield _point("Laplace: k", x, {"of": "d"}, name="laplace", params={"scale": sigma, "steps": int(x)})
            noise = {"sigma": max(1.0, (x / 1e4) ** 0.5), "rate": 0.01, "steps": int(x)}
            yield _point("subsampled Gaussian: k", x, {"of": "d"}, name="subsampled-gaussian", params=noise)
        if x <= 1e6:
            yield _point("responses: how many", x, {"of": "d"}, count=int(x), given="array")
    for x in DELTAS:
        yield _point("hidden slot: 1/delta", 1.0 / x, slot, delta=x)
        yield _point("clones: 1/delta", 1.0 / x, pair, delta=x)
    for x in LESS:
        yield _point("random allocation: 1/delta", 1.0 / x, spread, delta=x)
        composition = {"of": "d", "name": "subsampled-gaussian", "params": {"sigma": 1.0, "rate": 0.01, "steps": 1000}}
        yield _point("subsampled Gaussian: 1/delta", 1.0 / x, composition, delta=x)
    for x in WIDTHS:
        yield _point("hidden slot: 1/width", 1.0 / x, slot, width=x)
    for x in FINER:
        yield _point("random allocation: 1/width", 1.0 / x, spread, width=x)


def _point(curve: str, x: float, base: Mapping[str, Any], **changes: Any) -> Case:
    return Case("g", GROUP, f"{curve} {x:.3g}", {**base, **changes}, curve=curve, x=x, rounds=3)


def ours(params: Mapping[str, Any]) -> tuple[Callable[[], Any], Callable[[Any], limits.Limit | None]]:
    """Return what the task runs that the curve is about; limits belong to that."""
    run, _ = MODULES[params["of"]].ours({name: value for name, value in params.items() if name != "of"})
    return run, lambda answer: None


def fits(rows: list[Row]) -> list[dict[str, Any]]:
    """Return exponents by curve, of all points and of the upper half: time ~ x^exponent, least squares in logs."""
    results = []
    for curve in dict.fromkeys(row.curve for row in rows if row.curve):
        points = sorted((row.x, row.seconds) for row in rows if row.curve == curve and row.x and row.seconds)
        if len(points) < 2:
            continue
        upper = points[len(points) // 2 :] if len(points) > 3 else points
        results.append({"curve": curve, "exponent": slope(points), "upper_half": slope(upper), "points": points})
    return results


def slope(points: list[tuple[float, float]]) -> float:
    """Return the slope of the straight line through (log x, log y)."""
    logs = [(log(x), log(y)) for x, y in points]
    mean_x, mean_y = (sum(column) / len(logs) for column in zip(*logs, strict=True))
    covariance = sum((x - mean_x) * (y - mean_y) for x, y in logs)
    return covariance / sum((x - mean_x) ** 2 for x, _ in logs)

"""The limit: what the mathematics of an answer cannot do without, as bare loops that are timed beside it.

Each is the least amount of work of the method at hand, with everything else already known: one recursion of a block,
one inversion an end, one sweep an end, one contour.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

# Points that a bare loop of sines or exponentials visits at most; its seconds are scaled to the number needed.
SAMPLE = 10**6


@dataclass(frozen=True)
class Limit:
    """``count`` times ``of``, over ``size`` bytes read and written; ``bare`` does ``share`` of it."""

    of: str
    count: float
    size: float
    bare: Callable[[], object]
    share: float = 1.0


@contextmanager
def watch(module: Any, name: str, see: Callable[..., object]) -> Iterator[None]:
    """Call ``see(result, *arguments)`` after each call of a function of a module, meanwhile."""
    original = getattr(module, name)

    def watching(*arguments: Any, **more: Any) -> Any:
        result = original(*arguments, **more)
        see(result, *arguments)
        return result

    setattr(module, name, watching)
    try:
        yield
    finally:
        setattr(module, name, original)


def node_steps(kernel: Callable[..., object], arguments: tuple[Any, ...]) -> Limit:
    """Return the limit of one recursion over its windows: 7 reads, 14 products and a write each
    (kernels.slot_recursion.potential).
    """
    lows, highs = arguments[5], arguments[6]
    count = float((highs - lows + 1).sum())
    return Limit("node-steps", count, 64.0 * count, lambda: kernel(*arguments))


def sines(count: float) -> Limit:
    """Return the limit of so many sines with their cosines."""
    import numpy as np

    angles = np.linspace(0.0, 9.0, int(min(max(count, 1.0), SAMPLE)))
    share = angles.size / max(count, 1.0)
    return Limit("sines and cosines", count, 24.0 * count, lambda: (np.sin(angles), np.cos(angles)), share)


def exponentials(count: float) -> Limit:
    """Return the limit of so many complex exponentials."""
    import numpy as np

    phases = 1j * np.linspace(0.0, 9.0, int(min(max(count, 1.0), SAMPLE)))
    share = phases.size / max(count, 1.0)
    return Limit("complex exponentials", count, 32.0 * count, lambda: np.exp(phases), share)


def repeat_kernel(
    of: str, kernel: Callable[..., object], calls: list[tuple[Any, ...]], count: float, size: float
) -> Limit:
    """Return the limit of the same calls of a kernel once more; ``size``: bytes a unit of work."""
    return Limit(of, count, size * count, lambda: [kernel(*arguments) for arguments in calls])

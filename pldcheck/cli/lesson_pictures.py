"""Pictures of four pages of the method: certified answers over a parameter, drawn when the site is built."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from ..protocols import AnswerTable, Gaussian, HiddenSlot, RandomAllocation, Shuffle, sweep

DELTA = 1e-6
# By the page's slug: what is asked, and what the picture of the answers shows.
PICTURES: Mapping[str, tuple[Callable[[], AnswerTable], str]] = MappingProxyType(
    {
        "privacy-losses": (
            lambda: Gaussian(sigma=4.0, steps=10).profile([0.25 * k for k in range(17)]),
            "δ against ε: ten Gaussian mechanisms with σ = 4, composed.",
        ),
        "hidden-slot": (
            lambda: sweep(lambda m: HiddenSlot(m, 1.0).epsilon(DELTA), steps=[10, 100, 1000, 10_000, 100_000]),
            "ε of a record in one of m slots against every randomizer of budget 1, δ = 10⁻⁶.",
        ),
        "known-randomizers": (
            lambda: sweep(lambda m: RandomAllocation(m, 1.0).epsilon(DELTA), steps=[10, 100, 1000, 10_000]),
            "ε of one of m noisy sums, σ = 1, δ = 10⁻⁶.",
        ),
        "shuffling": (
            lambda: sweep(lambda n: Shuffle(n, 1.0).epsilon(DELTA), clients=[100, 1000, 10_000, 100_000]),
            "ε of shuffled messages of budget 1 against the number of clients, δ = 10⁻⁶.",
        ),
    }
)

"""Comparisons of published bounds with each other and with certified intervals: figures and tables of papers, as data.

Read ``comparison`` first (rows of plain values over a grid); every other file is one comparison, and
``comparison_figures`` draws them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from .allocation_crossing import CrossingRow, crossing
from .allocation_or_poisson import AllocationRow, allocation
from .check_in_probability import CheckInRow, population
from .comparison import Comparison
from .factor_eight import Approximate, approximate
from .figure_2 import ShuffleRow, figure_2
from .krr_gain import Response, krr
from .rounds_figure import RoundsRow, rounds
from .sampling_schemes import SamplingRow, samplings
from .table_1 import Exponent, table_1
from .table_1 import conclusion as table_1_conclusion

__all__ = [
    *("COMPARISONS", "CONCLUSIONS", "Comparison", "QUICK", "ROWS"),
    *("allocation", "approximate", "crossing", "figure_2", "krr", "population", "rounds", "samplings", "table_1"),
]

# Of each comparison the function that makes it, the type of its rows, and a smaller grid for a first look.
_ALL: Mapping[str, tuple[Callable[..., Comparison[Any]], type[Any], Mapping[str, Any]]] = {
    "figure-2": (figure_2, ShuffleRow, {"clients": (1_000,), "eps0": (0.2, 0.6, 1.0)}),
    "table-1": (table_1, Exponent, {"clients": (10**6, 10**7), "small": (0.1, 1.0), "large": (1.5, 2.0)}),
    "rounds": (rounds, RoundsRow, {"clients": (1_000_000,), "rounds": (1_000, 100_000)}),
    "krr": (krr, Response, {"clients": (1_000,), "eps0": (1.0,), "categories": (2, 3, 10)}),
    "approximate": (approximate, Approximate, {"steps": (1_000,), "eps0": (0.05, 0.2, 0.5)}),
    "population": (population, CheckInRow, {"steps": (1_000,), "ratios": (10,), "expected": (0.3, 1.0, 10.0)}),
    "allocation": (allocation, AllocationRow, {"sigma": (1.0, 4.0), "steps": (100,), "epochs": (1, 100)}),
    "samplings": (samplings, SamplingRow, {"sigma": (0.5, 1.0, 2.0, 4.0), "epochs": (1,)}),
    "crossing": (
        crossing,
        CrossingRow,
        {"steps": (10, 100), "sigma": (0.5, 1.0, 2.0), "epsilon": (0.05, 0.3, 1.0)},
    ),
}
COMPARISONS = MappingProxyType({name: compute for name, (compute, _, _) in _ALL.items()})
ROWS = MappingProxyType({name: row for name, (_, row, _) in _ALL.items()})
QUICK = MappingProxyType({name: grid for name, (_, _, grid) in _ALL.items()})
# By the name of a comparison, the function that says in a sentence what its numbers show.
CONCLUSIONS: Mapping[str, Callable[[Comparison[Any]], str]] = MappingProxyType({"table-1": table_1_conclusion})

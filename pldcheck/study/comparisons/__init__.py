"""Comparisons of published bounds with each other and with certified intervals: figures and tables of papers, as data.

Read ``comparison`` first (rows of plain values over a grid); every other file is one comparison, and
``comparison_figures`` draws them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from .allocation_crossing import CrossingRow as CrossingRow
from .allocation_crossing import crossing as crossing
from .allocation_or_poisson import AllocationRow as AllocationRow
from .allocation_or_poisson import allocation as allocation
from .check_in_probability import CheckInRow as CheckInRow
from .check_in_probability import population as population
from .comparison import Comparison as Comparison
from .factor_eight import Approximate as Approximate
from .factor_eight import approximate as approximate
from .figure_2 import ShuffleRow as ShuffleRow
from .figure_2 import figure_2 as figure_2
from .krr_gain import Response as Response
from .krr_gain import krr as krr
from .rounds_figure import RoundsRow as RoundsRow
from .rounds_figure import rounds as rounds
from .sampling_schemes import SamplingRow as SamplingRow
from .sampling_schemes import samplings as samplings
from .table_1 import Exponent as Exponent
from .table_1 import conclusion as table_1_conclusion
from .table_1 import table_1 as table_1

__all__ = [
    "AllocationRow",
    "Approximate",
    "COMPARISONS",
    "CheckInRow",
    "CONCLUSIONS",
    "Comparison",
    "CrossingRow",
    "Exponent",
    "QUICK",
    "ROWS",
    "Response",
    "RoundsRow",
    "SamplingRow",
    "ShuffleRow",
    "allocation",
    "approximate",
    "crossing",
    "figure_2",
    "krr",
    "population",
    "rounds",
    "samplings",
    "table_1",
]

# The comparisons by name.
COMPARISONS: Mapping[str, Callable[..., Comparison[Any]]] = MappingProxyType(
    {
        "figure-2": figure_2,
        "table-1": table_1,
        "rounds": rounds,
        "krr": krr,
        "approximate": approximate,
        "population": population,
        "allocation": allocation,
        "samplings": samplings,
        "crossing": crossing,
    }
)
# The type of the rows of each comparison, with which a stored one is read.
ROWS: Mapping[str, type[Any]] = MappingProxyType(
    {
        "figure-2": ShuffleRow,
        "table-1": Exponent,
        "rounds": RoundsRow,
        "krr": Response,
        "approximate": Approximate,
        "population": CheckInRow,
        "allocation": AllocationRow,
        "samplings": SamplingRow,
        "crossing": CrossingRow,
    }
)
# By the name of a comparison, the function that says in a sentence what its numbers show.
CONCLUSIONS: Mapping[str, Callable[[Comparison[Any]], str]] = MappingProxyType({"table-1": table_1_conclusion})
# Smaller grids of each comparison, for a first look.
QUICK: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "figure-2": {"clients": (1_000,), "eps0": (0.2, 0.6, 1.0)},
        "table-1": {"clients": (10**6, 10**7), "small": (0.1, 1.0), "large": (1.5, 2.0)},
        "rounds": {"clients": (1_000_000,), "rounds": (1_000, 100_000)},
        "krr": {"clients": (1_000,), "eps0": (1.0,), "categories": (2, 3, 10)},
        "approximate": {"steps": (1_000,), "eps0": (0.05, 0.2, 0.5)},
        "population": {"steps": (1_000,), "ratios": (10,), "expected": (0.3, 1.0, 10.0)},
        "allocation": {"sigma": (1.0, 4.0), "steps": (100,), "epochs": (1, 100)},
        "samplings": {"sigma": (0.5, 1.0, 2.0, 4.0), "epochs": (1,)},
        "crossing": {"steps": (10, 100), "sigma": (0.5, 1.0, 2.0), "epsilon": (0.05, 0.3, 1.0)},
    }
)

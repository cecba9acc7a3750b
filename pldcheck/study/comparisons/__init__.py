"""Published bounds next to each other and to what is certified: the figures and tables of the papers, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from .allocation_or_poisson import Allocated as Allocated
from .allocation_or_poisson import allocation as allocation
from .check_in_probability import Populated as Populated
from .check_in_probability import population as population
from .comparison import Comparison as Comparison
from .factor_eight import Approximate as Approximate
from .factor_eight import approximate as approximate
from .figure_2 import Amplified as Amplified
from .figure_2 import figure_2 as figure_2
from .krr_gain import Response as Response
from .krr_gain import krr as krr
from .rounds_figure import Composed as Composed
from .rounds_figure import rounds as rounds
from .table_1 import Exponent as Exponent
from .table_1 import table_1 as table_1

__all__ = [
    "Allocated",
    "Amplified",
    "Approximate",
    "COMPARISONS",
    "Comparison",
    "Composed",
    "Exponent",
    "Populated",
    "QUICK",
    "ROWS",
    "Response",
    "allocation",
    "approximate",
    "figure_2",
    "krr",
    "population",
    "rounds",
    "table_1",
]

COMPARISONS: Mapping[str, Callable[..., Comparison[Any]]] = MappingProxyType(
    {
        "figure-2": figure_2,
        "table-1": table_1,
        "rounds": rounds,
        "krr": krr,
        "approximate": approximate,
        "population": population,
        "allocation": allocation,
    }
)
# What a row of each is, to read a stored one.
ROWS: Mapping[str, type[Any]] = MappingProxyType(
    {
        "figure-2": Amplified,
        "table-1": Exponent,
        "rounds": Composed,
        "krr": Response,
        "approximate": Approximate,
        "population": Populated,
        "allocation": Allocated,
    }
)
# A few points of each, for a first look.
QUICK: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "figure-2": {"clients": (1_000,), "eps0": (0.2, 0.6, 1.0)},
        "table-1": {"clients": (10**6, 10**7), "small": (0.1, 1.0), "large": (1.5, 2.0)},
        "rounds": {"clients": (1_000_000,), "rounds": (1_000, 100_000)},
        "krr": {"clients": (1_000,), "eps0": (1.0,), "categories": (2, 3, 10)},
        "approximate": {"steps": (1_000,), "eps0": (0.05, 0.2, 0.5)},
        "population": {"steps": (1_000,), "ratios": (10,), "expected": (0.3, 1.0, 10.0)},
        "allocation": {"sigma": (1.0, 4.0), "steps": (100,), "epochs": (1, 100)},
    }
)

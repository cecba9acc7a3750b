"""Local randomizers, one file a kind: their text form, their parameters, and their exact probabilities.

Read :mod:`~pldcheck.randomizers.base` first (the facts that every class declares), then
:mod:`~pldcheck.randomizers.finite` (randomizers with a table of probabilities);
:mod:`~pldcheck.randomizers.randomizer_text` is the parser of "krr:10".  A new randomizer is a file in this folder and
an entry of ``KINDS``.
"""

from __future__ import annotations

from .base import Randomizer
from .discrete_gaussian import DiscreteGaussian
from .finite import Finite
from .gaussian import Gaussian
from .laplace import Laplace
from .narrow import Narrow
from .response import Krr, Response, Rr
from .table import Table
from .worst import Worst

# All classes with a text form, in the order in which help lists them.
KINDS: tuple[type[Randomizer], ...] = (
    Worst,
    Rr,
    Krr,
    Narrow,
    Table,
    Laplace,
    Gaussian,
    DiscreteGaussian,
)

__all__ = [
    "KINDS",
    "DiscreteGaussian",
    "Finite",
    "Gaussian",
    "Krr",
    "Laplace",
    "Narrow",
    "Randomizer",
    "Response",
    "Rr",
    "Table",
    "Worst",
]

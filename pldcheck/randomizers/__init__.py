"""Local randomizers, one file a kind: their text form, their parameters, and the exact numbers they stand for.

Read :mod:`~pldcheck.randomizers.base` first, what is asked of each; then :mod:`~pldcheck.randomizers.finite`, what one
with a table of probabilities has to say; :mod:`~pldcheck.randomizers.randomizer_text` is the parser of "krr:10".  A new
one is a file here and its class in ``KINDS``.
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

# All that can be named in a text, in the order in which help lists them.
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

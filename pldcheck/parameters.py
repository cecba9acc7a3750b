"""The parameters of protocols and theorems: one name, one domain, one line of help each.

Protocols, theorems and the command line read this table, so a parameter means and allows the same everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real

from .errors import ParameterError, UnknownNameError


@dataclass(frozen=True)
class Parameter:
    """A named number and the values it may take.

    ``low`` and ``high`` bound the value; ``low_open`` and ``high_open`` say whether the ends are excluded.
    """

    name: str
    help: str
    low: float
    high: float
    low_open: bool = False
    high_open: bool = False
    integer: bool = False

    @property
    def allowed(self) -> str:
        """The domain in words, as error messages and ``--help`` print it."""
        left, right = "(" if self.low_open else "[", ")" if self.high_open else "]"
        if self.integer:
            return f"an integer in {left}{self.low:g}, {self.high:g}{right}"
        return f"in {left}{self.low:g}, {self.high:g}{right}"

    def parse(self, value: object) -> int | float:
        """The value as an int or float; raises ParameterError for NaN, text that is no number, and anything outside.

        Whole numbers may be written ``1e9``.
        """
        number = self._number(value)
        inside_low = number > self.low if self.low_open else number >= self.low
        inside_high = number < self.high if self.high_open else number <= self.high
        if not (inside_low and inside_high):
            raise ParameterError(self.name, self.allowed, value)
        return number

    def _number(self, value: object) -> int | float:
        if type(value) is float and not self.integer and value == value:
            return value
        refused = ParameterError(self.name, self.allowed, value)
        if isinstance(value, bool) or not isinstance(value, str | Real):
            raise refused
        if isinstance(value, Integral) and self.integer:
            return int(value)
        try:
            number = float(value)
        except (ValueError, OverflowError):
            raise refused from None
        if math.isnan(number):
            raise refused
        if self.integer:
            if not number.is_integer():
                raise refused
            return int(number)
        return number


_TABLE = (
    Parameter("steps", "number of slots m of the training run", 1, 10**12, integer=True),
    Parameter("selected", "number of steps that a record takes part in", 1, 10**12, integer=True),
    Parameter("window", "number of slots m a client may check in to", 1, 10**12, integer=True),
    Parameter("clients", "number of clients n", 1, 10**15, integer=True),
    Parameter("rounds", "number of rounds, each shuffled anew", 1, 10**12, integer=True),
    Parameter("categories", "number of categories K of K-ary randomized response", 2, 10**6, integer=True),
    Parameter("eps0", "local budget: every slot is an eps0-DP randomizer", 0, 20, low_open=True),
    Parameter("eps0_last", "budget of the last step; those between are evenly spaced", 0, 20, low_open=True),
    Parameter("delta0", "delta of one step", 0, 1, high_open=True),
    Parameter("delta1", "distance granted between a step and a pure one", 0, 1, low_open=True, high_open=True),
    Parameter("delta2", "probability of unusually large bins in Theorem 4.1", 0, 1, low_open=True, high_open=True),
    Parameter("weight", "probability that the record is used, given its slot", 0, 1, low_open=True),
    Parameter("check_in_prob", "probability p0 that a client checks in at all", 0, 1, low_open=True),
    Parameter("rate", "sampling probability", 0, 1, low_open=True),
    Parameter("sigma", "noise multiplier: standard deviation over sensitivity", 0, 1e9, low_open=True),
    Parameter("scale", "Laplace scale over sensitivity", 0, 1e9, low_open=True),
    Parameter("epochs", "number of passes over the data", 1, 10**9, integer=True),
    Parameter("dimension", "number of coordinates d", 1, 10**12, integer=True),
    Parameter("heads_p", "probability of heads under P", 0, 1, low_open=True, high_open=True),
    Parameter("heads_q", "probability of heads under Q", 0, 1, low_open=True, high_open=True),
    Parameter("first", "a of Lemma A.2: the i-th of k steps is log(1 + a/(k - b(i-1)))-DP", 0, 1e6, low_open=True),
    Parameter("decay", "b of Lemma A.2", 0, 1, low_open=True, high_open=True),
    Parameter("bin_norm", "root of the sum of squares of the bin sizes", 1, 1e15),
    Parameter(
        "tv", "largest total variation distance of one answer on two inputs", 0, 1, low_open=True, high_open=True
    ),
    Parameter("beta", "delta of each repetition in Corollary 3.3", 0, 1, low_open=True, high_open=True),
    Parameter("order", "order alpha of the Rényi divergence", 1, 1e6, low_open=True),
    Parameter("delta", "the delta of (epsilon, delta)-DP", 0, 1, low_open=True, high_open=True),
    Parameter("epsilon", "the epsilon of (epsilon, delta)-DP", 0, math.inf, high_open=True),
    Parameter("width", "relative width asked of the answer", 0, 1, low_open=True, high_open=True),
)
PARAMETERS: Mapping[str, Parameter] = {parameter.name: parameter for parameter in _TABLE}


def parse(**values: object) -> dict[str, int | float]:
    """Every keyword checked against the table; raises ParameterError or UnknownNameError."""
    unknown = [name for name in values if name not in PARAMETERS]
    if unknown:
        raise UnknownNameError("parameter", unknown[0], PARAMETERS)
    return {name: PARAMETERS[name].parse(value) for name, value in values.items()}

"""The answer of ``tradeoff``: certified ends of the false negative rate at every false positive rate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, overload

from .. import pld
from ..core.directed import float_above, float_below
from ..core.errors import ParameterError
from ..core.interval import Interval
from .answer_tables import AnswerTable, plain_number, sweep
from .answers_at_each import is_sequence

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..pld.tradeoff_lines import Lines

# The names of the rates, as tables and pictures have them.
FALSE_POSITIVES = "false positive rate"
FALSE_NEGATIVES = "false negative rate"
TRUE_POSITIVES = "true positive rate"
# The rates of the rows of a table and the places of a picture, where none are given: 0 to 1 in steps of 1/64.
RATES = tuple(place / 64 for place in range(65))
# The rates whose rows a notebook shows.
SHOWN = (0.001, 0.01, 0.05, 0.1, 0.25, 0.5)


@dataclass(frozen=True)
class TradeOff:
    """The trade-off function of a protocol: the least false negative rate of a test at a false positive rate.

    The tests tell two neighbouring data sets apart by the output.  Over all neighbours it is the largest convex
    function that no test is below: the best f for which the protocol is f-DP.  Both ends hold at every rate, not only
    at those where deltas were computed (see :mod:`pldcheck.pld.tradeoff_lines` for the proof); they are narrower the
    more deltas there are.

    Attributes
    ----------
    below, above : Lines
        Lines of which the largest is below, and above, the function.

    Examples
    --------
    >>> from pldcheck import Gaussian
    >>> answer = Gaussian(sigma=1.0).tradeoff()
    >>> print(answer.tpr(0.05))
    true positive rate in [0.25..., 0.2...]

    """

    below: Lines = field(repr=False)
    above: Lines = field(repr=False)

    @overload
    def fnr(self, fpr: float) -> Interval: ...

    @overload
    def fnr(self, fpr: Iterable[float]) -> AnswerTable: ...

    def fnr(self, fpr: float | Iterable[float]) -> Interval | AnswerTable:
        """Return the least false negative rate at a false positive rate, or a table of it at several.

        Raises
        ------
        ParameterError
            If a rate is not from 0 to 1.

        """
        return self._answer(fpr, self._fnr)

    @overload
    def tpr(self, fpr: float) -> Interval: ...

    @overload
    def tpr(self, fpr: Iterable[float]) -> AnswerTable: ...

    def tpr(self, fpr: float | Iterable[float]) -> Interval | AnswerTable:
        """Return the largest true positive rate at a false positive rate, or a table of it at several.

        It is 1 minus :meth:`fnr`.

        Raises
        ------
        ParameterError
            If a rate is not from 0 to 1.

        """
        return self._answer(fpr, self._tpr)

    def plot(self, ax: Axes | None = None, label: str = "", rates: Iterable[float] = RATES) -> Axes:
        """Plot the false negative rate as a band over the false positive rate; see :meth:`AnswerTable.plot`."""
        return self.fnr(tuple(rates)).plot(ax, label)

    def to_pandas(self, rates: Iterable[float] = RATES) -> Any:
        """Return a pandas DataFrame with a column of the false positive rate, ``lower`` and ``upper`` of the other.

        Raises
        ------
        PldcheckError
            If pandas is not installed.

        """
        return self.fnr(tuple(rates)).to_pandas()

    def to_dict(self) -> dict[str, Any]:
        """Return the lines as plain numbers that JSON can store."""
        return {"below": self.below.to_dict(), "above": self.above.to_dict()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> TradeOff:
        """Return the answer that :meth:`to_dict` wrote, bit by bit."""
        lines = pld.tradeoff_lines.Lines
        return cls(lines.from_dict(values["below"]), lines.from_dict(values["above"]))

    def __str__(self) -> str:
        return str(self.fnr(SHOWN))

    def _repr_html_(self) -> str:
        return self.fnr(SHOWN)._repr_html_()

    def _answer(self, fpr: Any, at: Any) -> Any:
        if is_sequence(fpr):
            return sweep(at, **{FALSE_POSITIVES: fpr})
        return at(plain_number(FALSE_POSITIVES, fpr))

    def _fnr(self, fpr: float) -> Interval:
        lower, upper = self._heights(fpr)
        return Interval(float_below(lower), float_above(upper), FALSE_NEGATIVES)

    def _tpr(self, fpr: float) -> Interval:
        lower, upper = self._heights(fpr)
        return Interval(float_below(1 - upper), float_above(1 - lower), TRUE_POSITIVES)

    def _heights(self, fpr: float) -> tuple[Fraction, Fraction]:
        if not 0.0 <= fpr <= 1.0:
            raise ParameterError(FALSE_POSITIVES, "from 0 to 1", fpr)
        alpha = Fraction(fpr)
        lower, upper = self.below.height(alpha), self.above.height(alpha)
        if lower > upper:
            raise ArithmeticError(f"the ends of the {FALSE_NEGATIVES} at {fpr!r} are not in order")
        return lower, upper

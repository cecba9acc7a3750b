"""Answers over a parameter: one certified interval for each value, as a table and as a picture."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from math import isfinite
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from .. import drawing
from ..core.data_frames import pandas
from ..core.errors import ParameterError, PldcheckError
from ..core.interval import Interval
from ..core.parameters import number_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Width of a figure in inches.
WIDTH = 6.0
# Height of a figure in inches.
HEIGHT = 3.4
# A bound beside the intervals: its value at each place, or a function that returns the value at a place.
Bound = Callable[[float], float] | Iterable[float | None]


@dataclass(frozen=True, repr=False)
class AnswerTable:
    """A certified interval for each value of one parameter.

    Iteration yields pairs of a value and its interval.

    Attributes
    ----------
    parameter : str
        The name of the parameter.
    values : tuple of float
        Its values.
    intervals : tuple of Interval
        The interval at each value; all of them enclose the same quantity.

    Raises
    ------
    ParameterError
        If there are no values, not as many intervals as values, or intervals of different quantities.

    Examples
    --------
    >>> table = AnswerTable("sigma", (1.0, 2.0), (Interval(0.5, 0.75), Interval(0.25, 0.3)))
    >>> table.quantity, table.lower, table.upper
    ('epsilon', (0.5, 0.25), (0.75, 0.3))

    """

    parameter: str
    values: tuple[float, ...]
    intervals: tuple[Interval, ...]

    def __post_init__(self) -> None:
        if not self.values:
            raise ParameterError(self.parameter, "a list of at least one number", "none")
        if len(self.values) != len(self.intervals):
            raise ParameterError("intervals", f"one for each of {len(self.values)} values", len(self.intervals))
        for one in self.intervals:
            if not isinstance(one, Interval) or one.quantity != self.intervals[0].quantity:
                raise ParameterError("intervals", "certified intervals of one quantity", one)

    @property
    def quantity(self) -> str:
        """The name of what the intervals enclose."""
        return self.intervals[0].quantity

    @property
    def lower(self) -> tuple[float, ...]:
        """The certified lower ends."""
        return tuple(interval.lower for interval in self.intervals)

    @property
    def upper(self) -> tuple[float, ...]:
        """The certified upper ends."""
        return tuple(interval.upper for interval in self.intervals)

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[tuple[float, Interval]]:
        return iter(zip(self.values, self.intervals, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Return the parameter, its values and the intervals as plain numbers and mappings that JSON can store."""
        intervals = [interval.to_dict() for interval in self.intervals]
        return {"parameter": self.parameter, "values": list(self.values), "intervals": intervals}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> AnswerTable:
        """Return the table that :meth:`to_dict` wrote, bit by bit.

        Examples
        --------
        >>> table = AnswerTable("sigma", (1.0, 2.0), (Interval(0.5, 0.75), Interval(0.25, 0.3)))
        >>> AnswerTable.from_dict(table.to_dict()) == table
        True

        """
        intervals = tuple(Interval.from_dict(one) for one in values["intervals"])
        return cls(values["parameter"], tuple(values["values"]), intervals)

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame with the columns of the parameter, ``lower`` and ``upper``.

        Raises
        ------
        PldcheckError
            If pandas is not installed.

        """
        return pandas().DataFrame({self.parameter: self.values, "lower": self.lower, "upper": self.upper})

    def plot(self, ax: Axes | None = None, label: str = "", bounds: Mapping[str, Bound] | None = None) -> Axes:
        """Plot the intervals as a band over the parameter, and bounds beside it as dashed lines.

        Axes become logarithmic where values span orders of magnitude.  A further call with the same axes adds a band in
        another colour.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            The axes to draw on; by default those of a new pyplot figure.
        label : str
            The name of the band in the legend, which is drawn only if something has a name.
        bounds : mapping, optional
            Analytic bounds by name: a function of the parameter, or a value for each of the table's values.  Where a
            function raises :class:`~pldcheck.core.errors.PldcheckError`, as a theorem does outside its conditions, or
            a value is None, the line has a gap.

        Returns
        -------
        matplotlib Axes
            The axes.  The ends are drawn as they are; a lower end of 0 on a logarithmic axis and an infinite upper end
            lead out of the picture.

        Raises
        ------
        ParameterError
            If a bound has not as many values as the table.

        Examples
        --------
        >>> from pldcheck import Gaussian
        >>> table = sweep(lambda sigma: Gaussian(sigma).epsilon(1e-6), sigma=[1, 2, 4])
        >>> axes = table.plot(bounds={"classical": lambda sigma: 5.3 / sigma})
        >>> axes.get_xlabel(), axes.get_ylabel()
        ('noise multiplier σ', 'ε')

        """
        lines = {name: self._line(name, bound) for name, bound in (bounds or {}).items()}
        with drawing.styled_axes.axes_or_new(ax, WIDTH, HEIGHT) as axes:
            drawing.interval_band.draw(axes, self.parameter, self.quantity, self.values, self.intervals, label, lines)
        return axes

    def _line(self, name: str, bound: Bound) -> list[float | None]:
        heights = [_value(bound, value) for value in self.values] if callable(bound) else list(bound)
        if len(heights) != len(self.values):
            raise ParameterError(f"bound {name!r}", f"a function, or {len(self.values)} values", len(heights))
        return heights

    def _texts(self) -> list[tuple[str, str]]:
        return [(self.parameter, self.quantity), *((number_text(value), f"{interval:.6g}") for value, interval in self)]

    def __repr__(self) -> str:
        """Return the table as text: a prompt shows the answers, as it does for data frames."""
        rows = self._texts()
        column = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:>{column}}  {text}" for name, text in rows)

    def _repr_html_(self) -> str:
        head, *rows = self._texts()
        body = "".join(f"<tr><td>{escape(name)}</td><td>{escape(text)}</td></tr>" for name, text in rows)
        titles = "".join(f"<th>{escape(name)}</th>" for name in head)
        return f"<table><caption>certified {escape(self.quantity)}</caption><tr>{titles}</tr>{body}</table>"


def _value(bound: Callable[[float], float], at: float) -> float | None:
    try:
        return float(bound(at))
    except PldcheckError:
        return None


def sweep(ask: Callable[[Any], Interval], /, **values: Iterable[float]) -> AnswerTable:
    """Return the answers to one question at several values of one parameter.

    Parameters
    ----------
    ask : callable
        A function of the value that returns a certified interval, such as
        ``lambda m: HiddenSlot(steps=m, eps0=1.0).epsilon(delta=1e-6)``.
    **values : iterable of float
        The name of the parameter with its values, as ``steps=[10, 100, 1000]``; the picture's axis has that name.

    Returns
    -------
    AnswerTable
        A value and its interval in each row, in the order of the values.

    Raises
    ------
    ParameterError
        If not exactly one parameter is named, if it has no values or one that is no finite number, or if ``ask``
        returns anything but intervals of one quantity.  Errors that ``ask`` raises are passed on.

    Examples
    --------
    >>> from pldcheck import Gaussian
    >>> print(sweep(lambda sigma: Gaussian(sigma).epsilon(delta=1e-6), sigma=[1, 2]))
    sigma  epsilon
        1  [4.88655, 4.88656]
        2  [2.25408, 2.25409]

    """
    if len(values) != 1:
        raise ParameterError("sweep", "one parameter by name, as in steps=[10, 100]", ", ".join(values) or "none")
    ((name, listed),) = values.items()
    places = tuple(plain_number(name, value) for value in listed)
    return AnswerTable(name, places, tuple(ask(place) for place in places))


def plain_number(name: str, value: Any) -> float:
    """Return a plain number for a number of Python or numpy; raise ParameterError for what is no finite number."""
    if isinstance(value, bool) or not isinstance(value, Real) or not isfinite(value):
        raise ParameterError(name, "a list of finite numbers", value)
    return int(value) if isinstance(value, Integral) else float(value)

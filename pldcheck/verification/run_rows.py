"""The result of a run: one row for each cell, and a summary for each theorem."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from itertools import islice
from math import isinf
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ..core.data_frames import pandas
from ..core.errors import PldcheckError, UnknownNameError
from ..core.interval import ErrorBudget
from ..core.outward_decimals import down, safe
from . import tightness_map
from .run_fold import RunFold, Summary, fold_rows
from .verdict import FORMULA_SLACK, Verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..drawing.ratio_dots import RatioLine

# The most rows of one pandas frame: some 1 GB.
MOST_IN_FRAME = 200_000
# The rows that are read together by default.
CHUNK_ROWS = 10_000
# The verdicts by their texts.
_VERDICTS = {str(verdict): verdict for verdict in Verdict}
# Columns of the tightness, and digits printed of it in plain text.
TIGHTNESS = ("min", "median", "max")
DIGITS = 3


@dataclass(frozen=True)
class Row:
    """The outcome of one cell: a theorem, or a protocol without a theorem, at one choice of parameters.

    Parameters
    ----------
    theorem : str or None
        The id of the theorem; None if only the protocol is computed.
    params : mapping
        The parameters by name.
    verdict : Verdict
        The verdict on the theorem's claim.
    analytic : float or None
        The value that the theorem claims; None outside its conditions.
    lower, upper : float or None
        The certified ends: ``lower <= truth <= upper``.  They are None if they were not computed: outside the
        conditions, if only the claim was asked for, or after an error.
    budget : ErrorBudget or None
        The parts of the width ``upper - lower``.
    seconds : float
        The time for the interval, which other theorems may share.
    reason : str or None
        The reason why a verdict is UNDECIDED or OUT-OF-CONDITIONS, or how narrow the interval of a CONSISTENT one is.
    witness : mapping or None
        The mechanism that attains ``lower``, if the claim is violated and the mechanism is known.
    protocol, quantity : str
        The protocol and the quantity of a row without a theorem.
    cell : str or None
        A hash of everything that the row depends on.

    """

    theorem: str | None
    params: Mapping[str, float] = field(hash=False)
    verdict: Verdict
    analytic: float | None = None
    lower: float | None = None
    upper: float | None = None
    budget: ErrorBudget | None = field(default=None, repr=False)
    seconds: float = 0.0
    reason: str | None = None
    witness: Mapping[str, Any] | None = field(default=None, repr=False, hash=False)
    protocol: str | None = None
    quantity: str = "epsilon"
    cell: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "params", MappingProxyType(dict(self.params)))

    def __reduce__(self):
        # A mapping proxy cannot be pickled; __post_init__ makes it again.
        return Row.from_dict, (self.to_dict(),)

    @property
    def subject(self) -> str:
        """The id of the theorem, or the name of the protocol in a row without a theorem."""
        return self.theorem or self.protocol or ""

    @property
    def tightness_lower(self) -> float | None:
        """A lower bound of claim over truth, ``analytic / upper``; None if it is 0, infinite or not computed."""
        return _ratio(self.analytic, self.upper)

    @property
    def tightness_upper(self) -> float | None:
        """An upper bound of claim over truth, ``analytic / lower``; None if it is 0, infinite or not computed."""
        return _ratio(self.analytic, self.lower)

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain values that JSON can hold."""
        return {
            "cell": self.cell,
            "theorem": self.theorem,
            "protocol": self.protocol,
            "quantity": self.quantity,
            "params": dict(self.params),
            "verdict": str(self.verdict),
            "analytic": _plain(self.analytic),
            "lower": _plain(self.lower),
            "upper": _plain(self.upper),
            "tightness_lower": self.tightness_lower,
            "tightness_upper": self.tightness_upper,
            "budget": {name: _plain(value) for name, value in self.budget.to_dict().items()} if self.budget else None,
            "seconds": self.seconds,
            "reason": self.reason,
        } | ({"witness": dict(self.witness)} if self.witness else {})

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Row:
        """Return the row that :meth:`to_dict` wrote; keys that are no fields are ignored."""
        witness, budget = values.get("witness"), values["budget"]
        if witness is not None and not isinstance(witness, Mapping):
            raise TypeError("a witness must be a mapping")
        analytic, lower, upper = values["analytic"], values["lower"], values["upper"]
        return cls(
            theorem=values["theorem"],
            params={name: _tuples(value) for name, value in values["params"].items()},  # JSON knows no tuples
            verdict=_VERDICTS[values["verdict"]],
            analytic=None if analytic is None else float(analytic),
            lower=None if lower is None else float(lower),
            upper=None if upper is None else float(upper),
            budget=ErrorBudget(**budget) if budget else None,
            seconds=values["seconds"],
            reason=values["reason"],
            witness=witness,
            protocol=values.get("protocol"),
            quantity=values.get("quantity", "epsilon"),
            cell=values.get("cell"),
        )


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _plain(value: float | None) -> float | str | None:
    """Return a value for JSON, in which infinite numbers are texts."""
    return str(value) if value is not None and isinf(value) else value


def _ratio(analytic: float | None, end: float | None) -> float | None:
    if not analytic or not end or isinf(analytic / end):
        return None
    return analytic / end


@dataclass(frozen=True)
class Report:
    """The result of a run.

    Parameters
    ----------
    suite : str
        The name of the suite or the job.
    rows : sequence of Row
        One row for each cell, theorem by theorem, in the order of the suite: a tuple, or for a large run a sequence
        that reads them from its folder one by one.
    header : mapping
        The settings of the run, its numbers of cells and problems, its time, and the provenance of a stored run.
    known_fold : RunFold, optional
        The result of the rows if it is known already; by default :attr:`fold` reads all rows once.

    """

    suite: str
    rows: Sequence[Row] = field(repr=False)
    header: Mapping[str, Any] = field(default_factory=dict, repr=False, hash=False)
    known_fold: RunFold[Row] | None = field(default=None, repr=False, compare=False)

    @property
    def is_large(self) -> bool:
        """Whether the rows are read from a folder, one by one."""
        return not isinstance(self.rows, tuple)

    @cached_property
    def fold(self) -> RunFold[Row]:
        """The counts, the tightness and the telling rows of the run, in bounded memory."""
        return self.known_fold or fold_rows(self.rows)

    @property
    def theorems(self) -> tuple[str, ...]:
        """The ids of the theorems in the order of the rows; rows without a theorem give the protocol's name."""
        return tuple(part.name for part in self.fold.parts)

    def rows_of(self, subject: str) -> Sequence[Row]:
        """Return the rows of one theorem, or of one protocol; raise UnknownNameError if there are none."""
        if subject not in self.fold.subjects:
            raise UnknownNameError("theorem in this report", subject, self.theorems)
        part = self.fold.subjects[subject]
        rows = self.rows[part.first : part.last + 1]
        return rows if part.counts.total() == len(rows) else tuple(row for row in rows if row.subject == subject)

    @property
    def counts(self) -> dict[Verdict, int]:
        """The number of rows with each verdict."""
        return self.fold.counts

    @property
    def exit_code(self) -> int:
        """The exit status: 1 if any cell is VIOLATED, else 3 if any is UNDECIDED, else 0.

        CONSISTENT cells count as passed, because no interval can prove a claimed exact value.
        """
        counts = self.counts
        return 1 if counts[Verdict.VIOLATED] else 3 if counts[Verdict.UNDECIDED] else 0

    def summary(self) -> tuple[Summary, ...]:
        """Return one summary for each theorem, in the order of :attr:`theorems`."""
        return tuple(part.summary() for part in self.fold.parts)

    @property
    def ratio_lines(self) -> list[RatioLine]:
        """A line for each theorem, or protocol, with the ratio of claim and truth in each of its cells."""
        return [part.dots.line(part.name) for part in self.fold.parts]

    def to_pandas(self, where: Callable[[Row], bool] | None = None):
        """Return a pandas DataFrame with one line per row; nested values become columns such as ``params.steps``.

        Parameters
        ----------
        where : callable, optional
            The rows that are taken: those for which it is true.  By default all are.

        Raises
        ------
        PldcheckError
            If more than ``MOST_IN_FRAME`` rows are taken, or if pandas is not installed.

        """
        library = pandas()
        rows = [row.to_dict() for row in islice(filter(where, self.rows) if where else self.rows, MOST_IN_FRAME + 1)]
        if len(rows) > MOST_IN_FRAME:
            raise PldcheckError(
                f"more than {MOST_IN_FRAME:,} rows are too many for one frame: pass where=, or read them in parts by "
                "chunks()"
            )
        return library.json_normalize(rows)

    def chunks(self, size: int = CHUNK_ROWS) -> Iterator[Sequence[Row]]:
        """Yield the rows in their order, ``size`` at a time, so that a large run is read in bounded memory.

        Examples
        --------
        >>> from pldcheck import verify
        >>> report = verify("refuted", ["krr-merged"])
        >>> [len(rows) for rows in report.chunks(5)]
        [5, 4]

        """
        rows = iter(self.rows)
        while chunk := tuple(islice(rows, size)):
            yield chunk

    def plot(self, ax: Axes | None = None, theorem: str | None = None) -> Axes:
        """Plot how many times the truth the theorems claim: their tightness, ``analytic / upper``.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            The axes to draw on; by default those of a new pyplot figure.
        theorem : str, optional
            The id of one theorem of the report; by default all of them are drawn.

        Returns
        -------
        matplotlib Axes
            For one theorem of which two or more parameters vary, a heat map over two of them: each tile has the median
            over the others, in digits and as a shade, and is framed where a cell is violated ("false") or undecided
            ("?").  For one theorem of which one parameter varies, its claim and the certified interval as a band.  For
            several theorems a line each, with a dot for each cell.

        Raises
        ------
        UnknownNameError
            If the report has no such theorem.
        PldcheckError
            If the report has no rows.

        Examples
        --------
        >>> from pldcheck import verify
        >>> verify("refuted", ["krr-merged"]).plot().get_title()
        'krr-merged'

        """
        groups = {name: self.rows_of(name) for name in self.theorems}
        return tightness_map.plot(groups, self.ratio_lines, theorem, ax)

    def __str__(self) -> str:
        verdicts = [verdict for verdict, count in self.counts.items() if count]
        lines = [["theorem", "cells", *map(str, verdicts), *TIGHTNESS]]
        lines += [_text_cells(entry, verdicts) for entry in self.summary()]
        head = f"suite {safe(self.suite)}; {', '.join(TIGHTNESS)}: claim / certified upper end"
        return "\n".join([head, *_table_lines(lines)])

    def _repr_html_(self) -> str:
        names = ("theorem", "cells", *self.counts, "tightness min", "median", "max")
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        body = "".join(f"<tr>{_html_cells(entry, tuple(self.counts))}</tr>" for entry in self.summary())
        return f"<table><caption>suite {escape(self.suite)}</caption><tr>{head}</tr>{body}</table>"


def tightness_text(value: float) -> str:
    """Return a tightness rounded down to three digits, or 1 if claim and certified end differ by round-off only."""
    return "1" if abs(value - 1.0) <= FORMULA_SLACK else down(value, DIGITS)


def _text_cells(entry: Summary, verdicts: Sequence[Verdict]) -> list[str]:
    tightness = [tightness_text(value) for value in entry.tightness] if entry.tightness else ["–"] * len(TIGHTNESS)
    counts = [str(entry.counts.get(verdict, 0)) for verdict in verdicts]
    return [safe(entry.theorem), str(entry.cells), *counts, *tightness]


def _table_lines(table: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table, names to the left and numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = []
    for name, *numbers in table:
        cells = [cell.rjust(width) for cell, width in zip(numbers, widths[1:], strict=True)]
        lines.append("  ".join([name.ljust(widths[0]), *cells]))
    return lines


def _html_cells(entry: Summary, verdicts: tuple[Verdict, ...]) -> str:
    counts = [entry.counts.get(verdict, 0) for verdict in verdicts]
    tightness = [down(value, 4) for value in entry.tightness] if entry.tightness else ["", "", ""]
    texts = [entry.theorem, entry.cells, *counts, *tightness]
    return "".join(f"<td>{escape(str(text))}</td>" for text in texts)

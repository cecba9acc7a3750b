"""The result of a run: its rows, and a summary for each theorem."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, Any

from ..core.data_frames import pandas
from ..core.errors import PldcheckError, UnknownNameError
from ..core.outward_decimals import down, safe
from . import tightness_map
from .run_fold import RunFold, Summary, fold_rows
from .run_rows import Row
from .verdict import FORMULA_SLACK, OPEN, Verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..drawing.ratio_dots import RatioLine

# The most rows of one pandas frame: some 1 GB.
MOST_IN_FRAME = 200_000
# The rows that are read together by default.
CHUNK_ROWS = 10_000
# Columns of the tightness, and digits printed of it in plain text.
TIGHTNESS = ("min", "median", "max")
DIGITS = 3


@dataclass(frozen=True)
class Report:
    """The result of a run.

    Parameters
    ----------
    suite : str
        The name of the suite or the job.
    rows : sequence of Row
        One row for each cell, theorem by theorem, in the order of the suite: a tuple, or for a large run a sequence
        that reads them from its file one by one.
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
        """Whether the rows are read from a file, one by one."""
        return not isinstance(self.rows, tuple)

    @property
    def files(self) -> tuple[str, ...]:
        """The paths of the files that the run has written: rows, figures, witnesses, certificates, their list."""
        return tuple(self.header.get("files", ()))

    @property
    def commands(self) -> tuple[str, ...]:
        """The commands for a shell that check the witnesses and certificates by programs that need only Python."""
        return tuple(self.header.get("commands", ()))

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
        """The exit status: 1 if any cell is VIOLATED, else 3 if any is UNDECIDED or UNJUDGEABLE, else 0.

        CONSISTENT cells count as passed, because no interval can prove a claimed exact value.
        """
        counts = self.counts
        return 1 if counts[Verdict.VIOLATED] else 3 if any(counts.get(verdict) for verdict in OPEN) else 0

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
        checks = [f"check without pldcheck: {safe(command)}" for command in self.commands]
        return "\n".join([head, *_table_lines(lines), *checks])

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

"""What a run leaves behind: a row a cell, summed up theorem by theorem."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from html import escape
from math import isinf
from statistics import median
from types import MappingProxyType
from typing import Any

from ..core.data_frames import pandas
from ..core.interval import ErrorBudget
from ..core.outward_decimals import down, safe
from .verdict import Verdict

# Columns of the tightness, and digits printed of it in plain text.
TIGHTNESS = ("min", "median", "max")
DIGITS = 3


@dataclass(frozen=True)
class Row:
    """The outcome of one theorem, or of a protocol with no theorem to judge, at one choice of parameters.

    ``analytic`` is the theorem's epsilon and [``lower``, ``upper``] contains the truth; they are None where
    they were not computed (outside the conditions, not asked for, or after an error), and ``reason`` tells why; of a
    CONSISTENT cell it tells to how much.
    ``seconds`` is the time of the interval, which other theorems may share.  ``witness``: of a violated one, the
    mechanism that attains ``lower``, where it is known.  ``protocol``, ``quantity``: what the interval is of, where
    there is no theorem to say so.  ``cell``: a hash of all that the row depends on.
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
        # A mapping proxy does not pickle; __post_init__ puts it back.
        return Row.from_dict, (self.to_dict(),)

    @property
    def subject(self) -> str:
        """The theorem, or the protocol where there is none."""
        return self.theorem or self.protocol or ""

    @property
    def tightness_lower(self) -> float | None:
        """``analytic / upper``: at least so many times the truth; None if 0, infinite or not computed."""
        return _ratio(self.analytic, self.upper)

    @property
    def tightness_upper(self) -> float | None:
        """``analytic / lower``: at most so many times the truth; None if 0, infinite or not computed."""
        return _ratio(self.analytic, self.lower)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
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
        """The inverse of :meth:`to_dict`; keys it does not know are left aside."""
        late = {"witness": None, "protocol": None, "quantity": "epsilon", "cell": None}
        kept = {entry.name: values[entry.name] for entry in fields(cls) if entry.name not in late}
        kept |= {name: values.get(name, usual) for name, usual in late.items()}
        kept["verdict"] = Verdict(kept["verdict"])
        # JSON knows no tuples, and no other mappings.
        kept["params"] = {name: _tuples(value) for name, value in kept["params"].items()}
        if kept["witness"] is not None and not isinstance(kept["witness"], Mapping):
            raise TypeError("a witness is a mapping")
        for name in ("analytic", "lower", "upper"):
            kept[name] = None if kept[name] is None else float(kept[name])
        kept["budget"] = ErrorBudget(**kept["budget"]) if kept["budget"] else None
        return cls(**kept)


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _plain(value: float | None) -> float | str | None:
    """As JSON has it: no number there is infinite."""
    return str(value) if value is not None and isinf(value) else value


def _ratio(analytic: float | None, end: float | None) -> float | None:
    if not analytic or not end or isinf(analytic / end):
        return None
    return analytic / end


@dataclass(frozen=True)
class Summary:
    """The rows of one theorem (or protocol), counted.

    ``tightness`` is the least, median and largest ``analytic / upper`` over the decided cells in which the
    truth is certainly positive; ``infinite`` counts the other decided ones, where it may be infinite.
    """

    theorem: str
    counts: Mapping[Verdict, int] = field(hash=False)
    tightness: tuple[float, float, float] | None
    infinite: int

    @property
    def cells(self) -> int:
        """The number of rows."""
        return sum(self.counts.values())

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        least, middle, most = self.tightness or (None, None, None)
        return {
            "theorem": self.theorem,
            "cells": self.cells,
            "counts": {str(verdict): count for verdict, count in self.counts.items()},
            "tightness": {"min": least, "median": middle, "max": most, "infinite": self.infinite},
        }


# Few runs have claims of exact values, or cells that are not judged.
RARE = frozenset({Verdict.CONSISTENT, Verdict.NOT_JUDGED})
# Verdicts after which a claim can be compared with the truth.
DECIDED = frozenset({Verdict.HOLDS, Verdict.CONSISTENT, Verdict.VIOLATED})


def _count(rows: Iterable[Row]) -> dict[Verdict, int]:
    counts = Counter(row.verdict for row in rows)
    return {verdict: counts[verdict] for verdict in Verdict if counts[verdict] or verdict not in RARE}


def _summarise(theorem: str, rows: list[Row]) -> Summary:
    decided = [row for row in rows if row.verdict in DECIDED]
    finite = [row.tightness_lower for row in decided if row.tightness_lower and row.tightness_upper]
    tightness = (min(finite), median(finite), max(finite)) if finite else None
    return Summary(theorem, _count(rows), tightness, len(decided) - len(finite))


@dataclass(frozen=True)
class Report:
    """The rows of a run, theorem by theorem in the suite's order; ``header`` tells how they were made."""

    suite: str
    rows: tuple[Row, ...] = field(repr=False)
    header: Mapping[str, Any] = field(default_factory=dict, repr=False, hash=False)

    @property
    def theorems(self) -> tuple[str, ...]:
        """The ids, in the order of the rows; a protocol with no theorem to judge stands for itself."""
        return tuple(dict.fromkeys(row.subject for row in self.rows))

    @property
    def counts(self) -> dict[Verdict, int]:
        """How often each verdict was given."""
        return _count(self.rows)

    @property
    def exit_code(self) -> int:
        """1 if any cell is VIOLATED, else 3 if any is UNDECIDED, else 0: a CONSISTENT one is as good as can be had."""
        counts = self.counts
        return 1 if counts[Verdict.VIOLATED] else 3 if counts[Verdict.UNDECIDED] else 0

    def summary(self) -> tuple[Summary, ...]:
        """One entry a theorem."""
        rows: dict[str, list[Row]] = {}
        for row in self.rows:
            rows.setdefault(row.subject, []).append(row)
        return tuple(_summarise(subject, found) for subject, found in rows.items())

    def to_pandas(self):
        """A pandas DataFrame, one line a row, nested values as columns such as ``params.steps``."""
        return pandas().json_normalize([row.to_dict() for row in self.rows])

    def __str__(self) -> str:
        verdicts = [verdict for verdict, count in self.counts.items() if count]
        lines = [["theorem", "cells", *map(str, verdicts), *TIGHTNESS]]
        lines += [_text_cells(entry, verdicts) for entry in self.summary()]
        head = f"suite {safe(self.suite)}; {', '.join(TIGHTNESS)}: claim / certified upper bound"
        return "\n".join([head, *_aligned(lines)])

    def _repr_html_(self) -> str:
        names = ("theorem", "cells", *self.counts, "tightness min", "median", "max")
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        body = "".join(f"<tr>{_html_cells(entry, tuple(self.counts))}</tr>" for entry in self.summary())
        return f"<table><caption>suite {escape(self.suite)}</caption><tr>{head}</tr>{body}</table>"


def _text_cells(entry: Summary, verdicts: Sequence[Verdict]) -> list[str]:
    tightness = [down(value, DIGITS) for value in entry.tightness] if entry.tightness else ["–"] * len(TIGHTNESS)
    counts = [str(entry.counts.get(verdict, 0)) for verdict in verdicts]
    return [safe(entry.theorem), str(entry.cells), *counts, *tightness]


def _aligned(table: Sequence[Sequence[str]]) -> list[str]:
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

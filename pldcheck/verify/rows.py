"""What a run leaves behind: a row a cell, summed up theorem by theorem."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from html import escape
from math import isinf
from statistics import median
from types import MappingProxyType
from typing import Any

from ..errors import PldcheckError
from ..interval import ErrorBudget
from .verdict import Verdict


@dataclass(frozen=True)
class Row:
    """The outcome of one theorem at one choice of its parameters.

    ``analytic`` is the theorem's epsilon and [``lower``, ``upper``] contains the truth; they are None where
    they were not computed (outside the conditions, or after an error), and ``reason`` tells why.  ``seconds``
    is the time of the interval, which other theorems may share.  ``witness``: of a violated one, the mechanism that
    attains ``lower``, where it is known.
    """

    theorem: str
    params: Mapping[str, float] = field(hash=False)
    verdict: Verdict
    analytic: float | None = None
    lower: float | None = None
    upper: float | None = None
    budget: ErrorBudget | None = field(default=None, repr=False)
    seconds: float = 0.0
    reason: str | None = None
    witness: Mapping[str, Any] | None = field(default=None, repr=False, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "params", MappingProxyType(dict(self.params)))

    def __reduce__(self):
        # A mapping proxy does not pickle; __post_init__ puts it back.
        return Row.from_dict, (self.to_dict(),)

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
            "theorem": self.theorem,
            "params": dict(self.params),
            "verdict": str(self.verdict),
            "analytic": self.analytic,
            "lower": self.lower,
            "upper": self.upper,
            "tightness_lower": self.tightness_lower,
            "tightness_upper": self.tightness_upper,
            "budget": self.budget.to_dict() if self.budget else None,
            "seconds": self.seconds,
            "reason": self.reason,
        } | ({"witness": dict(self.witness)} if self.witness else {})

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Row:
        """The inverse of :meth:`to_dict`; keys it does not know are left aside."""
        kept = {entry.name: values[entry.name] for entry in fields(cls) if entry.name != "witness"}
        kept["witness"] = values.get("witness")
        kept["verdict"] = Verdict(kept["verdict"])
        kept["budget"] = ErrorBudget(**kept["budget"]) if kept["budget"] else None
        return cls(**kept)


def _ratio(analytic: float | None, end: float | None) -> float | None:
    if not analytic or not end or isinf(analytic / end):
        return None
    return analytic / end


@dataclass(frozen=True)
class Summary:
    """The rows of one theorem, counted.

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


def _count(rows: Iterable[Row]) -> dict[Verdict, int]:
    verdicts = [row.verdict for row in rows]
    return {verdict: verdicts.count(verdict) for verdict in Verdict}


def _summarise(theorem: str, rows: list[Row]) -> Summary:
    decided = [row for row in rows if row.verdict in (Verdict.HOLDS, Verdict.VIOLATED)]
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
        """The ids, in the order of the rows."""
        return tuple(dict.fromkeys(row.theorem for row in self.rows))

    @property
    def counts(self) -> dict[Verdict, int]:
        """How often each verdict was given."""
        return _count(self.rows)

    @property
    def exit_code(self) -> int:
        """1 if any cell is VIOLATED, else 3 if any is UNDECIDED, else 0."""
        counts = self.counts
        return 1 if counts[Verdict.VIOLATED] else 3 if counts[Verdict.UNDECIDED] else 0

    def summary(self) -> tuple[Summary, ...]:
        """One entry a theorem."""
        return tuple(
            _summarise(theorem, [row for row in self.rows if row.theorem == theorem]) for theorem in self.theorems
        )

    def to_pandas(self):
        """A pandas DataFrame, one line a row, nested values as columns such as ``params.steps``."""
        try:
            from pandas import json_normalize  # type: ignore[import-not-found,import-untyped,unused-ignore]
        except ImportError:
            raise PldcheckError("to_pandas needs pandas, which is not installed") from None
        return json_normalize([row.to_dict() for row in self.rows])

    def _repr_html_(self) -> str:
        names = ("theorem", "cells", *Verdict, "tightness min", "median", "max")
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        body = "".join(f"<tr>{_html_cells(entry)}</tr>" for entry in self.summary())
        return f"<table><caption>suite {escape(self.suite)}</caption><tr>{head}</tr>{body}</table>"


def _html_cells(entry: Summary) -> str:
    tightness = [f"{value:.4g}" for value in entry.tightness] if entry.tightness else ["", "", ""]
    texts = [entry.theorem, entry.cells, *entry.counts.values(), *tightness]
    return "".join(f"<td>{escape(str(text))}</td>" for text in texts)

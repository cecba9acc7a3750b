"""Goldens: certified results that are stored, and compared with what is computed now.

Two intervals that both contain the truth overlap; two that do not are a proof that one of them is wrong.  So no
tolerance is asked for intervals, and none is given.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import inf, isfinite
from pathlib import Path
from typing import Any

from ..core.errors import ParameterError
from ..core.interval import Interval
from ..verification import Report, Row, Verdict
from ..verification.runs import run_store

# Relative difference of two evaluations of one formula, on whatever machine.
ANALYTIC = 1e-12
# An interval so many times wider than the stored one is told of.
LOOSER = 2.0
# Widths this near rounding error are not compared.
ROUNDING = 1e-12
# What a golden may be made of.
FORMS = "a report, an interval, or a list or dict of intervals"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class GoldenWarning(UserWarning):
    """A certified interval is wider than it was."""


@dataclass(frozen=True)
class Goldens:
    """The goldens of a folder.  ``update``: write them.  ``quick``: what is computed is a part of what is stored.

    ``command`` makes a golden anew.
    """

    folder: Path
    update: bool = False
    quick: bool = False
    command: str = "pytest --pldcheck-update"

    def check(self, found: Any, name: str) -> None:
        """Compare a report or intervals with those stored as ``name``, or store them.

        Certified intervals must overlap, and values of formulas agree to 1e-12.

        Raises
        ------
        AssertionError
            If anything differs, or nothing is stored; says what, and with which command it is stored.

        """
        __tracebackhide__ = True
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise ParameterError("name of a golden", "letters, digits and . _ -", name)
        rows, path = _rows(found), self.folder / f"{name}.jsonl"
        if self.update:
            _write(path, name, rows)
            return
        if not path.exists():
            raise AssertionError(f"no golden {path}; make it with: {self.command}")
        differing = self._differing(rows, _read(path))
        if differing:
            more = [f"... and {len(differing) - 3} more"] if len(differing) > 3 else []
            again = f"if the change is meant: {self.command}"
            raise AssertionError("\n".join([f"golden {path}: {differing[0]}", *differing[1:3], *more, again]))

    def _differing(self, rows: list[Row], stored: list[Row]) -> list[str]:
        now, then = _by_key(rows), _by_key(stored)
        said = [f"not stored: {_shown(row)}" for key, row in now.items() if key not in then]
        if not self.quick:
            said += [f"not computed: {_shown(row)}" for key, row in then.items() if key not in now]
        for key, row in now.items():
            if key in then:
                said += _compared(row, then[key])
        return said


def _rows(found: Any) -> list[Row]:
    """Return what is stored: intervals as the rows of a run without a theorem."""
    match found:
        case Report():
            rows = [replace(row, seconds=0.0, witness=None, cell=None) for row in found.rows]
            failed = next((row for row in rows if row.verdict is Verdict.UNDECIDED and row.lower is None), None)
            if failed:
                raise AssertionError(f"{_shown(failed)} could not be computed: {failed.reason}")
            return rows
        case Interval():
            return [_row(found, "interval")]
        case Mapping() if found and all(isinstance(one, Interval) for one in found.values()):
            return [_row(one, str(key)) for key, one in found.items()]
    if isinstance(found, Iterable) and not isinstance(found, str | bytes | Mapping):
        listed = list(found)
        if listed and all(isinstance(one, Interval) for one in listed):
            return [_row(one, str(place)) for place, one in enumerate(listed)]
    raise ParameterError("golden", FORMS, found)


def _row(interval: Interval, label: str) -> Row:
    lower, upper = interval.lower, interval.upper
    return Row(
        None, {}, Verdict.NOT_JUDGED, None, lower, upper, interval.budget, protocol=label, quantity=interval.quantity
    )


def _by_key(rows: Iterable[Row]) -> dict[str, Row]:
    """By subject and parameters; text, since 1 and 1.0 are the same parameter and JSON keeps them apart."""
    return {
        json.dumps(
            [row.subject, row.quantity, sorted((name, _number(value)) for name, value in row.params.items())]
        ): row
        for row in rows
    }


def _number(value: Any) -> Any:
    return float(value) if isinstance(value, int | float) else value


def _compared(now: Row, then: Row) -> list[str]:
    """Return how two rows of one cell differ, in words; wider intervals warn."""
    said = []
    if (now.analytic is None) != (then.analytic is None) or not _close(now.analytic, then.analytic):
        said.append(f"the formula's value at {_shown(now)} was {then.analytic!r}, is {now.analytic!r}")
    if now.lower is None or now.upper is None or then.lower is None or then.upper is None:
        if (now.lower is None) != (then.lower is None):
            said.append(f"{_shown(now)} was {then.verdict} with {_ends(then)}, is {now.verdict} with {_ends(now)}")
        return said
    if now.lower > then.upper or then.lower > now.upper:
        said.append(
            f"certified intervals that do not overlap at {_shown(now)}: stored {_ends(then)}, computed {_ends(now)}; "
            "one of them is wrong"
        )
    elif _width(now) > LOOSER * max(_width(then), ROUNDING * then.upper):
        text = (
            f"{_shown(now)} is now {_width(now) / (_width(then) or inf):.3g} times as wide"
            if _width(then)
            else (f"{_shown(now)} was exact and is no more")
        )
        warnings.warn(f"{text}: stored {_ends(then)}, computed {_ends(now)}", GoldenWarning, stacklevel=4)
    return said


def _close(now: float | None, then: float | None) -> bool:
    if now is None or then is None or now == then:
        return True
    return isfinite(now) and isfinite(then) and abs(now - then) <= ANALYTIC * max(abs(now), abs(then))


def _width(row: Row) -> float:
    assert row.lower is not None and row.upper is not None
    return 0.0 if row.lower == row.upper else row.upper - row.lower


def _ends(row: Row) -> str:
    return f"[{row.lower!r}, {row.upper!r}]" if row.lower is not None else "no interval"


def _shown(row: Row) -> str:
    point = ", ".join(f"{name}={value!r}" for name, value in row.params.items())
    return f"{row.subject}({point})" if point else row.subject


def _write(path: Path, name: str, rows: list[Row]) -> None:
    """Store the rows as a run: sealed lines, put in place by one rename; the same results make the same bytes."""
    run_store.write(path, run_store.dumps(Report(name, tuple(rows), {"suite": name, "golden": True}), {}))


def _read(path: Path) -> list[Row]:
    """Return the rows of a golden; raises PldcheckError for a line that is not what was written."""
    return list(run_store.read(path).rows)

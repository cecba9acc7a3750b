"""Goldens: certified results that are stored and compared with newly computed results.

Two intervals that both contain the truth overlap; if two intervals do not overlap, one of them is wrong.  Intervals
are therefore compared without a tolerance.
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
from ..verification.verdict import OPEN

# The relative difference that two machines may have in the value of one formula: well above the error of the formulas
# (``FORMULA_SLACK``), well below any change of a formula.
ANALYTIC = 1e-12
# An interval that is more than this many times as wide as the stored one causes a warning.
LOOSER = 2.0
# Relative widths below this one are dominated by round-off and are not compared.
ROUNDING = 1e-12
# The forms of a result that can be stored, as error messages list them.
FORMS = "a report, an interval, or a list or dict of intervals"
# Names of goldens become names of files.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
# The beginnings of lines that git leaves in a file that two branches have changed.
CONFLICT = (b"<<<<<<< ", b"=======\n", b">>>>>>> ")


class GoldenWarning(UserWarning):
    """Warning that a certified interval is much wider than the stored one."""


@dataclass(frozen=True)
class Goldens:
    """The stored results of a folder; tests receive them as the fixture ``pldcheck_golden``.

    Parameters
    ----------
    folder : Path
        The folder with one file ``NAME.jsonl`` for each golden.
    update : bool
        Whether :meth:`check` stores results instead of comparing them.
    quick : bool
        Whether the computed results may be a part of the stored ones, as they are in a quick run.
    command : str
        The command that stores the results again; messages show it.

    """

    folder: Path
    update: bool = False
    quick: bool = False
    command: str = "pytest --pldcheck-update"

    def check(self, result: Any, name: str) -> None:
        """Compare a report or intervals with those stored as ``name``; store them instead if ``update`` is set.

        Certified intervals must overlap, and values of formulas must agree to a relative error of 1e-12.

        Parameters
        ----------
        result : Report, Interval, or list or dict of Interval
            The newly computed result.
        name : str
            The name of the golden: letters, digits and ``. _ -``.

        Raises
        ------
        AssertionError
            If a result differs or is not stored; the message names it, and the command that stores it.
        ParameterError
            If ``result`` has another form, or ``name`` another character.

        """
        __tracebackhide__ = True
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise ParameterError("name of a golden", "letters, digits and . _ -", name)
        rows, path = _rows(result), self.folder / f"{name}.jsonl"
        if self.update:
            _write(path, name, rows)
            return
        if not path.exists():
            raise AssertionError(f"the golden {path} does not exist; this command stores it: {self.command}")
        with path.open("rb") as file:
            mark = next((number for number, line in enumerate(file, 1) if line.startswith(CONFLICT)), None)
        if mark is not None:
            raise AssertionError(f"golden {path}, line {mark}: merge conflict; this command stores it: {self.command}")
        differences = self._differences(rows, _read(path))
        if differences:
            more = [f"... and {len(differences) - 3} more"] if len(differences) > 3 else []
            again = f"if the change is intended, this command stores it: {self.command}"
            raise AssertionError("\n".join([f"golden {path}: {differences[0]}", *differences[1:3], *more, again]))

    def _differences(self, rows: list[Row], old_rows: list[Row]) -> list[str]:
        now, then = _by_key(rows), _by_key(old_rows)
        messages = [f"not stored: {_label(row)}" for key, row in now.items() if key not in then]
        if not self.quick:
            messages += [f"not computed: {_label(row)}" for key, row in then.items() if key not in now]
        for key, row in now.items():
            if key in then:
                messages += _compare(row, then[key])
        return messages


def _rows(result: Any) -> list[Row]:
    """Return the rows that are stored; each interval becomes a row without a theorem."""
    match result:
        case Report():
            rows = [replace(row, seconds=0.0, witness=None, cell=None) for row in result.rows]
            failure = next((row for row in rows if row.verdict in OPEN and row.lower is None), None)
            if failure:
                raise AssertionError(f"{_label(failure)} could not be computed: {failure.reason}")
            return rows
        case Interval():
            return [_row(result, "interval")]
        case Mapping() if result and all(isinstance(one, Interval) for one in result.values()):
            return [_row(one, str(key)) for key, one in result.items()]
    if isinstance(result, Iterable) and not isinstance(result, str | bytes | Mapping):
        intervals = list(result)
        if intervals and all(isinstance(one, Interval) for one in intervals):
            return [_row(one, str(place)) for place, one in enumerate(intervals)]
    raise ParameterError("golden", FORMS, result)


def _row(interval: Interval, label: str) -> Row:
    lower, upper = interval.lower, interval.upper
    return Row(
        None, {}, Verdict.NOT_JUDGED, None, lower, upper, interval.budget, protocol=label, quantity=interval.quantity
    )


def _by_key(rows: Iterable[Row]) -> dict[str, Row]:
    """Return the rows by subject and parameters; numbers become floats, since 1 and 1.0 are the same parameter."""
    return {
        json.dumps(
            [row.subject, row.quantity, sorted((name, _number(value)) for name, value in row.params.items())]
        ): row
        for row in rows
    }


def _number(value: Any) -> Any:
    return float(value) if isinstance(value, int | float) else value


def _compare(now: Row, then: Row) -> list[str]:
    """Return sentences about the differences of two rows of one cell; warn if the interval is much wider now."""
    messages = []
    if (now.analytic is None) != (then.analytic is None) or not _close(now.analytic, then.analytic):
        messages.append(f"the formula's value at {_label(now)} was {then.analytic!r} and is {now.analytic!r}")
    if now.lower is None or now.upper is None or then.lower is None or then.upper is None:
        if (now.lower is None) != (then.lower is None):
            before = f"{then.verdict} with {_ends(then)}"
            messages.append(f"{_label(now)} was {before} and is {now.verdict} with {_ends(now)}")
        return messages
    if now.lower > then.upper or then.lower > now.upper:
        messages.append(
            f"certified intervals that do not overlap at {_label(now)}: stored {_ends(then)}, computed {_ends(now)}; "
            "one of them is wrong"
        )
    elif _width(now) > LOOSER * max(_width(then), ROUNDING * then.upper):
        text = (
            f"{_label(now)} is now {_width(now) / (_width(then) or inf):.3g} times as wide"
            if _width(then)
            else f"{_label(now)} was exact and is an interval now"
        )
        warnings.warn(f"{text}: stored {_ends(then)}, computed {_ends(now)}", GoldenWarning, stacklevel=4)
    return messages


def _close(now: float | None, then: float | None) -> bool:
    if now is None or then is None or now == then:
        return True
    return isfinite(now) and isfinite(then) and abs(now - then) <= ANALYTIC * max(abs(now), abs(then))


def _width(row: Row) -> float:
    assert row.lower is not None and row.upper is not None
    return 0.0 if row.lower == row.upper else row.upper - row.lower


def _ends(row: Row) -> str:
    return f"[{row.lower!r}, {row.upper!r}]" if row.lower is not None else "no interval"


def _label(row: Row) -> str:
    point = ", ".join(f"{name}={value!r}" for name, value in row.params.items())
    return f"{row.subject}({point})" if point else row.subject


def _write(path: Path, name: str, rows: list[Row]) -> None:
    """Store the rows as a run of sealed lines, in place by one rename; equal results give equal bytes."""
    run_store.write(path, run_store.dumps(Report(name, tuple(rows), {"suite": name, "golden": True}), {}))


def _read(path: Path) -> list[Row]:
    """Return the rows of a golden; raise PldcheckError for a line that was changed since it was written."""
    return list(run_store.read(path).rows)

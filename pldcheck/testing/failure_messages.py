"""What a failed assertion says: the cell, the claim, the certified interval, the witness, and how to see it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, fields
from math import isfinite
from shlex import quote
from typing import Any

from ..core.errors import PldcheckError
from ..core.interval import Interval
from ..core.outward_decimals import down
from ..theorems import GIVEN, Theorem
from ..verification import Report, Row, Verdict, bounded

# Cells that are told in full.
SHOWN = 3
# The verbs of the command line.
VERBS = {"epsilon": "eps", "delta": "delta", "renyi": "renyi"}


def unsound(theorem: Theorem, report: Report, failing: Sequence[Row]) -> str:
    """Of the cells that fail, those that are false first."""
    ordered = sorted(failing, key=lambda row: row.verdict is not Verdict.VIOLATED)
    false = sum(row.verdict is Verdict.VIOLATED for row in ordered)
    said = f"is false at {false}" if false else f"is not certain at {len(ordered)}"
    head = f"{theorem.id} {said} of {_cells(len(report.rows))} ({_counted(report)})"
    more = [f"... and {len(ordered) - SHOWN} more"] if len(ordered) > SHOWN else []
    return "\n".join([head, *(cell(theorem, row) for row in ordered[:SHOWN]), *more])


def nothing_judged(theorem: Theorem, report: Report) -> str:
    """Of a run in which no cell holds or fails."""
    reason = next((row.reason for row in report.rows if row.reason), None)
    first = f"; {_point(report.rows[0])}: {reason}" if reason else ""
    return f"{theorem.id}: nothing was judged in {_cells(len(report.rows))} ({_counted(report)}){first}"


def loose(theorem: Theorem, at_most: float, worst: Row, ratio: float, count: int, judged: int) -> str:
    """Of a bound that is too large, or too small: its loosest cell."""
    times = f"up to {ratio:.6g} times" if isfinite(ratio) else "not within any factor of"
    head = f"{theorem.id} is {times} the truth, more than {at_most:g} times at {count} of {_cells(judged)}; loosest:"
    return f"{head}\n{cell(theorem, worst)}"


def cell(theorem: Theorem, row: Row) -> str:
    """Return one cell, a fact a line."""
    facts = [f"  {_point(row)}: {row.verdict}"]
    if row.analytic is not None:
        facts.append(f"    claimed    {theorem.quantity} {theorem.relation} {row.analytic!r}")
    if row.lower is not None and row.upper is not None:
        truth = Interval(row.lower, row.upper)
        facts.append(f"    certified  {theorem.quantity} in [{truth.lower!r}, {truth.upper!r}]")
    if row.reason:
        facts.append(f"    reason     {row.reason}")
    if row.witness:
        facts.append(f"    witness    {_witness(row.witness)}")
    command = reproduce(theorem, row)
    return "\n".join([*facts, f"    reproduce  {command}"] if command else facts)


def reproduce(theorem: Theorem, row: Row) -> str | None:
    """Return the command that prints the certified interval; None where there is none."""
    if row.lower is None or theorem.quantity not in VERBS:
        return None
    try:
        problem = bounded(theorem, theorem(**row.params))
    except PldcheckError:
        return None
    protocol = problem.protocol
    words = ["pldcheck", VERBS[theorem.quantity], protocol.name]
    for entry in fields(protocol):
        value = protocol.params()[entry.name]
        if value is None or (entry.default is not MISSING and value in (entry.default, str(entry.default))):
            continue
        for one in value if isinstance(value, tuple) else (value,):
            words += [f"--{entry.name.replace('_', '-')}", quote(str(one))]
    words += [f"--{GIVEN[theorem.quantity]}", repr(problem.at), *_width(row, protocol.default_width)]
    return " ".join(words)


def _width(row: Row, usual: float) -> list[str]:
    """Return asked for where the usual one may not tell the claim from the truth."""
    if not row.analytic or not row.lower or not row.upper or not isfinite(row.upper):
        return []
    end = row.lower if row.analytic < row.lower else row.upper
    gap = abs(row.analytic / end - 1)
    return ["--width", f"{max(gap / 2, 1e-8):.1g}"] if 0 < gap < usual else []


def _witness(witness: Any) -> str:
    summary = str(witness.get("summary", witness.get("kind", "known")))
    if "delta_lower" in witness and "epsilon" in witness:
        return f"{summary}: delta >= {down(witness['delta_lower'])} at epsilon = {down(witness['epsilon'])}"
    return summary


def _point(row: Row) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in row.params.items())


def _counted(report: Report) -> str:
    return ", ".join(f"{count} {verdict}" for verdict, count in report.counts.items() if count)


def _cells(count: int) -> str:
    return f"{count} cell{'s' if count != 1 else ''}"

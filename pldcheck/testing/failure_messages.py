"""Messages of failed assertions: cell, claim, certified interval, witness, and the commands to repeat it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, fields
from math import isfinite
from shlex import join, quote
from typing import Any

from ..core.errors import PldcheckError
from ..core.interval import Interval
from ..core.outward_decimals import down
from ..protocols import PROTOCOLS
from ..theorems import GIVEN, REGISTRY, Theorem
from ..verification import Report, Row, Verdict, problem_of_bound
from .own_claims import place_of

# The number of cells that a message shows in full: pytest prints the whole message, and more would hide the first.
SHOWN = 3
# The verb of the command line that computes each quantity.
VERBS = {"epsilon": "eps", "delta": "delta", "renyi": "renyi"}


def unsound_message(theorem: Theorem, report: Report, failing: Sequence[Row]) -> str:
    """Return the message about cells that fail, with the violated cells first."""
    rows = sorted(failing, key=lambda row: row.verdict is not Verdict.VIOLATED)
    false = sum(row.verdict is Verdict.VIOLATED for row in rows)
    result = f"is false at {false}" if false else f"is not certain at {len(rows)}"
    head = f"{theorem.id} {result} of {_cells(len(report.rows))} ({_verdict_counts(report)})"
    more = [f"... and {len(rows) - SHOWN} more"] if len(rows) > SHOWN else []
    return "\n".join([head, *(cell(theorem, row) for row in rows[:SHOWN]), *more])


def no_verdict_message(theorem: Theorem, report: Report) -> str:
    """Return the message about a run in which no cell holds and none fails."""
    reason = next((row.reason for row in report.rows if row.reason), None)
    first = f"; {_point(report.rows[0])}: {reason}" if reason else ""
    return f"{theorem.id}: nothing was judged in {_cells(len(report.rows))} ({_verdict_counts(report)}){first}"


def loose_message(theorem: Theorem, at_most: float, worst: Row, ratio: float, count: int, total: int) -> str:
    """Return the message about a bound that is too loose, with its loosest cell."""
    times = f"up to {ratio:.6g} times" if isfinite(ratio) else "not within any factor of"
    head = f"{theorem.id} is {times} the truth, more than {at_most:g} times at {count} of {_cells(total)}; loosest:"
    return f"{head}\n{cell(theorem, worst)}"


def cell(theorem: Theorem, row: Row) -> str:
    """Return the description of one cell, with one fact on each line."""
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
    commands = {"reproduce": reproduce(theorem, row), "verify": verify_command(theorem, row)}
    return "\n".join([*facts, *(f"    {word:<9}  {command}" for word, command in commands.items() if command)])


def verify_command(theorem: Theorem, row: Row) -> str | None:
    """Return the command that judges a theorem at one cell and writes its files, or None where it finds no theorem."""
    if theorem.id in REGISTRY:
        words = ["--theorem", theorem.id]
    elif place := place_of(theorem):
        words = [place]
    else:
        return None
    cells = [word for name, value in row.params.items() for word in ("--cell", f"{name}={value!r}")]
    return join(["pldcheck", "verify", *words, *cells, "--certify"])


def reproduce(theorem: Theorem, row: Row) -> str | None:
    """Return the command that prints the certified interval, or None if no verb computes this quantity."""
    if row.lower is None or theorem.quantity not in VERBS:
        return None
    try:
        problem = problem_of_bound(theorem, theorem(**row.params))
    except PldcheckError:
        return None
    protocol = problem.protocol
    if protocol.name not in PROTOCOLS:  # a mechanism of one's own has no words
        return None
    words = ["pldcheck", VERBS[theorem.quantity], protocol.name]
    for entry in fields(protocol):
        option = getattr(type(protocol).parameters()[entry.name], "option", "") or entry.name.replace("_", "-")
        value = protocol.params()[entry.name]
        if value is None or (entry.default is not MISSING and value in (entry.default, str(entry.default))):
            continue
        for one in value if isinstance(value, tuple) else (value,):
            words += [f"--{option}", quote(str(one))]
    words += [f"--{GIVEN[theorem.quantity]}", repr(problem.at), *_width(row, protocol.default_width)]
    return " ".join(words)


def _width(row: Row, usual: float) -> list[str]:
    """Return the option ``--width`` if the default width may not separate the claim from the truth, else nothing."""
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


def _verdict_counts(report: Report) -> str:
    return ", ".join(f"{count} {verdict}" for verdict, count in report.counts.items() if count)


def _cells(count: int) -> str:
    return f"{count} cell{'s' if count != 1 else ''}"

"""The verdicts of a run for systems that run tests: JUnit XML, and annotations of GitHub Actions."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from ..core.outward_decimals import safe
from ..theorems import Theorem
from ..verification import Report, Row, Verdict
from ..verification.run_fold import Summary
from ..verification.verdict import OPEN

# The most cells of a theorem that are listed.
MOST = 20


def junit(report: Report) -> bytes:
    """Return a report as JUnit XML: a test case for each theorem, which fails by its violated cells.

    A theorem with an undecided cell, or one that cannot be judged, is an error, and one of which no cell has a verdict
    is skipped.  These are the tests that ``pldcheck verify`` passes with status 0.
    """
    summaries = report.summary()
    violated = [entry for entry in summaries if entry.counts.get(Verdict.VIOLATED)]
    undecided = [entry for entry in summaries if entry not in violated and _open(entry)]
    skipped = [entry for entry in summaries if not _judged(entry)]
    numbers = {"tests": summaries, "failures": violated, "errors": undecided, "skipped": skipped}
    facts = {"name": safe(report.suite), **{name: str(len(entries)) for name, entries in numbers.items()}}
    facts["time"] = f"{report.header.get('seconds', 0.0):.3f}"
    root = Element("testsuites", facts)
    suite = SubElement(root, "testsuite", facts)
    for entry in summaries:
        case = SubElement(suite, "testcase", {"classname": safe(report.suite), "name": safe(entry.theorem)})
        if entry in violated:
            _tell(case, "failure", report, entry, (Verdict.VIOLATED,))
        elif entry in undecided:
            _tell(case, "error", report, entry, OPEN)
        elif entry in skipped:
            SubElement(case, "skipped", {"message": "no cell has a verdict"})
    indent(root)
    return bytes(tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def is_github() -> bool:
    """Return whether this process runs in GitHub Actions."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def github_errors(report: Report, own: Mapping[str, Theorem]) -> Iterator[str]:
    """Yield a line for each violated theorem that GitHub Actions shows as an error.

    ``own`` are theorems of a user's own, by id, whose errors stand beside their lines of code.
    """
    for entry in report.summary():
        if entry.counts.get(Verdict.VIOLATED):
            first = next(row for row in report.rows_of(entry.theorem) if row.verdict is Verdict.VIOLATED)
            place = {**_source(own.get(entry.theorem)), "title": f"{entry.theorem} is violated"}
            words = ",".join(f"{name}={_escaped(text, ':,')}" for name, text in place.items())
            yield f"::error {words}::{_escaped(f'{_count(entry, (Verdict.VIOLATED,))}, first {_sentence(first)}')}"


def _judged(entry: Summary) -> bool:
    none = (Verdict.OUT_OF_CONDITIONS, Verdict.NOT_JUDGED)
    return any(count for verdict, count in entry.counts.items() if verdict not in none)


def _open(entry: Summary) -> bool:
    return any(entry.counts.get(verdict) for verdict in OPEN)


def _tell(case: Element, name: str, report: Report, entry: Summary, verdicts: tuple[Verdict, ...]) -> None:
    rows = list(islice((row for row in report.rows_of(entry.theorem) if row.verdict in verdicts), MOST))
    count = sum(entry.counts.get(verdict, 0) for verdict in verdicts)
    more = [f"and {count - len(rows)} more"] if count > len(rows) else []
    told = SubElement(case, name, {"type": str(rows[0].verdict), "message": _count(entry, verdicts)})
    told.text = "\n".join([*map(_sentence, rows), *more])


def _count(entry: Summary, verdicts: tuple[Verdict, ...]) -> str:
    parts = [f"{count} {verdict}" for verdict in verdicts if (count := entry.counts.get(verdict))]
    return f"{', '.join(parts)} of {entry.cells} cells"


def _sentence(row: Row) -> str:
    at = ", ".join(f"{name}={value}" for name, value in row.params.items())
    why = f"the claim is {row.analytic!r}, the truth in [{row.lower!r}, {row.upper!r}]"
    return safe(f"at {at}: {why if row.lower is not None else row.reason or 'no answer'}")


def _source(theorem: Theorem | None) -> dict[str, str]:
    """Return file and line of a theorem's function, relative to the current folder; none where it has no file there."""
    code = getattr(theorem and theorem.formula, "__code__", None)
    path = Path(code.co_filename) if code else None
    if not path or not code or not path.resolve().is_relative_to(Path.cwd()):
        return {}
    return {"file": path.resolve().relative_to(Path.cwd()).as_posix(), "line": str(code.co_firstlineno)}


def _escaped(text: str, more: str = "") -> str:
    """Return a text as a command of a workflow has it, in which some letters are escaped."""
    for letter in f"%\r\n{more}":
        text = text.replace(letter, f"%{ord(letter):02X}")
    return text

"""The text of an issue to be sent to authors or to a library: one finding, its numbers, and a program that shows it."""

from __future__ import annotations

from collections.abc import Iterator

from ...theorems import REGISTRY
from .finding import Finding, Kind

# What the first sentence says of each kind of finding.
OPENINGS = {
    Kind.FALSE: "The statement below does not hold at the point below: a certified computation shows a larger value.",
    Kind.STEP: "A step of the proof below fails at the point below. The statement itself may hold.",
    Kind.LIMIT: "The approximation below is smaller than the true value at the point below.",
    Kind.READING: "A text can be read in two ways, one of which fails at the point below.",
}


def issue_text(finding: Finding, script: str | None) -> str:
    """Return an issue in Markdown about a finding, with the program if there is one.

    Parameters
    ----------
    finding : Finding
    script : str or None
        A program for Python alone, as of :func:`~pldcheck.study.findings.counterexample_script`.

    """
    return "\n".join(_lines(finding, script)) + "\n"


def _lines(finding: Finding, script: str | None) -> Iterator[str]:
    yield f"# {finding.title}"
    yield ""
    yield OPENINGS.get(finding.kind, "This was computed about the statement below.")
    yield "If it is meant in a setting that excludes this point, we would be glad to learn which."
    yield ""
    yield f"**Where.** {finding.where}"
    theorem = REGISTRY.get(finding.theorems[0])
    statement = finding.facts.get("statement") or (theorem and theorem.statement)
    if statement:
        yield ""
        yield f"**Claimed.** ${statement}$"
    if theorem and theorem.conditions and finding.kind is Kind.FALSE:
        yield ""
        yield f"**Conditions, which hold there.** {'; '.join(one.text for one in theorem.conditions)}"
    yield ""
    yield f"**Computed.** {finding.text}"
    yield ""
    if script:
        yield "**To repeat it.** This program needs Python 3.9 and nothing else."
        yield ""
        yield "```python"
        yield script.rstrip("\n")
        yield "```"
        yield ""
        yield f"With pldcheck: `pldcheck {finding.command}`"
    else:
        yield f"**To repeat it.** `pip install pldcheck`, then `pldcheck {finding.command}`"

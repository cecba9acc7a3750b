"""Findings as a document in Markdown and as lines for a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .all_findings import Findings
from .finding import HEADS, Finding, Kind

# Characters that Markdown could take for markup.
SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$&!])")


def lines(answer: Findings) -> Iterator[str]:
    """Yield the lines of all findings, under the heading of each kind."""
    for kind in Kind:
        group = answer.of(kind)
        if group:
            yield HEADS[kind]
        for one in group:
            yield f"  {one.title} ({', '.join(one.theorems[:3])})"
            yield f"    {one.text}"
            yield f"    $ pldcheck {one.command}"
    if not answer.findings:
        yield "There are no findings."


def markdown(answer: Findings) -> str:
    """Return all findings as one document in Markdown."""
    return "\n".join(_markdown(answer)) + "\n"


def _markdown(answer: Findings) -> Iterator[str]:
    yield "# Findings"
    yield ""
    yield (
        "These are the results of the certified runs, of the audit of the proofs, and of the comparison of the "
        "theorems, in order of consequence. All numbers are computed, and ends of intervals are rounded outward. Each "
        "command shows its finding again."
    )
    for kind in Kind:
        group = answer.of(kind)
        if group:
            yield from ("", f"## {HEADS[kind]}")
        for one in group:
            yield from ("", *_one(one))


def _one(one: Finding) -> Iterator[str]:
    yield f"### {escape(one.title)}"
    yield ""
    yield f"{escape(one.text)}"
    yield ""
    statement = one.facts.get("statement")
    if statement:
        yield f"- claimed: ${statement}$"
    theorems = ", ".join(f"`{name}`" for name in one.theorems) if len(one.theorems) < 9 else f"{len(one.theorems)}"
    yield f"- theorems: {theorems}"
    yield f"- source: {escape(one.where)}"
    ends = f" (exit status {one.status})" if one.status else ""
    yield f"- `pldcheck {one.command}`{ends}"


def escape(text: str) -> str:
    """Return text on one line, with the characters that Markdown would take for markup escaped."""
    return SPECIAL.sub(r"\\\1", " ".join(text.split()))

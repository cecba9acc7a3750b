"""Findings as Markdown and as lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .all_findings import Findings
from .finding import HEADS, Finding, Kind

SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$&!])")


def lines(found: Findings) -> Iterator[str]:
    """Yield a paragraph a finding, under the head of its kind."""
    for kind in Kind:
        ones = found.of(kind)
        if ones:
            yield HEADS[kind]
        for one in ones:
            yield f"  {one.title} ({', '.join(one.theorems[:3])})"
            yield f"    {one.said}"
            yield f"    $ pldcheck {one.command}"
    if not found.findings:
        yield "nothing was found"


def markdown(found: Findings) -> str:
    """Return one document."""
    return "\n".join(_markdown(found)) + "\n"


def _markdown(found: Findings) -> Iterator[str]:
    yield "# Findings"
    yield ""
    yield (
        "What the certified runs, the audit of the proofs, and the comparison of the theorems found out about the "
        "papers, in order of consequence. All numbers are computed; ends of intervals are rounded outward. Each "
        "command shows its finding again."
    )
    for kind in Kind:
        ones = found.of(kind)
        if ones:
            yield from ("", f"## {HEADS[kind]}")
        for one in ones:
            yield from ("", *_one(one))


def _one(one: Finding) -> Iterator[str]:
    yield f"### {escape(one.title)}"
    yield ""
    yield f"{escape(one.said)}"
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
    """Return text on one line that Markdown shows as it is."""
    return SPECIAL.sub(r"\\\1", " ".join(text.split()))

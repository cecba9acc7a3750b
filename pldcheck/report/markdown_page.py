"""The Markdown twin of the page: the same sentences and numbers, without the figures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote

from ..core.outward_decimals import safe_lines
from ..theorems import REGISTRY
from .report_digest import Digest
from .report_tables import SIGNS, Table
from .results_folder import Folder

# Characters with a meaning in Markdown or HTML; names with underscores inside a word are safe in tables.
SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$&!])")


def render(folder: Folder, digest: Digest, page: str) -> bytes:
    """Return the text; ``page`` is the name of the file with the figures."""
    return safe_lines("\n".join(_lines(folder, digest, page)) + "\n").encode()


def escape(text: str) -> str:
    """Return text on one line that is shown as it is."""
    return SPECIAL.sub(r"\\\1", " ".join(text.split(" ")).replace("\r", " ").replace("\n", " "))


def _lines(folder: Folder, digest: Digest, page: str) -> Iterator[str]:
    yield f"# {escape(digest.title)}"
    yield ""
    yield f"**{escape(digest.answer)}**"
    yield ""
    yield escape(f"{digest.looseness} Judged: {digest.scope}".strip())
    yield ""
    signs = {str(verdict): sign for verdict, sign in SIGNS.items()}
    for verdict, number in digest.counts:
        yield f"- {escape(signs[verdict])} {escape(verdict)}: {number}"
    for name, value in digest.facts:
        yield f"- {escape(name)}: {escape(value)}"
    yield f"- figures: [{escape(page)}](<{quote(page)}>)"
    for name, why in digest.damage:
        yield f"- **left out**, because it cannot be read: {escape(name)}: {escape(why)}"
    parts: tuple[tuple[str, tuple[Table | None, ...]], ...] = (
        ("Verdicts", (digest.theorems,)),
        ("Violated and undecided cells", (digest.exceptions,)),
        ("Answers without a theorem", (digest.answers,)),
        ("Widths and times", (digest.budgets, digest.slowest)),
        ("Rows", (digest.rows,)),
    )
    for head, tables in parts[:3]:
        yield from _section(head, tables)
    yield from _claims(folder)
    for head, tables in parts[3:]:
        yield from _section(head, tables)
    yield from _sources(digest)


def _section(head: str, tables: tuple[Table | None, ...]) -> Iterator[str]:
    nonempty = [table for table in tables if table]
    if nonempty:
        yield from ("", f"## {head}")
    for table in nonempty:
        yield from ("", f"{escape(table.caption)}:", "")
        yield _line(table.heads)
        yield "|" + "|".join("--:" if place in table.numeric else "---" for place in range(len(table.heads))) + "|"
        yield from map(_line, table.lines)
        if table.note:
            yield from ("", escape(table.note))


def _line(texts: tuple[str, ...]) -> str:
    return "| " + " | ".join(map(escape, texts)) + " |"


def _claims(folder: Folder) -> Iterator[str]:
    names = dict.fromkeys(name for run in folder.runs.values() for name in run.theorems)
    theorems = [REGISTRY[name] for name in names if name in REGISTRY]
    if theorems:
        yield from ("", "## What was claimed", "")
    for theorem in theorems:
        yield f"- `{theorem.id}` {escape(theorem.title)}: ${theorem.statement}$. {escape(str(theorem.source))}, "
        yield f"  <{theorem.source.url}>"


def _sources(digest: Digest) -> Iterator[str]:
    yield from ("", "## Where this is from")
    for run, facts in digest.sources:
        yield from ("", f"### {escape(run)}", "")
        yield from (f"- {escape(name)}: {escape(value)}" for name, value in facts)
    if digest.aside:
        yield from ("", escape(f"In the same folder, not shown here: {', '.join(digest.aside)}."))

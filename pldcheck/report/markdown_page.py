"""The Markdown twin of the page: the same sentences and numbers, without the figures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote

from ..core.outward_decimals import safe_lines
from ..theorems import REGISTRY
from .page_table import Table
from .report_digest import Digest
from .report_tables import SIGNS
from .results_folder import Folder
from .table_files import file_name

# Characters with a meaning in Markdown or HTML; names with underscores inside a word are safe in tables.
SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$&!])")


def render(folder: Folder, digest: Digest, page: str, files: str = "") -> bytes:
    """Return the text.

    ``page`` is the name of the file with the figures, and ``files`` that of the folder with the tables as CSV, if any.
    """
    return safe_lines("\n".join(_lines(folder, digest, page, files)) + "\n").encode()


def escape(text: str) -> str:
    """Return text on one line that is shown as it is."""
    return SPECIAL.sub(r"\\\1", " ".join(text.split(" ")).replace("\r", " ").replace("\n", " "))


def _lines(folder: Folder, digest: Digest, page: str, files: str) -> Iterator[str]:
    yield f"# {escape(digest.title)}"
    yield ""
    yield escape(f"Judged: {digest.scope}")
    for group in digest.claims:
        yield from ("", f"**{escape(group.sentence)}** {escape(group.remark)}".strip(), "")
        names = ", ".join(one.theorem for one in group.false)
        if group.tells:
            yield from (f"- {escape(f'{one.heading}: {one.contrast}')} (run {escape(one.runs)})" for one in group.false)
        elif names:
            yield escape(f"{names}.")
    if not digest.claims:
        yield from ("", f"**{escape(digest.answer)}**")
    yield from ("", escape(digest.looseness), "")
    signs = {str(verdict): sign for verdict, sign in SIGNS.items()}
    for verdict, number in digest.counts:
        yield f"- {escape(signs[verdict])} {escape(verdict)}: {number}"
    for name, value in digest.facts:
        yield f"- {escape(name)}: {escape(value)}"
    yield f"- figures: [{escape(page)}](<{quote(page)}>)"
    for name, why in digest.damage:
        yield f"- **left out**, because it cannot be read: {escape(name)}: {escape(why)}"
    parts: tuple[tuple[str, tuple[Table | None, ...]], ...] = (
        ("Verdicts", (digest.theorems, digest.theorem_studies)),
        ("Violated and undecided cells", (digest.exceptions,)),
        *((kind.heading, digest.of_kind(kind.name)) for kind in folder.kinds),
        ("Answers without a theorem", (digest.answers,)),
        ("Widths and times", (digest.budgets, digest.slowest)),
        ("Rows", (digest.rows,)),
    )
    for head, tables in parts[:-2]:
        yield from _section(head, tables, files)
        if tables[:1] == (digest.theorems,) and digest.left_out:
            yield from ("", escape(digest.left_out))
    yield from _claims(folder)
    for head, tables in parts[-2:]:
        yield from _section(head, tables, files)
    yield from _sources(digest)


def _section(head: str, tables: tuple[Table | None, ...], files: str) -> Iterator[str]:
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
        if files:
            yield from ("", f"As CSV: [{escape(file_name(table))}](<{quote(f'{files}/{file_name(table)}')}>)")


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

"""A folder of results as one page: everything in it, nothing fetched, readable without scripts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

import pldcheck

from ..core.outward_decimals import safe_lines
from ..theorems import REGISTRY, Theorem
from ..verification import Verdict
from .folder_figures import pictures
from .formula_drawings import formulas
from .report_digest import Digest
from .report_tables import SIGNS, judgement_text
from .results_folder import Folder
from .stored_kinds import StoredKind

if TYPE_CHECKING:
    from jinja2 import Template

# Class of a verdict, which gives it its colour.
CLASSES = {
    Verdict.HOLDS: "h",
    Verdict.CONSISTENT: "h",
    Verdict.VIOLATED: "v",
    Verdict.UNDECIDED: "u",
    Verdict.OUT_OF_CONDITIONS: "o",
    Verdict.NOT_JUDGED: "o",
}
# Columns whose text is broken into lines; all others are as wide as their content.
WIDE = ("parameters", "why, or witness", "remark", "source", "cell of the largest share")


def render(folder: Folder, digest: Digest) -> bytes:
    """Return the page; equal files give equal pages."""
    marks = {}
    for verdict, name in CLASSES.items():
        # Our own text: everything else is escaped.
        marks[str(verdict)] = marks[judgement_text(verdict)] = Markup(f' class="{name}"')
    theorems = _theorems(folder)
    setting = formulas(theorem.statement for theorem in theorems)
    pictures_by_kind = pictures(folder)
    kinds = [kind for kind in folder.kinds if kind.is_on_the_page]
    tables = [digest.theorems, digest.exceptions, digest.answers, digest.budgets, digest.slowest, digest.rows]
    text = _template().render(
        digest=digest,
        pictures=pictures_by_kind,
        claims=[(theorem, setting.drawings.get(theorem.statement)) for theorem in theorems],
        glyphs=setting.glyphs,
        tables=[table for table in tables if table],
        kinds=kinds,
        contents=list(_contents(digest, pictures_by_kind, kinds, theorems)),
        marks=marks,
        signs={str(verdict): sign for verdict, sign in SIGNS.items()},
        style=_part("report.css"),
        script=_part("report.js"),
        wide=WIDE,
        version=pldcheck.__version__,
    )
    return safe_lines(text).encode()


def _contents(
    digest: Digest, pictures_by_kind: dict, kinds: list[StoredKind], theorems: list[Theorem]
) -> Iterator[tuple[str, str]]:
    parts = (
        ("verdicts", "Verdicts", digest.theorems),
        ("exceptional", "Violated and undecided cells", digest.exceptions),
        ("tightness", "Tightness and curves", pictures_by_kind["runs"]),
        *((kind.plural, kind.heading, pictures_by_kind[kind.plural]) for kind in kinds),
        ("answered", "Answers without a theorem", digest.answers),
        ("claims", "What was claimed", theorems),
        ("errors", "Widths and times", digest.budgets or digest.slowest),
        ("cells", "Rows", digest.rows),
        ("provenance", "Where this is from", True),
    )
    return ((name, head) for name, head, there in parts if there)


def _theorems(folder: Folder) -> list[Theorem]:
    """Return the theorems in the runs that have a statement, each once."""
    names = dict.fromkeys(name for run in folder.runs.values() for name in run.theorems)
    return [REGISTRY[name] for name in names if name in REGISTRY]


def _part(name: str) -> str:
    return (resources.files("pldcheck.report") / "templates" / name).read_text(encoding="utf-8").strip()


@cache
def _template() -> Template:
    # Every text is escaped, whatever the name of the template, unless it is marked as safe here.
    room = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=False, keep_trailing_newline=True)
    return room.from_string(_part("report.html.jinja") + "\n")

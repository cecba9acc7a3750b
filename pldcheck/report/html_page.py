"""A folder of results as one page: everything in it, nothing fetched, readable without scripts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

import pldcheck

from ..core.outward_decimals import safe_lines
from ..theorems import REGISTRY, Theorem
from ..verification import Verdict
from .folder_figures import Picture, pictures
from .formula_drawings import formulas
from .page_table import NOTHING, Table
from .report_digest import Digest
from .report_tables import SIGNS, judgement_text, theorem_badges
from .results_folder import Folder
from .table_files import file_name

if TYPE_CHECKING:
    from jinja2 import Template

# Class of a verdict, which gives it its colour.
CLASSES = {
    Verdict.HOLDS: "h",
    Verdict.CONSISTENT: "h",
    Verdict.VIOLATED: "v",
    Verdict.UNDECIDED: "u",
    Verdict.UNJUDGEABLE: "u",
    Verdict.OUT_OF_CONDITIONS: "o",
    Verdict.NOT_JUDGED: "o",
}
# Columns whose text is broken into lines; all others are as wide as their content.
WIDE = (
    *(
        "parameters",
        "why, or witness",
        "remark",
        "source",
        "paper",
        "cell of the largest share",
        "title",
        "what it says",
    ),
    *("theorems", "finding", "command", "formula", "randomizer", "where it turns", "before", "after", "outcome"),
    "implied by",
)
# Columns of long names, which are broken where they must be.
NARROW = ("file", "findings", "proof")
# Columns whose few different texts are offered as a choice.
CHOICES = (
    "verdict",
    "theorem",
    "run",
    "statement",
    "protocol",
    "order",
    "proof",
    "findings",
    "outcome",
    "suite",
    "met",
)
# Columns in bold letters, which break between words alone.
BOLD = ("theorem", "protocol")


@dataclass(frozen=True)
class Section:
    """The part of a page with all results of a kind."""

    name: str
    heading: str
    pictures: list[Picture]
    tables: tuple[Table, ...]


def render(folder: Folder, digest: Digest, home: str = "", files: str = "") -> bytes:
    """Return the page; equal files give equal pages.

    Parameters
    ----------
    folder, digest
        What is stored, and what is said of it.
    home : str
        The way from the page to the folder, "" or a relative path that ends in a slash, for links to files there.
    files : str
        The name of the folder beside the page with its tables as CSV; no links to them unless given.

    """
    marks = {}
    for verdict, name in CLASSES.items():
        # Our own text: everything else is escaped.
        marks[str(verdict)] = marks[judgement_text(verdict)] = Markup(f' class="{name}"')
    theorems, badges = _theorems(folder), theorem_badges(folder)
    setting = formulas(theorem.statement for theorem in theorems)
    pictures_by_kind = pictures(folder)
    sections = [
        Section(kind.name, kind.heading, pictures_by_kind.get(kind.name, []), digest.of_kind(kind.name))
        for kind in folder.kinds
    ]
    sections = [section for section in sections if section.pictures or section.tables]
    text = _template().render(
        digest=digest,
        pictures=pictures_by_kind,
        claims=[(theorem, setting.drawings.get(theorem.statement), badges[theorem.id]) for theorem in theorems],
        glyphs=setting.glyphs,
        tables=digest.tables,
        sections=sections,
        contents=list(_contents(digest, bool(pictures_by_kind["runs"]), sections, theorems)),
        home=home,
        files=files,
        file_name=file_name,
        css_text=css_text,
        nothing=NOTHING,
        marks=marks,
        signs={str(verdict): sign for verdict, sign in SIGNS.items()},
        style=_part("report.css"),
        script=_part("report.js"),
        wide=WIDE,
        narrow=NARROW,
        bold=BOLD,
        choices=CHOICES,
        version=pldcheck.__version__,
    )
    return safe_lines(text).encode()


def css_text(text: str) -> str:
    """Return text as it stands between the quotation marks of a style sheet, with all but letters and digits coded."""
    return "".join(one if one.isascii() and one.isalnum() else f"\\{ord(one):x} " for one in text)


def _contents(
    digest: Digest, has_curves: bool, sections: list[Section], theorems: list[Theorem]
) -> Iterator[tuple[str, str]]:
    parts = (
        ("verdicts", "Verdicts", digest.theorems),
        ("exceptional", "Violated and undecided cells", digest.exceptions),
        ("tightness", "Tightness and curves", has_curves),
        *((section.name, section.heading, True) for section in sections),
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

"""The whole site as files: an index with search, answers, tasks, the method, theorems, statements, protocols, rooms."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import astuple, dataclass
from typing import Any, Protocol

import pdoc.doc
import pdoc.render

import pldcheck

from ...core.adjacencies import NEIGHBOURS
from ...core.interval import ErrorBudget, Interval
from ...theorems import REGISTRY, REMARKS, Theorem
from ...theorems.papers import chains
from ...theorems.remark import Remark
from ...theorems.statements import NOTATION, STATEMENTS, Statement
from ...verification import Verdict
from ..folder_figures import draw_picture
from ..report_tables import SIGNS
from . import documented_modules, guide_pages, theorem_pages
from .docstring_html import Links, plain_line
from .documented_modules import load_modules
from .everyday_tasks import IMPORTS, TASKS
from .formula_svg import share_letters
from .method_chapters import CHAPTERS, Chapter, passages
from .method_lessons import LESSONS
from .page_templates import TEMPLATES, configure, render
from .protocol_pages import ProtocolFacts
from .reference_results import Reference

# Files that every page refers to.
ASSETS = ("site.css", "site.js")
# The index that the search box loads, and the variable in it.
SEARCH_INDEX = "search-index.js"
SEARCH_VARIABLE = "window.SITE_INDEX"
# The beginning of an address that is relative to the site's own folder, with the text before it.
ROOT = '="@/'
# The room whose pages a small sample of the site shows, and the pages of all other kinds in that sample.
SAMPLE_ROOM = "core"
SAMPLE_SIZE = 1
VERDICT_WORDS = {
    Verdict.HOLDS: "The claim is at least the certified upper end: it is true here.",
    Verdict.CONSISTENT: "An exact value was claimed and lies in the interval; the width says how much that tells.",
    Verdict.VIOLATED: "The claim is below the certified lower end: it is false here, and a counterexample exists.",
    Verdict.UNDECIDED: "The claim lies inside the interval, which a narrower one may decide, or there is no interval, "
    "since its computation failed or was stopped.",
    Verdict.UNJUDGEABLE: "The claim has no number, or no protocol here is what the theorem is about: the row says why.",
    Verdict.OUT_OF_CONDITIONS: "The theorem does not speak of this cell: one of its conditions fails.",
    Verdict.NOT_JUDGED: "Only a bound or only the truth was asked for.",
}


class Plotted(Protocol):
    """An object with a picture."""

    def plot(self) -> Any:
        """Return the axes of its picture."""
        ...


@dataclass(frozen=True)
class Material:
    """The facts that the site shows and that this room cannot know.

    ``protocols``: facts on all protocols.  ``bounds``: by theorem, a command line that evaluates it.  ``answer``: a
    command line, and what it prints.  ``reference``: the stored results.  ``compared``: the meanings of the verdicts on
    other accountants.
    """

    protocols: tuple[ProtocolFacts, ...]
    bounds: Mapping[str, str]
    answer: tuple[str, str]
    reference: Reference
    compared: Mapping[str, str]
    training: guide_pages.SamplingExample
    lessons: Mapping[str, tuple[Callable[[], Plotted], str]]


@dataclass(frozen=True)
class Site:
    """All files by path from the site's folder, and the modules that could not be imported with the reason."""

    files: Mapping[str, bytes]
    absent: Mapping[str, str]

    @property
    def pages(self) -> int:
        """The number of pages."""
        return sum(path.endswith(".html") for path in self.files)


@dataclass(frozen=True)
class _Scope:
    """The chapters, theorems, remarks, statements, protocols and modules that have pages on the site."""

    chapters: tuple[Chapter, ...]
    theorems: tuple[Theorem, ...]
    remarks: tuple[Remark, ...]
    statements: tuple[Statement, ...]
    protocols: tuple[ProtocolFacts, ...]
    modules: Mapping[str, pdoc.doc.Module]
    links: Links


def build(material: Material, quick: bool = False, tell: Callable[[str], None] = lambda stage: None) -> Site:
    """Return the site.

    Parameters
    ----------
    material : Material
        What it is about.
    quick : bool
        Whether only a small sample is made: a page of each kind, and the pages of one room.
    tell : callable
        A function that is called with the name of each stage of the work.

    Returns
    -------
    Site
        The same files for the same package and the same results.

    """
    with warnings.catch_warnings():
        # Old modules of other libraries warn when they are imported; that is no matter of this site.
        warnings.simplefilter("ignore")
        tell("importing all modules")
        modules, absent = load_modules((SAMPLE_ROOM,) if quick else None)
        size = SAMPLE_SIZE if quick else None
        statements = tuple(STATEMENTS.values())[:size]
        theorems, remarks = tuple(REGISTRY.values())[:size], tuple(REMARKS.values())[:size]
        scope = _scope(CHAPTERS[:size], theorems, remarks, statements, material.protocols[:size], modules)
        configure(scope.modules, scope.links)
        pages = {}
        for path, text in _pages(material, scope):
            pages[path] = text
            tell(f"{len(pages)} pages written, the last one {path}")
    files = {path: _page_bytes(text, path.count("/")) for path, text in pages.items()}
    files |= {name: (TEMPLATES / name).read_bytes() for name in ASSETS}
    return Site(files | {SEARCH_INDEX: _search_index(scope)}, absent)


def _scope(
    chapters: tuple[Chapter, ...],
    theorems: tuple[Theorem, ...],
    remarks: tuple[Remark, ...],
    statements: tuple[Statement, ...],
    protocols: tuple[ProtocolFacts, ...],
    modules: Mapping[str, pdoc.doc.Module],
) -> _Scope:
    words = {statement.id: f"@/statements/{statement.id}.html" for statement in statements if "-" in statement.id}
    words |= {theorem.id: f"@/theorems/{theorem.id}.html" for theorem in theorems}
    words |= {remark.id: f"@/items/{remark.id}.html" for remark in remarks}
    # A name without a hyphen is a word of the language as well.
    words |= {one.name: f"@/protocols/{one.name}.html" for one in protocols if "-" in one.name}
    return _Scope(chapters, theorems, remarks, statements, protocols, modules, documented_modules.links(modules, words))


def _pages(material: Material, scope: _Scope) -> Iterator[tuple[str, str]]:
    """Yield all pages as texts, by path; addresses in them are relative to the site's folder."""
    chips = {theorem.id: theorem_pages.verdict_chip(theorem.id, material.reference) for theorem in REGISTRY.values()}
    yield "index.html", _index(scope, chips)
    yield "answers.html", _answers(material)
    yield "tasks.html", render("tasks_page.html.jinja2", tasks=TASKS, imports=IMPORTS)
    for guide in guide_pages.GUIDES:
        yield f"guides/{guide.slug}.html", _guide(guide, material, scope)
    for place, chapter in enumerate(scope.chapters):
        yield f"method/{chapter.slug}.html", _chapter(place, chapter, material, scope)
    protocol_names = {protocol.name for protocol in scope.protocols}
    for theorem in scope.theorems:
        yield f"theorems/{theorem.id}.html", _theorem(theorem, material, protocol_names, chips[theorem.id])
    for remark in scope.remarks:
        yield f"items/{remark.id}.html", _remark(remark, material, scope)
    for statement in scope.statements:
        yield f"statements/{statement.id}.html", _statement(statement, scope)
    for protocol in scope.protocols:
        yield f"protocols/{protocol.name}.html", _protocol(protocol, scope, chips)
    for name, module in scope.modules.items():
        path = documented_modules.page_of(name).removeprefix("@/")
        yield path, pdoc.render.html_module(module, scope.modules)


def _index(scope: _Scope, chips: Mapping[str, theorem_pages.Chip]) -> str:
    return render(
        "index_page.html.jinja2",
        package=scope.modules[pldcheck.__name__],
        guides=guide_pages.GUIDES,
        chapters=scope.chapters,
        theorems=scope.theorems,
        chips=chips,
        remarks=scope.remarks,
        statements=scope.statements,
        protocols=scope.protocols,
        rooms=documented_modules.files(scope.modules, pldcheck.__name__),
        has_verdicts=any(chip.tone != "aside" for chip in chips.values()),
    )


def _answers(material: Material) -> str:
    command, output = material.answer
    verdicts = [
        (SIGNS[verdict], str(verdict), theorem_pages.COLOURS[verdict], words)
        for verdict, words in VERDICT_WORDS.items()
    ]
    return render(
        "answers_page.html.jinja2",
        command=command,
        output=output,
        interval=Interval.__doc__,
        budget=ErrorBudget.__doc__,
        verdicts=verdicts,
        compared=material.compared,
        neighbours=NEIGHBOURS,
    )


def _guide(guide: guide_pages.Guide, material: Material, scope: _Scope) -> str:
    return render(
        f"{guide.slug.replace('-', '_')}_guide.html.jinja2",
        guide=guide,
        example=material.training,
        repository=guide_pages.REPOSITORY,
        counterexamples=list(guide_pages.counterexamples(material.reference)),
        known={theorem.id for theorem in scope.theorems},
    )


def _chapter(place: int, chapter: Chapter, material: Material, scope: _Scope) -> str:
    chapters = scope.chapters
    ask, caption = material.lessons.get(chapter.slug, (None, ""))
    return render(
        "chapter_page.html.jinja2",
        chapter=chapter,
        lesson=LESSONS[chapter.slug],
        picture=ask and draw_picture("method", chapter.slug, caption, caption, lambda: ask().plot().figure),
        number=place + 1,
        total=len(chapters),
        passages=list(passages(chapter, scope.modules, scope.links)),
        before=chapters[place - 1] if place else None,
        after=chapters[place + 1] if place + 1 < len(chapters) else None,
    )


def _theorem(theorem: Theorem, material: Material, protocol_names: set[str], chip: theorem_pages.Chip) -> str:
    reference = material.reference
    audit = reference.audits.get(theorem.id)
    return render(
        "theorem_page.html.jinja2",
        theorem=theorem,
        chip=chip,
        known=protocol_names,
        relation=theorem_pages.relation_words(theorem),
        parameters=theorem_pages.parameter_rows(theorem),
        results=theorem_pages.suite_results(theorem.id, reference),
        steps=theorem_pages.proof_steps(audit) if audit else [],
        proof_chips=theorem_pages.proof_chips(audit) if audit else [],
        commands=theorem_pages.command_lines(theorem, material.bounds[theorem.id], reference),
    )


def _remark(remark: Remark, material: Material, scope: _Scope) -> str:
    audit = material.reference.audits.get(remark.id)
    pages = {one.id: f"@/theorems/{one.id}.html" for one in scope.theorems}
    return render(
        "remark_page.html.jinja2",
        remark=remark,
        state=remark.state(remark.id in chains()),
        known=pages | {one.id: f"@/items/{one.id}.html" for one in scope.remarks},
        steps=theorem_pages.proof_steps(audit) if audit else [],
        proof_chips=theorem_pages.proof_chips(audit) if audit else [],
    )


def _statement(statement: Statement, scope: _Scope) -> str:
    return render(
        "statement_page.html.jinja2",
        statement=statement,
        notation=NOTATION,
        known={one.id for one in scope.statements},
    )


def _protocol(protocol: ProtocolFacts, scope: _Scope, chips: Mapping[str, theorem_pages.Chip]) -> str:
    return render(
        "protocol_page.html.jinja2",
        protocol=protocol,
        parameters=[astuple(entry) for entry in protocol.parameters],
        address=scope.links.names.get(f"{protocol.module}.{protocol.type_name}"),
        theorems=[theorem for theorem in REGISTRY.values() if theorem.protocol == protocol.name],
        known={theorem.id for theorem in scope.theorems},
        chips=chips,
    )


def _page_bytes(text: str, depth: int) -> bytes:
    """Return a page's bytes: letters of formulas once, addresses relative to the page's own folder."""
    page, letters = share_letters(text)
    page = page.replace("<header", f"{letters}<header", 1)
    return page.replace(ROOT, '="' + "../" * depth).encode()


def _search_index(scope: _Scope) -> bytes:
    """Return the script that the search box loads: title, address, kind and summary of all that can be looked for."""
    rows = [("How to read an answer", "answers.html", "page", "The interval, its width, verdicts and proofs.")]
    rows += [(one.title, f"tasks.html#{one.slug}", "page", one.note) for one in TASKS]
    rows += [(one.title, f"guides/{one.slug}.html", "page", one.question) for one in guide_pages.GUIDES]
    rows += [(one.title, f"method/{one.slug}.html", "method", one.question) for one in scope.chapters]
    rows += [(one.id, f"theorems/{one.id}.html", "theorem", f"{one.title}, {one.source.key}") for one in scope.theorems]
    rows += [(one.id, f"items/{one.id}.html", one.kind, f"{one.title}, {one.source.key}") for one in scope.remarks]
    rows += [(one.id, f"statements/{one.id}.html", "statement", one.sentence) for one in scope.statements]
    rows += [(one.name, f"protocols/{one.name}.html", "protocol", plain_line(one.summary)) for one in scope.protocols]
    for entry in documented_modules.entries(scope.modules):
        rows.append((entry.name, entry.address.removeprefix("@/"), entry.kind, entry.summary))
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    return f"{SEARCH_VARIABLE} = [\n{lines}\n];\n".encode()

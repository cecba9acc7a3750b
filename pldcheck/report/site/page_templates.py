"""The templates of the site's pages, and the functions that they call."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pdoc.doc
import pdoc.render
from markupsafe import Markup, escape

import pldcheck

from ..unicode_formulas import symbols
from . import documented_modules
from .docstring_html import Links, docstring_html, python_html
from .formula_svg import display_html

TEMPLATES = Path(__file__).parent / "templates"
# A power in a plain text: a name, a number, or an expression in parentheses without inner ones.
POWER = re.compile(r"\^(?:(-?\w+)|\(([^()]*)\))")


def configure(modules: Mapping[str, pdoc.doc.Module], links: Links) -> None:
    """Give pdoc our templates, and the templates the functions that they call.

    Parameters
    ----------
    modules : mapping
        The modules that have pages, by name.
    links : Links
        The addresses of what docstrings name.

    """
    pdoc.render.configure(
        docformat="numpy", include_undocumented=False, show_source=False, search=False, template_directory=TEMPLATES
    )
    environment = pdoc.render.env
    environment.tests["shown"] = documented_modules.is_shown
    environment.globals["version"] = pldcheck.__version__
    environment.globals["files_of"] = lambda name: documented_modules.files(modules, name)
    environment.globals["table"] = _table
    environment.filters["described"] = lambda member: _docstring_markup(member.docstring, links, _home(member))
    environment.filters["described_in"] = lambda text, place: _docstring_markup(text, links, place)
    environment.filters["displayed"] = lambda latex: Markup(display_html(latex))
    environment.filters["symbols"] = symbols
    environment.filters["raised"] = raised
    environment.filters["python"] = lambda code: Markup(python_html(code))


def raised(text: str) -> Markup:
    """Return a plain text as HTML in which powers, such as h^2 and e^(t s), are superscripts."""
    pieces, end = [], 0
    for power in POWER.finditer(text):
        pieces += [escape(text[end : power.start()]), Markup("<sup>{}</sup>").format(power[1] or power[2])]
        end = power.end()
    return Markup("").join([*pieces, escape(text[end:])])


def _docstring_markup(text: str, links: Links, scope: str) -> Markup:
    # Our own docstrings, in which all but the markup has been escaped.
    return Markup(docstring_html(text, links, scope))


def _home(member: pdoc.doc.Doc) -> str:
    """Return the dotted name under which a member is defined, wherever it is shown."""
    if isinstance(member, pdoc.doc.Module):
        return member.modulename
    return ".".join(part for part in member.taken_from if part)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Markup:
    """Return a table that scrolls where it is wider than the page; the first column is code."""
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)
    body = "".join(
        f"<tr><td><code>{escape(name)}</code></td>{''.join(f'<td>{escape(text)}</td>' for text in rest)}</tr>"
        for name, *rest in rows
    )
    return Markup(f'<div class="scroll" tabindex="0"><table><tr>{head}</tr>{body}</table></div>')


def render(template: str, **values: Any) -> str:
    """Return the page that a template makes of these values."""
    return pdoc.render.env.get_template(template).render(**values)

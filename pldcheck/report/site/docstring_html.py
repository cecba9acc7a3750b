"""Docstrings as HTML: sections of numpydoc, roles of reStructuredText as links, formulas as pictures.

Code, formulas and links are taken out first and put back last, so that nothing in them is read as Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from inspect import cleandoc

import pygments
from pdoc import docstrings, render_helpers
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonConsoleLexer, PythonLexer

from .formula_svg import display_html, picture

# A block and all lines below it that are empty or further in.
DISPLAY = re.compile(r"^( *)\.\. math::(.*(?:\n(?:[ ]*$|\1[ ]+\S.*))*)", re.M)
INLINE = re.compile(r":math:`([^`]+)`")
ROLE = re.compile(r":(?:mod|func|class|data|meth|attr|exc):`(~?)([\w.]+)`")
SESSION = re.compile(r"^( *)>>> .*(?:\n\1[ ]*\S.*)*", re.M)
LITERAL = re.compile(r"::\n\n((?:[ ]{2,}\S.*\n?|[ ]*\n)+)")
# Directives of doctest sessions, which readers do not need.
DIRECTIVE = re.compile(r"\s+# doctest: .*")
CODE = re.compile(r"``(.+?)``|`([^`\n]+)`", re.S)
STRONG = re.compile(r"(?<![\w*])\*\*(\S(?:[^*]*\S)?)\*\*(?![\w*])")
EMPHASIS = re.compile(r"(?<![\w*])\*(\S(?:[^*]*\S)?)\*(?![\w*])")
# A star that begins an item of a list, or any other.
STAR = re.compile(r"(^ *\* )|\*", re.M)
# Characters that no text contains, around the number of a piece that was taken out.
OPEN = "\ue000"
CLOSE = "\ue001"
HELD = re.compile(f"<p>{OPEN}(\\d+){CLOSE}</p>|{OPEN}(\\d+){CLOSE}")
# The name of the package, which links leave out.
PACKAGE = "pldcheck."


@dataclass(frozen=True)
class Links:
    """The addresses of the pages that describe things.

    ``names`` maps dotted names of modules and members to addresses; ``words`` maps texts that stand in code to the
    addresses of theorems and protocols.  Addresses begin with ``@/``, which stands for the site's own folder.
    """

    names: Mapping[str, str]
    words: Mapping[str, str] = field(default_factory=dict)

    def find(self, name: str, scope: str) -> str | None:
        """Return the address of a name that a docstring in ``scope`` refers to; None where there is none."""
        parts = scope.split(".")
        inside = [".".join((*parts[:length], name)) for length in range(len(parts), 0, -1)]
        if address := next((self.names[full] for full in (name, *inside) if full in self.names), None):
            return address
        # A name without a docstring of its own is described in its module.
        while name.startswith(PACKAGE):
            name = name.rpartition(".")[0]
            if name in self.names:
                return self.names[name]
        return None


class _Placeholders:
    """Pieces of HTML that Markdown shall not see."""

    def __init__(self) -> None:
        self.pieces: list[str] = []

    def hold(self, piece: str) -> str:
        """Store a piece and return the mark that stands for it."""
        self.pieces.append(piece)
        return f"{OPEN}{len(self.pieces) - 1}{CLOSE}"

    def release(self, text: str) -> str:
        """Return the text with all pieces in their places; one that had a paragraph to itself loses it."""
        while HELD.search(text):
            text = HELD.sub(self._piece, text)
        return text

    def _piece(self, place: re.Match[str]) -> str:
        piece = self.pieces[int(place[1] or place[2])]
        alone = place[1] is not None and not piece.startswith(("<div", "<pre"))
        return f"<p>{piece}</p>" if alone else piece


def docstring_html(text: str, links: Links, scope: str = "") -> str:
    """Return a docstring as HTML.

    Parameters
    ----------
    text : str
        The docstring, in reStructuredText with sections of numpydoc.
    links : Links
        What its roles may refer to.
    scope : str
        The dotted name of what it describes, in which short names are looked for.

    """
    placeholders = _Placeholders()
    text = cleandoc(text)
    text = DISPLAY.sub(lambda block: f"\n{block[1]}{placeholders.hold(display_html(block[2].strip()))}\n\n", text)
    text = SESSION.sub(lambda lines: f"\n{lines[1]}{placeholders.hold(python_html(cleandoc(lines[0])))}\n", text)
    text = LITERAL.sub(lambda lines: f":\n\n{placeholders.hold(_literal(lines[1]))}\n\n", text)
    text = INLINE.sub(lambda formula: placeholders.hold(picture(formula[1])), text)
    text = ROLE.sub(lambda role: placeholders.hold(_reference(role[2], bool(role[1]), links, scope)), text)
    text = CODE.sub(lambda code: placeholders.hold(_code(code[1] or code[2], links)), text)
    text = STRONG.sub(r"<strong>\1</strong>", escape(text, quote=False))
    text = EMPHASIS.sub(r"<em>\1</em>", text)
    text = STAR.sub(lambda star: star[1] or "&#42;", text)
    return placeholders.release(str(render_helpers.to_html(docstrings.numpy(text))))


def plain_line(text: str) -> str:
    """Return the first line of a docstring as plain text: roles and code without their marks."""
    line = text.strip().partition("\n")[0]
    line = ROLE.sub(lambda role: role[2].rpartition(".")[2] if role[1] else role[2].removeprefix(PACKAGE), line)
    return INLINE.sub(r"\1", line).replace("``", "")


def python_html(code: str) -> str:
    """Return lines of Python, or of a session with answers, with their parts in colours."""
    lexer = PythonConsoleLexer() if code.startswith(">>>") else PythonLexer()
    inner = pygments.highlight(DIRECTIVE.sub("", code), lexer, HtmlFormatter(nowrap=True))
    return f'<pre class="pdoc-code" tabindex="0"><code>{inner.strip()}</code></pre>'


def _literal(lines: str) -> str:
    return f'<pre tabindex="0"><code>{escape(cleandoc(lines))}</code></pre>'


def _code(text: str, links: Links) -> str:
    words = " ".join(text.split())
    code = f"<code>{escape(words)}</code>"
    return f'<a href="{links.words[words]}">{code}</a>' if words in links.words else code


def _reference(name: str, short: bool, links: Links, scope: str) -> str:
    text = name.rpartition(".")[2] if short else name.removeprefix(PACKAGE)
    address = links.find(name, scope)
    return f'<a href="{address}"><code>{text}</code></a>' if address else f"<code>{text}</code>"

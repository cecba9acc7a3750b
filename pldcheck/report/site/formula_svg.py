"""Formulas in LaTeX as SVG elements that stand in a line of text, in its colour, and need no font and no network."""

from __future__ import annotations

import re
import warnings
from functools import cache
from html import escape

with warnings.catch_warnings():
    # The library reads its font in a deprecated way, which works.
    warnings.simplefilter("ignore", DeprecationWarning)
    import ziafont
    import ziamath

# Letters of a formula are written once as symbols, so that a page can share them among its formulas.
ziafont.config.svg2 = True
# Digits after the point: a hundredth of a unit is less than can be seen on any screen.
ziafont.config.precision = 2
# Units that the text around a formula is high; all lengths are then given in em.
TEXT_SIZE = 16.0
# Displayed formulas are a little larger than the text.
DISPLAY_SCALE = 1.08
VIEW_BOX = re.compile(r'<svg [^>]*viewBox="([-\d.]+) ([-\d.]+) ([\d.]+) ([\d.]+)"[^>]*>')
SYMBOL = re.compile(r'<symbol id="([^"]+)".*?(?:</symbol>|/>)', re.S)
# Commands, escaped characters and braces.
TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[{}]")
OPENING = ("{", r"\left", r"\begin")
CLOSING = ("}", r"\right", r"\end")
WIDE_SPACE = r"\quad"
# Spaces leave letters without a width.
EMPTY = re.compile(r'<use [^>]*width="0"[^>]*/>')


@cache
def picture(latex: str, display: bool = False) -> str:
    """Return the SVG element of a formula; what cannot be set is shown as its LaTeX.

    Parameters
    ----------
    latex : str
        The formula without dollar signs; line breaks count as spaces.
    display : bool
        Whether it stands in a line of its own, with sums and fractions in full size.

    """
    text = " ".join(latex.split())
    try:
        drawing = ziamath.Latex(text, size=TEXT_SIZE, inline=not display, color="currentColor").svg()
    # The library has no common class of errors.
    except Exception:
        return f"<code>{escape(text)}</code>"
    box = VIEW_BOX.search(drawing)
    assert box is not None
    top, width, height = (float(box[place]) for place in (2, 3, 4))
    scale = (DISPLAY_SCALE if display else 1.0) / TEXT_SIZE
    # An SVG element stands on the line with its lower edge; the formula's own base line is at 0.
    style = f"width:{scale * width:.3f}em;vertical-align:{-scale * (top + height):.3f}em"
    head = f'<svg class="formula" role="img" aria-label="{escape(text)}" viewBox="{" ".join(box.groups())}"'
    return EMPTY.sub("", f'{head} style="{style}">{drawing[box.end() :]}')


def display_html(latex: str) -> str:
    """Return a formula between lines of text; its clauses are on lines of their own where the page is narrow."""
    drawings = " ".join(picture(clause, display=True) for clause in clauses(latex))
    return f'<div class="display" tabindex="0">{drawings}</div>'


def clauses(latex: str) -> list[str]:
    """Return the parts of a formula between wide spaces that are in no group, such as a bound and what is in it."""
    parts, depth, begin = [], 0, 0
    for token in TOKEN.finditer(latex):
        depth += (token[0] in OPENING) - (token[0] in CLOSING)
        if token[0] == WIDE_SPACE and depth == 0:
            parts.append(latex[begin : token.start()])
            begin = token.end()
    return [part.strip() for part in (*parts, latex[begin:]) if part.strip()]


def share_letters(page: str) -> tuple[str, str]:
    """Return a page without the letters of its formulas, and an element that holds each of them once."""
    letters = {letter[1]: letter[0] for letter in SYMBOL.finditer(page)}
    if not letters:
        return page, ""
    head = '<svg width="0" height="0" class="letters" aria-hidden="true" focusable="false">'
    return SYMBOL.sub("", page), f"{head}{''.join(letters.values())}</svg>"

"""Statements of theorems, which are LaTeX, as drawings in the colour of the text around them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from matplotlib import rc_context
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath

# Units that a letter of matplotlib's text paths is high.
FONT_SCALE = 100.0
# Width in em of a formula as many units wide as a letter is high.
EM = 1.1
# Commands that matplotlib's parser of formulas does not know, in words that it knows.
WORDS = {r"\tfrac": r"\frac", r"\quad": r"\ \ \ ", r"\le": r"\leq", r"\ge": r"\geq", r"\log": r"\,\log"}
# Fractions outside all braces are set in full size.
OUTSIDE = {r"\frac": r"\dfrac"}
# Commands by the number of their arguments, which LaTeX, but not matplotlib, accepts without braces.
ARGUMENTS = {r"\frac": 2, r"\tfrac": 2, r"\binom": 2, r"\sqrt": 1, r"\bar": 1, r"\hat": 1, r"\tilde": 1}
TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\s+|.", re.S)
# Commands of matplotlib's paths, by their codes, with how many points each takes.
LETTERS = {1: ("M", 1), 2: ("L", 1), 3: ("Q", 2), 4: ("C", 3), 79: ("Z", 1)}


@dataclass(frozen=True)
class Formulas:
    """Drawn formulas: ``glyphs`` are the letters, once in a page, and ``drawings`` an SVG element for each statement.

    A statement outside matplotlib's subset of LaTeX is missing.
    """

    glyphs: str
    drawings: Mapping[str, str]


def formulas(statements: Iterable[str]) -> Formulas:
    """Return the drawings of all formulas."""
    shapes: dict[str, str] = {}
    drawings = {}
    with rc_context({"mathtext.fontset": "cm"}):
        for statement in dict.fromkeys(statements):
            try:
                glyphs = TextToPath().get_glyphs_mathtext(FontProperties(), f"${add_braces(statement)}$")
            except (ValueError, RuntimeError):
                continue
            drawings[statement] = _svg(*glyphs, shapes)
    paths = "".join(f'<path id="{name}" d="{path}"/>' for name, path in shapes.items())
    head = '<svg width="0" height="0" style="position:absolute" aria-hidden="true" focusable="false"><defs>'
    return Formulas(f"{head}{paths}</defs></svg>" if shapes else "", drawings)


def _svg(places: Any, outlines: Any, bars: Any, shapes: dict[str, str]) -> str:
    parts, xs, ys = [], [], []
    for glyph, x, y, scale in places:
        name = "glyph-" + re.sub(r"\W", "-", glyph)
        vertices, codes = outlines[glyph]
        shapes.setdefault(name, _path(vertices.tolist(), codes.tolist()))
        size = f" scale({scale:.3g})" if scale != 1.0 else ""
        parts.append(f'<use href="#{name}" transform="translate({x:.0f} {-y:.0f}){size}"/>')
        if len(vertices):
            xs += [x + scale * vertices[:, 0].min(), x + scale * vertices[:, 0].max()]
            ys += [y + scale * vertices[:, 1].min(), y + scale * vertices[:, 1].max()]
    for vertices, codes in bars:
        points = [(float(x), float(y)) for x, y in vertices]
        parts.append(f'<path d="{_path(points, list(codes))}"/>')
        xs += [x for x, _ in points]
        ys += [y for _, y in points]
    width, height = max(xs) - min(xs) + 4, max(ys) - min(ys) + 8
    return (
        f'<svg class="formula" viewBox="{min(xs) - 2:.0f} {-max(ys) - 4:.0f} {width:.0f} {height:.0f}" '
        f'style="width:{EM * width / FONT_SCALE:.1f}em" aria-hidden="true" focusable="false">{"".join(parts)}</svg>'
    )


def _path(points: list[Any], codes: list[int]) -> str:
    parts, place = [], 0
    while place < len(codes):
        letter, many = LETTERS[int(codes[place])]
        ends = "" if letter == "Z" else " ".join(f"{x:.0f} {-y:.0f}" for x, y in points[place : place + many])
        parts.append(letter + ends)
        place += many
    return "".join(parts)


def add_braces(statement: str) -> str:
    """Return the same formula with every argument in braces, in words that matplotlib knows."""
    return "".join(_braced_tokens(iter(TOKEN.findall(statement)), OUTSIDE))


def _braced_tokens(tokens: Iterator[str], words: Mapping[str, str] = WORDS) -> Iterator[str]:
    depth = 0
    for token in tokens:
        depth += (token == "{") - (token == "}")
        yield WORDS.get(token, token) if depth else words.get(token, WORDS.get(token, token))
        for _ in range(ARGUMENTS.get(token, 0)):
            yield f"{{{''.join(_braced_tokens(iter(_argument(tokens))))}}}"


def _argument(tokens: Iterator[str]) -> list[str]:
    """Return the next token, or all of a group without its braces."""
    first = next((token for token in tokens if not token.isspace()), "")
    if first != "{":
        return [first]
    group, depth = [], 1
    for token in tokens:
        depth += (token == "{") - (token == "}")
        if depth == 0:
            break
        group.append(token)
    return group

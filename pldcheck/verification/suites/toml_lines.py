"""Line numbers of keys in a TOML text, which ``tomllib`` does not report."""

from __future__ import annotations

import re
import tomllib
from typing import NamedTuple

from .job_refusals import Key

_TOKEN = re.compile(
    r'''
      (?P<blank>   [ \t\r]+ | \#[^\n]* )
    | (?P<newline> \n )
    | (?P<text>    """(?:\\.|[^\\])*?"{3,5} | \'\'\'.*?'{3,5} | "(?:\\.|[^"\\])*" | '[^']*' )
    | (?P<mark>    [\[\]{},=] )
    | (?P<bare>    [^\s\[\]{},=#"']+ )
    ''',
    re.VERBOSE | re.DOTALL,
)


class _Token(NamedTuple):
    kind: str
    word: str
    line: int


def line(text: str, key: Key) -> int:
    """Return the line of a key in valid TOML, or of the nearest table or list it would be in."""
    line_numbers = lines(text)
    return next((line_numbers[key[:end]] for end in range(len(key), 0, -1) if key[:end] in line_numbers), 1)


def lines(text: str) -> dict[Key, int]:
    """Return the line of every key, table and element of a list."""
    tokens = _tokens(text)
    positions: dict[Key, int] = {}
    last: dict[Key, int] = {}  # the place of the last table in each list of tables
    table: Key = ()
    place = 0
    while tokens[place].kind != "end":
        token = tokens[place]
        if token.kind == "newline":
            place += 1
        elif token.word == "[":
            brackets = 1 + (tokens[place + 1].word == "[")
            parts, place = _key(tokens, place + brackets)
            table = _table(parts, last, brackets == 2)
            _record(positions, (), table, token.line)
            place += brackets
        else:
            parts, place = _key(tokens, place)
            _record(positions, table, parts, token.line)
            place = _value(tokens, place + 1, table + parts, positions)
    return positions


def _tokens(text: str) -> list[_Token]:
    tokens, row = [], 1
    for match in _TOKEN.finditer(text):
        kind, word = str(match.lastgroup), match.group()
        if kind != "blank":
            tokens.append(_Token(kind, word, row))
        row += word.count("\n")
    return [*tokens, *[_Token("end", "", row)] * 3]


def _key(tokens: list[_Token], place: int) -> tuple[Key, int]:
    """Return the parts of a dotted key, and the place of what follows it."""
    parts: list[str] = []
    while tokens[place].kind in ("bare", "text"):
        kind, word, _ = tokens[place]
        if kind == "text":
            parts.append(tomllib.loads(f"key = {word}")["key"])
        else:
            parts += [part for part in word.split(".") if part]
        place += 1
    return tuple(parts), place


def _table(parts: Key, last: dict[Key, int], many: bool) -> Key:
    """Return the path of a table; tables in a list are numbered."""
    path: Key = ()
    for depth, part in enumerate(parts, 1):
        path += (part,)
        if many and depth == len(parts):
            last[path] = last.get(path, -1) + 1
        if path in last:
            path += (last[path],)
    return path


def _record(positions: dict[Key, int], table: Key, parts: Key, row: int) -> None:
    for end in range(1, len(parts) + 1):
        positions.setdefault(table + parts[:end], row)


def _value(tokens: list[_Token], place: int, path: Key, positions: dict[Key, int]) -> int:
    """Record the lines of the keys and elements inside a value, and return the place after it."""
    bracket = tokens[place].word if tokens[place].kind == "mark" else ""
    if bracket not in ("[", "{"):
        while tokens[place].kind in ("bare", "text"):
            place += 1
        return place
    place, index = place + 1, 0
    while tokens[place].kind != "end" and tokens[place].word not in ("]", "}"):
        token = tokens[place]
        if token.kind == "newline" or token.word == ",":
            place += 1
        elif bracket == "[":
            positions.setdefault((*path, index), token.line)
            place, index = _value(tokens, place, (*path, index), positions), index + 1
        else:
            parts, place = _key(tokens, place)
            _record(positions, path, parts, token.line)
            place = _value(tokens, place + 1, path + parts, positions)
    return place + 1

"""The identity of a cell, or of a run: a hash of its questions, of widths, and of the code that answers them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from hashlib import blake2b, sha256
from importlib import metadata
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from ...core import sealed_files
from ...theorems import REGISTRY, Theorem
from ..suites import CellSequence
from ..suites.cell_sequence import CellPart
from .provenance import PACKAGE

# The size of a digest in bytes: two cells of 2^96 possible digests practically never have the same one.
SIZE = 12
# The parts of the package that affect no number of a cell.
ELSEWHERE = (
    *("accounting", "checkers", "cli", "drawing", "report", "study", "testing", "training", "witness"),
    *("verification/runs", "verification/suites"),
)
# The beginning of a randomizer's text form that names a file with a table.
TABLE = "table:"
# The largest size of such a file in bytes, as for the randomizer itself.
LARGEST_TABLE = 16 << 20
# The libraries whose versions may change last digits.
LIBRARIES = ("numpy", "scipy", "numba", "llvmlite")


@lru_cache(maxsize=1)
def code() -> str:
    """Return a hash of the sources that compute cells, and of the versions of the libraries."""
    state = blake2b(digest_size=SIZE)
    for path in sorted(PACKAGE.rglob("*.py")):
        place = path.relative_to(PACKAGE).as_posix()
        if not place.startswith(tuple(f"{room}/" for room in ELSEWHERE)):
            state.update(place.encode() + b"\0" + path.read_bytes() + b"\0")
    for library in LIBRARIES:
        state.update(f"{library} {metadata.version(library)}\n".encode())
    state.update(f"python {sys.version_info[:2]}".encode())
    return state.hexdigest()


@lru_cache(maxsize=4096)
def _theorem(theorem: Theorem) -> str:
    """Return the theorem's id; for a theorem that is not registered, with a hash of its functions and their file."""
    if REGISTRY.get(theorem.id) is theorem:
        return theorem.id
    parts: list[Any] = [theorem.id, theorem.relation, theorem.quantity, theorem.protocol, theorem.adjacency]
    parts += [theorem.dominated]
    parts += [_function(theorem.formula), _function(theorem.at), _function(theorem.subject)]
    parts += [(condition.text, condition.strict, _function(condition.excess)) for condition in theorem.conditions]
    parts += [source_of(theorem)]
    return f"{theorem.id} {blake2b(repr(parts).encode(), digest_size=SIZE).hexdigest()}"


def source_of(theorem: Theorem) -> str:
    """Return the SHA-256 digest of the file in which a theorem's formula is written; no text where there is none."""
    try:
        return sha256(Path(theorem.formula.__code__.co_filename).read_bytes()).hexdigest()  # type: ignore[attr-defined]
    except (AttributeError, OSError):  # an object that is called, or a cell of a notebook
        return ""


def _function(of: Any, seen: list[FunctionType] | None = None) -> list[Any]:
    """Return a function's code, its defaults, its closure and the globals that it names, with the functions there.

    ``seen``: the functions that are described already.
    """
    if not isinstance(of, FunctionType):
        return [repr(of)]
    seen = [] if seen is None else seen
    if of in seen:
        return [of.__qualname__]
    seen.append(of)
    closure = [_function(one.cell_contents, seen) for one in of.__closure__ or ()]
    named = [of.__globals__[name] for name in of.__code__.co_names if name in of.__globals__]
    # Of other globals, the repr may have an address.
    named = [one for one in named if isinstance(one, FunctionType | bool | int | float | str)]
    return [
        _plain(of.__code__),
        repr(of.__defaults__),
        repr(of.__kwdefaults__),
        closure,
        [_function(one, seen) for one in named],
    ]


def _plain(of: CodeType) -> list[Any]:
    """Return the bytecode, names and constants of a function and of its inner functions."""
    constants = [_plain(one) if isinstance(one, CodeType) else one for one in of.co_consts]
    return [of.co_code, of.co_names, of.co_varnames, constants]


def _content(randomizer: str) -> str:
    """Return a hash of the file with the table that a randomizer names; empty if it cannot be read."""
    try:
        content = sealed_files.load(Path(randomizer.partition(TABLE)[2]), LARGEST_TABLE)
    except (OSError, ValueError):  # the cell itself reports the error
        return ""
    return blake2b(content, digest_size=SIZE).hexdigest()


def is_in_share(cell: str, share: float) -> bool:
    """Return whether a cell, by its hash, is in a share of all cells; the same ones are in every larger share."""
    return int(cell, 16) < share * 16.0 ** len(cell)


def cell(
    theorem: Theorem | None,
    protocol: str | None,
    quantity: str,
    params: Mapping[str, Any],
    width: float | None,
    judged: bool,
) -> str:
    """Return the hash of one cell; it does not depend on the order of the parameters."""
    question = {
        "theorem": theorem and _theorem(theorem),
        "protocol": protocol,
        "quantity": quantity,
        "params": sorted(params.items()),
        "files": [_content(text) for text in map(str, params.values()) if TABLE in text],
        "width": width,
        "judged": judged,
        "code": code(),
    }
    text = json.dumps(question, sort_keys=True, default=str)
    return blake2b(text.encode(), digest_size=SIZE).hexdigest()


def questions(cells: CellSequence) -> str:
    """Return a digest of the questions of a sequence of cells, without code or width, from its factors alone.

    It does not depend on the order of theorems and grids.
    """
    parts = [[*_place(part), part.judged, _factors(part)] for part in cells.parts]
    return _digest(sorted(json.dumps(part, default=str) for part in parts))


def run(cells: CellSequence, width: float | None) -> str:
    """Return the hash of everything that the rows of a sequence of cells depend on, and of their order."""
    return _digest(
        [
            [
                [part.theorem and _theorem(part.theorem), *_place(part), part.judged, width or part.width],
                _factors(part),
                [_content(text) for text in _texts(part) if TABLE in text],
            ]
            for part in cells.parts
        ]
        + [code()]
    )


def _place(part: CellPart) -> list[str | None]:
    return [part.subject, part.protocol, part.quantity]


def _factors(part: CellPart) -> list[Any]:
    grids = (part.points.points, *part.points.earlier)
    return [[grid.names, [[group, list(rows)] for group, rows in grid.blocks]] for grid in grids]


def _texts(part: CellPart) -> Iterator[str]:
    """Yield the texts among the values of a part's points."""
    for _, rows in part.points.points.blocks:
        yield from (value for row in rows for value in row if isinstance(value, str))


def _digest(values: list[Any] | list[str]) -> str:
    return blake2b(json.dumps(values, default=str).encode(), digest_size=SIZE).hexdigest()

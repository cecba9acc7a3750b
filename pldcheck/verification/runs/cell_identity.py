"""What a cell's outcome depends on, as a hash: the question, the width, and the code that answers."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from functools import lru_cache
from hashlib import blake2b
from importlib import metadata
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from ...core import sealed_files
from ...theorems import REGISTRY, Theorem
from .provenance import PACKAGE

SIZE = 12  # bytes
# What decides no number.
ELSEWHERE = ("accounting", "cli", "report", "study", "testing", "verification/runs", "verification/suites", "witness")
# Parameters that name a file.
TABLE = "table:"
# Bytes of such a file at most.
LARGEST_TABLE = 16 << 20
# Their versions may change last digits.
LIBRARIES = ("numpy", "scipy", "numba", "llvmlite")


@lru_cache(maxsize=1)
def code() -> str:
    """Return a hash of the sources that compute, and of the libraries' versions."""
    found = blake2b(digest_size=SIZE)
    for path in sorted(PACKAGE.rglob("*.py")):
        place = path.relative_to(PACKAGE).as_posix()
        if not place.startswith(tuple(f"{room}/" for room in ELSEWHERE)):
            found.update(place.encode() + b"\0" + path.read_bytes() + b"\0")
    for library in LIBRARIES:
        found.update(f"{library} {metadata.version(library)}\n".encode())
    found.update(f"python {sys.version_info[:2]}".encode())
    return found.hexdigest()


@lru_cache(maxsize=4096)
def _theorem(theorem: Theorem) -> str:
    """Return its id, and for one of the user's own what its formula is made of."""
    if REGISTRY.get(theorem.id) is theorem:
        return theorem.id
    parts: list[Any] = [theorem.id, theorem.relation, theorem.quantity, theorem.protocol, theorem.adjacency]
    parts += [theorem.dominated]
    parts += [_function(theorem.formula), _function(theorem.at), _function(theorem.subject)]
    parts += [(condition.text, condition.strict, _function(condition.excess)) for condition in theorem.conditions]
    return f"{theorem.id} {blake2b(repr(parts).encode(), digest_size=SIZE).hexdigest()}"


def _function(of: Any) -> list[Any]:
    """Return a function's code, defaults, and the values that it closes over; what it calls is not looked into."""
    if not isinstance(of, FunctionType):
        return [repr(of)]
    closed = [repr(one.cell_contents) for one in of.__closure__ or ()]
    return [_plain(of.__code__), repr(of.__defaults__), repr(of.__kwdefaults__), closed]


def _plain(of: CodeType) -> list[Any]:
    """Return bytecode, names and constants, those of inner functions included."""
    constants = [_plain(one) if isinstance(one, CodeType) else one for one in of.co_consts]
    return [of.co_code, of.co_names, of.co_varnames, constants]


def _content(randomizer: str) -> str:
    """Return a hash of the table that a randomizer names."""
    try:
        content = sealed_files.load(Path(randomizer.partition(TABLE)[2]), LARGEST_TABLE)
    except (OSError, ValueError):  # the cell will say so
        return ""
    return blake2b(content, digest_size=SIZE).hexdigest()


def cell(
    theorem: Theorem | None,
    protocol: str | None,
    quantity: str,
    params: Mapping[str, Any],
    width: float | None,
    judged: bool,
) -> str:
    """Return the hash of one cell; parameters in any order."""
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

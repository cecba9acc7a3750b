"""JSON that is stored: sealed by a digest of all that it says, and read again by one strict reader.

The digest is of the values, not of the bytes: another order of keys or another spelling of the same number is the same
record, one changed digit is not.  It tells damage and edits apart from what was computed; it is no signature.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b
from math import isfinite
from pathlib import Path
from stat import S_ISREG
from typing import Any

# Bytes of a digest.
SIZE = 16
# Bytes of one record at most: the largest that is written, the table of mutants, has under 1 MB.
LARGEST = 64 << 20
# Objects and lists in each other at most; what is written here has under ten.
DEEPEST = 40
# How an escape of half a character begins.
SURROGATE = "\\ud"
# Digits of a whole number at most: Python's own limit is there against work that grows with their square.
DIGITS = 400


class Spoiled(ValueError):
    """A stored record is not what was written."""


def digest(values: Mapping[str, Any]) -> str:
    """Return the digest of all values but the one called ``digest``."""
    kept = {name: value for name, value in values.items() if name != "digest"}
    text = json.dumps(kept, sort_keys=True, allow_nan=False, separators=(",", ":"))
    return blake2b(text.encode(), digest_size=SIZE).hexdigest()


def seal(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values as JSON will have them, and their digest; raises ValueError for what JSON has not."""
    # What is read back: keys are texts, tuples are lists.
    plain = json.loads(json.dumps({name: value for name, value in values.items() if name != "digest"}, allow_nan=False))
    return {**plain, "digest": digest(plain)}


def parse(content: bytes | str) -> dict[str, Any]:
    """Return one JSON object, and nothing else: no key twice, no NaN, no lone surrogate, not too long or too deep.

    Raises
    ------
    Spoiled
        With the reason on one line, in which nothing of the content is quoted.

    """
    values = any_json(content)
    if not isinstance(values, dict):
        raise Spoiled("not a JSON object")
    return values


def any_json(content: bytes | str) -> Any:
    """As :func:`parse`, for any JSON value; raises Spoiled."""
    if len(content) > LARGEST:
        raise Spoiled(f"longer than {LARGEST} bytes")
    try:
        text = content.decode("utf-8") if isinstance(content, bytes) else content
        _check_depth(text)
        values = json.loads(text, object_pairs_hook=_once, parse_constant=_constant, parse_float=_float, parse_int=_int)
        text.encode("utf-8")
        if SURROGATE in text.lower():  # escapes may stand for halves of characters
            json.dumps(values, ensure_ascii=False).encode("utf-8")
    except Spoiled:
        raise
    except UnicodeError:
        raise Spoiled("not UTF-8 text") from None
    except (ValueError, RecursionError):
        raise Spoiled("not JSON") from None
    return values


def opened(content: bytes | str) -> dict[str, Any]:
    """Return the values of a sealed record, with their digest; raises Spoiled for one without, or with another."""
    values = parse(content)
    if "digest" not in values:
        raise Spoiled("it has no digest: it was written by an earlier version")
    if values["digest"] != digest(values):
        raise Spoiled("its digest is that of other values")
    return values


def load(path: Path, largest: int = LARGEST) -> bytes:
    """Return the content of a regular file of at most so many bytes; raises OSError or Spoiled."""
    if "\0" in str(path):
        raise Spoiled("a name with a NUL in it")
    if not S_ISREG(path.stat().st_mode):  # before it is opened: a pipe would wait for a writer
        raise Spoiled("not a regular file")
    with path.open("rb") as file:
        content = file.read(largest + 1)
    if len(content) > largest:
        raise Spoiled(f"longer than {largest} bytes")
    return content


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise Spoiled("a key stands twice")
    return values


def _constant(word: str) -> None:
    raise Spoiled("NaN or Infinity, which are not JSON")


def _float(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise Spoiled("a number beyond all doubles")
    return value


def _int(text: str) -> int:
    if len(text) > DIGITS:
        raise Spoiled("a number of too many digits")
    return int(text)


def _check_depth(text: str) -> None:
    """Before it is parsed, as parsers recurse; brackets inside texts count as well, which only refuses sooner."""
    if text.count("[") + text.count("{") <= DEEPEST:
        return
    depth, inside, escaped = 0, False, False
    for letter in text:
        if inside:
            if escaped:
                escaped = False
            elif letter == "\\":
                escaped = True
            elif letter == '"':
                inside = False
        elif letter == '"':
            inside = True
        elif letter in "[{":
            depth += 1
            if depth > DEEPEST:
                raise Spoiled(f"more than {DEEPEST} objects and lists in each other")
        elif letter in "]}":
            depth -= 1

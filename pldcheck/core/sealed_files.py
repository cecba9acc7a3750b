"""Stored JSON files: each is sealed by a digest of its values, and one strict parser reads them all.

The digest covers the values, not the bytes: another order of keys or another spelling of the same number gives the same
digest, one changed digit another.  A digest reveals damage and edits; it is no signature.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b
from math import isfinite
from pathlib import Path
from stat import S_ISREG
from typing import Any

from . import stored_formats

# The length of a digest in bytes: collisions by accident are out of the question.
SIZE = 16
# The largest size of a record in bytes: the largest that is written, the table of mutants, has under 1 MB.
LARGEST = 64 << 20
# The largest depth of nested objects and lists: files of this package have under ten levels.
DEEPEST = 40
# The beginning of an escape that stands for half a character.
SURROGATE = "\\ud"
# The largest number of digits of an integer: the work of parsing grows with its square.
DIGITS = 400


class DamageError(ValueError):
    """A stored record is damaged, edited, or not a record; the message says why."""


def digest(values: Mapping[str, Any]) -> str:
    """Return the digest, in hexadecimal, of all values but the one with the key ``digest``."""
    content = {name: value for name, value in values.items() if name != "digest"}
    text = json.dumps(content, sort_keys=True, allow_nan=False, separators=(",", ":"))
    return blake2b(text.encode(), digest_size=SIZE).hexdigest()


def seal(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values as JSON stores them, with their digest; raise ValueError for values outside JSON."""
    # The values as they will be read: keys are texts, tuples are lists.
    plain = json.loads(json.dumps({name: value for name, value in values.items() if name != "digest"}, allow_nan=False))
    return {**plain, "digest": digest(plain)}


def parse(content: bytes | str) -> dict[str, Any]:
    """Return the JSON object that a text contains.

    Raises
    ------
    DamageError
        For any other text, and for a key that occurs twice, NaN, a lone surrogate, and content that is too long or too
        deep.  The message is one line that quotes nothing of the content.

    """
    values = any_json(content)
    if not isinstance(values, dict):
        raise DamageError("not a JSON object")
    return values


def any_json(content: bytes | str) -> Any:
    """Return any JSON value as :func:`parse` reads it; raise DamageError."""
    if len(content) > LARGEST:
        raise DamageError(f"longer than {LARGEST} bytes")
    try:
        text = content.decode("utf-8") if isinstance(content, bytes) else content
        _check_depth(text)
        values = json.loads(
            text, object_pairs_hook=_unique_keys, parse_constant=_constant, parse_float=_float, parse_int=_int
        )
        text.encode("utf-8")
        if SURROGATE in text.lower():  # an escape may stand for half a character
            json.dumps(values, ensure_ascii=False).encode("utf-8")
    except DamageError:
        raise
    except UnicodeError:
        raise DamageError("not UTF-8 text") from None
    except (ValueError, RecursionError):
        raise DamageError("not JSON") from None
    return values


def unseal(content: bytes | str) -> dict[str, Any]:
    """Return the values of a sealed record with their digest.

    Raises DamageError if it is missing or does not match, or if the record is in a format that is not known yet.
    """
    values = parse(content)
    if "digest" not in values:
        raise DamageError("it has no digest: it was written by an earlier version")
    if values["digest"] != digest(values):
        raise DamageError("its digest does not match its values")
    if unreadable := stored_formats.complaint(values):
        raise DamageError(unreadable)
    return values


def load(path: Path, largest: int = LARGEST) -> bytes:
    """Return the content of a regular file of at most ``largest`` bytes; raise OSError or DamageError."""
    if "\0" in str(path):
        raise DamageError("its name contains a NUL character")
    if not S_ISREG(path.stat().st_mode):  # this comes before opening: a pipe would wait for a writer
        raise DamageError("not a regular file")
    with path.open("rb") as file:
        content = file.read(largest + 1)
    if len(content) > largest:
        raise DamageError(f"longer than {largest} bytes")
    return content


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise DamageError("a key stands twice")
    return values


def _constant(word: str) -> None:
    raise DamageError("NaN or Infinity, which are not JSON")


def _float(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise DamageError("a number is too large for a double")
    return value


def _int(text: str) -> int:
    if len(text) > DIGITS:
        raise DamageError("a number has too many digits")
    return int(text)


def _check_depth(text: str) -> None:
    """Raise DamageError for nesting deeper than ``DEEPEST``; this comes before parsing, since parsers recurse."""
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
                raise DamageError(f"its objects and lists are nested more than {DEEPEST} deep")
        elif letter in "]}":
            depth -= 1

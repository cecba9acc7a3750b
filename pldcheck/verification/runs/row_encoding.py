"""The encoding of a row for a run's database: its cell, its other columns in compact JSON, and a digest of both.

It depends on nothing but the number of the cell and the row, so that any process can encode its rows.  Text is written
by hand, since a general encoder takes several times as long.
"""

from __future__ import annotations

import json
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from ...core.sealed_files import DamageError
from .. import Row
from . import row_reader

# The number of a cell, the hash of its question, the columns of its row, and the digest of these three.
EncodedRow = tuple[int, str | None, str, bytes]

# The number in the digests of rows that are kept without being a part of the run.
KEPT_ASIDE = -1
# The length of a row's digest in bytes: damage is overlooked once in 2^64 damaged rows.
SIZE = 8
# The most texts of parameters that are cached: more than the values of most jobs.
CACHED = 1 << 16
# What stands at the end of a reason that is too long to be stored.
CUT = " …"


def encode(number: int, row: Row) -> EncodedRow:
    """Return a row as a database stores it; raise ValueError for values outside JSON."""
    params = ",".join([_parameter(name, value) for name, value in row.params.items()])
    budget = row.budget
    parts = (
        "null"
        if budget is None
        else f'{{"discretisation":{_number(budget.discretisation)},"truncation":{_number(budget.truncation)},'
        f'"rounding":{_number(budget.rounding)}}}'
    )
    witness = f',"witness":{_json(dict(row.witness))}' if row.witness else ""
    line = (
        f'{{"theorem":{_text(row.theorem)},"protocol":{_text(row.protocol)},'
        f'"quantity":{_text(row.quantity)},"params":{{{params}}},"verdict":"{row.verdict.value}",'
        f'"analytic":{_number(row.analytic)},"lower":{_number(row.lower)},"upper":{_number(row.upper)},'
        f'"tightness_lower":{_number(row.tightness_lower)},"tightness_upper":{_number(row.tightness_upper)},'
        f'"budget":{parts},"seconds":{_number(row.seconds)},'
        f'"reason":{"null" if row.reason is None else _json(storable(row.reason))}{witness}}}'
    )
    return number, row.cell, line, digest(number, row.cell, line)


def digest(number: int, cell: str | None, line: str) -> bytes:
    """Return the digest of a row at a place."""
    return blake2b(f"{number}\n{cell or ''}\n{line}".encode(), digest_size=SIZE).digest()


def checked(number: int, cell: Any, line: Any, sum: Any) -> EncodedRow:
    """Return a row as it was encoded from what a database has, whose texts are bytes; raise DamageError for damage."""
    try:
        cell, line = cell if cell is None else cell.decode(), line.decode()
    except (AttributeError, UnicodeError):
        raise DamageError("not text") from None
    if digest(number, cell, line) != sum:
        raise DamageError("its digest does not match its values")
    return number, cell, line, sum


def decode(number: int, cell: Any, line: Any, sum: Any) -> Row:
    """Return the row that a database has at a place; raise DamageError if it is damaged, moved, or no row."""
    _, own, text, _ = checked(number, cell, line, sum)
    return row_of(own, text)


def row_of(cell: str | None, line: str) -> Row:
    """Return the row of an encoded one; raise DamageError if it is no row."""
    try:
        values = _DECODER.decode(line)
    except (ValueError, RecursionError):  # someone has made a digest for another text
        raise DamageError("not JSON") from None
    if not isinstance(values, dict):
        raise DamageError(row_reader.NOT_A_ROW)
    return row_reader.row({**values, "cell": cell})


def storable(reason: str) -> str:
    """Return a reason without halves of characters, cut where readers would refuse it; an error's text may be long."""
    if not reason.isascii():
        reason = reason.encode("utf-8", "replace").decode("utf-8")
    return reason if len(reason) <= row_reader.LONGEST else reason[: row_reader.LONGEST - len(CUT)] + CUT


def _refuse(word: str) -> None:
    raise DamageError("NaN or Infinity, which are not JSON")


# The reader of columns whose digest fits: the strict one of other files takes twice as long.
_DECODER = json.JSONDecoder(parse_constant=_refuse)


def _json(value: Any) -> str:
    return json.dumps(value, allow_nan=False, separators=(",", ":"))


@lru_cache(maxsize=CACHED, typed=True)
def _parameter(name: str, value: Any) -> str:
    return f"{_json(name)}:{_json(value)}"


@lru_cache(maxsize=CACHED)
def _text(value: str | None) -> str:
    return _json(value)


def _number(value: float | None) -> str:
    if value is None:
        return "null"
    text = float.__repr__(value) if isinstance(value, float) else _json(value)
    if text[-1] in "fn":  # infinities are texts, and there is no NaN
        return _json(text) if text != "nan" else _json(value)
    return text

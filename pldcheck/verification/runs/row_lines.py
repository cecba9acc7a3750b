"""Lines of large runs: one row each, in compact JSON with the index of its cell, sealed by a digest of its bytes.

The columns are those of other stored rows; a row of a large run has its index in place of a cell's hash.  Text is
written by hand, since a general encoder takes several times as long.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from ...core.sealed_files import DamageError
from .. import Row, Verdict
from . import row_reader

# The beginning of a line, before the index.
START = b'{"index":'
# What stands between the columns and the digest of a line, and after the digest.
BEFORE_DIGEST = b',"digest":"'
AFTER_DIGEST = b'"}'
# The length of a line's digest in bytes: damage is overlooked once in 2^64 damaged lines.
SIZE = 8
# The most texts of parameters that are kept: more than the values of most jobs.
KEPT = 1 << 16


def encode(index: int, row: Row) -> bytes:
    """Return the line of a row, with its end; raise ValueError for values outside JSON."""
    params = ",".join([_parameter(name, value) for name, value in row.params.items()])
    budget = row.budget
    parts = (
        "null"
        if budget is None
        else f'{{"discretisation":{_number(budget.discretisation)},"truncation":{_number(budget.truncation)},'
        f'"rounding":{_number(budget.rounding)}}}'
    )
    witness = f',"witness":{_json(dict(row.witness))}' if row.witness else ""
    text = (
        f'{{"index":{index},"cell":{_text(row.cell)},"theorem":{_text(row.theorem)},"protocol":{_text(row.protocol)},'
        f'"quantity":{_text(row.quantity)},"params":{{{params}}},"verdict":"{row.verdict.value}",'
        f'"analytic":{_number(row.analytic)},"lower":{_number(row.lower)},"upper":{_number(row.upper)},'
        f'"tightness_lower":{_number(row.tightness_lower)},"tightness_upper":{_number(row.tightness_upper)},'
        f'"budget":{parts},"seconds":{_number(row.seconds)},'
        f'"reason":{"null" if row.reason is None else _json(row.reason)}{witness}'
    ).encode()
    return b"%b%b%b%b\n" % (text, BEFORE_DIGEST, _digest(text), AFTER_DIGEST)


def _refuse(word: str) -> None:
    raise DamageError("NaN or Infinity, which are not JSON")


# The reader of the columns of a line whose digest fits: the strict one of other files takes twice as long.
_DECODER = json.JSONDecoder(parse_constant=_refuse)


def index_of(line: bytes) -> int:
    """Return the index of a line that is known to be whole."""
    return int(line[len(START) : line.index(b",", len(START))])


def check(line: bytes) -> int:
    """Return the index of a line without its end; raise DamageError if its digest does not match its bytes."""
    text, _, rest = line.rpartition(BEFORE_DIGEST)
    if not text.startswith(START) or rest != _digest(text) + AFTER_DIGEST:
        raise DamageError("its digest does not match its bytes")
    return index_of(line)


def decode(line: bytes) -> tuple[int, Row]:
    """Return the index and the row of a line without its end; raise DamageError if it is damaged or no row."""
    index = check(line)
    try:
        values: Any = _DECODER.decode(line.decode())
    except (ValueError, RecursionError):  # someone has made a digest for another text
        raise DamageError("not JSON") from None
    if not isinstance(values, dict) or values.pop("index", None) != index:
        raise DamageError(row_reader.NOT_A_ROW)
    return index, row_reader.row(values)


def whole_lines(content: bytes) -> Iterable[bytes]:
    """Return the lines of a file without their ends; the last one may be cut."""
    return (line for line in content.split(b"\n") if line)


def has_no_numbers(row: Row) -> bool:
    """Return whether a row reports a failure: too little time or memory, the loss of a worker, or an error."""
    return row.verdict is Verdict.UNDECIDED and row.lower is None


def is_of_a_failure(line: bytes) -> bool:
    """Return whether a whole line is of a row without numbers; inside texts the quotes are escaped."""
    return b'"verdict":"UNDECIDED"' in line and b'"lower":null' in line


def _digest(text: bytes) -> bytes:
    return blake2b(text, digest_size=SIZE).hexdigest().encode()


def _json(value: Any) -> str:
    return json.dumps(value, allow_nan=False, separators=(",", ":"))


@lru_cache(maxsize=KEPT, typed=True)
def _parameter(name: str, value: Any) -> str:
    return f"{_json(name)}:{_json(value)}"


@lru_cache(maxsize=KEPT)
def _text(value: str | None) -> str:
    return _json(value)


def _number(value: float | None) -> str:
    if value is None:
        return "null"
    text = float.__repr__(value) if isinstance(value, float) else _json(value)
    if text[-1] in "fn":  # infinities are texts, and there is no NaN
        return _json(text) if text != "nan" else _json(value)
    return text

"""The kinds of stored JSON files, each with the number of its format: the one place that both are written from.

A file says under ``kind`` what it holds and under ``format`` which keys that has; of JSON lines, the first line says so
for all.  The number grows when a reader of the old format would misread the new one, and not when a key is added.
Files from before there were numbers have format 1 without saying so, and stay readable.

Two kinds of files say it in a key of their own, since the programs that check them refuse any other key: a witness
under ``pldcheck_witness``, whose value is its format, and a certificate under ``pldcheck_certificate``, whose value is
the program that knows its format.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

# The newest format of each kind, which is the one that is written; "run" is the database of a run, "header" the first
# line of one as JSON lines.
FORMATS: Mapping[str, int] = MappingProxyType(
    {
        "run": 1,
        "header": 1,
        "certificates": 1,
        "audit": 1,
        "findings": 1,
        "dominance": 1,
        "mutation": 1,
        "attack": 1,
        "simulation": 1,
        "comparison": 1,
        "waterfall": 1,
        "trajectory": 1,
        "corpus": 1,
        "benchmarks": 1,
        "widths": 1,
    }
)
# The format of files that do not say theirs.
UNSAID = 1


def opening(kind: str) -> dict[str, Any]:
    """Return the keys with which a file of that kind begins; raise KeyError for a kind that has no format.

    Examples
    --------
    >>> opening("audit")
    {'kind': 'audit', 'format': 1}

    """
    return {"kind": kind, "format": FORMATS[kind]}


def complaint(values: Mapping[str, Any]) -> str:
    """Return why this version cannot read a file that begins so; empty if it can, or if the kind is none of these.

    Examples
    --------
    >>> complaint({"kind": "audit", "format": 2})
    'its format is newer than this version of pldcheck, which reads format 1 of this kind'

    """
    kind, number = values.get("kind"), values.get("format", UNSAID)
    if not isinstance(kind, str) or kind not in FORMATS:
        return ""
    if type(number) is not int or number < 1:
        return "its format is not a number from 1"
    newest = FORMATS[kind]
    if number > newest:
        return f"its format is newer than this version of pldcheck, which reads format {newest} of this kind"
    return ""

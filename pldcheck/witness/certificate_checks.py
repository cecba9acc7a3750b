"""Checks of files that a search wrote: whoever asks again gets the same answer, which took its time once.

Programs are functions of a file's content alone, so that their verdicts may be kept.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from time import process_time
from types import ModuleType
from typing import Any, NamedTuple

from .certificate_file import MOST_BYTES, Verdict, refusal

# Verdicts that are kept: a search and its caller ask about the same file one after the other.
MOST_KEPT = 4


class Check(NamedTuple):
    """A verdict, and the seconds of processor time that its program took for it."""

    verdict: Verdict
    seconds: float


def compact(facts: Mapping[str, Any]) -> str:
    """Return the shortest text of a file with this content."""
    return json.dumps(dict(facts), separators=(",", ":")) + "\n"


def check_of(program: ModuleType, facts: Mapping[str, Any]) -> Check:
    """Return the Check of a file's content by its program, which refuses a file that is too long."""
    return _check(program, compact(facts))


def accepts(program: ModuleType, facts: Mapping[str, Any]) -> bool:
    """Return whether a program accepts a file's content."""
    return check_of(program, facts).verdict.status == 0


@lru_cache(maxsize=MOST_KEPT)
def _check(program: ModuleType, text: str) -> Check:
    if len(text) > MOST_BYTES:
        return Check(refusal(ValueError(f"longer than {MOST_BYTES} bytes")), 0.0)
    began = process_time()
    return Check(program.verify(json.loads(text)), process_time() - began)

"""Checks of files that a search wrote: whoever asks again gets the same answer, which took its time once.

Programs are functions of a file's content alone, so that their verdicts may be kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from time import process_time
from types import ModuleType
from typing import Any, NamedTuple

from ..checkers.claim_files import MOST_BYTES, Verdict, refusal

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


def accepted(outcome: tuple[Mapping[str, Any], Any]) -> Mapping[str, Any] | None:
    """Return the certificate of a certificate and its verdict, or None if its program did not accept it."""
    facts, verdict = outcome
    return facts if verdict.status == 0 else None


def first_accepted(
    program: ModuleType, claim: dict[str, Any], finenesses: Iterable[dict[str, Any]]
) -> tuple[dict[str, Any], Any]:
    """Return the first certificate that a program accepts, or the last that it did not refuse, and the verdict."""
    facts: dict[str, Any] = {"pldcheck_certificate": program.__name__.rpartition(".")[2], "claim": claim}
    verdict = Verdict(2, "refused: no fineness")
    for fineness in finenesses:
        trial = {**facts, "fineness": fineness}
        outcome = check_of(program, trial).verdict
        if outcome.status == 2 and verdict.status == 1:
            break
        facts, verdict = trial, outcome
        if verdict.status == 0 or verdict.sentence.startswith("false"):
            break
    return facts, verdict


@lru_cache(maxsize=MOST_KEPT)
def _check(program: ModuleType, text: str) -> Check:
    if len(text) > MOST_BYTES:
        return Check(refusal(ValueError(f"longer than {MOST_BYTES} bytes")), 0.0)
    began = process_time()
    return Check(program.verify(json.loads(text)), process_time() - began)

"""Columns beside the verdicts on theorems: what studies say of each, in a few words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..findings.finding import Kind
from .proof_tables import CONCLUSIONS

# The words for kinds of findings; those on guards and on implied theorems have columns or tables of their own.
WORDS = {
    Kind.FALSE: "false",
    Kind.STEP: "a step fails",
    Kind.LIMIT: "no bound",
    Kind.READING: "two readings",
    Kind.CONDITION: "a condition is not needed",
    Kind.PARAMETER: "a parameter is idle",
    Kind.RECALLED: "false as recalled",
}
# The most theorems that are named in a cell.
MOST_NAMED = 3


def proofs(values: Mapping[str, Any]) -> dict[str, str]:
    """Return what the audit of each proof says."""
    return {str(audit["theorem"]): CONCLUSIONS[audit["holds"]] for audit in values["audits"]}


def findings(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the kinds of findings about each theorem, in order of consequence."""
    words: dict[str, list[str]] = {}
    for kind, text in sorted(WORDS.items()):
        for one in values["findings"]:
            if one["kind"] == kind.name.lower():
                for theorem in one["theorems"]:
                    words.setdefault(str(theorem), []).append(text)
    return {theorem: ", ".join(dict.fromkeys(texts)) for theorem, texts in words.items()}


def implied_by(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the theorems that imply each theorem at all its points."""
    return {
        str(theorem): ", ".join(others[:MOST_NAMED])
        + (f" and {len(others) - MOST_NAMED} more" if len(others) > MOST_NAMED else "")
        for theorem, others in values["dominated"].items()
    }

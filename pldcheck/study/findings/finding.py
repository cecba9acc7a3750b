"""A finding about a paper: what is the matter, the numbers that show it, and the command that shows them again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any


class Kind(IntEnum):
    """In order of consequence."""

    FALSE = 0
    STEP = 1
    LIMIT = 2
    READING = 3
    CONDITION = 4
    FORGOTTEN = 5
    DOMINATED = 6
    GUARDS = 7


HEADS: Mapping[Kind, str] = {
    Kind.FALSE: "Statements that are false",
    Kind.STEP: "Steps of proofs that fail where they are claimed (the theorem may hold all the same)",
    Kind.LIMIT: "Approximations that are no bounds (their papers do not say that they are)",
    Kind.READING: "Texts that can be read in two ways, one of which fails",
    Kind.CONDITION: "Conditions that a step does not need",
    Kind.FORGOTTEN: "Steps that forget a parameter of the theorem",
    Kind.DOMINATED: "Theorems that another one implies",
    Kind.GUARDS: "What guards against mistakes here",
}


@dataclass(frozen=True)
class Finding:
    """``said``: plain sentences with every number in them; ``facts``: the same numbers as they were found.

    ``theorems``: ids of what it is about; ``where``: the place in the paper; ``command``: words after ``pldcheck``, and
    ``status`` the exit status that they are to have.
    """

    kind: Kind
    theorems: tuple[str, ...]
    title: str
    said: str
    where: str
    command: str
    status: int
    facts: Mapping[str, Any] = field(hash=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "kind": self.kind.name.lower(),
            "theorems": list(self.theorems),
            "title": self.title,
            "said": self.said,
            "where": self.where,
            "command": f"pldcheck {self.command}",
            "status": self.status,
            "facts": dict(self.facts),
        }

"""A finding about a paper: its sentences, its numbers, and the command that shows them again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any


class Kind(IntEnum):
    """The kinds of findings, in order of consequence."""

    FALSE = 0
    STEP = 1
    LIMIT = 2
    READING = 3
    CONDITION = 4
    PARAMETER = 5
    DOMINATED = 6
    GUARDS = 7
    RECALLED = 8


# The headings of the kinds.
HEADS: Mapping[Kind, str] = {
    Kind.FALSE: "Statements that are false",
    Kind.STEP: "Steps of proofs that fail where they are claimed (the theorem may still hold)",
    Kind.LIMIT: "Approximations that are not bounds (their papers do not claim that they are)",
    Kind.READING: "Texts that can be read in two ways, one of which fails",
    Kind.CONDITION: "Conditions that a step does not need",
    Kind.PARAMETER: "Steps whose right side does not depend on a parameter of the theorem",
    Kind.DOMINATED: "Theorems that another theorem implies",
    Kind.GUARDS: "Protection against mistakes in the registered formulas",
    Kind.RECALLED: "Formulas that are false as recalled (their papers were not at hand, and most do not claim them)",
}


@dataclass(frozen=True)
class Finding:
    """One finding about a paper.

    Parameters
    ----------
    kind, title
        The kind of the finding, and its heading.
    theorems
        The ids of the theorems that it concerns.
    text
        The finding in plain sentences, with every number rounded in the direction in which the sentence stays true.
    where
        The place in the paper.
    command, status
        The arguments of ``pldcheck`` that show the finding again, and the exit status of that command.
    facts
        The numbers without rounding.

    """

    kind: Kind
    theorems: tuple[str, ...]
    title: str
    text: str
    where: str
    command: str
    status: int
    facts: Mapping[str, Any] = field(hash=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as plain values, ready for JSON."""
        return {
            "kind": self.kind.name.lower(),
            "theorems": list(self.theorems),
            "title": self.title,
            "text": self.text,
            "where": self.where,
            "command": f"pldcheck {self.command}",
            "status": self.status,
            "facts": dict(self.facts),
        }

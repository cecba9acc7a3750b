"""Claims that are vacuous: above the budget of the one message in which the record is used, which needs no theorem."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..theorems import REGISTRY, Theorem

# The protocols in which a record is used in one message, and the parameters with the values for which that is so.
ONE_MESSAGE = ("hidden-slot", "check-in", "sliding-window", "shuffle", "averaged")
ONCE = {"epochs": 1, "rounds": 1, "delta0": 0.0}


def budgeted(subject: str) -> Theorem | None:
    """Return the theorem of that id if its claims can be vacuous."""
    theorem = REGISTRY.get(subject)
    if theorem is None or theorem.protocol not in ONE_MESSAGE:
        return None
    return theorem if (theorem.quantity, theorem.relation) == ("epsilon", "<=") else None


def is_vacuous(theorem: Theorem, params: Mapping[str, Any], claim: float | None) -> bool:
    """Return whether a claim of such a theorem is above the budget of the one message in which the record is used."""
    if claim is None or not set(theorem.parameters) <= set(params):
        return False
    values = {**params, **(theorem.subject(**params) if theorem.subject else {})}
    once = all(values.get(name, usual) == usual for name, usual in ONCE.items())
    return once and claim > values["eps0"]

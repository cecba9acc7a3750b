"""Witnesses: tables of randomizers that attain the lower end of an answer.

A witness is plain data.  ``laws`` gives each randomizer as a table of powers of x = e^eps0: under input i (the
reference record, the record, its replacement) output j has probability x^powers[i][j] / (sum of the reference row).
The three rows have the same sum; ``laws_are`` says what the numbers are.
A witness of kind ``law`` uses its one law in every slot; one of kind ``policy`` picks the law by the number of slots to
go and the place

    u = (1 - e^epsilon) m/w + sum over the outputs so far of (a - 1) - e^epsilon (a' - 1),

a and a' being the output's likelihood ratios, and delta is (w/m) E(u at the end)_+ under the reference record.  Where
``cell`` is a number, the place is not u itself but the mean of u given the cell (floor(place/cell)) it fell into
after each step: a finite automaton that anyone can run.
"""

from __future__ import annotations

from typing import Any

from .slot_problem import Slot
from .step_laws import LAWS, VERTICES, StepLaw
from .worst_lower import LowerDelta

# The meaning of the numbers in the rows of each table, which a witness says itself.
LAWS_ARE = "powers k of e^eps0: an output's probability is e^(k eps0) / (the sum of e^(k eps0) over its row)"


def _table(law: StepLaw) -> dict[str, Any]:
    exponents = [VERTICES[vertex] for vertex in law.name]
    return {
        "outputs": list(law.name),
        "reference": list(law.powers),
        "record": [power + i for power, (i, _) in zip(law.powers, exponents, strict=True)],
        "replacement": [power + j for power, (_, j) in zip(law.powers, exponents, strict=True)],
    }


def witness(bound: LowerDelta, slot: Slot, epsilon: float, adjacency: str) -> dict[str, Any]:
    """Return the randomizer behind ``bound``, at the epsilon where it was evaluated."""
    common = {
        "steps": slot.steps,
        "eps0": slot.eps0,
        "weight": slot.weight,
        "adjacency": adjacency,
        "epsilon": epsilon,
        "delta_lower": float(bound.delta),
        "event": "likelihood ratio of record to replacement above e^epsilon",
        "laws_are": LAWS_ARE,
    }
    if bound.policy is None:
        law = LAWS[bound.law]
        return {
            "kind": "law",
            "summary": f"{len(law.name)}-ary randomizer {law.name} in every slot",
            **common,
            "law": law.name,
            "laws": {law.name: _table(law)},
        }
    law_indices = sorted({int(index) for index in bound.policy.laws})
    names = [LAWS[index].name for index in law_indices]
    return {
        "kind": "policy",
        "summary": f"adaptive policy over {', '.join(names)}, {len(bound.policy.times)} time slices",
        **common,
        "laws": {LAWS[index].name: _table(LAWS[index]) for index in law_indices},
        "cell": bound.cell,
        "policy": bound.policy.to_dict(),
    }

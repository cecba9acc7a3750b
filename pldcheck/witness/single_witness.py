"""One draw of one randomizer, or of an adaptive policy: files that ``checker`` and ``adaptive`` verify."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch
from typing import Any

from ..core.errors import PldcheckError
from ..hidden_slot.worst.step_laws import LAWS
from ..protocols import HiddenSlot, Shuffle
from ..randomizers import Narrow, Randomizer, Response, Worst
from . import policy_scores
from .exact_rows import Rows, below_exp, distance, exact_laws, largest_loss, mixed, of_law, texts, written

# Outputs that are still to be summed over.
MOST_OUTPUTS = 6
# Outputs that are looked at.
MOST = 200
KINDS = {HiddenSlot: "hidden-slot", Shuffle: "shuffle"}


@dataclass(frozen=True)
class Single:
    """A file's claim and mechanism; ``number`` says which program verifies it, ``behind`` what it costs at least."""

    number: int
    claim: Mapping[str, Any]
    mechanism: Mapping[str, Any]
    behind: float = 0.0

    def attains(self, epsilon: Fraction, delta: Fraction) -> bool:
        """Return it takes the program to know."""
        return True


def params(instance: HiddenSlot | Shuffle, witness: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the class of mechanisms that a question is about; a known slot is one of the eps0-DP ones."""
    if isinstance(instance, HiddenSlot):
        eps0 = instance.eps0
        if eps0 is None:
            rows = written(witness, MOST)
            if not rows:
                raise PldcheckError(f"no mechanism of {instance.randomizer} attains the lower end by itself")
            eps0 = largest_loss(rows)
        return {"steps": instance.steps, "eps0": eps0, "weight": instance.weight}
    found = {"clients": instance.clients, "eps0": instance.eps0}
    return found | class_parameters(instance.randomizer)


@singledispatch
def class_parameters(randomizer: Randomizer) -> dict[str, Any]:
    """Returns what a file on shuffled messages says of their randomizers besides eps0."""
    return {}


@class_parameters.register(Response)
def _(randomizer: Response) -> dict[str, Any]:
    return {"categories": randomizer.categories}


@class_parameters.register(Narrow)
def _(randomizer: Narrow) -> dict[str, Any]:
    return {"tv": randomizer.tv}


def of_slots(
    instance: HiddenSlot | Shuffle, witness: Mapping[str, Any] | None, given: Mapping[str, Any] | None = None
) -> Iterator[Single]:
    """Mechanisms that may do, what the engine found first; ``given``: the class in a theorem's own words."""
    own = params(instance, witness)
    adjacency, kind = {"adjacency": instance.adjacency}, {"kind": KINDS[type(instance)]}
    policy = policy_scores.mechanism(witness)
    if policy:
        behind = policy_scores.MERGED if len(policy["policy"]) > policy_scores.FEW else 0.0
        yield Single(3, {"params": own, **adjacency}, {**kind, **policy}, behind)
    for rows, sizes in _rows(instance, witness, float(own["eps0"])):
        more = {"sizes": sizes} if sizes else {}
        yield Single(1, {"params": dict(given or own), **adjacency}, {**kind, **texts(rows), **more})


def _rows(
    instance: HiddenSlot | Shuffle, witness: Mapping[str, Any] | None, eps0: float
) -> Iterator[tuple[Rows, list[int] | None]]:
    x, known = below_exp(eps0), instance.randomizer
    if isinstance(instance, Shuffle) and (found := exact_laws(known, x)):
        yield from sorted(found, key=lambda one: distance(one[0], witness, MOST_OUTPUTS))
        return
    if written(witness, MOST_OUTPUTS):
        yield from ((rows, None) for rows in mixed(written(witness, MOST_OUTPUTS)))
    if isinstance(known, Worst):
        named = (witness or {}).get("law")
        yield from ((of_law(law, x), None) for law in sorted(LAWS, key=lambda law: law.name != named))

"""Claim and mechanism of one randomizer or of one adaptive policy, which ``checker`` and ``adaptive`` verify."""

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
from .exact_rows import Rows, below_exp, distance, exact_laws, largest_loss, mixtures, of_law, texts, witness_rows

# The largest number of outputs of an engine's witness that the checker can sum over.
MOST_OUTPUTS = 6
# The largest number of outputs of a witness from which eps0 is computed.
MOST = 200
# The kinds of mechanisms, as files name them.
KINDS = {HiddenSlot: "hidden-slot", Shuffle: "shuffle"}


@dataclass(frozen=True)
class Single:
    """A candidate for a witness file.

    ``number`` is that of its checker; ``claim`` holds the class of mechanisms; ``behind`` is the least relative
    distance by which epsilon must be below the lower end for the mechanism to attain delta.
    """

    number: int
    claim: Mapping[str, Any]
    mechanism: Mapping[str, Any]
    behind: float = 0.0

    def attains(self, epsilon: Fraction, delta: Fraction) -> bool:
        """Return True: only the checker can tell."""
        return True


def params(instance: HiddenSlot | Shuffle, witness: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the parameters of the class of mechanisms; a slot with a known randomizer is in the class of its eps0."""
    if isinstance(instance, HiddenSlot):
        eps0 = instance.eps0
        if eps0 is None:
            rows = witness_rows(witness, MOST)
            if not rows:
                raise PldcheckError(f"no mechanism of {instance.randomizer} attains the lower end by itself")
            eps0 = largest_loss(rows)
        return {"steps": instance.steps, "eps0": eps0, "weight": instance.weight}
    return {"clients": instance.clients, "eps0": instance.eps0} | class_parameters(instance.randomizer)


@singledispatch
def class_parameters(randomizer: Randomizer) -> dict[str, Any]:
    """Return the parameters besides eps0 of the class of a shuffled randomizer."""
    return {}


@class_parameters.register(Response)
def _(randomizer: Response) -> dict[str, Any]:
    return {"categories": randomizer.categories}


@class_parameters.register(Narrow)
def _(randomizer: Narrow) -> dict[str, Any]:
    return {"tv": randomizer.tv}


def of_slots(
    instance: HiddenSlot | Shuffle, witness: Mapping[str, Any] | None, class_params: Mapping[str, Any] | None = None
) -> Iterator[Single]:
    """Yield candidates, with the mechanism of the engine's witness first.

    ``class_params`` is the class in the parameters of a theorem; it stands in the claims of single randomizers.
    """
    own = params(instance, witness)
    adjacency, kind = {"adjacency": instance.adjacency}, {"kind": KINDS[type(instance)]}
    policy = policy_scores.mechanism(witness)
    if policy:
        behind = policy_scores.MERGE_LOSS if len(policy["policy"]) > policy_scores.FEW else 0.0
        yield Single(3, {"params": own, **adjacency}, {**kind, **policy}, behind)
    for rows, sizes in _rows(instance, witness, float(own["eps0"])):
        more = {"sizes": sizes} if sizes else {}
        yield Single(1, {"params": dict(class_params or own), **adjacency}, {**kind, **texts(rows), **more})


def _rows(
    instance: HiddenSlot | Shuffle, witness: Mapping[str, Any] | None, eps0: float
) -> Iterator[tuple[Rows, list[int] | None]]:
    x, randomizer = below_exp(eps0), instance.randomizer
    if isinstance(instance, Shuffle) and (laws := exact_laws(randomizer, x)):
        yield from sorted(laws, key=lambda one: distance(one[0], witness, MOST_OUTPUTS))
        return
    if witness_rows(witness, MOST_OUTPUTS):
        yield from ((rows, None) for rows in mixtures(witness_rows(witness, MOST_OUTPUTS)))
    if isinstance(randomizer, Worst):
        name = (witness or {}).get("law")
        yield from ((of_law(law, x), None) for law in sorted(LAWS, key=lambda law: law.name != name))

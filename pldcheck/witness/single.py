"""One draw of one randomizer, or of an adaptive policy: files that ``checker`` and ``adaptive`` verify."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..laws import LAWS
from ..protocols import HiddenSlot, Shuffle
from . import policies
from .rows import Rows, below_exp, categories, distance, largest_loss, mixed, of_law, responses, texts, written

# Outputs that are still to be summed over, and those that are looked at.
MOST_OUTPUTS, MOST = 6, 200
KINDS = {HiddenSlot: "hidden-slot", Shuffle: "shuffle"}


@dataclass(frozen=True)
class Single:
    """A file's claim and mechanism; ``number`` says which program verifies it, ``behind`` what it costs at least."""

    number: int
    claim: Mapping[str, Any]
    mechanism: Mapping[str, Any]
    behind: float = 0.0

    def attains(self, epsilon: Fraction, delta: Fraction) -> bool:
        """It takes the program to know."""
        return True


def params(instance: HiddenSlot | Shuffle, witness: Mapping[str, Any] | None) -> dict[str, Any]:
    """The class of mechanisms that a question is about; a known slot is one of the eps0-DP ones."""
    if isinstance(instance, HiddenSlot):
        eps0 = instance.eps0
        if eps0 is None:
            eps0 = largest_loss(written(witness, MOST))
        return {"steps": instance.steps, "eps0": eps0, "weight": instance.weight}
    found = {"clients": instance.clients, "eps0": instance.eps0}
    kind, _, text = instance.randomizer.partition(":")
    if kind in ("rr", "krr"):
        found["categories"] = categories(instance.randomizer)
    return found | ({"tv": float(text)} if kind == "tv" else {})


def of_slots(
    instance: HiddenSlot | Shuffle, witness: Mapping[str, Any] | None, given: Mapping[str, Any] | None = None
) -> Iterator[Single]:
    """Mechanisms that may do, what the engine found first; ``given``: the class in a theorem's own words."""
    own = params(instance, witness)
    adjacency, kind = {"adjacency": instance.adjacency}, {"kind": KINDS[type(instance)]}
    policy = policies.mechanism(witness)
    if policy:
        behind = policies.MERGED if len(policy["policy"]) > policies.FEW else 0.0
        yield Single(3, {"params": own, **adjacency}, {**kind, **policy}, behind)
    for rows, sizes in _rows(instance, witness, float(own["eps0"])):
        more = {"sizes": sizes} if sizes else {}
        yield Single(1, {"params": dict(given or own), **adjacency}, {**kind, **texts(rows), **more})


def _rows(
    instance: HiddenSlot | Shuffle, witness: Mapping[str, Any] | None, eps0: float
) -> Iterator[tuple[Rows, list[int] | None]]:
    kind, x = instance.randomizer.partition(":")[0], below_exp(eps0)
    if isinstance(instance, Shuffle) and kind in ("rr", "krr"):
        found = responses(x, categories(instance.randomizer))
        yield from sorted(found, key=lambda one: distance(one[0], witness, MOST_OUTPUTS))
        return
    if written(witness, MOST_OUTPUTS):
        yield from ((rows, None) for rows in mixed(written(witness, MOST_OUTPUTS)))
    if kind == "worst":
        named = (witness or {}).get("law")
        yield from ((of_law(law, x), None) for law in sorted(LAWS, key=lambda law: law.name != named))

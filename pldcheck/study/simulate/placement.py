"""Where clients stand: their own check-ins, or what a trusted channel makes of their order."""

from __future__ import annotations

from collections.abc import Sequence

from .algorithms import Algorithm
from .client import HonestClient
from .party_draws import Draws

# Role of the stream of the trusted channel.
CHANNEL = 1


def places(algorithm: Algorithm, clients: Sequence[HonestClient], channel: Draws) -> list[int | None]:
    """The released slot of each client, None if it stands in none; ``channel`` are the draws of a trusted shuffler."""
    n, slots = len(clients), algorithm.slots
    if algorithm.placement in ("fixed", "sliding"):
        return [_checked_in(algorithm, j, person) for j, person in enumerate(clients)]
    if algorithm.placement == "ordered":
        return [slot for slot, size in enumerate(algorithm.sizes) for _ in range(size)]
    order: list[int | None] = list(range(n))
    if algorithm.placement == "shuffled":
        for j in range(n - 1, 0, -1):  # Fisher and Yates
            k = channel.below(j, j + 1)
            order[j], order[k] = order[k], order[j]
        return order
    if algorithm.placement == "swapped":
        k = channel.below(0, n)
        order[0], order[k] = order[k], order[0]
        return order
    # Replaced: client 0 puts itself in the place of one of those who stand one in each slot.
    mine = clients[0].check_in(slots, algorithm.check_in_prob)
    return [mine, *(None if slot == mine else slot for slot in range(slots))]


def _checked_in(algorithm: Algorithm, j: int, person: HonestClient) -> int | None:
    slot = person.check_in(algorithm.window, algorithm.check_in_prob)
    if slot is None or algorithm.placement == "fixed":
        return slot
    slot += j - algorithm.window + 1  # its window begins where client 0's does, j later; releases at window - 1
    return slot if 0 <= slot < algorithm.slots else None


def queues(slots: int, found: Sequence[int | None], clients: Sequence[HonestClient]) -> list[list[HonestClient]]:
    """Return the clients of each slot, in the order of their numbers."""
    lines: list[list[HonestClient]] = [[] for _ in range(slots)]
    for slot, person in zip(found, clients, strict=True):
        if slot is not None:
            lines[slot].append(person)
    return lines


def came(algorithm: Algorithm, found: Sequence[int | None]) -> int:
    """Return how many checked in; in a sliding window all do, though some to slots that are not released."""
    if algorithm.placement == "fixed":
        return sum(slot is not None for slot in found)
    return len(found) - (algorithm.placement == "replaced" and found[0] is None)

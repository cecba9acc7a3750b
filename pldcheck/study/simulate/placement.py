"""The slot of each client: by its own check-in, or by the order that a trusted channel gives."""

from __future__ import annotations

from collections.abc import Sequence

from .algorithms import Algorithm
from .client import HonestClient
from .party_draws import Draws

# The role of the random numbers of the trusted channel.
CHANNEL = 1


def places(algorithm: Algorithm, clients: Sequence[HonestClient], channel: Draws) -> list[int | None]:
    """Return the released slot of each client, or None; ``channel`` are the draws of a trusted shuffler."""
    n, slots = len(clients), algorithm.slots
    if algorithm.placement in ("fixed", "sliding"):
        return [_own_slot(algorithm, j, person) for j, person in enumerate(clients)]
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
    # In the placement "replaced" the others stand one in each slot, and client 0 takes the place of one of them.
    mine = clients[0].check_in(slots, algorithm.check_in_prob)
    return [mine, *(None if slot == mine else slot for slot in range(slots))]


def _own_slot(algorithm: Algorithm, j: int, person: HonestClient) -> int | None:
    slot = person.check_in(algorithm.window, algorithm.check_in_prob)
    if slot is None or algorithm.placement == "fixed":
        return slot
    # The window of client j begins j slots after that of client 0, and releases begin at slot window - 1.
    slot += j - algorithm.window + 1
    return slot if 0 <= slot < algorithm.slots else None


def queues(slots: int, slots_of: Sequence[int | None], clients: Sequence[HonestClient]) -> list[list[HonestClient]]:
    """Return the clients of each slot, in the order of their numbers."""
    lines: list[list[HonestClient]] = [[] for _ in range(slots)]
    for slot, person in zip(slots_of, clients, strict=True):
        if slot is not None:
            lines[slot].append(person)
    return lines


def check_ins(algorithm: Algorithm, slots_of: Sequence[int | None]) -> int:
    """Return the number of check-ins; in a sliding window all clients check in, some to slots without a release."""
    if algorithm.placement == "fixed":
        return sum(slot is not None for slot in slots_of)
    return len(slots_of) - (algorithm.placement == "replaced" and slots_of[0] is None)

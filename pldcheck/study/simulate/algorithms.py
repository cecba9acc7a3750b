"""Algorithms 1 to 6 of Balle et al. (2020) and the sliding window of section 4.2: who answers when.

They differ in two things only: in which slot each client stands, and whether a slot's server asks one client or all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...core.errors import ParameterError
from ...core.parameters import PARAMETERS, parse, range_words

# Where clients stand, in the order of the kernels.
PLACEMENTS = ("fixed", "sliding", "ordered", "shuffled", "swapped", "replaced")
# A run holds its clients and slots in memory.
MOST = 10**7


@dataclass(frozen=True)
class Algorithm:
    """What is run: ``slots`` are released, by ``clients``.

    ``placement``: each client draws a slot of all (``fixed``) or of its own ``window`` (``sliding``) if its coin of
    probability ``check_in_prob`` says so; clients fill ``sizes`` in their order (``ordered``); a trusted channel
    permutes them (``shuffled``) or swaps the first with one of all (``swapped``); client 0 takes the place of one of
    the others, who stand one in each slot (``replaced``).  ``averages``: the server asks all who are in a slot, applies
    their average, and skips an empty slot; else it asks one, and applies a dummy if there is none.
    """

    name: str
    title: str
    placement: str
    slots: int
    clients: int
    check_in_prob: float = 1.0
    window: int = 1
    sizes: tuple[int, ...] = ()
    averages: bool = False

    @property
    def load(self) -> float:
        """Clients that a slot expects."""
        if self.placement == "sliding":
            return float(self.check_in_prob)
        return self.check_in_prob * self.clients / self.slots


def check_in(steps: int, clients: int, check_in_prob: float = 1.0) -> Algorithm:
    """Return a_fix, Algorithm 1: check-ins to a fixed window, one client of each slot answers."""
    m, n = _number("steps", steps), _number("clients", clients)
    p0 = PARAMETERS["check_in_prob"].parse(check_in_prob)
    return Algorithm("check-in", "A_fix, Algorithm 1", "fixed", m, n, p0, m)


def averaged(clients: int, steps: int) -> Algorithm:
    """Return a_avg, Algorithm 2: everyone checks in, all in a slot answer at one model."""
    m, n = _number("steps", steps), _number("clients", clients)
    return Algorithm("averaged", "A_avg, Algorithm 2", "fixed", m, n, window=m, averages=True)


def sliding_window(window: int, clients: int) -> Algorithm:
    """A_sldw, section 4.2: client j checks in to {j, ..., j + window - 1}; slots window, ..., clients are released."""
    m, n = _number("window", window), _number("clients", clients)
    if n < m:
        raise ParameterError("clients", f"at least window = {m}", n)
    return Algorithm("sliding-window", "A_sldw, section 4.2", "sliding", n - m + 1, n, window=m)


def hidden_slot(steps: int, weight: float = 1.0) -> Algorithm:
    """Return a_rep, Algorithm 3: one record in a random slot, known reference records in the others."""
    m = _number("steps", steps)
    w = PARAMETERS["weight"].parse(weight)
    return Algorithm("hidden-slot", "A_rep, Algorithm 3", "replaced", m, m + 1, w, m)


def bins(sizes: Sequence[int]) -> Algorithm:
    """Return a_bin, Algorithm 4: clients in a fixed order fill bins of these sizes; a bin is averaged."""
    found = tuple(sizes)
    if not found or any(not isinstance(size, int) or size < 0 for size in found) or not sum(found):
        raise ParameterError("sizes", "whole numbers of at least 0, not all 0", list(found)[:8])
    n = _number("clients", sum(found))
    return Algorithm("bins", "A_bin, Algorithm 4", "ordered", len(found), n, sizes=found, averages=True)


def even_bins(clients: int, steps: int) -> Algorithm:
    """As :func:`bins`, of sizes that differ by at most 1."""
    m, n = _number("steps", steps), _number("clients", clients)
    return bins([n // m + (i < n % m) for i in range(m)])


def shuffle(clients: int) -> Algorithm:
    """Return a_sl, Algorithm 5: all answer, in uniformly random order."""
    n = _number("clients", clients)
    return Algorithm("shuffle", "A_sl, Algorithm 5", "shuffled", n, n)


def swap(clients: int) -> Algorithm:
    """Return a_swap, Algorithm 6: all answer in their order, the first swapped with one of all."""
    n = _number("clients", clients)
    return Algorithm("swap", "A_swap, Algorithm 6", "swapped", n, n)


def _number(name: str, value: object) -> int:
    number = int(parse(**{name: value})[name])
    if number > MOST:
        raise ParameterError(name, f"an integer {range_words(1, MOST)} where a learner is run", number)
    return number

"""Algorithms 1 to 6 of Balle et al. (2020) and the sliding window of section 4.2: which client answers when.

The algorithms differ in the slot of each client, and in whether the server asks one client of a slot or all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...core.errors import ParameterError
from ...core.parameters import PARAMETERS, parse, range_words

# Most clients and most slots of a run, which are held in memory.
MOST = 10**7


@dataclass(frozen=True)
class Algorithm:
    """An algorithm that releases ``slots`` models from the answers of ``clients``.

    Parameters
    ----------
    name, title
        The name on the command line, and the name in the paper.
    placement
        The way in which clients get their slots.  Each client draws one of all slots (``fixed``) or of its own
        ``window`` (``sliding``), with probability ``check_in_prob``; clients fill bins of ``sizes`` in their order
        (``ordered``); a trusted channel permutes them (``shuffled``) or swaps the first with one of all (``swapped``);
        client 0 takes the place of one of the others, who stand one in each slot (``replaced``).
    averages
        Whether the server asks all clients of a slot, applies their average, and skips an empty slot.  Else it asks one
        client, and applies a dummy update if there is none.

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
        """The expected number of clients in a slot."""
        if self.placement == "sliding":
            return float(self.check_in_prob)
        return self.check_in_prob * self.clients / self.slots


def check_in(steps: int, clients: int, check_in_prob: float = 1.0) -> Algorithm:
    """Return A_fix, Algorithm 1: clients check in to a fixed window, and one client of each slot answers."""
    m, n = _number("steps", steps), _number("clients", clients)
    p0 = PARAMETERS["check_in_prob"].parse(check_in_prob)
    return Algorithm("check-in", "A_fix, Algorithm 1", "fixed", m, n, p0, m)


def averaged(clients: int, steps: int) -> Algorithm:
    """Return A_avg, Algorithm 2: all clients check in, and all clients of a slot answer at one model."""
    m, n = _number("steps", steps), _number("clients", clients)
    return Algorithm("averaged", "A_avg, Algorithm 2", "fixed", m, n, window=m, averages=True)


def sliding_window(window: int, clients: int) -> Algorithm:
    """Return A_sldw, section 4.2: client j checks in to slots j, ..., j + window - 1.

    The slots window, ..., clients are released.
    """
    m, n = _number("window", window), _number("clients", clients)
    if n < m:
        raise ParameterError("clients", f"at least window = {m}", n)
    return Algorithm("sliding-window", "A_sldw, section 4.2", "sliding", n - m + 1, n, window=m)


def hidden_slot(steps: int, weight: float = 1.0) -> Algorithm:
    """Return A_rep, Algorithm 3: one record is in a random slot, and known reference records are in the others."""
    m = _number("steps", steps)
    w = PARAMETERS["weight"].parse(weight)
    return Algorithm("hidden-slot", "A_rep, Algorithm 3", "replaced", m, m + 1, w, m)


def bins(sizes: Sequence[int]) -> Algorithm:
    """Return A_bin, Algorithm 4: clients in a fixed order fill bins of these sizes, and each bin is averaged."""
    counts = tuple(sizes)
    if not counts or any(not isinstance(size, int) or size < 0 for size in counts) or not sum(counts):
        raise ParameterError("sizes", "integers of at least 0, not all 0", list(counts)[:8])
    n = _number("clients", sum(counts))
    return Algorithm("bins", "A_bin, Algorithm 4", "ordered", len(counts), n, sizes=counts, averages=True)


def even_bins(clients: int, steps: int) -> Algorithm:
    """Return A_bin, Algorithm 4, with bins whose sizes differ by at most 1."""
    m, n = _number("steps", steps), _number("clients", clients)
    return bins([n // m + (i < n % m) for i in range(m)])


def shuffle(clients: int) -> Algorithm:
    """Return A_sl, Algorithm 5: all clients answer, in uniformly random order."""
    n = _number("clients", clients)
    return Algorithm("shuffle", "A_sl, Algorithm 5", "shuffled", n, n)


def swap(clients: int) -> Algorithm:
    """Return A_swap, Algorithm 6: all clients answer in their order, the first one swapped with one of all."""
    n = _number("clients", clients)
    return Algorithm("swap", "A_swap, Algorithm 6", "swapped", n, n)


def _number(name: str, value: object) -> int:
    number = int(parse(**{name: value})[name])
    if number > MOST:
        raise ParameterError(name, f"an integer {range_words(1, MOST)} in a simulation", number)
    return number

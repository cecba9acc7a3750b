"""A question about shuffled messages, its candidates of either side, and the message of one client alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from ..pld.curve_candidates import Candidate, Candidates
from ..pld.gain_stoploss import TOLERANCE
from ..pld.loss_sides import Attained
from ..pld.step_losses import Array
from .message_candidates import START_DEVIATIONS
from .one_message import Curve
from .three_symbol_pair import Pair

# Name of the upper bound by the record's message.
ONE_MESSAGE = "the record's message alone, without the others to hide it"
# Name of the lower bound whose randomizers adapt.
ADAPTIVE = "all other records alike, with adaptive randomizers"


@dataclass(frozen=True)
class ShuffledCurves:
    """The candidates, and the pairs among them whose losses can be composed, each with its reverse.

    ``attained`` returns losses of one round, each of which some data attain.
    """

    candidates: Candidates
    above: Sequence[tuple[Pair, Pair | None]]
    below: Sequence[tuple[Pair, Pair | None]]
    attained: Callable[[], Sequence[Attained]] | None = None


@dataclass(frozen=True)
class Question:
    """A question: n messages of eps0-DP randomizers.

    ``width``: the relative width asked of inversions.  Deltas far below ``least`` need not be accurate.
    """

    n: int
    eps0: float
    width: float = TOLERANCE
    least: float = 1e-15


def candidate_of_one_message(curve: Curve, largest: float, deviation: float = 0.1) -> Candidate:
    """Return the curve of one message as a candidate; ``deviation`` of its loss is used if it has no largest value."""

    def deltas(epsilons: Array) -> list[float]:
        return [curve(epsilon).upper for epsilon in epsilons.tolist()]

    start = START_DEVIATIONS * deviation if largest == inf else 0.5 * min(largest, 1.0)
    return Candidate(ONE_MESSAGE, curve, start=start, curve=deltas)


def candidates_of_one_client(candidates: Candidates) -> Candidates:
    """Return the candidates of one client in closed form; the witness is the pair that reveals most."""
    single = candidates.alone
    assert single is not None
    pairs_of_laws = [one for one in candidates.below if one.name != ADAPTIVE]

    def witness(quantity: str, argument: float) -> dict[str, Any]:
        best = max(pairs_of_laws, key=lambda one: one.delta(argument if quantity == "delta" else 0.0).lower)
        return best.witness(quantity, argument) if best.witness else {}

    return replace(candidates, above=[single], below=[replace(single, witness=witness)])

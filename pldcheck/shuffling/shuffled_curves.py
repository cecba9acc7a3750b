"""Upper and lower candidates for shuffled messages of any randomizer."""

from __future__ import annotations

from dataclasses import replace

from .. import shuffling
from ..pld.gain_stoploss import TOLERANCE
from ..randomizers import Randomizer, Worst
from .shuffle_question import Question, ShuffledCurves, candidates_of_one_client
from .worst_messages import messages_of_worst


def all_curves(
    n: int, eps0: float, randomizer: Randomizer, width: float = TOLERANCE, least: float = 1e-15
) -> ShuffledCurves:
    """Return all candidates and composable pairs for n shuffled messages of a randomizer.

    ``width`` is the relative width asked of inversions; deltas far below ``least`` need not be accurate.
    """
    question = Question(n, eps0, width, least)
    if isinstance(randomizer, Worst):
        curves = messages_of_worst(question)
    else:  # these need more libraries, which are loaded only now
        curves = shuffling.known_messages.messages_of(randomizer, question)
    return curves if n > 1 else replace(curves, candidates=candidates_of_one_client(curves.candidates))

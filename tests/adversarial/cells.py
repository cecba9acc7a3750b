"""Cells of hunts: a question, pldcheck's answer, and the truth from an oracle that shares no code with it."""

import math
import random
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pldcheck.core.errors import PldcheckError

# Seconds after which an answer counts as a hang.
HANG = 60.0

Truth = tuple[Any, Any]  # ends of an enclosure: Fractions, floats or infinities, compared exactly


@dataclass(frozen=True)
class Cell:
    """``question``: the call as one would type it, enough to repeat it.

    ``answer``: the certified ends.  ``truth``: an enclosure of the true value from an independent oracle.
    ``width``: the relative width beyond which the answer counts as wide; ``refusable``: whether one line of refusal is
    an answer here.
    """

    question: str
    answer: Callable[[], Any]
    truth: Callable[[], Truth]
    width: float = math.inf
    refusable: bool = False


@dataclass(frozen=True)
class Outcome:
    """``kind``: hit, miss, wide, refused, crash, warning or slow; the last four of these and a miss are failures."""

    kind: str
    question: str
    text: str

    @property
    def fails(self) -> bool:
        return self.kind not in ("hit", "refused")


def ask(cell: Cell) -> Outcome:
    """Compare the cell's answer with its truth, with no slack at all."""
    start, cpu = time.monotonic(), time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            lower, upper = cell.answer()
    except PldcheckError as error:
        return Outcome("refused" if cell.refusable else "crash", cell.question, f"{type(error).__name__}: {error}")
    except Warning as error:
        return Outcome("warning", cell.question, repr(error))
    except Exception as error:
        return Outcome("crash", cell.question, repr(error))
    # On a busy machine the clock runs on while nothing is computed; threads count twice in CPU time.
    seconds = min(time.monotonic() - start, time.process_time() - cpu)
    low, high = cell.truth()
    text = f"[{lower!r}, {upper!r}], truth in [{show(low)}, {show(high)}]"
    assert low <= high, f"the oracle contradicts itself: {cell.question}: {text}"
    if not (lower <= upper and lower <= high and upper >= low):
        return Outcome("miss", cell.question, text)
    if seconds > HANG:
        return Outcome("slow", cell.question, f"{seconds:.0f} s")
    if cell.width < math.inf and upper - lower > cell.width * max(abs(low), abs(high)):
        return Outcome("wide", cell.question, text)
    return Outcome("hit", cell.question, text)


def show(end: Any) -> str:
    """Return an end to more digits than a float has."""
    if isinstance(end, Fraction):
        import mpmath

        with mpmath.workdps(25):
            return mpmath.nstr(mpmath.mpf(end.numerator) / end.denominator, 22)
    return repr(end)


def ends(ball: Any) -> tuple[Fraction, Fraction]:
    """Return the exact ends of a python-flint ``arb``."""
    middle, radius = (_fraction(part) for part in (ball.mid(), ball.rad()))
    return middle - radius, middle + radius


def _fraction(exact: Any) -> Fraction:
    mantissa, exponent = exact.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def log_uniform(draw: random.Random, low: float, high: float) -> float:
    """Return 10^U with U uniform between the logs of the two."""
    return 10.0 ** draw.uniform(math.log10(low), math.log10(high))

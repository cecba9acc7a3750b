r"""Epsilon at delta = 0, pure differential privacy: the largest privacy loss that an output can have.

**Local randomizers.** Let every record go through an eps0-DP randomizer, x = e^eps0.  The outputs of a shuffle, a swap
or averages are a mixture, over the orders, of outputs of which one alone depends on the record: their ratio on
neighbours is at most x.  It is x where all messages are the output whose ratio is x: that happens, as randomizers of
ratio x exist within every class of :mod:`pldcheck.randomizers` that has a budget, and of a response, of Laplace noise
on records 0 and 1, and of a table at the two records and the output whose ratio is its largest, they are the ones at
hand; where the others hold the record itself, that output has a positive probability.

**A hidden slot** that is used with probability w.  Relative to the law of references, an output of slot i has the
ratio a on the record and b on its replacement, with a <= x min(1, b).  The ratio of the outputs of all slots is that of
the means of 1 - w + w a and 1 - w + w b, at most the largest quotient of two such terms.  For b <= 1 that is at most
(1 - w + w x b)/(1 - w + w b), which grows with b, and for b >= 1 at most (1 - w + w x)/(1 - w + w b), which falls: the
largest is 1 + w (x - 1), at b = 1.  It is attained where the references are the replacement and every output has the
ratio x.  Where the reference takes the record's place, b = 1, and the other direction has at most the quotient
1/(1 - w + w/x), which is no larger, as (1 + w (x - 1)) (1 - w + w/x) = 1 + w (1 - w) (x - 1)^2/x is at least 1.

Repetitions add up, and each attains its own.  Noise that is Gaussian, discrete or not, has no largest loss, and
whoever may reveal a record with positive probability has an infinite one.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf, isinf

from ..core.directed import float_above, float_below
from ..core.interval import Interval

# The source of both ends, in words.
LARGEST_LOSS = "the largest privacy loss, in closed form"
UNBOUNDED = Interval(inf, inf, "epsilon", sources=(LARGEST_LOSS, LARGEST_LOSS))


def repeated(lower: float, upper: float, times: int) -> Interval:
    """Return the pure epsilon of independent repetitions, of ends of that of one of them."""
    ends = (float_below(times * Fraction(lower)), inf if isinf(upper) else float_above(times * Fraction(upper)))
    return Interval(*ends, "epsilon", sources=(LARGEST_LOSS, LARGEST_LOSS))

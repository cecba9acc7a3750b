r"""Random swapping: the record trades places with a uniformly chosen one, the others keep a known order.

With the mean of the others' laws at the first place as reference, v_i = dA_1(d_i)/d(ref) at the first output z_1,

.. math:: \delta(\epsilon) = \frac1n E_{z_1} E\Big(\Delta_1(z_1) + \sum_{i \ge 2} v_i(z_1) G_i\Big)_+ , \quad
          \sum_{i \ge 2} v_i = n - 1, \quad v_i \in [L, xL],

G_i = a_i - e^epsilon a'_i with mean 1 - e^epsilon, L = min v_i and Delta_1 <= L (x - e^epsilon).

**From above.**  Whatever the randomizers, G_i is below the stronger clones' G* in convex order (the blanket of a
message is part of every message).  The stop-loss is convex in the weights: for L in [L_0, L_1] it is largest at an
extreme point of the box [L_0, x L_1] with that sum, all weights at its ends but one; and y Y is below b Y + (b - y)
(e^epsilon - 1) in convex order for y <= b.  The largest over L by splitting [1/x, 1].

**From below.**  All others alike: one hidden slot.  Or the first output favours a random subset of the others, see
:mod:`~pldcheck.shuffling.subset_selection`.
"""

from __future__ import annotations

from functools import partial
from heapq import heappop, heappush
from math import exp, expm1, floor, sqrt

import numpy as np

from ..core.differences import FUNCTION, Near, one_minus_product, ratio_difference
from ..core.directed import Ends, Side, roundoff
from ..core.roots import cross
from ..pld.curve_candidates import Candidate, Candidates
from ..pld.gain_stoploss import excess
from ..pld.step_losses import Array
from . import one_message as message_curves
from . import subset_selection
from . import three_symbol_pair as pairs
from .message_candidates import START_DEVIATIONS
from .shuffle_question import Question, candidate_of_one_message
from .weighted_gains import ERROR, TOLERANCE, WEIGHTS, certain, part, stack
from .worst_messages import messages_of_worst, worst_others_alike

# Boxes of L are split down to this ratio of their ends, as far as they matter.
BOX_RATIO = 5e-3
# Relative margins added to the epsilon of one narrow box, tried until all boxes allow it: first of the box that seems
# to be worst, then of one that did not allow the epsilon before.
MARGINS = (1e-3, 1e-3, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3)
# The epsilon of a narrow box is known when its delta is so near, relatively: a tenth of the first margin.
CLOSE = 1e-3
# The first step to a worse box, as a share of eps0 in the logarithm of L, and what later ones are multiplied by.
FIRST_CLIMB = 1 / 16
CLIMB_GROWTH = 1.6
# Relative distance of epsilons of the lower end that are not told apart: a tenth of the first margin, too.
APART = 1e-4
# The next box is so many times as wide, in the logarithm of L, as the last one that allowed an epsilon.
BOX_GROWTH = 1.25
# Clients up to which adaptive policies are tried.  With 100 to 2000 clients, budgets 0.1 to 6 and deltas 1e-3 to 1e-9
# they raised no lower end by 1e-5 of itself, and take half a second.
MOST_POLICIES = 64
# A third gain that is zero, and is known exactly.
NO_GAIN = Near(np.zeros(()), np.zeros(()))


def candidates(n: int, eps0: float) -> Candidates:
    """Return upper and lower candidates of random swapping."""
    if n == 1:
        return Candidates([_single(eps0)], [_single(eps0)], eps0)
    if n == 2:  # swapping two messages is shuffling them
        return messages_of_worst(Question(2, eps0)).candidates
    start = START_DEVIATIONS * sqrt(2.0) * pairs.stronger_clones(n, eps0).deviation
    above = Candidate(
        "stronger clones, weighted by place", partial(_above, n, eps0), partial(_epsilon, n, eps0), start=start
    )
    subsets = Candidate(subset_selection.NAME, partial(subset_selection.delta_ends, n, eps0), start=start, apart=APART)
    return Candidates(
        [_single(eps0), above], [*worst_others_alike(n, eps0, MOST_POLICIES), subsets], eps0, _single(eps0)
    )


def _single(eps0: float) -> Candidate:
    """Return the delta (x - e^epsilon)/(x + 1) of one eps0-DP message, as a candidate."""
    return candidate_of_one_message(message_curves.response(eps0), eps0)


def _dominating_gains(eps0: float, epsilon: float) -> tuple[Near, Array]:
    """Return the values and masses of G*: x - e^epsilon and 1 - x e^epsilon with probability 1/(x + 1) each, else 0."""
    gains = stack(ratio_difference(eps0, epsilon), one_minus_product(eps0, epsilon), NO_GAIN)
    x_1 = expm1(eps0)
    return gains, np.array([1.0, 1.0, x_1]) / (x_1 + 2.0)


def _above(n: int, eps0: float, epsilon: float) -> Ends:
    """Return the largest bound over boxes that cover [1/x, 1]: the worst box is split as long as it is wide.

    The bound of a box also holds in its parts, whose own may be larger, as one weight is rounded up in each.
    """
    boxes = [_box(n, eps0, epsilon, exp(-eps0), 1.0)]
    while True:
        worst = heappop(boxes)
        bound, low, high, ends = worst
        if high <= low * (1.0 + BOX_RATIO):
            return ends
        middle = sqrt(low * high)
        for begin, end in ((low, middle), (middle, high)):
            part_of_box = _box(n, eps0, epsilon, begin, end)
            heappush(boxes, part_of_box if part_of_box[0] >= bound else (bound, begin, end, ends))


def _epsilon(n: int, eps0: float, delta: float) -> tuple[float, float, Ends]:
    """Return 0, an epsilon at which every box is at most ``delta``, and the ends of delta there."""
    is_one_box = _end(exp(-eps0)) == 1.0
    # For many clients the sum of squared weights decides: a share 1/(1 + x) of them has the larger weight.
    low = exp(-eps0) if is_one_box else 0.5 * (1.0 + exp(-eps0))
    if upper_of_box(n, eps0, low, _end(low), 0.0) <= delta:  # else there is no hope that all boxes are
        zero = _above(n, eps0, 0.0)
        if zero.upper <= delta:
            return 0.0, 0.0, zero
    # For the smallest budgets the deviation is 0 in doubles, and about this value; only the scale of the search depends
    # on it.
    deviation = sqrt(2.0) * (pairs.stronger_clones(n, eps0).deviation or eps0 / sqrt(n))

    def crossing(low: float, start: float) -> float:
        """Return an epsilon at which the narrow box is at most ``delta``."""
        bound, slope = partial(upper_of_box, n, eps0, low, _end(low)), START_DEVIATIONS / deviation
        return cross(bound, delta, start, slope, eps0, side=Side.UPPER, close=CLOSE)

    epsilon = crossing(low, min(START_DEVIATIONS * deviation, 0.5 * eps0))
    if is_one_box and epsilon < eps0:
        return 0.0, epsilon, _box(n, eps0, epsilon, low, 1.0)[3]
    near, above = epsilon, low
    for margin in MARGINS:
        low = _climb(n, eps0, epsilon, above)
        near = max(near, crossing(low, near))
        epsilon = near * (1.0 + margin)
        if epsilon >= eps0:
            break
        box = _box_above(n, eps0, epsilon, delta)
        if box is None:
            return 0.0, epsilon, _box(n, eps0, epsilon, low, _end(low))[3]
        above = box
    return 0.0, eps0, Ends(0.0, 0.0, 0.0, 0.0)


def _end(low: float) -> float:
    """Return the upper end of a narrow box."""
    return min(low * (1.0 + BOX_RATIO), 1.0)


def _climb(n: int, eps0: float, epsilon: float, low: float) -> float:
    """Return the lower end of a narrow box whose bound is about a largest one, from that of another, by growing steps.

    The search for epsilon starts there; no bound rests on it.
    """
    best = upper_of_box(n, eps0, low, _end(low), epsilon)
    for direction in (-1.0, 1.0):
        step = FIRST_CLIMB * eps0
        while True:
            trial = min(max(low * exp(direction * step), exp(-eps0)), 1.0 / (1.0 + BOX_RATIO))
            if trial == low or (value := upper_of_box(n, eps0, trial, _end(trial), epsilon)) <= best:
                break
            low, best, step = trial, value, CLIMB_GROWTH * step
    return low


def _box_above(n: int, eps0: float, epsilon: float, delta: float) -> float | None:
    """Return the lower end of a narrow box that exceeds ``delta``, or None where boxes that do not cover [1/x, 1].

    Each box is as wide as it may be: the next one is tried somewhat wider, and half as wide where that fails.
    """
    low, ratio = exp(-eps0), max(exp(0.5 * eps0), 1.0 + BOX_RATIO)
    while True:
        high = min(low * ratio, 1.0)
        if upper_of_box(n, eps0, low, high, epsilon) <= delta:
            if high == 1.0:
                return None
            low, ratio = high, ratio**BOX_GROWTH
        elif high <= low * (1.0 + BOX_RATIO):
            return low
        else:
            ratio = max(sqrt(high / low), 1.0 + BOX_RATIO)


def upper_of_box(n: int, eps0: float, low: float, high: float, epsilon: float) -> float:
    """Return the upper bound of delta(epsilon) for L in [low, high]."""
    return _box(n, eps0, epsilon, low, high)[3].upper


def _box(n: int, eps0: float, epsilon: float, low: float, high: float) -> tuple[float, float, float, Ends]:
    """Return the negated bound for L in [low, high], which a heap sorts by, the box, and its ends."""
    bottom, top, total = low, exp(eps0) * high, n - 1.0
    # Below round-off all weights are the same double; their errors cover the difference, and any split will do.
    most = max((total - bottom * total) / (top - bottom), 0.0) if top > bottom else 0.0
    full = min(int(floor(most)), n - 2)
    between = min(max(total - top * full - bottom * (n - 2 - full), bottom), top)
    gains, masses = _dominating_gains(eps0, epsilon)
    # The error of ``between`` is that of the roundings of the terms whose difference it is.
    shortfall = Near(np.asarray(top - between), np.asarray(roundoff(8.0, total + 2.0 * top * (full + 2.0))))
    cost = shortfall.times(expm1(epsilon), FUNCTION)
    parts = [
        certain(ratio_difference(eps0, epsilon).times(high, WEIGHTS).plus(cost)),
        part(gains, masses, top, full + 1),
    ]
    if n - 2 - full > 0:
        parts.append(part(gains, masses, bottom, n - 2 - full))
    mean = excess(parts, ERROR, TOLERANCE).times((1.0 + ERROR) / n, 4)
    ends = Ends(0.0, min(mean.upper, 1.0), min(mean.truncation, 1.0), mean.rounding)
    return -ends.upper, low, high, ends

"""The delta that randomized response attains in a hidden slot, by which a false claim is known.

Where all other records are alike, the record is in a uniformly chosen one of m equal slots.  With the law BE or CF in
every slot (slot_laws.py says what these are) a step has two values, and delta is a sum over the number of slots with
the larger one.  It rises with x, which is rounded down.
"""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from fractions import Fraction
from math import comb, floor

from .claim_files import NotVerified, Verdict
from .slot_laws import steps_of

# Six digits are enough for messages.
UP_SIX = Context(prec=6, rounding=ROUND_CEILING)
DOWN_SIX = Context(prec=6, rounding=ROUND_FLOOR)
# The largest number of slots for which a claim that is not verified is compared with two fixed laws.
MOST_COMPARED = 400


def delta_attained(slot):
    """Return the larger delta of BE and CF in every slot, where there are few slots; x is rounded down to do so.

    It is 0 where neither is a law of all that there is to choose from.
    """
    m, scale, best = slot.steps, slot.weight / slot.steps, Fraction(0)
    slot = slot._replace(x=Fraction(floor(slot.x * 2**40), 2**40))
    two_values = {law for laws in slot.choices for law in laws if law in ("BE", "CF")}
    for (high, p), (low, q) in steps_of(slot, sorted(two_values)) if m <= MOST_COMPARED else []:
        sums = [(1 - slot.kappa) / scale + j * high + (m - j) * low for j in range(m + 1)]
        a, b = (p / q).as_integer_ratio()
        total = sum(comb(m, j) * a**j * b ** (m - j) * max(gain, 0) for j, gain in enumerate(sums))
        best = max(best, scale * total / (a + b) ** m)
    return best


def slot_verdict(bound, slot, accepted, hint="the fineness is too coarse or the claim is false"):
    """Return the verdict on a claim; ``bound`` returns an upper bound of delta, and what it must be at most.

    A claim that is not verified is false if more than it is attained in a hidden slot, ``slot``.
    """
    try:
        upper, delta = bound()
        if upper <= delta:
            return Verdict(0, f"accepted: {accepted}")
        ends = UP_SIX.divide(*upper.as_integer_ratio()), DOWN_SIX.divide(*delta.as_integer_ratio())
        reason = f"delta is at most {ends[0]}, and must be {ends[1]}"
    except NotVerified as error:
        reason = str(error)
    lower = delta_attained(slot)
    if lower > slot.delta:
        attained = DOWN_SIX.divide(*lower.as_integer_ratio())
        return Verdict(1, f"not verified: the claim is false, as delta is at least {attained}")
    return Verdict(1, f"not verified: {reason}; {hint}")

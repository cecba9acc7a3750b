"""The masses of a binomial, every rounding upward.

From the most likely place outward the mass falls, first by little, then by ever more; each is that of the place before
times a quotient at most 1.  It is rounded up by at most one unit at each place, so that the sum without these units is
below the true one; all are divided by that.  Where masses are below 2^-cut of the first one, the rest is at most a
geometric series.

A mass that was rounded up k times is at most k units too high, as the quotients are at most 1.  Without these units,
and divided by the sum of all masses and of the rest, which is above the true one, it is rounded down.
"""

from typing import NamedTuple

from .claim_files import require, spend
from .fixed_point import ONE

# Probabilities of a trial are integer multiples of 1 / CHANCE.
CHANCE = 1 << 64
# The masses for which a core takes a second.
MASSES = 500_000


class Binomial(NamedTuple):
    """Upper bounds of the masses from place ``low`` on, and of the mass of all other places, times ONE."""

    low: int
    masses: list
    rest: int


def outward(count, likely, unlikely, limit, most):
    """Return masses over that of the most likely place, from the next one on, and a bound of the rest.

    The quotient of the k-th mass from there and the one before it is (count[0] - k) likely / (count[1] + k) unlikely.
    """
    masses, mass = [], ONE
    for k in range(1, count[0]):
        top, bottom = (count[0] - k) * likely, (count[1] + k) * unlikely
        mass = mass * top // bottom + 1
        if mass < limit:
            return masses, mass * bottom // (bottom - top) + 1
        require(len(masses) < most, "it takes more than the largest amount of work")
        masses.append(mass)
    return masses, 0


class Relative(NamedTuple):
    """Masses over that of the most likely place ``middle``, in both directions from there, and a bound of the rest."""

    middle: int
    above: list
    below: list
    rest: int


def relative(trials, chance, cut, most):
    """Return the Relative masses of trials with this chance / CHANCE each."""
    middle = (trials + 1) * chance // CHANCE
    # Above the middle the quotients are (trials - middle - k + 1) / (middle + k), below it (middle - k + 1) / (trials
    # - middle + k), times the odds.
    above, rest = outward((trials - middle + 1, middle), chance, CHANCE - chance, ONE >> cut, most)
    below, more = outward((middle + 1, trials - middle), CHANCE - chance, chance, ONE >> cut, most)
    return Relative(middle, above, below, rest + more)


def binomial(trials, chance, cut, most):
    """Return the Binomial of trials with this chance / CHANCE each; refuse more than ``most`` masses on either side."""
    middle, above, below, rest = relative(trials, chance, cut, most)
    spend((len(above) + len(below)) / MASSES)
    masses = [*below[::-1], ONE, *above]
    units = len(above) * (len(above) + 1) // 2 + len(below) * (len(below) + 1) // 2
    total = sum(masses) - units
    return Binomial(middle - len(below), [mass * ONE // total + 1 for mass in masses], rest * ONE // total + 1)


def from_below(trials, chance, cut, most):
    """Return lower bounds of the masses of ``binomial``, at the same places."""
    _, above, below, rest = relative(trials, chance, cut, most)
    total = sum(above) + sum(below) + ONE + rest
    sides = [[mass - k for k, mass in enumerate(side, 1)] for side in (above, below)]
    return [mass * ONE // total for mass in (*sides[1][::-1], ONE, *sides[0])]

"""The masses of a binomial, every rounding upward: a part of programs of certificates.

From the most likely place outward the mass falls, first by little, then by ever more; each is that of the place before
times a quotient at most 1.  It is rounded up by at most one unit at each place, so that the sum without these units is
below the true one; all are divided by that.  Where masses are below 2^-cut of the first one, the rest is at most a
geometric series.
"""

from typing import NamedTuple

if __package__:
    from .certificate_file import require
    from .fixed_point import ONE
else:  # run alone, beside these modules
    from certificate_file import require  # type: ignore[no-redef]
    from fixed_point import ONE  # type: ignore[no-redef]

# Probabilities of a trial are integer multiples of 1 / CHANCE.
CHANCE = 1 << 64


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


def binomial(trials, chance, cut, most):
    """Return the Binomial of trials with this chance / CHANCE each; refuse more than ``most`` masses on either side."""
    middle = (trials + 1) * chance // CHANCE
    # Above the middle the quotients are (trials - middle - k + 1) / (middle + k), below it (middle - k + 1) / (trials
    # - middle + k), times the odds.
    above, rest = outward((trials - middle + 1, middle), chance, CHANCE - chance, ONE >> cut, most)
    below, more = outward((middle + 1, trials - middle), CHANCE - chance, chance, ONE >> cut, most)
    masses = [*below[::-1], ONE, *above]
    units = len(above) * (len(above) + 1) // 2 + len(below) * (len(below) + 1) // 2
    total = sum(masses) - units
    return Binomial(middle - len(below), [mass * ONE // total + 1 for mass in masses], (rest + more) * ONE // total + 1)

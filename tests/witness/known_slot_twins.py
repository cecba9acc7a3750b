"""Hidden slots and shuffles of known randomizers by all outputs, data and references, in fractions."""

from fractions import Fraction
from itertools import combinations_with_replacement, permutations

from flint import ctx
from shuffle_twins import BITS, ball, direct_delta, ends


def above(epsilon):
    """Return a number hardly above e^epsilon, of a decimal text."""
    with ctx.workprec(BITS):
        return ends(ball(Fraction(epsilon)).exp())[1]


def below(epsilon):
    """Return a number hardly below e^epsilon."""
    with ctx.workprec(BITS):
        return ends(ball(Fraction(epsilon)).exp())[0]


def response_table(values, x):
    """Return the rows of randomized response."""
    return [[(x if i == j else Fraction(1)) / (x + values - 1) for j in range(values)] for i in range(values)]


def attained(rows, record, other, steps, weight, kappa):
    """Return the largest delta over records of the slots that depend on earlier outputs, from the laws of all outputs.

    Without the record the outputs so far have some probability; with it, used so far, or with the other, they have
    others.
    """

    def best(later, without, one, two):
        if later == 0:
            unused = (1 - weight) * without
            return max(unused + one - kappa * (unused + two), Fraction(0))
        here = weight / steps * without
        totals = []
        for own in rows:
            values = [
                best(later - 1, without * own[y], one * own[y] + here * record[y], two * own[y] + here * other[y])
                for y in range(len(own))
            ]
            totals.append(sum(values))
        return max(totals)

    return best(steps, Fraction(1), Fraction(0), Fraction(0))


def worst_shuffle(rows, clients, kappa):
    """Return the largest delta over all data, by all outputs."""
    return max(
        direct_delta(record, other, others, kappa)
        for record, other in permutations(rows, 2)
        for others in combinations_with_replacement(rows, clients - 1)
    )

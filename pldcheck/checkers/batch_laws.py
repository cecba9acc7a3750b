"""The laws of losses of Gaussian noise on random batches and random lengths.

Names in brackets are statements.  Noise has the deviation sigma over the largest length of one vector; L is the loss.
random-lengths: with probability p a record adds a vector of length at most s, for each s:p of ``lengths``, else
nothing; it is removed or added.  (P, Q), P the mixture of N(s, sigma^2) and Q = N(0, sigma^2), or the reverse,
dominates (random-lengths).  At an output sigma z the loss is the logarithm of R(z) = 1 - sum p + sum p e^(u z - u^2/2),
u = s/sigma, which increases.  Where R(z) = e^t, P(L > t) = (1 - sum p) P(Z > z) + sum p P(Z > z - u), Q(L > t) = P(Z >
z).  A z is guessed in floating point and by Newton's method; R at two places around it says between which the true one
is.
batch-gaussian: ``batch`` places are filled from ``records`` and a ``group`` of records, which is replaced; a place
moves the sum by at most 1.  With K the number of places of the group, let p_k = P(K = k), g at least the sum of p_k
from k = 1 on, and (P, Q) the pair that reveals k with probability p_k / g, with the loss of Gaussian noise on numbers k
apart, and else is infinite.  The curve is at most that of a sample of rate g of (P, Q) where a record is replaced
(places-in-batch): loss_laws.py says how that of a sample follows.  ``redrawn`` 1: each place is drawn from all records.
p_0 is a product of min(group, batch) quotients, or a power, and quotients of p_k lead from one to the next.  All rounds
of a claim have groups of one size; one without a group is for one record.
cut-gaussian: of a Poisson sample of rate q at most ``batch`` = B are used, a random part.  One record is removed or
added beside ``records``, N of which are in the sample.  The loss is that of a sample of rate q with the probability
P(N < B), and else that of a sample of rate r at half the noise, r >= q E(B / (N + 1) | N >= B) (cut-samples).  r falls
in the chance of N, as N given N >= B rises with it; binomial_masses.py encloses the masses of N at chances around q.
"""

from fractions import Fraction
from functools import cache
from math import ceil, exp, floor, inf, log

from .binomial_masses import CHANCE, binomial, from_below
from .claim_files import decimal, require
from .directed_decimals import UNIT, UP, ZERO, Ends, between, ends, exp_of, normal_tail
from .fixed_point import ONE
from .loss_laws import Law, gaussian, monotone, sample

# The most lengths of a record, and the most places of a group that are told apart: each has normal tails of its own.
MOST_LENGTHS = 40
MOST_PLACES = 60
# The most factors of the probability that no record of a group is in a batch.
MOST_FACTORS = 10**6
# Masses of a binomial below this power of 1/2, over the largest one, are bounded together; the most on either side.
CUT = 150
MOST_MASSES = 10**6
# The distances from a guess at which the likelihood ratio is compared.
DISTANCES = [Fraction(10) ** power for power in range(-24, 8, 4)]
# The most steps of Newton's method in floating point, from the right, where it converges for a convex function.
STEPS = 60
# The least slope that it divides by, and the least place that it goes to: R is constant there.
LEAST_SLOPE = 1e-200
LEAST_PLACE = -1e6


def lengths_of(text):
    """Return pairs of a length and its probability, exact, from a text such as 1:0.25,2:0.01."""
    pairs = [dict(zip(("length", "chance"), pair.split(":"), strict=True)) for pair in text.split(",")]
    require(len(pairs) <= MOST_LENGTHS, f"more than {MOST_LENGTHS} lengths")
    lengths = tuple((decimal(pair, "length", None, "1e6"), decimal(pair, "chance", None, "1")) for pair in pairs)
    require(sum(chance for _, chance in lengths) <= 1, "the probabilities of the lengths are more than 1 together")
    return lengths


def weighted(weights, parts):
    """Return Ends of a sum of products."""
    return sum((weight * part for weight, part in zip(weights, parts, strict=True)), Ends(ZERO, ZERO))


def guess(moves, chances, rest, t):
    """Return about the z where R(z) = e^t."""
    rates = [(float(u), log(float(chance))) for u, chance in zip(moves, chances, strict=True)]
    z, t = min((float(t) - chance) / u + u / 2 for u, chance in rates), float(t)
    for _ in range(STEPS):
        terms = [(chance + u * z - u * u / 2 - t, u) for u, chance in rates]
        still = [log(rest) - t] if rest > 0 else []
        top = max([term for term, _ in terms] + still)
        shares = [exp(term - top) for term, _ in terms]
        total = sum(shares) + sum(exp(one - top) for one in still)
        slope = sum(share * u for share, (_, u) in zip(shares, terms, strict=True))
        step = (top + log(total)) * total / max(slope, LEAST_SLOPE)
        z -= step
        if z < LEAST_PLACE or abs(step) < 1e-12 * (1 + abs(z)):
            break
    return max(z, LEAST_PLACE)


def random_lengths(sigma, lengths, direction):
    """Return the law for a record that adds a vector of random length, and is removed or added."""
    moves, chances = [length / sigma for length, _ in lengths], [chance for _, chance in lengths]
    rest = 1 - sum(chances)
    weights = [*map(ends, chances), ends(rest)]

    def terms(z):
        return [*(exp_of(u * z - u * u / 2) for u in moves), Ends(UNIT, UNIT)]

    def place(t):
        """Return fractions z between which R is e^t; the lower one is missing where it is not known."""
        x = exp_of(t)
        if x[1] <= weights[-1][0]:
            return None, None
        start = Fraction(guess(moves, chances, float(rest), t))
        ratios = [float(w[1]) * float(UP.divide(a[1], x[1])) for w, a in zip(weights, terms(start), strict=True)]
        slope = sum(ratio * float(u) for ratio, u in zip(ratios, moves, strict=False))
        if 0 < slope < inf:
            error = UP.subtract(UP.divide(weighted(weights, terms(start))[1], x[1]), UNIT)
            start -= Fraction(f"{error:.30e}") / Fraction(slope)
        below = above = None
        for distance in DISTANCES:
            if below is None and weighted(weights, terms(start - distance))[1] <= x[0]:
                below = start - distance
            if above is None and weighted(weights, terms(start + distance))[0] >= x[1]:
                above = start + distance
            if below is not None and above is not None:
                break
        require(above is not None, "a loss has no place")
        return below, above

    def normal_tails(low, high):
        """Return Ends of both probabilities above the z between two numbers."""
        shifts = [normal_tail(between(low - u, high - u)) for u in (*moves, 0)]
        return weighted(weights, shifts), shifts[-1]

    def removed(t):
        low, high = place(t)
        if high is None:
            return Ends(UNIT, UNIT), Ends(UNIT, UNIT)
        if low is None:
            return tuple(Ends(tail[0], UNIT) for tail in normal_tails(high, high))
        return normal_tails(low, high)

    def below_tails(low, high):
        """Return Ends of both probabilities below the z between two numbers."""
        shifts = [normal_tail(between(u - high, u - low)) for u in (*moves, 0)]
        return weighted(weights, shifts), shifts[-1]

    def added(t):
        low, high = place(-t)
        if high is None:
            return Ends(ZERO, ZERO), Ends(ZERO, ZERO)
        p, q = below_tails(high if low is None else low, high)
        return (Ends(ZERO, q[1]), Ends(ZERO, p[1])) if low is None else (q, p)

    return Law(monotone(removed if direction == "removed" else added), [])


@cache
def places(records, batch, group, redrawn, least):
    """Return Ends of P(K = k) for k = 0, 1, ... until what is left is about at most a number."""
    fewer, more, whole = min(batch, group), max(batch, group), records + group
    if redrawn:
        chance, power, mass = ends(Fraction(records, whole)), batch, Ends(UNIT, UNIT)
        while power:
            mass = mass * chance if power % 2 else mass
            chance, power = chance * chance, power // 2
    else:
        require(batch <= records and fewer <= MOST_FACTORS, "a batch is too large, or it and a group are")
        mass = Ends(UNIT, UNIT)
        for i in range(fewer):
            mass *= ends(Fraction(whole - more - i, whole - i))
    masses = [mass]
    for k in range(MOST_PLACES):
        top, bottom = (
            (batch - k) * (group if redrawn else group - k),
            (k + 1) * (records if redrawn else records - batch + k + 1),
        )
        masses.append(masses[-1] * ends(Fraction(max(top, 0), bottom)))
        if 2 * top < bottom and masses[-1][1] <= least:
            break
    return masses


def batch_gaussian(sigma, numbers, least):
    """Return the law for a group of records that is replaced, on batches of one size."""
    none, *some = places(*map(int, numbers), least)
    rate = (UNIT - none).upper
    weights = [one / rate for one in some if one.upper > 0]
    laws = [gaussian((k / sigma) ** 2) for k in range(1, len(weights) + 1)]
    infinite = max(ZERO, UP.subtract(UNIT, weighted(weights, [(UNIT, UNIT)] * len(weights))[0]))

    def at(t):
        p, q = (weighted(weights, tails) for tails in zip(*(law.tails(t, t) for law in laws), strict=True))
        return Ends(p[0], min(UNIT, UP.add(p[1], infinite))), Ends(q[0], min(UNIT, q[1]))

    return sample(Law(monotone(at), []), rate, "replaced")._replace(attained=False)


@cache
def cut_chances(rate, records, batch):
    """Return Ends of the probability of a cut, and an upper bound of the rate at which the record is used then."""
    low, high = floor(rate * CHANCE), ceil(rate * CHANCE)
    require(0 < low and high < CHANCE, "the rate of samples that are cut is too near 0 or 1")
    above, most = binomial(records, high, CUT, MOST_MASSES), binomial(records, low, CUT, MOST_MASSES)
    below = from_below(records, low, CUT, MOST_MASSES)

    def from_place(law, masses):
        return {law.low + i: mass for i, mass in enumerate(masses) if law.low + i >= batch}

    cut = Fraction(sum(from_place(above, above.masses).values()) + above.rest, ONE)
    sure, possible = from_place(most, below), from_place(most, most.masses)
    share = Fraction(batch, batch + 1)
    if sum(sure.values()):
        used = most.rest - sum(-mass * batch // (n + 1) for n, mass in possible.items())
        share = min(share, Fraction(used, sum(sure.values())))
    return Ends(ends(Fraction(sum(sure.values()), ONE))[0], min(UNIT, ends(cut)[1])), ends(rate * share)[1]


def cut_gaussian(sigma, numbers, rate, direction):
    """Return the law for a record that is removed or added, on Poisson samples that are cut."""
    cut, used = cut_chances(Fraction(rate), *map(int, numbers))
    weights = UNIT - cut, cut
    laws = sample(gaussian(1 / sigma**2), rate, direction), sample(gaussian(4 / sigma**2), used, direction)

    def at(t):
        pairs = zip(*(law.tails(t, t) for law in laws), strict=True)
        return tuple(Ends(low, min(UNIT, high)) for low, high in (weighted(weights, tails) for tails in pairs))

    return Law(monotone(at), [], False)


def law_of(name, numbers, rate, direction, least):
    """Return the law of one of these mechanisms, by the numbers of its round, with an exact decimal rate."""
    sigma, *more = numbers
    if name == "random-lengths":
        return random_lengths(sigma, more[0], direction)
    if name == "batch-gaussian":
        return batch_gaussian(sigma, more, least)
    return cut_gaussian(sigma, more, rate, direction)

r"""Prove that shuffled binary responses of few clients are (epsilon, delta)-DP, every rounding upward.

At most 200 clients answer one bit each by randomized response, of budgets of their own or drawn as a sample, and the
record of one client is replaced.  The file holds the claim, and its ``fineness`` is empty.  Numbers are integers over
ONE = 2^192; kappa = e^epsilon is rounded down and x = e^eps0 up, with which delta rises, as the statements prove.  If
kappa >= x, delta is at most delta0, or 0.

**1. A sample** (``sampled-shuffle``).  ``batch`` = b clients are drawn of n, and answer with the budget eps0.  By
sampled-responses delta is the largest, over the number H < n of ones in the data, of the sum over s of (M_{H+1}(s) -
kappa M_H(s))_+, where M_H(s) is the probability of s ones among the answers,

    M_H(s) = sum over t of C(H, t) C(n - H, b - t) / C(n, b) [z^s] A^t B^(b-t),
    A = (x z + 1)/(x + 1),    B = (z + x)/(x + 1).

Powers of A and of B have coefficients that are rounded up, and others that are rounded down; all else is exact, with
the first for M_{H+1} and the others for M_H.  A polynomial is one integer that holds its coefficients side by side,
each in BITS_EACH bits, which is enough for the sums of all products.  From below, x is rounded down, kappa up, and the
two kinds of coefficients change places: if that is above the claim, it is false.

**2. Budgets of their own** (``personal-shuffle``).  Client i has the budget eps0 + (eps0_last - eps0) i/(n - 1), and
tells its bit outright with probability delta0.  By coins-of-others delta is at most the largest over i of

    delta0 + (1 - delta0) E D(C),
    D(c) = 2 / ((x_i + 1) m 2^m) times the sum over k of C(m, k) ((x_i - kappa) k - (kappa x_i - 1) (m - k))_+

with m = c + 1, where C is the number of others j who answer by a coin, each with probability 2 (1 - delta0)/(x_j + 1).
D falls as c grows, so that these probabilities are rounded down; masses of C are rounded up.  The law without client i
is the product of that of the clients before i and that of those after i.  (x - 1) (kappa + 1) k is above (kappa x - 1)
m from a least k on; two tables have the sums of C(m, k) and of k C(m, k) from there.
"""

from fractions import Fraction
from math import comb

from .claim_files import check_file, fields, integer, judgement, require, short_decimal, verdict_of
from .directed_decimals import ends
from .fixed_point import ONE, exp_ends
from .statement_sentences import in_mechanism, sentence_of, sentences_of

# The most clients.
MOST_CLIENTS = 200
# The bits of a coefficient: 2 * 192 of two factors, 200 of numbers of samples, 8 of their sum, and some to spare.
BITS_EACH = 640
# The mechanisms, each with its keys besides the usual ones, and the statement that it rests on.
MECHANISMS = {
    "sampled-shuffle": (["batch"], "sampled-responses"),
    "personal-shuffle": (["eps0_last", "delta0"], "coins-of-others"),
}
# The statements that an acceptance may rest on.
STATEMENTS = sentences_of(*(statement for _, statement in MECHANISMS.values()))


def packed(coefficients):
    """Return the integer that holds coefficients side by side, the first one lowest."""
    return int.from_bytes(b"".join(one.to_bytes(BITS_EACH // 8, "little") for one in coefficients), "little")


def unpacked(number, count):
    """Return the coefficients that an integer holds."""
    size = BITS_EACH // 8
    content = number.to_bytes(count * size, "little")
    return [int.from_bytes(content[k * size : (k + 1) * size], "little") for k in range(count)]


def powers(zero, one, most, up):
    """Return the packed coefficients, times ONE, of all powers of a polynomial of degree 1, rounded up or down."""
    masses, results = [ONE], []
    for _ in range(most + 1):
        results.append(packed(masses))
        pairs = zip([*masses, 0], [0, *masses], strict=True)
        masses = [-(-(a * zero + b * one) // ONE) if up else (a * zero + b * one) // ONE for a, b in pairs]
    return results


def answers(batch, x, up):
    """Return the packed laws, times ONE^2, of the number of ones among the answers of a batch with 0, 1, ... ones."""
    likely, rare = Fraction(ONE) * x / (x + 1), Fraction(ONE) / (x + 1)
    more, less = (-(-one.numerator // one.denominator) if up else int(one) for one in (likely, rare))
    of_ones, of_zeros = powers(less, more, batch, up), powers(more, less, batch, up)
    return [of_ones[t] * of_zeros[batch - t] for t in range(batch + 1)]


def sampled_delta(clients, batch, x, kappa, up):
    """Return delta of a sample of the clients, rounded up or down; x and kappa are fractions."""
    first, second = answers(batch, x, up), answers(batch, x, not up)
    best = 0

    def law(laws, number):
        ways = ((t, comb(number, t) * comb(clients - number, batch - t)) for t in range(batch + 1))
        return unpacked(sum(way * laws[t] for t, way in ways if way), batch + 1)

    for number in range(clients):
        pairs = zip(law(first, number + 1), law(second, number), strict=True)
        best = max(best, sum(max(kappa.denominator * p - kappa.numerator * q, 0) for p, q in pairs))
    return Fraction(best, kappa.denominator * comb(clients, batch) * ONE**2)


def tails_of(m):
    """Return the sums of C(m, j) and of j C(m, j) over j >= k, for all k from 0 to m + 1."""
    counts, sums = [0], [0]
    for k in range(m, -1, -1):
        counts.append(counts[-1] + comb(m, k))
        sums.append(sums[-1] + k * comb(m, k))
    return counts[::-1], sums[::-1]


def among_coins(x, kappa, tables):
    """Return D(c), times ONE, rounded up, for c = 0, 1, ..."""
    slope, base, values = (x - 1) * (kappa + 1), kappa * x - 1, []
    for m, (counts, sums) in enumerate(tables, 1):
        least = int(base * m / slope) + 1
        total = slope * sums[least] - base * m * counts[least] if least <= m else Fraction(0)
        value = ONE * total * 2 / ((x + 1) * m * 2**m)
        values.append(-(-value.numerator // value.denominator))
    return values


def personal_delta(xs, delta0, kappa):
    """Return an upper bound of delta of clients with budgets of their own; ``xs`` are fractions, none below 1."""
    if kappa >= max(xs):
        return delta0
    chances = [int(2 * (1 - delta0) * ONE / (x + 1)) for x in xs]
    tables = [tails_of(m) for m in range(1, len(xs) + 1)]

    def laws(some):
        masses, results = [ONE], []
        for chance in some:
            results.append(packed(masses))
            pairs = zip([*masses, 0], [0, *masses], strict=True)
            masses = [-(-(a * (ONE - chance) + b * chance) // ONE) for a, b in pairs]
        return results

    before, after = laws(chances), laws(chances[::-1])[::-1]
    best = 0
    for i in range(len(xs) if xs[0] != xs[-1] else 1):
        if kappa < xs[i]:
            masses = unpacked(before[i] * after[i], len(xs))
            values = among_coins(xs[i], kappa, tables)
            best = max(best, sum(mass * value for mass, value in zip(masses, values, strict=True)))
    return delta0 + (1 - delta0) * Fraction(best, ONE**3)


def delta_ends(claim):
    """Return a lower and an upper bound of delta at the claim's epsilon, as fractions."""
    require(type(claim) is dict and claim.get("mechanism") in [*MECHANISMS], f"a mechanism of {[*MECHANISMS]}")
    names, _ = MECHANISMS[claim["mechanism"]]
    fields(claim, {"mechanism", "clients", "eps0", "epsilon", "delta", *names}, "the claim")
    clients, eps0 = integer(claim, "clients", 1, MOST_CLIENTS), short_decimal(claim, "eps0", None, 20)
    kappa, larger = exp_ends(short_decimal(claim, "epsilon", 0, 20))
    short_decimal(claim, "delta", 0, 1)
    if claim["mechanism"] == "sampled-shuffle":
        batch = integer(claim, "batch", 1, clients)
        smaller, x = exp_ends(eps0)
        low = sampled_delta(clients, batch, smaller, larger, False) if larger < smaller else Fraction(0)
        return low, sampled_delta(clients, batch, x, kappa, True) if kappa < x else Fraction(0)
    last, delta0 = short_decimal(claim, "eps0_last", None, 20), short_decimal(claim, "delta0", 0, 1)
    budgets = [eps0 + (last - eps0) * i / max(1, clients - 1) for i in range(clients)]
    return Fraction(0), personal_delta([exp_ends(budget)[1] for budget in budgets], delta0, kappa)


def words_of(claim):
    """Return the mechanisms of a claim in words."""
    return in_mechanism("binary randomized response", claim)


@verdict_of
def verify(facts):
    """Return the verdict on the content of a file, whatever that is."""
    check_file(facts, "upper_few")
    fields(facts["fineness"], (), "the fineness")
    claim = facts["claim"]
    low, high = delta_ends(claim)
    sentence = sentence_of(words_of(claim), claim, MECHANISMS[claim["mechanism"]][1:])
    return judgement((ends(low)[0], ends(high)[1]), claim["delta"], sentence)

"""Show that a claim about a composition is false, rounded in the safe direction: by one mechanism that violates it.

**1. The claim.**  The mechanism is composed of ``parts``, whose outputs are all released.  In a part, a record is
hidden among ``draws`` draws, in one of as many slots (where it is used with probability ``weight``) or among as many
shuffled messages; the part is repeated ``times`` times.  It has three rows of output probabilities: for the record, for
its replacement, and the ``reference`` for every other draw; any two of them are (eps0, delta0)-indistinguishable.  The
claim is that all such mechanisms are (epsilon, delta)-DP.

**2. The delta that is attained.**  The two views have laws P and Q, and kappa = e^epsilon.  Their hockey-stick
divergence is the sum of max(P - kappa Q, 0) over all outcomes, the least delta that the mechanism has.  To take several
outcomes as one, or to leave some out, can only lower it.  So the outcomes of a part are taken as one if the sums of the
``scores`` of their outputs are equal; then each outcome is replaced by the cell of width ``cell`` that has the
logarithm of its likelihood ratio, and cells of a composition with one sum are one outcome.  An outcome that only the
record can have adds all of its probability, however the rest is taken together.  P is rounded down, Q and kappa are
rounded up.

**3. What is assumed.**  The rows are exact numbers, and are checked to be of the class.  That the claim of the file is
that of the theorem or protocol under ``of`` is not checked here.
"""

from bisect import bisect
from fractions import Fraction
from itertools import accumulate, permutations
from math import ceil, floor, log
from typing import NamedTuple

from .claim_files import require, spend, verdict_of
from .counterexamples import ROWS, number, read_witness, refuted, require_attained, rows_of
from .fixed_point import BITS, ONE, exp_ends

# The largest number of sums of scores, or of cells of likelihood ratios.
MOST = 1 << 16
# The largest amount of work for one claim, and that for which a core takes a second.
MOST_WORK = 10_000_000
WORK = 1_000_000


class Law(NamedTuple):
    """The laws P and Q of the sum of some places (scores or cells), as multiples of 1 / ONE."""

    # An upper bound of the P-probability that no output reveals the record.
    hidden_mass: int
    # An upper bound of the Q-mass that ``q`` does not contain.
    missing: int
    # Lower bounds of the P-masses at all places, from the least one on.
    p: list[int]
    # Upper bounds of the Q-masses at the same places.
    q: list[int]


class Limits:
    """The limits of one computation: the work, and the Q-mass ``cut`` up to which both tails of a law are left out."""

    def __init__(self, cut):
        self.cut, self.work = cut, 0.0

    def spend(self, work):
        """Add some work; raise ValueError if it is too much in all."""
        self.work += work
        require(self.work <= MOST_WORK, "too much work")
        spend(work / WORK)


def products(one, other):
    """Return the convolution of two lists of masses, in multiples of 1 / ONE^2."""
    # Each list becomes one large integer, whose parts have room for every sum of products.
    size = BITS // 4 + 8
    integers = []
    for row in (one, other):
        integers.append(int.from_bytes(b"".join(mass.to_bytes(size, "little") for mass in row), "little"))
    content = (integers[0] * integers[1]).to_bytes(size * (len(one) + len(other)), "little")
    return [int.from_bytes(content[i : i + size], "little") for i in range(0, len(content) - size, size)]


def joint_law(one, other, limits):
    """Return the law of the sum of two independent places, with P rounded down and Q rounded up."""
    # Python multiplies integers of n digits in about n^1.585 steps.
    fewer, more = sorted((len(one.q), len(other.q)))
    limits.spend(more * fewer**0.585)
    p = [mass >> BITS for mass in products(one.p, other.p)]
    q = [(mass >> BITS) + 1 for mass in products(one.q, other.q)]
    sums = [*accumulate(q)]
    middle = slice(bisect(sums, limits.cut), bisect(sums, sums[-1] - limits.cut) + 1)
    require(len(q[middle]) <= MOST, "too many sums of scores, or cells")
    first, second = sum(one.q), sum(other.q)
    missing = (first + one.missing) * (second + other.missing) - first * second
    missing = (missing >> BITS) + 1 + sums[-1] - sum(q[middle])
    return Law(-(-one.hidden_mass * other.hidden_mass >> BITS), missing, p[middle], q[middle])


def power_law(law, n, limits):
    """Return the law of the sum of n independent places of one law."""
    if n <= 1:
        return law
    half = power_law(law, n // 2, limits)
    whole = joint_law(half, half, limits)
    return joint_law(whole, law, limits) if n % 2 else whole


def part_law(part, rows, scores, limits):
    """Return the law of the sum of the scores of all draws of a part; raise ValueError if it is not of its class.

    Outcomes with an output whose score is not in [0, MOST) are left out.
    """
    n, times = part["draws"], part["times"]
    weight, delta0, eps0 = (number(part[name]) for name in ("weight", "delta0", "eps0"))
    require({*map(type, (n, times, *scores))} == {int} and min(n, times) > 0 < weight <= 1, "out of range")
    x = exp_ends(eps0)[0]
    probabilities = all(sum(row) == 1 and min(row) >= 0 for row in rows)
    divergences = [sum(max(a - x * b, 0) for a, b in zip(*pair, strict=True)) for pair in permutations(rows, 2)]
    private = max(divergences) <= delta0
    require(probabilities and private and len(part) == 5, "not (eps0, delta0)-DP, of sum 1, or of these params")

    # The laws of the output in the record's place under P and under Q, and of any other output.
    mixtures = [[ONE * (weight * a + (1 - weight) * c) for a, c in zip(row, rows[2], strict=True)] for row in rows]
    columns = [*zip(*mixtures, scores, strict=True)]
    # An output that only the record itself can have reveals it; it has no place.
    revealing_mass = sum(floor(a) for a, b, c, _ in columns if not b and not c)
    each = [(floor(a), ceil(b), floor(c), ceil(c), score) for a, b, c, score in columns if b or c]
    places = range(max(scores) + 1)[:MOST]
    masses = [[sum(entry[i] for entry in each if entry[4] == place) for place in places] for i in range(4)]
    record = Law(ONE - revealing_mass, 0, masses[0], masses[1])
    other = Law(ONE, 0, masses[2], masses[3])
    return record if n == 1 else joint_law(power_law(other, n - 1, limits), record, limits)


def cell_law(law, width):
    """Return the law of the cell of the log-likelihood ratio, whose outcomes are the places of another law."""
    p, q = {}, {}
    for a, b in zip(law.p, law.q, strict=True):
        if a:
            cell = int(log(a / b) / width + MOST / 2) % MOST
            p[cell], q[cell] = p.get(cell, 0) + a, q.get(cell, 0) + b
    cells = range(min(p), max(p) + 1)
    return Law(law.hidden_mass, law.missing, [p.get(cell, 0) for cell in cells], [q.get(cell, 0) for cell in cells])


def composed_law(claim, mechanism, limits):
    """Return the law of the sum of the cells of all parts; raise ValueError if the mechanism is not of the class."""
    whole, width = Law(ONE, 0, [ONE], [ONE]), float(number(mechanism["cell"]))
    absent = {0, 1}  # those of the record and its replacement that are the reference in every part
    for part, laws in zip(claim["parts"], mechanism["parts"], strict=True):
        rows = rows_of(laws)
        law = cell_law(part_law(part, rows, laws["scores"], limits), width)
        absent = {i for i in absent if rows[i] == rows[2]}
        whole = joint_law(whole, power_law(law, part["times"], limits), limits)
    require({"replace": True, "zero-out": absent}[claim["adjacency"]], "not of that adjacency")
    return whole


def divergence(law, kappa):
    """Return a lower bound of the divergence of P and Q; ``kappa`` is a multiple of 1 / ONE, at least e^epsilon."""
    total = ONE * (ONE - law.hidden_mass) - kappa * law.missing
    total += sum(max(ONE * a - kappa * b, 0) for a, b in zip(law.p, law.q, strict=True))
    return Fraction(total, ONE**2)


def check(facts):
    """Return a delta that the mechanism attains and that is above the claimed one; raise an error if there is none."""
    claim, mechanism = read_witness(facts, 2, "parts", {"cell", "parts"})
    require(all(laws.keys() == {*ROWS, "scores"} for laws in mechanism["parts"]), "a key that is not known")
    kappa = ceil(exp_ends(number(claim["epsilon"]))[1] * ONE)
    limits = Limits(floor(number(claim["delta"]) * ONE**2 / kappa) >> 64)  # tails far below delta / kappa
    return require_attained(facts, divergence(composed_law(claim, mechanism, limits), kappa))


@verdict_of
def verify(facts):
    """Return the verdict on the content of a file, whatever that is."""
    return refuted(check(facts))

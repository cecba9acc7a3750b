r"""Check upper certificates of one hidden slot in integers, every rounding upward: python upper_slot.py FILE

A certificate claims that every adaptive eps0-DP randomizer in ``steps`` hidden slots is (epsilon, delta)-DP.  This
program needs nothing but the standard library.  The file holds the claim and the ``fineness`` of the computation.
Whatever the fineness is, what the program accepts is true: the fineness decides only how near delta may be to the truth.

**The claim.**  A record is in one of m slots, chosen uniformly, and is used there with probability w; every other slot
holds a reference record g.  Slot i is released through an eps0-DP randomizer that depends on all earlier outputs.  Let
x = e^eps0, kappa = e^epsilon, and let a, a' be the likelihood ratios of a slot's output on the record d and on its
replacement d' against g.  Both views have a density with respect to the view with g alone, and the claim is that always

    delta >= E (1 - kappa + (w/m) sum_i s_i)_+ = (w/m) E (u0 + sum_i s_i)_+,   s = (a - 1) - kappa (a' - 1),
    u0 = -(kappa - 1) m / w,   where a and a' have the mean 1 given the past.

**Few laws.**  (a, a') lies in the hexagon with the corners A(1/x, 1/x), B(1, 1/x), C(x, 1), D(x, x), E(1, x), F(1/x, 1).
A convex function has its largest mean, the mean of (a, a') being (1, 1), for a law on two or three corners around (1, 1):
AD, BE, CF, ACE or BDF.  The values s of AD and of BDF lie between those of B and of E; so BE, which has the same mean 0,
gives a convex function of s a larger mean than they do.  With the mean 1, the probabilities of BE are proportional to
(x, 1), those of CF to (1, x), those of ACE to (x, 1, 1).  Zero-out: a' = 1 (removal), which leaves CF, or a = 1
(addition), which leaves BE.  Hence, with the maximum over these laws, which depends on u alone,

    delta* = (w/m) V_m(u0),   V_0(u) = u_+,   V_t(u) = T V_{t-1}(u),   T f(u) = max E f(u + s).

V_t is convex, its slope is between 0 and 1, and by Jensen's inequality V_t <= V_{t+1}.  A larger x enlarges the class and
a larger kappa lowers delta*: x is rounded up and kappa down, once; V_t is from here on that of the rounded numbers.

**1. One block.**  Nodes are the multiples n h of h = ``grid`` with -left <= n <= right.  W_t(n) >= V_t(n h) is computed
from W_{t-1}: V_{t-1} is convex, so that between nodes it lies below the straight line through larger values; s is
rounded up, since V_{t-1} increases; left of the nodes V_{t-1} is at most its value at the first; right of them it is at
most its value at the last plus the distance; probabilities and sums are rounded up, since nothing is negative.

**2. The law of a block.**  Every ``join``-th node, c = W_b(-left) and slopes that never decrease, from 0 on the left to at
least 1 on the right, make a convex function c + E (u + L)_+ >= V_b(u) for all u: the slope increases at the node n h by
the mass that L has at -n h.  A slope is as large as it takes to reach W_b at the next of these nodes.  (Chords of V_b lie
above it.)  L is a positive measure; its mass N is about 1.

**3. Many blocks.**  T is monotone, T(f + constant) = T f + constant, T (f + g) <= T f + T g, and T commutes with shifts.  So
if V_t(u) <= E (u + Y)_+ + C for a measure Y, then V_{t+b}(u) <= E V_b(u + Y) + C <= E (u + Y + L)_+ + c |Y| + C.  By
induction, for 2^k b >= m steps, k = ``doublings``, and the sum of r = 2^k independent copies of L,

    V_m(u) <= V_{rb}(u) <= E (u + L_1 + ... + L_r)_+ + r c max(N, 1)^r,   N^r <= 1 / (1 - r (N - 1)) for r (N - 1) < 1.

The payoff is not negative: larger masses are upward.  It is convex: to split the mass at a place into two halves at
equal distances is upward; so the lattice is made twice as coarse where there are more than ``atoms`` places.

**4. Tails.**  With theta > 0 let |Z| be the integral of e^{theta z} over a measure Z; |Y + Z| = |Y| |Z| for a sum of
independent ones.  Masses at both ends are taken out of L and remembered by their part R of |L|; with M = |L| inside, two
copies have left out 2 M R + R^2.  As y_+ <= e^{theta y} / (e theta), what is left out adds at most e^{theta u0} R / (e
theta) in the end.  ``tilt`` is the number g = e^{theta join h} > 1; log g >= 1 - 1/g; and e > 2.718.

**Reductions.**  Claims about other mechanisms follow by statements that the table REDUCTIONS names; they are registered in
pldcheck.theorems, each with its proof, and the sentence of acceptance names those that it rests on.
"""

import json
import sys
from bisect import bisect
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from hashlib import sha256
from itertools import accumulate, repeat
from math import ceil, comb, floor
from os.path import isfile
from re import fullmatch
from typing import NamedTuple

# The binary digits after the point of values, masses and powers.
BITS = 192
# The number that stands for 1.
ONE = 1 << BITS
# The binary digits after the point of places between nodes and of probabilities.
PLACES = 88
# The largest length of a file in bytes.
MOST_BYTES = 20_000
# The largest number of nodes, together with those beyond the window that a step reaches.
MOST_NODES = 400_000
# The largest number of nodes times steps of a block: a core takes about 1.5 seconds for 10^6.
MOST_WORK = 60_000_000
# The largest number of places of a law, which bounds a doubling at about a second.
MOST_ATOMS = 8192
# The largest number of doublings.
MOST_DOUBLINGS = 60
# The largest logarithm of a tilted place.
MOST_TILT = 1000
# The largest number of steps in which a claim that is not verified is compared with one fixed randomizer.
MOST_COMPARED = 20_000
# The largest number of slots.
MOST_STEPS = 10**15
# The number of terms of the exponential series.
SERIES_TERMS = 200
# The form of a decimal number.
DECIMAL = r"[0-9]{1,30}(\.[0-9]{1,60})?(e-?[0-9]{1,2})?"
# The keys of a file, and of its fineness.
FILE_KEYS = {"pldcheck_certificate", "claim", "fineness"}
FINENESS_KEYS = {"block", "doublings", "grid", "left", "right", "join", "tilt", "cut", "atoms"}
# The corners by their ratios a and a', as powers of x.
CORNERS = {"A": (-1, -1), "B": (0, -1), "C": (1, 0), "E": (0, 1), "F": (-1, 0)}
# The laws by their corners, with the powers of x to which the probabilities are proportional.
LAWS = {"BE": (1, 0), "CF": (0, 1), "ACE": (1, 0, 0)}
# The laws among which the adversary chooses; a claim holds if it holds for each choice.
ADJACENCIES = {"replace": [("BE", "CF", "ACE")], "zero-out": [("CF",), ("BE",)]}


class Slot(NamedTuple):
    """The claim that m hidden slots of weight w behind x-bounded randomizers are (log kappa, delta)-DP.

    ``x`` is rounded up and ``kappa`` down; ``less`` and ``more`` are x rounded down and kappa rounded up.
    """

    steps: int
    weight: Fraction
    adjacency: str
    x: Fraction
    kappa: Fraction
    delta: Fraction
    less: Fraction
    more: Fraction


class Verdict(NamedTuple):
    """The outcome: ``status`` is 0 (verified), 1 (not verified) or 2 (not a certificate), with a sentence."""

    status: int
    sentence: str


# Reading.


class TooCoarse(Exception):
    """The fineness does not verify the claim."""


def require(condition, complaint):
    """Raise ValueError with the complaint unless the condition holds."""
    if not condition:
        raise ValueError(complaint)


def require_close(condition, complaint):
    """Raise TooCoarse with the complaint unless the condition holds."""
    if not condition:
        raise TooCoarse(complaint)


def unique_keys(pairs):
    """Return a JSON object as a dictionary; refuse an object in which a key stands twice."""
    require(len(dict(pairs)) == len(pairs), "a key stands twice")
    return dict(pairs)


def no_constant(name):
    """Refuse NaN and the infinities, which are no JSON."""
    raise ValueError(f"{name} is not a number")


def parse(content):
    """Return the JSON value that some bytes hold, and nothing besides."""
    require(len(content) <= MOST_BYTES, f"longer than {MOST_BYTES} bytes")
    return json.loads(content.decode("ascii"), object_pairs_hook=unique_keys, parse_constant=no_constant)


def fields(value, names, place):
    """Return a dictionary that has exactly these keys."""
    require(type(value) is dict and value.keys() == names, f"{place} must have the keys {', '.join(sorted(names))}")
    return value


def integer(facts, name, low, high):
    """Return an integer of a file that must lie in a range."""
    value = facts[name]
    require(type(value) is int and low <= value <= high, f"{name} must be an integer from {low} to {high}")
    return value


def decimal(facts, name, low, high):
    """Return the exact value of a decimal text that must lie in a range."""
    text = facts[name]
    require(type(text) is str and fullmatch(DECIMAL, text), f"{name} must be a decimal number in a text")
    require(low <= Fraction(text) <= high, f"{name} must be from {float(low):g} to {float(high):g}")
    return Fraction(text)


def exp_ends(t):
    """Return multiples of 1 / ONE below and above e^t, for 0 <= t <= 20.

    A term that is left out is at most a tenth of the one before it, so all of them are below the last term.
    """
    low, high, lower, upper = ONE, ONE, ONE, ONE
    for n in range(1, SERIES_TERMS):
        low = low * t.numerator // (t.denominator * n)
        high = high * t.numerator // (t.denominator * n) + 1
        lower, upper = lower + low, upper + high
    return Fraction(lower, ONE), Fraction(upper + high, ONE)


# Reductions: each returns steps, weight, the factor by which x is larger, and what delta has left.


def from_hidden_slot(claim):
    """Return the claim about a hidden slot as it is."""
    return integer(claim, "steps", 1, MOST_STEPS), decimal(claim, "weight", 0, 1), claim["adjacency"]


def from_check_in(claim):
    """Return the hidden slot that a client checks in to with a probability."""
    return integer(claim, "steps", 1, MOST_STEPS), decimal(claim, "check_in_prob", 0, 1), "replace"


def from_sliding_window(claim):
    """Return the hidden slot of one window."""
    return integer(claim, "window", 1, MOST_STEPS), Fraction(1), "replace"


# The parameters of each mechanism besides eps0, how its claim becomes one about a hidden slot, and by which statement.
REDUCTIONS = {
    "hidden-slot": ({"steps", "weight", "adjacency"}, from_hidden_slot, None),
    "check-in": ({"steps", "check_in_prob"}, from_check_in, "check-in -> hidden-slot"),
    "sliding-window": ({"window"}, from_sliding_window, "sliding-window -> hidden-slot"),
}
# The statement by which (eps0, delta0)-DP randomizers are replaced by pure ones.
CLIPPING = "thm-3.2-approx-improved"


def hidden_slot_claim(claim):
    """Return the claim about a hidden slot that implies a file's claim, and the statements by which it does."""
    require(type(claim) is dict and claim.get("mechanism") in [*REDUCTIONS], "the mechanism is not known")
    names, reduced, statement = REDUCTIONS[claim["mechanism"]]
    more = {"delta0"} & claim.keys()
    fields(claim, {"mechanism", "eps0", "epsilon", "delta"} | names | more, "the claim")
    steps, weight, adjacency = reduced(claim)
    require(type(adjacency) is str and adjacency in ADJACENCIES, "the adjacency must be replace or zero-out")
    eps0, epsilon = decimal(claim, "eps0", 0, 20), decimal(claim, "epsilon", 0, 20)
    delta = decimal(claim, "delta", 0, 1)
    require(weight > 0 and eps0 > 0, "the weight and eps0 must be positive")
    (less, x), (kappa, more_kappa) = exp_ends(eps0), exp_ends(epsilon)
    statements = [statement] if statement else []
    if more:
        require(adjacency == "replace", "delta0 is known for replacement only")
        delta0 = decimal(claim, "delta0", 0, 1)
        moved = max(Fraction(1), 3 / (1 + less)) * delta0
        require(moved < 1, "delta0 is too large")
        x *= (1 + moved) / (1 - moved)
        delta -= weight * moved * (more_kappa + 1)
        statements.append(CLIPPING)
    return Slot(steps, weight, adjacency, x, kappa, delta, less, more_kappa), statements


def read_fineness(facts, slot):
    """Return the fineness of a file; refuse one that has too few steps or too much work."""
    fields(facts, FINENESS_KEYS, "the fineness")
    fine = {name: integer(facts, name, 1, MOST_NODES) for name in ("left", "right", "join")}
    fine["block"] = integer(facts, "block", 1, MOST_WORK)
    fine["doublings"] = integer(facts, "doublings", 0, MOST_DOUBLINGS)
    fine["atoms"] = integer(facts, "atoms", 8, MOST_ATOMS)
    fine["cut"] = integer(facts, "cut", 2, BITS)
    fine["grid"] = decimal(facts, "grid", Fraction(1, 10**30), 10**30)
    fine["tilt"] = decimal(facts, "tilt", 1, 2)
    require(fine["left"] % fine["join"] == fine["right"] % fine["join"] == 0, "join must divide left and right")
    require(fine["block"] << fine["doublings"] >= slot.steps, "the blocks have fewer steps than the claim")
    require(fine["tilt"] > 1, "the tilt must be above 1")
    return fine


# The computation: values, masses and powers are integers that stand for multiples of 1 / ONE, all rounded up.


def times(a, b):
    """Return the product of two numbers, rounded up."""
    return -(-a * b >> BITS)


def steps_of(slot, names):
    """Return the values s of the outputs of some laws with their probabilities, exactly."""
    found = []
    for name in names:
        weights = [slot.x**power for power in LAWS[name]]
        ratios = [(slot.x**a, slot.x**b) for a, b in (CORNERS[corner] for corner in name)]
        values = [(a - 1) - slot.kappa * (b - 1) for a, b in ratios]
        found.append([(s, weight / sum(weights)) for s, weight in zip(values, weights, strict=True)])
    return found


def moves_of(steps, grid):
    """Return, for each law, by how many nodes a step moves, with probabilities times 2^PLACES, rounded up.

    A place between two nodes, rounded up, is shared between them: this is the straight line through their values.
    """
    found = []
    for law in steps:
        shares = {}
        for s, probability in law:
            node, part = divmod(ceil(s / grid * 2**PLACES), 2**PLACES)
            shares[node] = shares.get(node, 0) + probability * (2**PLACES - part)
            shares[node + 1] = shares.get(node + 1, 0) + probability * part
        found.append([(node, ceil(share)) for node, share in shares.items() if share])
    return found


def block_values(moves, block, left, right):
    """Return upper bounds of V_block / grid at the nodes from -left to right."""
    count = left + right + 1
    # A move beyond the first node from every node is as good as a longer one.
    moves = [[(max(node, -count), share) for node, share in law] for law in moves]
    first = max(0, *(-node for law in moves for node, _ in law))
    reach = max(0, *(node for law in moves for node, _ in law))
    values = [max(n, 0) * ONE for n in range(-left, right + 1)]
    for _ in range(block):
        row = [values[0]] * first + values + [values[-1] + j * ONE for j in range(1, reach + 1)]
        means = []
        for law in moves:
            products = [map(share.__mul__, row[first + node : first + node + count]) for node, share in law]
            means.append(map(sum, zip(*products, strict=True)))
        values = [-(-max(options) >> PLACES) for options in zip(*means, strict=True)]
    return values


def law_of(values, join):
    """Return the masses of L, from the last node to the first, and the constant c / grid."""
    height, slope, masses = values[0], 0, []
    for value in values[join::join]:
        needed = max(slope, -((height - value) // join))
        masses.append(needed - slope)
        height, slope = height + join * needed, needed
    masses.append(max(ONE - slope, 0))
    return masses[::-1], values[0]


def power(base, n):
    """Return base^n, every product rounded up."""
    result = ONE
    for digit in bin(n)[2:]:
        result = times(result, result)
        result = times(result, base) if digit == "1" else result
    return result


def tilted(masses, low, up, down):
    """Return the masses times g^place, for places from ``low``; ``up`` is g and ``down`` 1 / g, both rounded up."""
    anchor = min(max(low, 0), low + len(masses) - 1)
    start = power(up, anchor) if anchor > 0 else power(down, -anchor)
    above = accumulate(repeat(up, low + len(masses) - 1 - anchor), times, initial=start)
    below = [*accumulate(repeat(down, anchor - low), times, initial=start)][:0:-1]
    return [*map(times, masses, [*below, *above])]


def coarser(masses, low):
    """Return masses at even places only, as half of each mass at an odd place goes to both sides; and half of ``low``."""
    masses = [0] * (low % 2) + masses
    masses = masses + [0] * (1 - len(masses) % 2)
    halves = [(mass + 1) // 2 for mass in masses[1::2]]
    even = zip(masses[::2], [0, *halves], [*halves, 0], strict=True)
    return [*map(sum, even)], low // 2


def squared(masses):
    """Return the masses of the sum of two independent copies, by one product of numbers that hold all of them."""
    size = (2 * max(masses).bit_length() + len(masses).bit_length()) // 8 + 1
    packed = int.from_bytes(b"".join(mass.to_bytes(size, "little") for mass in masses), "little")
    product = (packed * packed).to_bytes(2 * size * len(masses), "little")
    places = range(0, (2 * len(masses) - 1) * size, size)
    return [-(-int.from_bytes(product[i : i + size], "little") >> BITS) for i in places]


def potential(masses, low, constant, spacing, start, fine):
    """Return an upper bound of V(start) for 2^doublings blocks with the law L, whose places are ``spacing`` apart."""
    copies, excess = 2 ** fine["doublings"], max(sum(masses) - ONE, 0)
    require_close(2 * copies * excess <= ONE, "the masses of a block add to too much")
    up, down, left_out = ceil(fine["tilt"] * ONE), ceil(ONE / fine["tilt"]), 0
    for _ in range(fine["doublings"]):
        while True:
            farthest = max(abs(low), abs(low + len(masses)))
            require_close((up - ONE) * farthest <= MOST_TILT * ONE, "the tilt is too large")
            parts = tilted(masses, low, up, down)
            limit = sum(parts) >> fine["cut"]
            first = bisect([*accumulate(parts)], limit)
            last = len(parts) - bisect([*accumulate(reversed(parts))], limit)
            left_out += sum(parts[:first]) + sum(parts[last:])
            masses, low = masses[first:last], low + first
            if len(masses) <= fine["atoms"]:
                break
            masses, low = coarser(masses, low)
            spacing, up, down = 2 * spacing, times(up, up), times(down, down)
        inside = sum(parts[first:last])
        require_close(left_out <= inside, "too much is left out")
        left_out = 2 * times(inside, left_out) + times(left_out, left_out)
        masses, low = squared(masses), 2 * low
    require_close(down < ONE, "the tilt is too small")
    origin = ceil(start / spacing * 2**PLACES)
    gains = sum(mass * max(origin + (place << PLACES), 0) for place, mass in enumerate(masses, low))
    tail = times(left_out, power(down, floor(-start / spacing))) / (Fraction(2718, 1000) * (ONE - down))
    return spacing * (Fraction(gains, ONE << PLACES) + tail) + constant * copies * Fraction(ONE, ONE - copies * excess)


def delta_upper(slot, fine):
    """Return an upper bound of delta*; raise ValueError where it would take too much work."""
    left, right, join, grid = fine["left"], fine["right"], fine["join"], fine["grid"]
    scale, start = slot.weight / slot.steps, -(slot.kappa - 1) * slot.steps / slot.weight
    choices = [steps_of(slot, names) for names in ADJACENCIES[slot.adjacency]]
    # All steps together are at most m times the largest.
    most = scale * start + slot.weight * max(s for steps in choices for law in steps for s, _ in law)
    if most <= slot.delta:
        return max(most, Fraction(0))
    moves = [moves_of(steps, grid) for steps in choices]
    nodes = [node for choice in moves for law in choice for node, _ in law]
    count = left + right + 1 + max(nodes) + min(-min(nodes), left + right + 1)
    require(count <= MOST_NODES and count * fine["block"] <= MOST_WORK, f"the work is above {MOST_WORK} nodes")
    bounds = []
    for choice in moves:
        masses, constant = law_of(block_values(choice, fine["block"], left, right), join)
        bounds.append(potential(masses, -(right // join), Fraction(constant, ONE) * grid, join * grid, start, fine))
    return scale * max(bounds)


def delta_attained(slot):
    """Return a delta that the law BE or CF, used in every slot, exceeds; 0 for more than MOST_COMPARED slots.

    The number j of outputs with the larger s is binomial.  Its probabilities are followed upward from the first j with
    a gain, rounded down.
    """
    m, scale, best = slot.steps, slot.weight / slot.steps, Fraction(0)
    safe = slot._replace(x=Fraction(floor(slot.less * 2**PLACES), 2**PLACES), kappa=slot.more)
    for law in steps_of(safe, ("BE", "CF")) if m <= MOST_COMPARED and safe.x > 1 else []:
        (low, q), (high, p) = sorted(law)
        start = (1 - safe.kappa) / scale + m * low
        first = floor(-start / (high - low)) + 1
        if first > m:
            continue
        (pn, pd), (qn, qd) = p.as_integer_ratio(), q.as_integer_ratio()
        mass = (comb(m, first) * pn**first * qn ** (m - first) << 4 * BITS) // (pd**first * qd ** (m - first))
        total = 0
        for j in range(first, m + 1):
            total += mass * floor((start + j * (high - low)) * ONE)
            mass = mass * (m - j) * pn * qd // ((j + 1) * pd * qn)
        best = max(best, scale * Fraction(total, ONE << 4 * BITS))
    return best


def nine_digits(value, rounding):
    """Return a rational number with nine digits, rounded as told."""
    numerator, denominator = map(Decimal, Fraction(value).as_integer_ratio())
    return Context(prec=9, rounding=rounding).divide(numerator, denominator)


def sentence_of(claim):
    """Return the claim in words."""
    budget = f"({claim['eps0']}, {claim['delta0']})" if "delta0" in claim else claim["eps0"]
    place = ", ".join(f"{name} {claim[name]}" for name in sorted(REDUCTIONS[claim["mechanism"]][0]))
    guarantee = f"({claim['epsilon']}, {claim['delta']})-DP"
    return f"every adaptive {budget}-DP randomizer in {claim['mechanism']} with {place} is {guarantee}"


def verify(facts):
    """Return the verdict on the content of a file; whatever the content is, it raises no error."""
    try:
        fields(facts, FILE_KEYS, "the file")
        require(facts["pldcheck_certificate"] == "upper_slot", "not a certificate for this program")
        claim = facts["claim"]
        slot, statements = hidden_slot_claim(claim)
        fine = read_fineness(facts["fineness"], slot)
        upper = delta_upper(slot, fine)
    except TooCoarse as error:
        upper, reason = None, str(error)
    except (ArithmeticError, ValueError, TypeError) as error:
        return Verdict(2, f"refused: {error}")
    if upper is not None:
        if upper <= slot.delta:
            rests = " and ".join(statements) if statements else "no reduction"
            return Verdict(0, f"accepted: {sentence_of(claim)}; this rests on {rests}")
        reason = f"delta is found to be at most {nine_digits(upper, ROUND_CEILING)}"
    lower = delta_attained(slot)
    if lower > slot.delta:
        return Verdict(1, f"false: delta is above {nine_digits(lower, ROUND_FLOOR)}")
    return Verdict(1, f"not verified: {reason}; the fineness is too coarse, or the claim is false")


def examine(path):
    """Return the verdict on a file."""
    try:
        require(isfile(path), "not a file")
        with open(path, "rb") as file:
            content = file.read(MOST_BYTES + 1)
        verdict = verify(parse(content))
        return verdict._replace(sentence=f"{verdict.sentence}; sha256 {sha256(content).hexdigest()}")
    except (OSError, RecursionError, ValueError) as error:
        return Verdict(2, f"refused: {error if type(error) is ValueError else repr(error)}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python upper_slot.py FILE")
    status, sentence = examine(sys.argv[1])
    print(sentence)
    sys.exit(status)

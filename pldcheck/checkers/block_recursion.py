"""The recursion over the steps of a hidden slot, every rounding upward.

A claim about m slots that are used with probability w follows from a bound of (w/m) V_m(u0), where

    V_0(u) = u_+,    V_t = T V_{t-1},    T f(u) = max E f(u + s),    u0 = -(kappa - 1) m / w,

with the maximum over the laws of a step s (slot_laws.py says what these are).  V_t is convex with a slope between 0 and
1, and V_t <= V_{t+1} by Jensen's inequality.

**1. A block of b steps.**  The nodes are n h, h = ``grid``, -left <= n <= right.  W_t(n) >= V_t(n h) / h is computed
from W_{t-1}.  Between nodes the convex V_{t-1} is below the straight line through larger values.  V_{t-1} increases, so
s is rounded up, and left of the nodes V_{t-1} is at most its value at the first one.  Right of them it is at most its
value at the last one plus the distance.  Values are not negative, so probabilities and sums are rounded up.

**2. The law of a block.**  At every ``join``-th node take c = W_b(-left) h and slopes that never decrease, 0 on the
left and at least 1 on the right, each as large as it takes to reach W_b at the next such node: a convex function above
V_b.  It is c + E (u + L)_+, where the measure L has at -n h the mass by which the slope increases at n h.

**3. Many blocks.**  T is monotone, T(f + c) = T f + c for constants, T(p f + q g) <= p T f + q T g for p, q >= 0, and T
commutes with shifts.  So V_t(u) <= E (u + Y)_+ + C, with a measure Y of total |Y|, implies V_{t+b}(u) <= E V_b(u + Y)
+ C <= E (u + Y + L)_+ + c |Y| + C.  Hence, for r = 2^doublings, r b >= m, independent copies of L, and N = |L| >= 1,

    V_m(u) <= V_{rb}(u) <= E (u + L_1 + ... + L_r)_+ + r c N^r,    N^r <= 1 / (1 - r (N - 1)).

doubled_laws.py bounds that mean; ``tilt`` is g = e^(theta join h) there.
"""

from fractions import Fraction
from math import ceil

from .claim_files import NotVerified, require, spend
from .doubled_laws import MOST_DOUBLED, PLACES_DOUBLED, Law, mean_gain, shorter, twofold
from .fixed_point import ONE, PLACES
from .slot_laws import steps_of

# The largest number of nodes, with those that a step reaches to the right.
MOST_NODES = 400_000
# The largest number of steps of a block.
MOST_BLOCK = 50_000_000
# The largest number of products: at each node, in each step of a block, one for each place where a law's step may end.
# The three laws of replacement have 14 such places.
MOST_PRODUCTS = 700_000_000
# The products for which a core takes a second.
PRODUCTS = 9_000_000


def moves_of(laws, grid, count):
    """Return for each law the numbers of nodes by which a step moves, with their probabilities times 2^PLACES.

    A step that ends between two nodes has a share of its probability at each: that is the straight line.  Where
    there are ``count`` nodes, moves of more than that to the left all end left of them.
    """
    moves = []
    for law in laws:
        ends = [(*divmod(ceil(s / grid * 2**PLACES), 2**PLACES), probability) for s, probability in law]
        shares = [(node, probability * (2**PLACES - part)) for node, part, probability in ends]
        shares += [(node + 1, probability * part) for node, part, probability in ends]
        moves.append([(max(node, -count), ceil(share)) for node, share in shares if share])
    return moves


def block_values(moves, block, left, right):
    """Return W_block at the nodes from -left to right."""
    before = max(0, *(-node for law in moves for node, _ in law))
    beyond = max(0, *(node for law in moves for node, _ in law))
    values = [max(node, 0) * ONE for node in range(-left, right + 1)]
    for _ in range(block):
        row = [values[0]] * before + values + [values[-1] + distance * ONE for distance in range(1, beyond + 1)]
        means = []
        for law in moves:
            terms = [map(share.__mul__, row[before + node : before + node + len(values)]) for node, share in law]
            means.append(map(sum, zip(*terms, strict=True)))
        values = [-(-max(options) >> PLACES) for options in zip(*means, strict=True)]
    return values


def law_of(values, join):
    """Return the masses of L, that of the last node first."""
    height, slope, masses = values[0], 0, []
    for value in values[join::join]:
        steeper = max(slope, -((height - value) // join))
        masses.append(steeper - slope)
        height, slope = height + join * steeper, steeper
    return [*masses, max(ONE - slope, 0)][::-1]


def many_blocks(masses, constant, start, fine):
    """Return an upper bound of V(start) / h for 2^doublings blocks; ``start`` and ``constant`` are those / h."""
    copies, excess = 1 << fine["doublings"], sum(masses) - ONE
    require(2 * copies * excess < ONE, "the masses of all blocks grow too much", NotVerified)
    up, down = ceil(fine["tilt"] * ONE), ceil(ONE / fine["tilt"])
    law = Law(masses, -(fine["right"] // fine["join"]), fine["join"], up, down, 0)
    for _ in range(fine["doublings"]):
        law = twofold(*shorter(law, fine, lambda law: max(abs(law.low), abs(law.low + len(law.masses)))))
    return mean_gain(law, start) + Fraction(copies * constant, ONE - copies * excess)


def delta_upper(slot, fine):
    """Return an upper bound of delta*; raise ValueError if it would take too much work."""
    left, right, grid, scale = fine["left"], fine["right"], fine["grid"], slot.weight / slot.steps
    choices = [steps_of(slot, names) for names in slot.choices]
    # No sum of steps is more than m times the largest step.
    largest = slot.weight * max(s for laws in choices for law in laws for s, _ in law) - (slot.kappa - 1)
    if largest <= slot.delta:
        return max(largest, Fraction(0))
    choices = [moves_of(laws, grid, left + right + 1) for laws in choices]
    nodes = [node for moves in choices for law in moves for node, _ in law]
    nodes = left + right + 1 + max(nodes) - min(nodes)
    products = nodes * fine["block"] * sum(len(law) for moves in choices for law in moves)
    places = len(choices) * fine["doublings"] * fine["atoms"]
    fits = nodes <= MOST_NODES and products <= MOST_PRODUCTS
    require(fits and places <= MOST_DOUBLED, "it takes more than the largest amount of work")
    spend(products / PRODUCTS + places / PLACES_DOUBLED)
    bounds = []
    for moves in choices:
        values = block_values(moves, fine["block"], left, right)
        bounds.append(many_blocks(law_of(values, fine["join"]), values[0], (1 - slot.kappa) / scale / grid, fine))
    return scale * grid * max(bounds)

"""Blocks of steps whose references are chosen one after the other.

step_lattice.py has T f(u), the largest E f(u + X - K) of a step over all references, and V_0(u) = u_+, V_t = T V_{t-1}.
There one law serves for every step: its transform E (L - x)_+ is the largest one of all references at each x, and the
references that attain it differ from one x to another.  But a step has one reference.  Where finitely many dominate
all others in convex order, ``choices`` of step_curves.py, a block of steps is nearer to V.

Let E (u + X - K)_+ <= E (u + L_o)_+ + e_o for each choice o, and V_s(u) <= E (u + Y)_+ + d.  As u -> V_s(u + x) is a
mean over Y,

    V_{s+1}(u) <= max_o E (u + Y + L_o)_+ + max_o (e_o |Y| + d) <= E (u + Z)_+ + max_o (e_o |Y| + d)

for any measure Z with E (Z - x)_+ >= E (Y + L_o - x)_+ for all o and x.  ``largest_law`` has such a Z on the lattice of
these: at its places the largest of their transforms, which are straight between places, 0 from the last place on, and
have the slope -|Y + L_o| up to the first.  So Z has as its masses the rises of the slope of that maximum, which is
convex, and up to the first place the slope is minus the largest mass.  Masses are integers: nothing is rounded.
``trim`` keeps it within the places that are allowed.

Blocks, and the steps that are left over, are added as step_lattice.py says: that holds for any bounds of V_s and V_t.
"""

from .claim_files import integer, require
from .step_lattice import Lattice, at_level, lattice_law, power_law, sum_law, trim

# The most steps of a block.
MOST_STEPS = 4096


def read_block(facts):
    """Return the number of steps of a block, 1 if a fineness has none, and the rest of the fineness."""
    require(type(facts) is dict, "fineness must be an object")
    rest = {key: value for key, value in facts.items() if key != "block"}
    return integer(facts, "block", 2, MOST_STEPS) if "block" in facts else 1, rest


def work_of(steps, count, block):
    """Return how many products, and how many laws, the sums of ``count`` copies of some steps take."""
    choices = [len(step.choices) if block > 1 else 0 for step in steps]
    products = 2 * len(steps) * count.bit_length() + min(block, count) * sum(choices)
    return products, sum(max(1, number) for number in choices)


def largest_law(laws):
    """Return a law whose transform is the largest one of some laws at each place."""
    level = max(law.level for law in laws)
    first = min(law.first for law in laws)
    last = max(law.first + len(law.masses) for law in laws) - 1
    best = [0] * (last - first + 1)
    for law in laws:
        height = mass = 0  # of the law's transform at k, and of what is above k
        for k in range(last - 1, first - 1, -1):
            place = k + 1 - law.first
            mass += law.masses[place] if 0 <= place < len(law.masses) else 0
            height += mass
            best[k - first] = max(best[k - first], height)
    slopes = [-max(sum(law.masses) for law in laws), *(b - a for a, b in zip(best, best[1:], strict=False)), 0]
    masses = [right - left for left, right in zip(slopes, slopes[1:], strict=False)]
    return Lattice(masses, first, max(law.excess for law in laws), level)


def sum_of_steps(step, shift, count, block, fine):
    """Return the law of the sum of so many steps, all less ``shift``, in blocks of ``block`` steps."""
    if block == 1:
        return power_law(lattice_law(step, shift, fine), count, fine)
    block = min(block, count)
    blocks, rest = divmod(count, block)
    laws = [lattice_law(choice, shift, fine) for choice in step.choices]
    whole = rest_law = trim(largest_law(laws), fine)
    for length in range(2, block + 1):
        sums = [sum_law(whole, law, fine) for law in laws]
        level = max(law.level for law in sums)
        whole = trim(largest_law([at_level(law, level, fine) for law in sums]), fine)
        laws = [at_level(law, level, fine) for law in laws]
        rest_law = whole if length == rest else rest_law
    total = power_law(whole, blocks, fine)
    return sum_law(total, rest_law, fine) if rest else total

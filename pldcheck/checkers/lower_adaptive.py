"""Show that a claim about adaptive randomizers is false, in rational arithmetic: by one policy that violates it.

**1. The claim.**  A record is hidden among n draws.  In the kind "hidden-slot" it is in one of n slots, chosen
uniformly, and is used with probability ``weight``; in the kind "shuffle" it is one of n messages that are shuffled.
Each draw goes through an eps0-DP randomizer that may depend on all earlier outputs.  The claim is that all of these are
(epsilon, delta)-DP.  The mechanism of the file has several ``laws``: each has three rows of output probabilities (P for
the record, Q for its replacement, and R, the ``reference``, for every other draw), and an integer score for each
output.

**2. The policy.**  The law of a slot depends on the sum of the scores of all outputs before it: ``policy`` holds, for
each slot, increasing limits of that sum, and the laws of the intervals between them.  All sums are followed from slot
to slot. Sequences of outputs with one sum are taken as one outcome, which can only lower the hockey-stick divergence of
the two views, the least delta of the mechanism.  Gaps are rounded down, kappa = e^epsilon is rounded up and e^eps0
down.

**3. What is assumed.**  The laws are exact numbers, and are checked to be of the class.  That the claim of the file is
that of the theorem or protocol under ``of`` is not checked here.
"""

from bisect import bisect
from fractions import Fraction
from math import floor, lcm

from .claim_files import require, spend, verdict_of
from .counterexamples import ROWS, number, read_witness, refuted, require_attained, rows_of
from .fixed_point import ONE, exp_ends

# The largest number of sums of scores in all slots together.
MOST = 400_000
# The largest number of outputs that are followed from all sums, and those for which a core takes a second.
MOST_WORK = 10_000_000
WORK = 1_000_000
# The parameters of each kind.
KINDS = {"hidden-slot": {"steps", "eps0", "weight"}, "shuffle": {"clients", "eps0"}}


def outputs_of(law, limit, weight, kappa, adjacency):
    """Return (R, gap, score) of each output of a law; raise ValueError if the law is not in the class.

    The gap is the difference of the two views for a record in this slot: weight (P - kappa Q) + (1 - weight)
    (1 - kappa) R.
    """
    rows = rows_of(law)
    columns = [*zip(*rows, strict=True)]
    require(all(min(row) > 0 and sum(row) == 1 for row in rows), "a row is not positive numbers of sum 1")
    require(all(max(column) <= limit * min(column) for column in columns), "a likelihood ratio is above e^eps0")
    require({"replace": True, "zero-out": rows[2] in rows[:2]}[adjacency], "not of that adjacency")
    gaps = [weight * (a - kappa * b) + (1 - weight) * (1 - kappa) * c for a, b, c in columns]
    require({*map(type, law["scores"])} == {int}, "scores are not integers")
    return [*zip(rows[2], gaps, law["scores"], strict=True)]


def divergence(laws, policy):
    """Return a lower bound of the divergence, from the sums of scores of all sequences of outputs.

    After t slots, each sum has two numbers: the probability of its sequences if all outputs are drawn from R, in
    multiples of size^-t, and the sum of their differences over all places of the record, in multiples of
    1 / (size^(t-1) ONE).  Only the gaps are rounded, downwards.
    """
    size = lcm(*(mass.denominator for law in laws for mass, _, _ in law))
    tables = [[(int(mass * size), floor(gap * ONE), score) for mass, gap, score in law] for law in laws]
    longest, bits = max(map(len, tables)), size.bit_length()
    states, states_before, work = {0: (1, 0)}, 0, 0
    for slot, (limits, choices) in enumerate(policy):
        states_before += len(states)
        # Numbers grow by ``bits`` binary digits a slot; up to 2000 digits, their length costs nothing.
        step = len(states) * longest * (1 + slot * bits // 2000)
        work += step
        require(states_before <= MOST and work <= MOST_WORK, "too many sums of scores")
        spend(step / WORK)
        next_states = {}
        for total, (masses, gaps) in states.items():
            for mass, gap, score in tables[choices[bisect(limits, total)]]:
                other_masses, other_gaps = next_states.get(total + score, (0, 0))
                next_states[total + score] = other_masses + masses * mass, other_gaps + gaps * mass + masses * gap
        states = next_states
    gain = sum(max(gaps, 0) for _, gaps in states.values())
    return Fraction(gain, len(policy) * size ** (len(policy) - 1) * ONE)


def check(facts):
    """Return a delta that the mechanism attains and that is above the claimed one; raise an error if there is none."""
    claim, mechanism = read_witness(facts, 3, "params", {"kind", "laws", "policy"})
    params, policy = claim["params"], mechanism["policy"]
    require(params.keys() <= KINDS[mechanism["kind"]], f"params not known of {mechanism['kind']}")
    require(all(law.keys() == {*ROWS, "scores"} for law in mechanism["laws"]), "a key that is not known")
    n, weight = params.get("steps", params.get("clients")), number(params.get("weight", 1))
    require(type(n) is int and 0 < n == len(policy) and 0 < weight <= 1, "out of range")
    limit, kappa = exp_ends(number(params["eps0"]))[0], exp_ends(number(claim["epsilon"]))[1]
    laws = [outputs_of(law, limit, weight, kappa, claim["adjacency"]) for law in mechanism["laws"]]
    return require_attained(facts, divergence(laws, policy))


@verdict_of
def verify(facts):
    """Return the verdict on the content of a file, whatever that is."""
    return refuted(check(facts))

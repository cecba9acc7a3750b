import math

import pytest
import twins
from flint import arb, ctx

from pldcheck.shuffle import pair as pairs
from pldcheck.shuffle.known import shuffled
from pldcheck.shuffle.loss import losses


def made(kind, n, eps0):
    """A pair and its reverse, if that is another one."""
    if kind == "clones":
        return pairs.clones(n, eps0), None
    if kind == "stronger":
        return pairs.stronger_clones(n, eps0), None
    if kind.startswith("third"):
        return pairs.response_third(n, eps0, int(kind[-1])), None
    return pairs.response_same(n, eps0, int(kind[-1]))


KINDS = ["clones", "stronger", "third:3", "third:7", "sameQ:2", "sameQ:5"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 2, 5, 60, 2000, pytest.param(10**7, marks=pytest.mark.slow)])
@pytest.mark.parametrize("eps0", [0.3, 1.0, 3.0])
def test_one_round_is_the_pair(kind, n, eps0):
    pair, reverse = made(kind, n, eps0)
    loss = losses(pair, reverse).compose(1)
    for share in (0.0, 0.3, 1.0, 3.0, 6.0):
        epsilon = share * pair.deviation
        if epsilon >= 0.9 * eps0:
            continue
        found, one = loss.delta(epsilon), pair.delta(epsilon)
        other = reverse.delta(epsilon) if reverse else one
        low, high = max(one.lower, other.lower), max(one.upper, other.upper)
        assert found.lower <= high and low <= found.upper
        assert found.upper - found.lower <= (4e-3 if n > 60 else 0.02) * high + 1e-15


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "rounds"), [(1, 3), (2, 2), (3, 2), (2, 5), (4, 3), (6, 2)])
@pytest.mark.parametrize("eps0", [0.4, 2.0])
def test_rounds_of_few_messages_against_exact_laws(kind, n, rounds, eps0):
    if n == 4 and "third" in kind:
        return  # too many ratios for the twin's time
    pair, reverse = made(kind, n, eps0)
    loss = losses(pair, reverse).compose(rounds)
    p, q, w = (list(map(float, row)) for row in twins.pair_rows(kind, math.exp(eps0)))
    for share in (0.0, 0.1, 0.5, 0.9):
        epsilon = share * rounds * eps0
        exact = [twins.composed_delta(p, q, [w] * (n - 1), math.exp(epsilon), rounds)]
        if reverse:
            exact.append(twins.composed_delta(q, p, [w] * (n - 1), math.exp(epsilon), rounds))
        found = loss.delta(epsilon)
        assert found.lower <= max(exact) * (1 + 1e-11) + 1e-15 and max(exact) <= found.upper * (1 + 1e-11) + 1e-15
        assert found.upper - found.lower <= 0.02 * max(exact) + 1e-12


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order", [2.0, 3.5, 8.0])
def test_renyi_against_sums(kind, order):
    for n, eps0 in ((1, 1.0), (3, 0.5), (12, 2.0)):
        pair, reverse = made(kind, n, eps0)
        found = losses(pair, reverse).compose(4).renyi(order)
        with ctx.workprec(120):
            x = arb(eps0).exp()
            p, q, w = twins.pair_rows(kind, x)
            used = [j for j in range(3) if not p[j] == 0 or not w[j] == 0]
            p, q, w = ([row[j] for j in used] for row in (p, q, w))
            others = [w] * (n - 1)
            moments = []
            for one, two in ((p, q), (q, p)):
                laws = twins.counts_law([one, *others]), twins.counts_law([two, *others])
                terms = [(laws[0][key], laws[1][key]) for key in laws[0]]
                moments.append(sum(((a / b) ** arb(order) * b for a, b in terms if not b == 0), arb(0)))
            exact = [float(4 * moment.log() / (order - 1)) for moment in moments]
        assert found.lower <= max(exact) * (1 + 1e-12) and max(exact) <= found.upper * (1 + 1e-12)
        assert found.upper - found.lower <= 1e-3 * max(exact)


# Sheet 4, table 5.3 (eps0 = 3, delta = 1e-8): n, rounds, PLD FMT21, PLD FMT22, PLD 3-RR lower.
TABLE = [
    (10**6, 10**2, "0.3959", "0.2826", "0.2758"),
    (10**6, 10**3, "1.3287", "0.9453", "0.9225"),
    (10**6, 10**4, "4.5836", "3.2247", "3.1447"),
    (10**6, 10**5, "17.1617", "11.7003", "11.3876"),
    (10**7, 10**2, "0.1188", "0.0848", "0.0827"),
    (10**7, 10**4, "1.3286", "0.9453", "0.9225"),
    (10**7, 10**6, "17.1634", "11.7023", "11.3892"),
]


@pytest.mark.parametrize(("n", "rounds", "weak", "strong", "third"), TABLE)
def test_table_of_compositions(n, rounds, weak, strong, third):
    for kind, printed in (("clones", weak), ("stronger", strong), ("third:3", third)):
        found = losses(*made(kind, n, 3.0)).compose(rounds).epsilon(1e-8)
        # The sheet's columns have a discretisation of their own: one unit of the last digit.
        unit = 10.0 ** -len(printed.partition(".")[2])
        assert found.lower - 1.01 * unit <= float(printed) <= found.upper + 1.01 * unit
        assert found.relative_width <= 6e-4


@pytest.mark.parametrize("randomizer", ["worst", "rr", "krr:3", "krr:9"])
def test_pairs_without_a_reverse_are_their_own(randomizer):
    # `losses` assumes it: trading up for down turns P into Q.
    found = shuffled(50, 1.5, randomizer)
    alike = [pair for pair, reverse in [*found.above, *found.below] if reverse is None]
    assert alike
    for pair in alike:
        p, q, w = pair.rows
        assert [p[1], p[0], p[2]] == pytest.approx(q, rel=1e-14) and w[0] == w[1]

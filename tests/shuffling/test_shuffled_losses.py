import itertools

import numpy as np
import pytest
import shuffle_twins as twins
from flint import arb, ctx

from pldcheck.protocols.shuffle import Shuffle
from pldcheck.randomizers.randomizer_text import parse
from pldcheck.shuffling import noise_cells
from pldcheck.shuffling import shuffled_losses as loss_module
from pldcheck.shuffling import three_symbol_pair as pairs
from pldcheck.shuffling.shuffled_curves import all_curves
from pldcheck.shuffling.shuffled_losses import losses


def make_pair(kind, n, eps0):
    """Return a pair and its reverse, if that is another one."""
    if kind == "clones":
        return pairs.clones(n, eps0), None
    if kind == "stronger":
        return pairs.stronger_clones(n, eps0), None
    if kind.startswith("third"):
        return pairs.response_third(n, eps0, int(kind[-1])), None
    return pairs.response_same(n, eps0, int(kind[-1]))


KINDS = ["clones", "stronger", "third:3", "third:7", "sameQ:2", "sameQ:5"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 2, 5, 60, 2000, pytest.param(10**7, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("eps0", [0.3, 1.0, 3.0])
def test_one_round_is_the_pair(kind, n, eps0):
    pair, reverse = make_pair(kind, n, eps0)
    loss = losses(pair, reverse).compose(1)
    for share in (0.0, 0.3, 1.0, 3.0, 6.0):
        epsilon = share * pair.deviation
        if epsilon >= 0.9 * eps0:
            continue
        interval, one = loss.delta(epsilon), pair.delta(epsilon)
        other = reverse.delta(epsilon) if reverse else one
        low, high = max(one.lower, other.lower), max(one.upper, other.upper)
        assert interval.lower <= high and low <= interval.upper
        assert interval.upper - interval.lower <= (4e-3 if n > 60 else 0.02) * high + 1e-15


def test_very_many_clients_have_fewer_cells(monkeypatch):
    """A tail takes as many counts as the window has: so many clients' are not summed 800 times."""
    pair, visits = pairs.clones(10**12, 0.5), []

    def tail(pair, epsilon):
        first, last, _ = pair.window(loss_module.MISSING_SHARE)
        visits.append(last - first)
        return 0.5, 0.5, 1e-9

    monkeypatch.setattr(loss_module, "_tail", tail)
    losses(pair)
    assert sum(visits) <= 2.0 * loss_module.MOST_COUNTS
    visits.clear()
    losses(pairs.clones(10**7, 0.5))
    assert len(visits) == loss_module.CELLS


def exact_composition(p, q, w, n, rounds, kappa):
    """Ends of a composition's divergence: one round's outcomes enumerated, multisets of them written out, in balls."""
    laws = [twins.counts_law([row, *[w] * (n - 1)]) for row in (p, q)]
    outcomes = [(laws[0][key], laws[1][key]) for key in laws[0]]
    total = arb(0)
    for choice in itertools.combinations_with_replacement(range(len(outcomes)), rounds):
        ways = twins.multinomial([choice.count(i) for i in set(choice)])
        a, b = arb(ways), arb(ways)
        for i in choice:
            a, b = a * outcomes[i][0], b * outcomes[i][1]
        total += twins.positive(a - kappa * b)
    return twins.ends(total)


def composed_ends(kind, n, rounds, eps0, epsilon, one_sided):
    """Return the same of a kind of pair, in the worse direction."""
    with ctx.workprec(120):
        p, q, w = twins.pair_rows(kind, arb(eps0).exp())
        support = [j for j in range(3) if not p[j] == 0 or not w[j] == 0]
        p, q, w = ([row[j] for j in support] for row in (p, q, w))
        directions = [(p, q), (q, p)] if one_sided else [(p, q)]
        interval_ends = [exact_composition(one, two, w, n, rounds, arb(epsilon).exp()) for one, two in directions]
        return tuple(map(max, zip(*interval_ends, strict=True)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "rounds"), [(1, 3), (2, 2), (3, 2), (2, 5), (4, 3), (6, 2)])
@pytest.mark.parametrize("eps0", [0.4, 2.0])
def test_rounds_of_few_messages_agree_with_exact_laws(kind, n, rounds, eps0):
    if n == 4 and "third" in kind:
        return  # too many ratios for the twin's time
    pair, reverse = make_pair(kind, n, eps0)
    loss = losses(pair, reverse).compose(rounds)
    for share in (0.0, 0.1, 0.5, 0.9):
        epsilon = share * rounds * eps0
        low, high = composed_ends(kind, n, rounds, eps0, epsilon, reverse is not None)
        interval = loss.delta(epsilon)
        assert interval.lower <= high and low <= interval.upper
        assert interval.upper - interval.lower <= 0.02 * float(high) + 1e-12


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order", [2.0, 3.5, 8.0])
def test_renyi_divergences_agree_with_sums(kind, order):
    for n, eps0 in ((1, 1.0), (3, 0.5), (12, 2.0)):
        pair, reverse = make_pair(kind, n, eps0)
        interval = losses(pair, reverse).compose(4).renyi(order)
        with ctx.workprec(120):
            x = arb(eps0).exp()
            p, q, w = twins.pair_rows(kind, x)
            support = [j for j in range(3) if not p[j] == 0 or not w[j] == 0]
            p, q, w = ([row[j] for j in support] for row in (p, q, w))
            others = [w] * (n - 1)
            moments = []
            for one, two in ((p, q), (q, p)):
                laws = twins.counts_law([one, *others]), twins.counts_law([two, *others])
                terms = [(laws[0][key], laws[1][key]) for key in laws[0]]
                moments.append(sum(((a / b) ** arb(order) * b for a, b in terms if not b == 0), arb(0)))
            low, high = map(
                max, zip(*(twins.ends(4 * moment.log() / (arb(order) - 1)) for moment in moments), strict=True)
            )
        assert interval.lower <= high and low <= interval.upper
        assert interval.upper - interval.lower <= 1e-3 * float(high)


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


@pytest.mark.nightly
@pytest.mark.parametrize(("n", "rounds", "weak", "strong", "third"), TABLE)
def test_the_table_of_compositions_is_reproduced(n, rounds, weak, strong, third):
    for kind, digits in (("clones", weak), ("stronger", strong), ("third:3", third)):
        interval = losses(*make_pair(kind, n, 3.0)).compose(rounds).epsilon(1e-8)
        # The sheet's columns have a discretisation of their own: one unit of the last digit.
        unit = 10.0 ** -len(digits.partition(".")[2])
        assert interval.lower - 1.01 * unit <= float(digits) <= interval.upper + 1.01 * unit
        assert interval.relative_width <= 6e-4


@pytest.mark.parametrize("randomizer", ["worst", "rr", "krr:3", "krr:9"])
def test_pairs_without_a_reverse_are_their_own(randomizer):
    # `losses` assumes it: trading up for down turns P into Q.
    losses = all_curves(50, 1.5, parse(randomizer))
    alike = [pair for pair, reverse in [*losses.above, *losses.below] if reverse is None]
    assert alike
    for pair in alike:
        p, q, w = pair.rows
        assert [p[1], p[0], p[2]] == pytest.approx(q, rel=1e-14) and w[0] == w[1]


def merged_masses(eps0):
    """Return rows P, Q, W in balls: Laplace noise merged to three symbols at the cut that is chosen."""
    edges = np.linspace(0.0, 1.0, noise_cells.CELLS + 1).tolist()
    best, e = noise_cells.laplace(eps0, 1).best, arb(eps0)
    laws = []
    for centre in (0.0, 1.0, 0.5):
        laws.append([((arb(y) - arb(centre)) * e).exp() / 2 if y <= centre else None for y in edges])
    # P's tail below y > 0 is 1 - e^(-y eps0)/2
    tails = [1 - (-(arb(y) * e)).exp() / 2 for y in edges]
    index = min(
        range(noise_cells.CELLS // 2),
        key=lambda i: abs(float(tails[i]) - best.p) + abs(float(laws[2][i]) - best.others),
    )
    p, q, w = tails[index], laws[1][index], laws[2][index]
    return [p, q, 1 - p - q], [q, p, 1 - p - q], [w, w, 1 - 2 * w]


@pytest.mark.parametrize("eps0", [1e-13, 1e-10, 1e-7, 1e-3, 1.0, 6.0])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_merged_noise_is_charged_the_errors_of_its_masses(n, eps0):
    # Masses of 16 round-offs were taken as exact: p - q is 1e-10 here, and tells that many digits fewer.
    pair = pairs.symmetric(noise_cells.laplace(eps0, 1).best, n, eps0)
    loss = losses(pair).compose(2)
    with ctx.workprec(300):
        p, q, w = merged_masses(eps0)
        for share in (0.0, 0.1, 0.7):
            low, high = exact_composition(p, q, w, n, 2, arb(share * eps0).exp())
            interval = loss.delta(share * eps0)
            assert interval.lower <= high and low <= interval.upper, (share, interval, float(low))
            if eps0 >= 1e-3:
                assert interval.upper - interval.lower <= 1e-3 * float(high) + 1e-12


@pytest.mark.parametrize(("n", "eps0"), [(10**7, 1.0), (10**7, 0.01), (10**9, 3.0)])
def test_cells_finer_than_the_tails_are_left_out(n, eps0):
    # They raised ArithmeticError, and cells of mass 0 had no error at all.
    pair = pairs.stronger_clones(n, eps0)
    points = pair.deviation * (1.0 + 1e-15 * np.arange(1, 60))
    cells, mass_left_out = loss_module._from_tails(pair, pair, points)
    assert (cells.p >= 0.0).all() and 0.0 < mass_left_out < 1e-6
    assert cells.mass_error <= 1.0 / loss_module.DOUBT_FACTOR
    assert abs(float(cells.p.sum()) - 1.0) <= mass_left_out + cells.mass_error


@pytest.mark.parametrize("randomizer", ["laplace", "gaussian:2.0", "gaussian:1e6", "tv:0.1", "krr:4", "rr", "worst"])
@pytest.mark.parametrize("n", [1, 2, 12])
def test_rounds_of_every_randomizer_have_an_answer(randomizer, n):
    # One client with Gaussian noise had no upper bound to compose, and Laplace noise of tiny budgets no square root.
    for eps0 in (1e-13, 1.0):
        if randomizer.startswith("tv") and eps0 < 1.0:
            continue
        interval = Shuffle(n, eps0, randomizer, rounds=3).delta(0.0)
        assert Shuffle(n, eps0, randomizer).delta(0.0).lower <= interval.upper
        assert 0.0 < interval.lower <= interval.upper <= 1.0
        if n == 1 and eps0 == 1.0:  # the curve of one message is exact, and composed
            assert interval.upper <= 1.6 * interval.lower

"""Theorem 3.6 of Girgis et al. and the lemmas of its proof, by enumeration of all answers of a few clients."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import mpmath
import pytest

from pldcheck.core.errors import ConditionError
from pldcheck.theorems import REGISTRY
from pldcheck.verification import Verdict, verify
from pldcheck.verification.suites import Grid, Job

REDUCTION = REGISTRY["girgis-3.6"]
# An eps0-DP table at e^eps0 = 2 that is neither symmetric nor a response: columns differ by a factor of 2 at most.
TABLE = [
    [Fraction(4, 10), Fraction(3, 10), Fraction(3, 10)],
    [Fraction(2, 10), Fraction(5, 10), Fraction(3, 10)],
    [Fraction(3, 10), Fraction(3, 10), Fraction(4, 10)],
]
Q = Fraction(1, 2)


def typed_again(n, eps0, order):
    """Return the right side for binary response: both sums of the theorem, outcome by outcome."""
    x = mpmath.exp(mpmath.mpf(eps0))
    total = mpmath.mpf(0)
    for m in range(n):
        inner = mpmath.mpf(0)
        # Of m + 1 answers, those of the equal records say 0 with probability x/(1+x); k of all answers say 1.
        for k in range(m + 2):
            neighbour = math.comb(m + 1, k) * x ** (m + 1 - k) / (1 + x) ** (m + 1)
            one = math.comb(m, k - 1) * x ** (m - k + 1) * x if k else 0
            zero = math.comb(m, k) * x ** (m - k) if k <= m else 0
            mass = (one + zero) / (1 + x) ** (m + 1)
            inner += neighbour * (mass / neighbour) ** order
        total += math.comb(n - 1, m) * x ** (-m) * (1 - 1 / x) ** (n - 1 - m) * inner
    return mpmath.log(total) / (order - 1)


@pytest.mark.nightly
@pytest.mark.parametrize("n", [1, 2, 7, 60])
def test_the_right_side_agrees_with_its_sums(n):
    with mpmath.workdps(60):
        for eps0, order in itertools.product((1e-6, 0.3, 1.0, 4.0, 12.0), (2, 3, 11, 50)):
            value = REDUCTION(clients=n, eps0=eps0, order=order).value
            assert abs(value / typed_again(n, eps0, order) - 1) < 1e-12


def test_the_right_side_by_hand():
    # Two clients: with probability 1/x the other record is equal, else it is left out.  At x = 2 and order 2, the
    # moment of one answer is (4/9)/(1/3) + (1/9)/(2/3) = 3/2; of two it is 1 + (x-1)^2/(2x) = 5/4.
    claim = REDUCTION(clients=2, eps0=math.log(2), order=2)
    assert claim.value == pytest.approx(math.log((1.5 + 1.25) / 2), rel=1e-12)
    assert (claim.quantity, claim.at) == ("renyi", 2)


def test_conditions_on_both_sides():
    at = {"clients": 4, "eps0": 0.5, "order": 2}
    for name, edge, beyond in (("order", 50, 51), ("clients", 1000, 1001)):
        assert REDUCTION(**at | {name: edge}).value > 0
        with pytest.raises(ConditionError, match=f"requires {name} <= {edge}, up to which it is evaluated"):
            REDUCTION(**at | {name: beyond})
    assert REDUCTION(**at | {"eps0": 20, "order": 30}).value > 0
    with pytest.raises(ConditionError, match="requires order eps0 <= 600, up to which it is evaluated; order = 31"):
        REDUCTION(**at | {"eps0": 20, "order": 31})
    with pytest.raises(ConditionError, match="order is an integer"):
        REDUCTION(**at | {"order": 2.5})


@pytest.mark.nightly
def test_it_is_above_the_truth_and_closer_than_the_general_bound():
    axes = {"clients": (2, 30), "eps0": (1.0,), "order": (2,)}
    report = verify(Job("few", "", (Grid(theorems=("girgis-3.6",), axes=axes),)))
    assert report.counts[Verdict.HOLDS] == 2 and report.exit_code == 0
    for row in report.rows:
        assert row.upper <= row.analytic < REGISTRY["girgis-ub1"](**row.params).value


# --- the lemmas, with all answers of three clients -----------------------------------------------------------------


def histogram(laws):
    """Return the law of the sorted answers, from all sequences of them."""
    law = Counter()
    for answers in itertools.product(range(3), repeat=len(laws)):
        law[tuple(sorted(answers))] += math.prod(row[a] for row, a in zip(laws, answers, strict=True))
    return law


def moment(laws, others, order):
    p, q = histogram(laws), histogram(others)
    return sum(q[h] * (p[h] / q[h]) ** order for h in q if q[h])


def lists():
    for one, two, last, changed in itertools.product(TABLE, repeat=4):
        yield [one, two], last, changed


def mixed(others, last, changed):
    """Yield for each set of clients its weight, its size, and the lists of (19) and (20)."""
    for chosen in itertools.product((True, False), repeat=2):
        rows = [
            changed if equal else [(p - Q * r) / (1 - Q) for p, r in zip(row, changed, strict=True)]
            for equal, row in zip(chosen, others, strict=True)
        ]
        assert all(min(row) >= 0 and sum(row) == 1 for row in rows)
        yield Q ** sum(chosen) * (1 - Q) ** (2 - sum(chosen)), sum(chosen), [*rows, last], [*rows, changed]


@pytest.mark.nightly
def test_the_law_of_the_answers_is_the_mixture_of_lemma_5_1():
    for others, last, changed in lists():
        total, neighbour = Counter(), Counter()
        for weight, _, p, q in mixed(others, last, changed):
            for h, mass in histogram(p).items():
                total[h] += weight * mass
            for h, mass in histogram(q).items():
                neighbour[h] += weight * mass
        assert total == histogram([*others, last]) and neighbour == histogram([*others, changed])


@pytest.mark.nightly
@pytest.mark.parametrize("order", [2, 3])
def test_each_inequality_of_the_proof_holds_for_all_records(order):
    for others, last, changed in lists():
        whole = moment([*others, last], [*others, changed], order)
        split = [(weight, m, moment(p, q, order)) for weight, m, p, q in mixed(others, last, changed)]
        equal = [moment([changed] * m + [last], [changed] * (m + 1), order) for m in range(3)]
        # Lemma 5.2, Corollary 5.4 and the theorem; Lemma 5.3.
        assert whole <= sum(weight * each for weight, _, each in split)
        assert all(each <= equal[m] for _, m, each in split)
        binomial = [math.comb(2, m) * Q**m * (1 - Q) ** (2 - m) for m in range(3)]
        assert whole <= sum(weight * each for weight, each in zip(binomial, equal, strict=True))
        assert all(whole <= moment([row, last], [row, changed], order) for row in others)


@pytest.mark.nightly
def test_a_smaller_budget_than_that_of_the_table_leaves_a_negative_rest():
    # The condition of (18) at its edge: with q = 1/x the least rest is 0, above it there is no mixture.
    ratios = [p / r for row, other in itertools.product(TABLE, repeat=2) for p, r in zip(row, other, strict=True)]
    assert min(ratios) == Q and max(ratios) == 1 / Q
    share = Q + Fraction(1, 100)
    assert min(p - share * r for p, r in zip(TABLE[1], TABLE[0], strict=True)) < 0

"""K-ary randomized response: the theory sheet's numbers, and the false claim against an enumeration."""

from math import exp, lgamma, log

import pytest

from pldcheck.study.comparisons import krr

# Theory sheet 4, section 5.4: (n, eps0, K) -> others on a third value, blanket; delta = 1e-6.
SHEET = {
    (10000, 1.0, 3): (0.037998, 0.038001),
    (10000, 1.0, 4): (0.034256, 0.034259),
    (10000, 1.0, 10): (0.023252, 0.023253),
    (10000, 3.0, 10): (0.189751, 0.189779),
    (1000, 1.0, 3): (0.130566, 0.130695),
    (1000, 1.0, 10): (0.080095, 0.080161),
}
# Section 5.4 again: FMT22 and FMT21 at n = 10000.
CLONES = {1.0: (0.043206, 0.053005), 3.0: (0.226079, 0.320720)}


@pytest.mark.parametrize(("n", "eps0", "k"), SHEET)
def test_published_numbers_are_reproduced(n, eps0, k):
    (row,) = krr(clients=[n], eps0=[eps0], categories=[k]).rows
    third, blanket = SHEET[n, eps0, k]
    # Not merging the symbols makes the lower end larger than the sheet's.
    assert third - 6e-7 <= row.lower <= row.upper <= blanket + 6e-7
    if n == 10000:
        assert (row.fmt22_upper, row.fmt21_upper) == pytest.approx(CLONES[eps0], abs=6e-7)


def test_more_categories_hide_more_and_two_are_the_worst_case_nearly():
    rows = krr(clients=[1000], eps0=[1.0], categories=[3, 4, 20]).rows
    assert rows[0].lower > rows[1].upper > rows[1].lower > rows[2].upper
    (binary,) = krr(clients=[1000], eps0=[1.0], categories=[2]).rows
    assert binary.upper <= binary.fmt22_upper and not binary.merged_false


def divergence_by_enumeration(n, eps0, epsilon, k):
    """Return the delta of one sender with x0 or x1 among n - 1 with a third value, from all counts of their
    messages.
    """
    x, total = exp(eps0), 0.0
    s = 1 / (x + k - 1)
    # Symbols: the record's, its replacement's, the value of all others, any other.
    w = (s, s, x * s, (k - 3) * s)
    gains = (x - exp(epsilon), 1 - exp(epsilon) * x, (1 - exp(epsilon)) / x, 1 - exp(epsilon))
    for a in range(n + 1):
        for b in range(n + 1 - a):
            for c in range(n + 1 - a - b):
                counts = (a, b, c, n - a - b - c)
                value = sum(g * count for g, count in zip(gains, counts, strict=True))
                if value > 0:
                    mass = lgamma(n + 1) + sum(m * log(p) - lgamma(m + 1) for m, p in zip(counts, w, strict=True))
                    total += exp(mass) * value / n
    return total


def test_the_merged_claim_is_below_what_is_attained():
    (row,) = krr(clients=[40], eps0=[1.0], categories=[4], delta=1e-5).rows
    divergence_reached = divergence_by_enumeration(40, 1.0, row.lower, 4)
    assert divergence_reached >= 1e-5 * (1 - 1e-9)  # the lower end is attained
    assert row.merged_false and row.merged * 1e-5 < 0.97 * divergence_reached


def test_with_three_categories_the_claim_is_exact_here_and_with_two_it_is_true():
    (three,) = krr(clients=[1000], eps0=[1.0], categories=[3]).rows
    assert three.merged == pytest.approx(1.0, abs=1e-9) and not three.merged_false


@pytest.mark.nightly
def test_where_nothing_can_be_evaluated_nothing_is_claimed():
    (row,) = krr(clients=[200_000], eps0=[1.0], categories=[2]).rows
    assert row.merged is None and row.merged_false is None

import math
from functools import cache
from itertools import product

import naive
import pytest
from certificates import contains, narrow_epsilon, right_epsilon
from flint import arb, ctx

from pldcheck import pld
from pldcheck.core.errors import ParameterError

LN3 = math.log(3.0)
DELTAS = [0.3, 1e-3, 1e-6, 1e-12, 1e-15, 1e-20, 1e-30, 1e-100]
GRID = [(eps0, copies) for eps0 in (1e-4, 0.1, LN3, 2.0, 8.0) for copies in (1, 2, 7, 100, 1024, 10**5)]


def test_a_hundred_responses_at_log_3_have_the_known_epsilon():
    # naive.response_delta by bisection, 300 bits.
    interval = pld.randomized_response(LN3).compose(100).epsilon(1e-6)
    assert interval.lower == pytest.approx(94.28987, abs=5e-6) and interval.upper == pytest.approx(94.28987, abs=5e-6)


def test_the_truth_lies_inside_where_a_pessimistic_lattice_was_below_it():
    # naive.response_delta by bisection, 300 bits.  dp_accounting 0.6 answers 26.8965 with value_discretization_interval
    # 1e-4, pessimistic: its FFT has no error term.
    interval = pld.randomized_response(0.1).compose(1024).epsilon(1e-12)
    assert interval.lower == pytest.approx(26.9131286631, abs=1e-7)
    assert right_epsilon(interval, 1e-12, lambda e: naive.response_delta(0.1, 1024, e))
    assert interval.lower > 26.8965 + 0.0166


@cache
def answer(eps0, copies, delta):
    return pld.randomized_response(eps0).compose(copies).epsilon(delta)


@pytest.mark.parametrize(("eps0", "copies"), GRID)
@pytest.mark.parametrize("delta", DELTAS)
def test_epsilon_is_right(eps0, copies, delta):
    assert right_epsilon(answer(eps0, copies, delta), delta, lambda e: naive.response_delta(eps0, copies, e))


@pytest.mark.parametrize(("eps0", "copies"), GRID)
@pytest.mark.parametrize("delta", DELTAS)
def test_epsilon_is_narrow(eps0, copies, delta):
    interval = answer(eps0, copies, delta)
    assert narrow_epsilon(interval, delta, lambda e: naive.response_delta(eps0, copies, e), 1e-6), interval


@pytest.mark.parametrize(("eps0", "copies"), [pair for pair in GRID if pair[1] != 1])
@pytest.mark.parametrize("share", [0.0103, 0.2071, 0.6151, 0.9503])
def test_delta_is_right_and_narrow(eps0, copies, share):
    epsilon = share * copies * eps0
    interval = pld.randomized_response(eps0).compose(copies).delta(epsilon)
    assert contains(interval, naive.response_delta(eps0, copies, epsilon))
    assert interval.upper <= 1e-290 or interval.relative_width <= 1e-5, interval


@pytest.mark.parametrize(("eps0", "copies"), [pair for pair in GRID if pair[1] != 1])
@pytest.mark.parametrize("share", [0.0, 0.2, 0.6])
def test_delta_at_an_atom_is_right(eps0, copies, share):
    # At an atom of mass m smoothing by h costs h m, not h^2: width 1e-6 asked becomes 1e-3.
    epsilon = 2 * round(share * copies / 2) * eps0
    interval = pld.randomized_response(eps0).compose(copies).delta(epsilon)
    truth = naive.response_delta(eps0, copies, epsilon)
    assert contains(interval, truth)
    assert truth < 1e-290 or epsilon > 0.99 * copies * eps0 or interval.relative_width <= 1e-3, interval


@pytest.mark.parametrize(("eps0", "copies"), [(0.1, 1), (0.1, 7), (0.1, 1024), (LN3, 100), (2.0, 10**5), (8.0, 2)])
@pytest.mark.parametrize("delta0", [1e-15, 1e-9, 1e-3])
def test_an_infinite_loss_with_some_probability_is_enclosed(eps0, copies, delta0):
    mechanism = pld.randomized_response(eps0, delta0).compose(copies)
    infinite = naive.response_delta(eps0, copies, copies * eps0 * 1.01 + 1.0, delta0)
    for share in (0.0, 0.3, 0.8, 1.2):
        epsilon = share * copies * eps0
        interval = mechanism.delta(epsilon)
        assert contains(interval, naive.response_delta(eps0, copies, epsilon, delta0))
        assert interval.relative_width <= 1e-3
    assert mechanism.epsilon(float(infinite) * 0.99).lower == math.inf
    delta = min(float(infinite) * 1.01 + 1e-6, 0.5 + 0.5 * float(infinite))
    if delta == 1.0:
        return
    exact = lambda e: naive.response_delta(eps0, copies, e, delta0)  # noqa: E731
    interval = mechanism.epsilon(delta)
    assert right_epsilon(interval, delta, exact)
    assert narrow_epsilon(interval, delta, exact, 1e-5), interval


@pytest.mark.nightly
def test_many_different_responses_agree_with_the_product_of_their_polynomials():
    # eps0 = multiples of 2^-9: the sum lives on a lattice, the truth is a product of polynomials in ball arithmetic.
    multiples = [1 + (i * i * 7 + 3 * i) % 40 for i in range(1000)]
    mechanism = pld.compose_all([pld.randomized_response(n * 2.0**-9) for n in multiples])
    for epsilon in (0.0, 0.5, 3.0, 9.0):
        interval = mechanism.delta(epsilon)
        assert contains(interval, naive.responses_delta(multiples, 2.0**-9, epsilon))
        assert interval.relative_width <= 1e-5, epsilon


def test_twelve_different_responses_agree_with_all_outcomes():
    eps0 = [0.05 * 1.4**i for i in range(12)]
    mechanism = pld.compose_all([pld.randomized_response(e) for e in eps0])
    for epsilon in (0.0, 0.3, 1.7, sum(eps0[1:]) - eps0[0], 0.9 * sum(eps0)):
        interval = mechanism.delta(epsilon)
        assert contains(interval, naive.responses_delta_by_outcomes(eps0, epsilon))
        assert interval.relative_width <= 1e-5


def test_no_loss_is_larger_than_the_largest_even_by_a_rounding():
    # 7 * 1e-4 rounds to below seven times the double 1e-4: delta there is 4e-22, not 0.
    interval = pld.randomized_response(1e-4).compose(7).delta(7 * 1e-4)
    assert contains(interval, naive.response_delta(1e-4, 7, 7 * 1e-4))


@pytest.mark.nightly
def test_mass_at_infinity_of_many_different_parts():
    # A sum of 20,000 equal logarithms, one after the other, loses 1600 round-offs.
    mechanism = pld.compose_all([pld.randomized_response(0.1, 1e-9) for _ in range(20000)])
    assert contains(mechanism.delta(3000.0), naive.response_delta(0.1, 20000, 3000.0, 1e-9))


@pytest.mark.parametrize("count", [1, 2, 5, 400])
def test_many_responses_at_once_are_the_same_as_one_by_one(count):
    budgets = [0.01 + 3.0 * ((7 * i) % count) / count for i in range(count)]
    together = pld.randomized_responses(budgets)
    apart = pld.compose_all(map(pld.randomized_response, budgets))
    for epsilon in (0.0, 0.3 * sum(budgets), 0.9 * sum(budgets)):
        interval, single = together.delta(epsilon), apart.delta(epsilon)
        assert interval.lower <= single.upper and single.lower <= interval.upper
        assert interval.width <= 1.01 * single.width + 1e-300


def test_many_responses_at_once_agree_with_all_outcomes():
    # The sum over all outcomes of four responses.
    budgets = [0.5, 1.0, 1.5, 2.0]
    with ctx.workprec(200):
        exact = arb(0)
        for signs in product([1, -1], repeat=4):
            loss = sum((sign * arb(b) for sign, b in zip(signs, budgets, strict=True)), arb(0))
            shares = (1 / (1 + (-sign * arb(b)).exp()) for sign, b in zip(signs, budgets, strict=True))
            mass = math.prod(shares, start=arb(1))
            exact += mass * (1 - (arb(1.2) - loss).exp()).max(arb(0))
    truth = float(exact)
    interval = pld.randomized_responses(budgets).delta(1.2)
    assert contains(interval, exact)
    assert interval.relative_width < 1e-12
    mixture = pld.randomized_responses(budgets[:2]).compose(pld.randomized_responses(budgets[2:]))
    assert mixture.compose(pld.laplace(1e9)).delta(1.2).upper == pytest.approx(truth, rel=1e-6)


@pytest.mark.parametrize("wrong", [[], [1.0, 0.0], [1.0, math.nan], [21.0], ["one"]])
def test_bad_arrays_of_responses_are_refused(wrong):
    with pytest.raises(ParameterError, match="eps0"):
        pld.randomized_responses(wrong)

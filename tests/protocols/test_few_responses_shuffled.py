"""Personal budgets and sampled shuffles: all data and all outputs of few clients, at 50 digits."""

from itertools import combinations, product

import mpmath
import pytest
from mpmath import mp, mpf

from pldcheck.core.errors import ParameterError, Unsupported
from pldcheck.protocols import PersonalShuffle, SampledShuffle, Shuffle


def response(bit, eps0, told=0):
    """Return the law of one answer: a bit, or a marked one."""
    true = mpmath.exp(eps0) / (mpmath.exp(eps0) + 1)
    law = {(bit, ""): (1 - told) * true, (1 - bit, ""): (1 - told) * (1 - true)}
    return law | ({(bit, "told"): told} if told else {})


def shuffled(laws):
    """Return the law of the multiset of answers."""
    result = {(): mpf(1)}
    for law in laws:
        following = {}
        for answers, mass in result.items():
            for answer, chance in law.items():
                key = tuple(sorted((*answers, answer)))
                following[key] = following.get(key, mpf(0)) + mass * chance
        result = following
    return result


def excess(first, second, epsilon):
    kappa = mpmath.exp(epsilon)
    return mpmath.fsum(max(0, mass - kappa * second.get(key, mpf(0))) for key, mass in first.items())


def all_personal(budgets, told, epsilon):
    """Return delta by all data: every record of every client is replaced."""
    n = len(budgets)
    laws = {
        records: shuffled(response(bit, eps0, told) for bit, eps0 in zip(records, budgets, strict=True))
        for records in product((0, 1), repeat=n)
    }
    return max(
        excess(laws[records], laws[(*records[:i], 1 - records[i], *records[i + 1 :])], epsilon)
        for records in laws
        for i in range(n)
    )


PERSONAL = [
    (1, 1.0, None, 0.0), (2, 1.0, None, 0.0), (3, 0.5, 2.0, 0.0), (3, 2.0, 0.5, 0.01), (4, 1.0, 1.5, 0.0),
    (4, 0.3, 3.0, 0.1),
]  # fmt: skip


def test_all_data_of_few_clients_lie_within_the_ends():
    with mp.workdps(50):
        for (clients, eps0, last, told), epsilon in product(PERSONAL, (0.0, 0.45, 1.2, 4.0)):
            step = (mpf(last) - mpf(eps0)) / (clients - 1) if last else mpf(0)
            interval = PersonalShuffle(clients, eps0, last, told).delta(epsilon)
            truth = all_personal([mpf(eps0) + step * i for i in range(clients)], mpf(told), mpf(epsilon))
            if epsilon >= max(eps0, last or 0.0):  # the mark alone is seen, whose probability is a float
                assert interval.lower <= told == interval.upper and abs(truth - told) < mpf("1e-45")
            else:
                assert interval.lower <= truth <= interval.upper, (clients, eps0, last, told, epsilon)


@pytest.mark.nightly
def test_the_lower_end_is_reached_by_two_clients_or_by_one():
    # One client alone: the whole budget, and the marked bit.
    with mp.workdps(50):
        truth = mpf("0.01") + mpf("0.99") * (mpmath.exp(1) - mpmath.exp(0.5)) / (mpmath.exp(1) + 1)
    interval = PersonalShuffle(1, 1.0, delta0=0.01).delta(0.5)
    assert interval.lower == pytest.approx(float(truth), rel=1e-14) == pytest.approx(interval.upper, rel=1e-14)
    interval = PersonalShuffle(2, 1.0).delta(0.5)
    assert interval.relative_width < 1e-14


@pytest.mark.nightly
def test_with_equal_budgets_it_is_the_shuffle_of_binary_responses():
    for clients, eps0, epsilon in [(5, 1.0, 0.3), (60, 2.0, 0.4), (200, 0.5, 0.05)]:
        equal = PersonalShuffle(clients, eps0, eps0).delta(epsilon)
        assert equal == PersonalShuffle(clients, eps0).delta(epsilon)
        exact = Shuffle(clients, eps0, "rr").delta(epsilon)
        assert equal.lower <= exact.upper and exact.lower <= equal.upper


@pytest.mark.nightly
def test_a_told_bit_is_a_delta_at_every_epsilon():
    protocol = PersonalShuffle(30, 0.5, 1.0, 1e-5)
    assert protocol.delta(1.0).lower == protocol.delta(50.0).upper == 1e-5
    assert 1e-5 < protocol.delta(0.9).upper
    assert PersonalShuffle(30, 0.5, 1.0).delta(1.0).upper == 0.0


def all_sampled(clients, batch, eps0, measure):
    """Return the largest measure over all data, of all samples, each as likely."""
    laws = {}
    for records in product((0, 1), repeat=clients):
        samples, total = list(combinations(range(clients), batch)), {}
        for sample in samples:
            for key, mass in shuffled(response(records[i], mpf(eps0)) for i in sample).items():
                total[key] = total.get(key, mpf(0)) + mass / len(samples)
        laws[records] = total
    return max(measure(laws[records], laws[(1 - records[0], *records[1:])]) for records in laws)


def divergence(order):
    return lambda p, q: (
        mpmath.log(mpmath.fsum(mass**order * q[key] ** (1 - order) for key, mass in p.items())) / (order - 1)
    )


SAMPLED = [(1, 1, 1.0), (2, 1, 1.0), (3, 2, 0.5), (4, 2, 3.0), (5, 2, 1.0), (5, 4, 2.0), (4, 4, 1.0)]


def test_all_samples_of_few_clients_give_the_exact_value():
    with mp.workdps(50):
        for clients, batch, eps0 in SAMPLED:
            protocol = SampledShuffle(clients, batch, eps0)
            for epsilon in (0.0, 0.05, 0.4):
                interval = protocol.delta(epsilon)
                truth = all_sampled(clients, batch, eps0, lambda p, q, at=epsilon: excess(p, q, mpf(at)))
                assert mpf(interval.lower) <= truth <= mpf(interval.upper), (clients, batch, epsilon)
                assert interval.width <= 1e-14 * interval.upper or interval.upper <= 1e-49
            for order in (1.5, 9.0):
                interval = protocol.renyi(order)
                truth = all_sampled(clients, batch, eps0, divergence(mpf(order)))
                assert mpf(interval.lower) <= truth <= mpf(interval.upper), (clients, batch, order)
                assert interval.relative_width < 1e-14


@pytest.mark.nightly
def test_a_sample_of_all_is_the_shuffle():
    for clients in (2, 20, 60):
        whole, shuffle = SampledShuffle(clients, clients, 1.0), Shuffle(clients, 1.0, "rr")
        one, other = whole.delta(0.2), shuffle.delta(0.2)
        assert one.lower <= other.upper and other.lower <= one.upper
        assert shuffle.renyi(4.0).lower <= whole.renyi(4.0).upper <= shuffle.renyi(4.0, 1e-3).upper


@pytest.mark.nightly
def test_what_is_not_computed_is_refused():
    for bad in ((10, 11, 1.0), (201, 5, 1.0), (10, 0, 1.0)):
        with pytest.raises(ParameterError, match="batch must be|clients must be"):
            SampledShuffle(*bad)
    with pytest.raises(ParameterError, match="clients must be an integer from 1 to 200"):
        PersonalShuffle(201, 1.0)
    with pytest.raises(Unsupported, match="personal-shuffle has no renyi: only its curve is computed"):
        PersonalShuffle(10, 1.0).renyi(2.0)
    for protocol in (PersonalShuffle(10, 1.0), SampledShuffle(10, 5, 1.0)):
        with pytest.raises(Unsupported, match="has no epsilon: its sums are taken at an epsilon"):
            protocol.epsilon(1e-6)

"""The program for shuffles of few responses: exact twins without slack, false claims, and what it refuses."""

from fractions import Fraction

import few_twins
import mpmath
import pytest
from adversarial_certificates import FEW, certificates_examined, few_delta
from mpmath import mpf

from pldcheck import PersonalShuffle, SampledShuffle
from pldcheck.checkers import upper_few
from pldcheck.core.errors import PldcheckError
from pldcheck.witness.upper_certificates import certificate

# Relative error of 192 binary digits, with some roundings.
TINY = Fraction(1, 2**170)


def file_of(**claim):
    return {"pldcheck_certificate": "upper_few", "claim": claim, "fineness": {}}


SAMPLED = {"mechanism": "sampled-shuffle", "clients": 6, "batch": 3, "eps0": "1", "epsilon": "0.2"}
PERSONAL = {"mechanism": "personal-shuffle", "clients": 5, "eps0": "0.5", "eps0_last": "2", "delta0": "1e-6"}


def test_samples_are_exact_but_for_roundings():
    for clients, batch in ((1, 1), (2, 1), (4, 2), (5, 5), (6, 3)):
        for x, kappa in ((Fraction(7, 2), Fraction(9, 8)), (Fraction(2), Fraction(1)), (Fraction(9), Fraction(8))):
            exact = few_twins.sampled_delta(clients, batch, x, kappa)
            low, high = (upper_few.sampled_delta(clients, batch, x, kappa, up) for up in (False, True))
            assert low <= exact <= high and high - low <= TINY, (clients, batch, x)


@pytest.mark.nightly
def test_budgets_of_their_own_are_exact_but_for_roundings():
    for xs in ([3], [2, 5], [5, 5, 5], [2, 3, 4, 7], [8, 5, 2]):
        xs = [Fraction(x) for x in xs]
        for told in (Fraction(0), Fraction(1, 7), Fraction(1)):
            for kappa in (Fraction(1), Fraction(5, 4), Fraction(3), Fraction(8)):
                exact = few_twins.coins_bound(xs, told, kappa)
                high = upper_few.personal_delta(xs, told, kappa)
                assert exact <= high <= exact + TINY, (xs, told, kappa)


@pytest.mark.nightly
def test_few_digits_round_to_their_side(monkeypatch):
    monkeypatch.setattr(upper_few, "ONE", 2**12)
    x, kappa = Fraction(7, 2), Fraction(9, 8)
    for clients, batch in ((4, 2), (5, 5), (6, 3)):
        exact = few_twins.sampled_delta(clients, batch, x, kappa)
        low, high = (upper_few.sampled_delta(clients, batch, x, kappa, up) for up in (False, True))
        assert low < exact < high
    for xs in ([3, 5], [2, 3, 4, 7], [8, 5, 2]):
        xs = [Fraction(one) for one in xs]
        assert few_twins.coins_bound(xs, Fraction(1, 7), kappa) < upper_few.personal_delta(xs, Fraction(1, 7), kappa)


@pytest.mark.nightly
def test_laws_of_answers_are_rounded_to_their_side(monkeypatch):
    one, kappa = 2**12, Fraction(9, 8)
    monkeypatch.setattr(upper_few, "ONE", one)
    for x in (Fraction(3), Fraction(7, 2)):
        for batch in (1, 7):
            both = [upper_few.answers(batch, x, up) for up in (False, True)]
            laws = [[upper_few.unpacked(law, batch + 1) for law in one_side] for one_side in both]
            for t in range(batch + 1):
                exact = few_twins.joined([x / (x + 1)] * t + [1 / (x + 1)] * (batch - t))
                for low, mass, high in zip(laws[0][t], exact, laws[1][t], strict=True):
                    assert low <= mass * one**2 <= high
            # All clients answer: M_H is the law of H ones.
            gains = [[p - kappa * q for p, q in zip(laws[1][h + 1], laws[0][h], strict=True)] for h in range(batch)]
            whole = max(sum(max(gain, 0) for gain in some) for some in gains)
            assert upper_few.sampled_delta(batch, batch, x, kappa, True) == whole / one**2


@pytest.mark.nightly
def test_most_clients_fit_side_by_side():
    x, kappa = Fraction(3), Fraction(5, 4)
    for batch in (100, 200):
        low, high = (upper_few.sampled_delta(200, batch, x, kappa, up) for up in (False, True))
        assert 0 < low <= high <= low + Fraction(1, 2**160) and high < Fraction(1, 2)
    ones = upper_few.unpacked(upper_few.packed([1, 0, 2**639, 7]), 4)
    assert ones == [1, 0, 2**639, 7]


@pytest.mark.parametrize("claim", [SAMPLED, PERSONAL | {"epsilon": "0.3"}], ids=["sampled", "personal"])
def test_claims_are_verified_at_the_truth_and_not_below(claim):
    with mpmath.workdps(60):
        truth = few_delta(claim)
        for factor, status in (("1.0000000000000000000001", 0), ("0.9999999999999999999999", 1)):
            delta = mpmath.nstr(truth * mpf(factor), 40, min_fixed=-40, max_fixed=40)
            verdict = upper_few.verify(file_of(**claim, delta=delta))
            assert verdict.status == status, verdict
            assert ("false" in verdict.sentence.split(":")[0]) == (status == 1 and claim is SAMPLED)


@pytest.mark.nightly
def test_above_all_budgets_only_telling_counts():
    assert upper_few.verify(file_of(**SAMPLED | {"epsilon": "1.1", "delta": "0"})).status == 0
    assert upper_few.verify(file_of(**PERSONAL | {"epsilon": "2.1", "delta": "1e-6"})).status == 0
    assert upper_few.verify(file_of(**PERSONAL | {"epsilon": "2.1", "delta": "9e-7"})).status == 1


REFUSED = {
    "clients": (SAMPLED | {"clients": 201}, "clients must be an integer from 1 to 200"),
    "none": (SAMPLED | {"clients": 0}, "clients must be"),
    "batch": (SAMPLED | {"batch": 7}, "batch must be an integer from 1 to 6"),
    "no batch": (SAMPLED | {"batch": 0}, "batch must be"),
    "budget": (SAMPLED | {"eps0": "20.1"}, "eps0 must be above 0 and at most 20"),
    "no budget": (SAMPLED | {"eps0": "0"}, "eps0 must be"),
    "key": (SAMPLED | {"delta0": "0"}, "the claim must have the keys"),
    "name": (SAMPLED | {"mechanism": "shuffle"}, "a mechanism of"),
    "list": (SAMPLED | {"mechanism": ["sampled-shuffle"]}, "a mechanism of"),
    "told": (PERSONAL | {"epsilon": "1", "delta0": "1.1"}, "delta0 must be"),
    "last": (PERSONAL | {"epsilon": "1", "eps0_last": "0"}, "eps0_last must be"),
}


@pytest.mark.nightly
@pytest.mark.parametrize(("claim", "words"), REFUSED.values(), ids=REFUSED)
def test_claims_out_of_range_are_refused(claim, words):
    verdict = upper_few.verify(file_of(**claim, delta="0.5"))
    assert verdict.status == 2 and words in verdict.sentence, verdict


@pytest.mark.nightly
def test_a_fineness_is_refused():
    verdict = upper_few.verify(file_of(**SAMPLED, delta="0.5") | {"fineness": {"cut": 9}})
    assert verdict.status == 2 and "the fineness must have the keys" in verdict.sentence


@pytest.mark.nightly
def test_questions_are_verified_at_the_upper_end_itself():
    for protocol in (SampledShuffle(60, 25, 2.0), PersonalShuffle(40, 0.5, 2.0, 1e-6), PersonalShuffle(7, 1.0)):
        assert certificate(protocol, epsilon=0.3, margin=1.0 + 1e-11).reached <= 1.0 + 1e-11


@pytest.mark.nightly
def test_only_delta_is_claimed():
    with pytest.raises(PldcheckError):
        certificate(SampledShuffle(20, 7, 1.0), delta=1e-3)


@pytest.mark.nightly
def test_no_file_with_changes_is_accepted_if_it_is_false():
    tried, accepted, wrong = certificates_examined(FEW, seed=1, count=400)
    assert tried == 400 and accepted > 40 and wrong == []

"""One-run audits: the bound is wrong as rarely as it says, exactly, and gives the values that are quoted."""

import doctest
import json
from decimal import Decimal
from math import exp

import pytest
from mpmath import mp, mpf
from scipy.stats import binom

from pldcheck.core.errors import ParameterError
from pldcheck.core.interval import Interval
from pldcheck.study.sampler_audit import OneRunAudit, audit_one_run, one_run_audit


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("beta", [0.3, 0.05, 1e-4])
def test_the_bound_of_randomized_response_is_wrong_with_probability_beta_at_most(epsilon, beta):
    # Randomized response on 40 coins: the number of right guesses is binomial, and the sum over it exact.
    guesses, chance = 40, 1.0 / (1.0 + exp(-epsilon))
    bounds = [audit_one_run(50, guesses, v, delta=0.0, beta=beta).epsilon_lower for v in range(guesses + 1)]
    assert bounds == sorted(bounds)
    least = next((v for v in range(guesses + 1) if bounds[v] > epsilon), guesses + 1)
    assert binom.sf(least - 1, guesses, chance) < beta
    # One right guess less shows nothing, as it is more likely than beta.
    assert binom.sf(least - 2, guesses, chance) > beta * (1 - 1e-6)


def test_the_quoted_values_of_the_paper():
    # Appendix D and Section 7 of arXiv:2305.08846v1, as quoted by others: 0.673 and 2.675, the latter cut off.
    answer = audit_one_run(1000, 100, 75, delta=1e-4, beta=0.05)
    assert answer.epsilon_lower == pytest.approx(0.673, abs=5e-4)
    assert audit_one_run(100_000, 1510, 1439, delta=1e-5, beta=0.05).epsilon_lower == pytest.approx(2.6755, abs=5e-4)
    assert isinstance(answer, OneRunAudit) and not isinstance(answer, Interval)
    facts = json.loads(json.dumps(answer.to_dict()))
    assert facts["empirical"] is True and facts["confidence"] == 0.95 and "recalled" in facts["source"]
    assert "empirical, confidence 1 - 0.05" in str(answer)


@pytest.mark.nightly
def test_the_answer_itself_is_less_likely_than_beta():
    mp.dps = 40
    for guesses, correct, beta in ((100, 75, 0.05), (40, 40, 0.3), (60, 33, 0.5), (1000, 900, 1e-6)):
        answer = audit_one_run(guesses, guesses, correct, delta=0.0, beta=beta)
        odds = mp.exp(mpf(answer.epsilon_lower))
        tail = mp.fsum(mp.binomial(guesses, k) * odds**k for k in range(correct, guesses + 1)) / (1 + odds) ** guesses
        assert 0 < tail < mpf(beta) < tail * (1 + mpf("1e-5")), (guesses, correct, beta)
        printed = Decimal(str(answer).partition("epsilon > ")[2].split()[0])
        assert printed <= Decimal(answer.epsilon_lower) < printed * Decimal("1.01")


@pytest.mark.nightly
def test_round_off_of_the_formula_is_on_the_safe_side(monkeypatch):
    # A bound that is just below beta may be above it, as it is known to 1e-11.
    for tail, shows in ((0.25 * (1 - 1e-11), False), (0.25 * (1 - 1e-10), True)):
        monkeypatch.setattr(one_run_audit, "one_run_tail", lambda tail=tail, **arguments: tail)
        assert (audit_one_run(10, 5, 5, delta=0.0, beta=0.25).epsilon_lower > 0.0) is shows


@pytest.mark.nightly
def test_the_bound_falls_with_delta_canaries_and_confidence():
    bound = audit_one_run(200, 100, 80, delta=1e-5, beta=0.05).epsilon_lower
    assert bound > audit_one_run(200, 100, 80, delta=1e-3, beta=0.05).epsilon_lower > 0.0
    assert bound > audit_one_run(20_000, 100, 80, delta=1e-5, beta=0.05).epsilon_lower
    assert bound > audit_one_run(200, 100, 80, delta=1e-5, beta=1e-3).epsilon_lower
    assert audit_one_run(200, 100, 50, delta=1e-5, beta=0.05).epsilon_lower == 0.0
    assert audit_one_run(200, 0, 0, delta=1e-5).epsilon_lower == 0.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((10, 5, 6), "correct must be such that correct <= guesses, got 6"),
        ((4, 5, 5), "guesses must be such that guesses <= canaries, got 5"),
        ((10**6, 10**6, 5), "guesses must be such that guesses <= 100000"),
        ((10, -1, 0), "guesses must be an integer"),
        ((0, 0, 0), "canaries must be an integer from 1"),
    ],
)
@pytest.mark.nightly
def test_counts_that_cannot_be_are_refused(arguments, message):
    with pytest.raises(ParameterError, match=message):
        audit_one_run(*arguments, delta=0.0)


@pytest.mark.nightly
def test_other_numbers_are_refused_and_examples_are_true():
    for change in ({"delta": 1.0}, {"delta": -1e-9}, {"beta": 1.0}, {"beta": 1e-251}):
        with pytest.raises(ParameterError, match=next(iter(change))):
            audit_one_run(10, 5, 5, **{"delta": 0.0, **change})
    assert doctest.testmod(one_run_audit, optionflags=doctest.ELLIPSIS, raise_on_error=True).attempted == 2

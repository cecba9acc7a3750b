"""A witness is re-evaluated from its tables alone, every output sequence enumerated in exact rationals."""

import json
import math
from fractions import Fraction

import naive
import pytest
from flint import arb, ctx

from pldcheck import HiddenSlot
from pldcheck.hidden_slot.worst import worst_lower
from pldcheck.hidden_slot.worst.slot_problem import Slot
from pldcheck.hidden_slot.worst.worst_upper import Plan, delta_upper
from pldcheck.hidden_slot.worst.worst_witness import witness


def exact_numbers(eps0, epsilon):
    """Return x and kappa as rationals of 300 bits: far below any error that is certified."""
    with ctx.workprec(300):
        mids = [arb(value).exp().mid().man_exp() for value in (eps0, epsilon)]
    x, kappa = (Fraction(int(mantissa)) * Fraction(2) ** int(exponent) for mantissa, exponent in mids)
    return x, kappa


@pytest.mark.parametrize("m", [1, 2, 3, 5, 6])
@pytest.mark.parametrize(("eps0", "weight"), [(0.3, 1.0), (1.0, 0.4), (2.5, 1.0), (4.0, 0.1)])
def test_an_exact_policy_attains_its_lower_end(m, eps0, weight):
    epsilon = 0.35 * math.log1p(weight * math.expm1(eps0))
    answer = HiddenSlot(m, eps0, weight).delta(epsilon)
    divergence, _ = naive.witness_delta(answer.witness, *exact_numbers(eps0, epsilon))
    assert answer.witness["delta_lower"] <= divergence
    assert float(divergence) == pytest.approx(answer.lower, rel=1e-9, abs=1e-14)


@pytest.mark.parametrize("m", [2, 4, 6])
@pytest.mark.parametrize("eps0", [0.5, 2.0])
def test_epsilon_comes_with_the_randomizer_that_forces_it(m, eps0):
    delta = 1e-3
    answer = HiddenSlot(m, eps0).epsilon(delta)
    witness = answer.witness
    assert witness["epsilon"] == answer.lower
    divergence, _ = naive.witness_delta(witness, *exact_numbers(eps0, answer.lower))
    assert divergence >= Fraction(delta) and divergence >= witness["delta_lower"]


@pytest.mark.parametrize("law", [0, 1, 2])
@pytest.mark.parametrize("m", [1, 3, 6])
def test_a_single_law_attains_its_lower_end(law, m):
    eps0, weight, epsilon = 1.2, 0.7, 0.2
    lower = worst_lower.single_law(Slot(m, eps0, weight), epsilon, law)
    divergence, on_lattice = naive.witness_delta(
        witness(lower, Slot(m, eps0, weight), epsilon, "replace"), *exact_numbers(eps0, epsilon)
    )
    assert divergence == on_lattice
    assert float(divergence) == pytest.approx(lower.delta, rel=1e-7)
    assert lower.delta <= divergence


@pytest.mark.parametrize("m", [3, 5, 6])
@pytest.mark.parametrize("eps0", [0.7, 2.0, 4.0])
@pytest.mark.parametrize("grid", [0.05, 0.4])
def test_a_policy_on_merged_states_attains_its_lower_end(m, eps0, grid):
    epsilon = 0.3 * eps0
    policy = delta_upper(Slot(m, eps0, 1.0), epsilon, Plan(0.03, m), record=True).policy
    lower = worst_lower.with_policy(Slot(m, eps0, 1.0), epsilon, policy, grid)
    facts = witness(lower, Slot(m, eps0, 1.0), epsilon, "replace")
    divergence, on_lattice = naive.witness_delta(facts, *exact_numbers(eps0, epsilon))
    # The merged value is what was computed; the real randomizer does at least as well.
    assert float(on_lattice) == pytest.approx(lower.delta, rel=1e-9)
    assert on_lattice <= divergence
    assert lower.delta <= divergence


def test_witnesses_are_plain_json():
    for slot in (
        HiddenSlot(5, 1.0),
        HiddenSlot(150, 2.0, 0.5),
        HiddenSlot(5000, 1.0),
        HiddenSlot(9, 1.0, 1.0, "zero-out"),
    ):
        witness = slot.epsilon(1e-4).witness
        assert json.loads(json.dumps(witness, allow_nan=False)) == witness
        assert set(witness["laws"]) >= {witness["law"]} if witness["kind"] == "law" else witness["policy"]


def test_a_witness_says_what_its_numbers_are():
    for slot, kind in ((HiddenSlot(1000, 1.0), "law"), (HiddenSlot(5, 1.0), "policy")):
        witness = slot.epsilon(1e-4).witness
        assert witness["kind"] == kind and witness["laws_are"].startswith("powers k of e^eps0")
        # Read as it says, every row is a law, and the rows of a table are eps0-DP.
        for table in witness["laws"].values():
            rows = [[math.e**k for k in table[name]] for name in ("reference", "record", "replacement")]
            laws = [[one / math.fsum(row) for one in row] for row in rows]
            for column in zip(*laws, strict=True):
                assert max(column) <= min(column) * math.e * (1 + 1e-12)

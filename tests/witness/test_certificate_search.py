"""The searches for a fineness: the engine's upper ends are verified at 1.005 times epsilon, never a false claim."""

import json
import random
from fractions import Fraction
from math import ceil, exp, log

import pytest

from pldcheck import Composition, FixedBatches, HiddenSlot, RandomAllocation, TruncatedPoisson
from pldcheck.checkers import lattice_sums, loss_lattice, upper_loss, upper_sum
from pldcheck.core.errors import ParameterError
from pldcheck.witness import claim_decimals, composition_claims, loss_certificates, sum_certificates
from pldcheck.witness.upper_certificates import EPSILON_MARGIN, certificate

COMPOSITIONS = [
    (("rr:0.1*1000",), 1e-6),
    (("rr:1:1e-9*30", "gaussian:5*40"), 1e-5),
    (("laplace:10*1000000",), 1e-30),
    (("discrete-laplace:3*20", "laplace:7"), 1e-3),
    (("discrete-gaussian:5*10",), 1e-12),
    (("subsampled-gaussian:1:0.01*1000",), 1e-6),
    (("subsampled-rr:1:0.1*100",), 1e-9),
    (("fixed-size-gaussian:2:0.1*10",), 1e-4),
    # Losses of different sizes, and the largest losses of a few runs.
    (("gaussian:4.636*141", "subsampled-rr:0.04386:0.006832*61231"), 5.882e-9),
    (("rr:0.003014:5.011e-21*14130", "gaussian:0.7174*3007"), 1.325e-15),
    (("rr:0.001767*42571", "discrete-laplace:2.728*338", "subsampled-gaussian:2.883:0.0001287*7"), 2.124e-8),
    (("subsampled-rr:0.01548:0.01703*3",), 1.212e-28),
]


@pytest.mark.parametrize(("mechanisms", "delta"), COMPOSITIONS)
def test_compositions_are_verified_near_the_engine(mechanisms, delta):
    protocol = Composition(mechanisms)
    record = certificate(protocol, delta=delta)
    facts = json.loads(record.dumps())
    assert record.reached == EPSILON_MARGIN and upper_loss.verify(facts) == (0, record.sentence)
    # Below the lower end, no fineness makes the program accept.
    lower = protocol.epsilon(delta).lower * (1 - 1e-9)
    false = facts["claim"] | {"epsilon": claim_decimals.decimal_text(lower)}
    for fineness in [facts["fineness"], *loss_certificates.fineness_to_try(facts["claim"])][:3]:
        assert upper_loss.verify(facts | {"claim": false, "fineness": fineness}).status == 1


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("protocol", "delta"),
    [
        (TruncatedPoisson(0.5591, 0.0002642, 2838, 2, 12894), 3.482e-11),
        (FixedBatches(6.183, 283181, 50, 52, 5, "with-replacement"), 3.306e-30),
        # One run alone would have more places than the program takes with the deviation over 16 for a width.
        (FixedBatches(1.011, 10193, 4, 2, 1, "with-replacement"), 7.11e-25),
        (TruncatedPoisson(1.014, 0.0001334, 27, 2, 85), 6.919e-14),
    ],
    ids=str,
)
def test_rare_runs_with_large_losses_are_verified_near_the_engine(protocol, delta):
    assert certificate(protocol, delta=delta).reached == EPSILON_MARGIN


SLOTS = [
    (RandomAllocation(10, 0.5), 1e-6),
    pytest.param(RandomAllocation(1000, 1.0, adjacency="replace"), 1e-6, marks=pytest.mark.nightly),
    (RandomAllocation(1000, 4.0, check_in_prob=0.3), 1e-12),
    (RandomAllocation(1_000_000, 2.0), 1e-3),
    (HiddenSlot(100, 1.0, randomizer="krr:10"), 1e-4),
    (HiddenSlot(300, 2.0, weight=0.5, randomizer="rr", adjacency="zero-out"), 1e-6),
    (HiddenSlot(300, 1.0, randomizer="laplace", adjacency="zero-out"), 1e-9),
    pytest.param(HiddenSlot(300, randomizer="gaussian:1", adjacency="zero-out"), 1e-9, marks=pytest.mark.nightly),
    (HiddenSlot(300, weight=0.3, randomizer="discrete-gaussian:2", adjacency="zero-out"), 1e-6),
]


@pytest.mark.parametrize(("protocol", "delta"), SLOTS, ids=str)
def test_slots_are_verified_near_the_engine(protocol, delta):
    record = certificate(protocol, delta=delta)
    facts = json.loads(record.dumps())
    assert record.reached == EPSILON_MARGIN and upper_sum.verify(facts) == (0, record.sentence)
    lower = protocol.epsilon(delta).lower * (1 - 1e-9)
    if lower > 0:
        false = facts["claim"] | {"epsilon": claim_decimals.decimal_text(lower)}
        assert upper_sum.verify(facts | {"claim": false}).status == 1


@pytest.mark.long
def test_a_false_claim_is_not_verified_by_any_fineness():
    upper = Composition(("gaussian:2",)).epsilon(1e-6).upper
    rounds = composition_claims.rounds_of(Composition(("gaussian:2",)))
    claim = {**composition_claims.claim_of(rounds), "epsilon": repr(0.9 * upper), "delta": "0.000001"}
    facts, verdict = loss_certificates.search(claim)
    assert verdict.status == 1 and "fineness" in facts
    slots = SLOTS[0][0]
    numbers = {"epsilon": repr(0.9 * slots.epsilon(1e-6).upper), "delta": "0.000001"}
    claim = {**sum_certificates.claim_of(slots), **numbers}
    facts, verdict = sum_certificates.search(claim)
    assert verdict.status == 1 and "fineness" in facts


def test_what_has_no_certificate_is_refused_by_name():
    with pytest.raises(ParameterError, match="for a certificate"):
        certificate(RandomAllocation(10, 1.0, adjacency="replace", selected=2, epochs=3), delta=1e-6)
    with pytest.raises(ParameterError, match="epochs must be 1 for a certificate of noise and a record"):
        certificate(HiddenSlot(10, randomizer="discrete-gaussian:2", epochs=2), delta=1e-3)


@pytest.mark.long
def test_random_questions_are_verified_near_the_engine():
    draw = random.Random(20)
    for _ in range(25):
        delta = 10.0 ** -draw.uniform(3, 20)
        count, noise = int(exp(draw.uniform(0, log(1e6)))), round(exp(draw.uniform(log(0.7), log(20))), 3)
        rate = round(exp(draw.uniform(log(1e-3), 0)), 4)
        name = draw.choice(["rr:{n}", "laplace:{n}", "gaussian:{n}", "subsampled-gaussian:{n}:{r}"])
        protocol = Composition((f"{name.format(n=noise, r=rate)}*{count}",))
        assert certificate(protocol, delta=delta).reached == EPSILON_MARGIN, (protocol, delta)
        slot = RandomAllocation(min(count, 10**5), noise, adjacency=draw.choice(["remove", "add", "replace"]))
        assert certificate(slot, delta=delta).reached == EPSILON_MARGIN, (slot, delta)


@pytest.mark.nightly
@pytest.mark.parametrize("growth", [1, 7, 64, 4096])
@pytest.mark.parametrize("points", [1, 50, 14_609, 2**20])
@pytest.mark.parametrize("most", [300, 6_666, 20_000])
def test_cells_of_a_law_fit_into_the_limit(growth, points, most):
    finest = loss_certificates.finest_growth(growth, points, most)
    at = lattice_sums.Fineness(10**20, Fraction(1), points, 16, finest, 0, 10**9)
    assert len(loss_lattice.cuts([], at.width, at)) <= most
    # No growth is smaller than it must be by more than a quarter.
    more = min(growth, ceil(1.25 * finest))
    cells = len(loss_lattice.cuts([], at.width, at._replace(growth=more)))
    assert more == growth or cells > 0.9 * most


@pytest.mark.nightly
def test_the_farthest_atom_is_just_below_a_place():
    for farthest in (0.000265640137, 1.234, 7.0, 1e-9):
        width = loss_certificates.commensurate(farthest / 31.7, None, farthest)
        assert 0 < width * 32 - Fraction(farthest) < Fraction(farthest) / 10**11
    assert loss_certificates.commensurate(0.3, Fraction(1, 7), 1.0) == Fraction(1, 7)
    assert loss_certificates.commensurate(0.123, None, 0.0) == Fraction(12, 100)

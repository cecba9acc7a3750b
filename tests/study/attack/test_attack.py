"""Attacks stay below the certificate, reach what is exact, and catch protocols that do not do what they say."""

import json
import math

import numpy as np
import pytest

from pldcheck.core.errors import ParameterError, Unsupported
from pldcheck.protocols import (
    Averaged,
    CheckIn,
    Composition,
    HiddenSlot,
    RandomAllocation,
    Shuffle,
    SlidingWindow,
    Swap,
)
from pldcheck.study.attack import attack, rounded_noise, run_attack
from pldcheck.study.attack.hidden_records import OneLaw

FEW_TRANSCRIPTS = 20_000
# Protocols, a delta, and how far apart the ends of what the attack reaches may be, relatively in epsilon.
CASES = [
    (HiddenSlot(10, 0.5), 1e-3, 0.02),
    (HiddenSlot(10, 3.0), 1e-9, 1e-6),
    (HiddenSlot(100, 1.0), 1e-3, 0.02),
    (HiddenSlot(1000, 1.0), 1e-6, 0.02),
    (HiddenSlot(1000, 3.0), 1e-9, 0.02),
    (HiddenSlot(1000, 1.0, 0.1), 1e-6, 0.02),
    (HiddenSlot(1000, 1.0, adjacency="zero-out"), 1e-6, 0.02),
    (HiddenSlot(10**9, 1.0), 1e-7, 0.03),
    (HiddenSlot(500, 1.0, randomizer="laplace", adjacency="zero-out"), 1e-6, 0.02),
    (CheckIn(1000, 1.0, 0.5), 1e-6, 0.02),
    (CheckIn(300, 1.0, 0.5, clients=500), 1e-6, 0.02),
    (SlidingWindow(200, 1000, 2.0), 1e-6, 0.02),
    (Shuffle(500, 1.0), 1e-6, 0.02),
    (Shuffle(500, 1.0, "rr"), 1e-9, 0.02),
    (Shuffle(500, 2.0, "krr:7"), 1e-6, 0.02),
    (Averaged(500, 20, 1.0), 1e-6, 0.02),
    (RandomAllocation(100, 2.0), 1e-6, 0.03),
    (RandomAllocation(200, 1.0, adjacency="replace"), 1e-3, 0.03),
    (RandomAllocation(1, 1.0), 1e-6, 0.02),
    (HiddenSlot(50, randomizer="discrete-gaussian:2", adjacency="zero-out"), 1e-5, 0.03),
]


@pytest.mark.parametrize(
    ("protocol", "delta", "width"), CASES, ids=[f"{type(p).__name__}-{i}" for i, (p, *_) in enumerate(CASES)]
)
def test_an_attack_stays_below_the_certificate_and_reaches_its_lower_end(protocol, delta, width):
    estimate = attack(protocol, delta=delta, transcripts=FEW_TRANSCRIPTS)
    assert not estimate.exceeds and estimate.verdict == "below the certificate"
    assert estimate.epsilon_lower <= estimate.certified.upper and estimate.delta_lower <= estimate.certified_delta.upper
    # The randomizer attains the certified lower end: its own epsilon and delta are in both intervals.
    assert estimate.attained.lower <= estimate.certified.upper and estimate.certified.lower <= estimate.attained.upper
    assert estimate.attained_delta.lower <= estimate.certified_delta.upper
    assert estimate.certified_delta.lower <= estimate.attained_delta.upper
    assert 0.0 < estimate.attained.upper - estimate.attained.lower <= width * estimate.certified.lower
    assert estimate.epsilon_lower >= estimate.attained.lower > (1.0 - width) * estimate.certified.lower


@pytest.mark.nightly
@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-9])
def test_exact_values_are_inside_the_empirical_limits(delta):
    # Zero-out adjacency and binary randomized response are certified to ten digits.
    for protocol in (HiddenSlot(300, 1.0, adjacency="zero-out"), HiddenSlot(40, 2.0), Shuffle(300, 1.5, "rr")):
        estimate = attack(protocol, delta=delta, transcripts=FEW_TRANSCRIPTS, seed=5)
        assert estimate.certified.relative_width < 1e-6
        assert 0.5 * sum(estimate.certified) in estimate.attained
        assert 0.5 * sum(estimate.certified_delta) in estimate.attained_delta
        assert estimate.attained_delta.upper < 1.2 * estimate.attained_delta.lower


@pytest.mark.parametrize("protocol", [HiddenSlot(60, 1.0, adjacency="zero-out"), HiddenSlot(8, 1.0)])
def test_seeds_reproduce_bit_for_bit_on_any_number_of_threads(protocol, monkeypatch):
    one = attack(protocol, delta=1e-5, transcripts=9_000, seed=3)
    monkeypatch.setenv("PLDCHECK_THREADS", "1")
    assert attack(protocol, delta=1e-5, transcripts=9_000, seed=3) == one
    assert attack(protocol, delta=1e-5, transcripts=9_000, seed=4) != one


def test_random_swapping_is_attacked_with_equal_records():
    estimate = attack(Swap(300, 1.0), delta=1e-6, transcripts=FEW_TRANSCRIPTS)
    alike = HiddenSlot(300, 1.0).epsilon(1e-6)
    assert not estimate.exceeds and estimate.attained.lower <= alike.upper and alike.lower <= estimate.attained.upper


def test_where_epsilon_is_zero_delta_is_still_measured():
    estimate = attack(HiddenSlot(10**7, 0.5), delta=0.01, transcripts=FEW_TRANSCRIPTS)
    assert tuple(estimate.certified) == (0.0, 0.0) and estimate.epsilon_lower == estimate.epsilon == 0.0
    assert estimate.attained_delta.lower <= estimate.certified_delta.upper
    assert 0.9 * estimate.certified_delta.lower < estimate.delta_lower <= estimate.certified_delta.upper


def test_nothing_empirical_passes_for_certified():
    estimate = attack(HiddenSlot(20, 1.0), delta=1e-4, transcripts=2_000)
    facts = json.loads(json.dumps(estimate.to_dict(), allow_nan=False))
    assert set(facts["empirical"]) >= {"epsilon_lower", "delta_lower", "attained_epsilon", "confidence"}
    assert not {"epsilon_lower", "delta_lower"} & set(facts)
    assert (
        facts["empirical"]["confidence"] == 1.0 - 1e-6 and facts["empirical"]["attained_epsilon"]["empirical"] is True
    )
    lines = [line for line in estimate.lines() if line.startswith(("epsilon >", "delta >", "this attack"))]
    assert len(lines) == 3 and all("empirical" in line for line in lines)


def test_printed_limits_are_limits():
    estimate = attack(HiddenSlot(300, 1.0), delta=1e-4, transcripts=2_000)
    text = next(line for line in estimate.lines() if line.startswith("epsilon >"))
    number, _, ends = text.removeprefix("epsilon > ").partition(" at delta=")
    low, high = (float(word) for word in ends.partition("certified [")[2].rstrip("]").split(", "))
    assert float(number) <= estimate.epsilon_lower
    assert low <= estimate.certified.lower and high >= estimate.certified.upper


def test_progress_counts_the_stages():
    calls = []
    attack(
        HiddenSlot(5, 1.0), delta=1e-2, transcripts=1_000, progress=lambda count, stages: calls.append((count, stages))
    )
    assert calls == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"delta": 0.0}, "delta must be above 0"),
        ({"delta": math.nan}, "delta must be above 0"),
        ({"transcripts": 10}, "transcripts must be"),
        ({"transcripts": 1e3 + 0.5}, "transcripts must be"),
        ({"seed": -1}, "seed must be"),
        ({"protocol": HiddenSlot(10, 1.0, epochs=2)}, "epochs must be 1"),
        ({"protocol": Shuffle(10, 1.0, rounds=2)}, "rounds must be 1"),
        ({"protocol": RandomAllocation(10, 1.0, selected=2)}, "selected must be 1"),
        ({"protocol": HiddenSlot(10, 1.0, delta0=1e-2)}, "delta must be above weight"),
        ({"protocol": CheckIn(10, 1.0, clients=5, delta0=1e-9)}, "delta0 must be 0"),
        ({"protocol": "hidden-slot"}, "protocol must be"),
        ({"protocol": Composition(("rr:0.1*5",))}, "composition has no attack: there are attacks on hidden-slot"),
    ],
)
@pytest.mark.nightly
def test_bad_input_is_refused_in_one_line(change, message):
    arguments = {"protocol": HiddenSlot(10, 1.0), "delta": 1e-3, "transcripts": 1_000} | change
    with pytest.raises((ParameterError, Unsupported), match=message) as error:
        attack(arguments.pop("protocol"), **arguments)
    assert "\n" not in str(error.value)


@pytest.mark.nightly
def test_merging_decisive_outputs_costs_a_percent_at_most():
    # Gaussian noise in one slot of 50, epsilon(1e-6) certified to 1e-4.
    protocol = RandomAllocation(50, 1.0, adjacency="remove")
    interval = protocol.epsilon(1e-6)
    whole = OneLaw("cells", 50, 1.0, rounded_noise.gaussian((1.0, 0.0, 0.0), 1.0))
    fewer = rounded_noise.merge_decisive(whole, interval.lower)
    assert fewer.law.reference.size < whole.law.reference.size
    for law in (whole.law, fewer.law):
        assert law.reference.sum() == pytest.approx(1.0, rel=1e-12)
        assert law.rows.sum(axis=1) == pytest.approx(1.0, rel=1e-12)
    estimate = attack(protocol, delta=1e-6, transcripts=10**5)
    assert estimate.attained.upper > interval.lower * 0.998 and estimate.attained.lower < interval.upper


def test_cells_are_those_of_the_normal_law():
    from mpmath import mp, mpf, ncdf

    law = rounded_noise.gaussian((1.0, 0.0, 0.0), 0.5)
    edges = np.linspace(-rounded_noise.REACH * 0.5, 1.0 + rounded_noise.REACH * 0.5, rounded_noise.CELLS - 1)
    with mp.workdps(40):
        for centre, row in ((1.0, law.rows[0]), (0.0, law.reference)):
            # A cell in the far tails, near the middle, and the outermost ones.
            for cell in (3, 50, 64, 125):
                low, high = ((mpf(float(edge)) - centre) / mpf("0.5") for edge in edges[cell - 1 : cell + 1])
                exact = ncdf(-low) - ncdf(-high) if low > 0 else ncdf(high) - ncdf(low)
                assert row[cell] == pytest.approx(float(exact), rel=1e-9)
            assert row[0] == pytest.approx(float(ncdf((mpf(float(edges[0])) - centre) * 2)), rel=1e-9)


def test_discrete_noise_has_its_probabilities():
    law = rounded_noise.discrete_gaussian((1, 0, 0), 1.5)
    last, far = int(rounded_noise.REACH * 1.5) + 2, np.arange(-60, 61)
    masses = np.exp(-0.5 * (far / 1.5) ** 2)
    masses /= masses.sum()
    assert law.reference[last] == pytest.approx(masses[60], rel=1e-12)
    assert law.rows[0][last + 3] == pytest.approx(masses[62], rel=1e-12)
    assert law.reference[0] == pytest.approx(masses[far <= -last].sum(), rel=1e-12)


def test_all_parts_of_a_failure_are_accounted_for():
    # Two intervals and two pairs of counts.
    assert run_attack.PART * 8 <= run_attack.FAILURE == 1e-6

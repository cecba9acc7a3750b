"""The program for upper ends of random swapping: each rounding and term against exact twins, and what it refuses."""

import itertools
import json
import random
from fractions import Fraction
from math import ceil

import mpmath
import naive
import pytest
import shuffle_twins as twins
from adversarial_certificates import SWAP, certificates_examined
from tampering import change

from pldcheck.checkers import attained_delta, claim_files, doubled_laws, fixed_point, upper_swap
from pldcheck.protocols import Swap
from pldcheck.witness import swap_certificates
from pldcheck.witness.upper_certificates import EPSILON_MARGIN, certificate

ONE = fixed_point.ONE
POINTS = [(Fraction(2), Fraction(1)), (Fraction(3), Fraction(5, 4)), (Fraction(13, 2), Fraction(2))]


def claim(n, x, kappa, delta=0):
    return upper_swap.Claim(n, Fraction(x), Fraction(kappa), Fraction(delta))


def gains(x, kappa):
    """The values and probabilities of G."""
    chance = 1 / (x + 1)
    return [(x - kappa, chance), (1 - kappa * x, chance), (Fraction(0), 1 - 2 * chance)]


def excess(constant, weights, x, kappa):
    """E(constant + sum of weights times copies of G)_+, by all outcomes."""
    total = Fraction(0)
    for outcome in itertools.product(gains(x, kappa), repeat=len(weights)):
        mass, place = Fraction(1), Fraction(constant)
        for weight, (value, chance) in zip(weights, outcome, strict=True):
            mass, place = mass * chance, place + weight * value
        total += mass * max(place, 0)
    return total


def weights_of(terms):
    return [weight for weight, count in terms for _ in range(count)]


def fine(atoms=4000, cut=150):
    return {"atoms": atoms, "cut": cut}


def box_of(low, high, grid="1/50", tilt="21/20"):
    return upper_swap.Box(Fraction(low), Fraction(high), Fraction(grid), Fraction(tilt))


def weights_with_mean_1(draw, count, low, high):
    """Random numbers between two that are not on one side of 1."""
    weights = [low + (high - low) * Fraction(draw.randint(0, 8), 8) for _ in range(count)]
    excess_of_mean = sum(weights) / count - 1
    room = [weight - low if excess_of_mean > 0 else high - weight for weight in weights]
    share = count * abs(excess_of_mean) / (sum(room) or 1)
    sign = -1 if excess_of_mean > 0 else 1
    return [weight + sign * share * each for weight, each in zip(weights, room, strict=True)]


# --- Boxes ------------------------------------------------------------------------------------------------------------


def corner(count, low, high):
    """As many weights as possible at the ends, with the mean 1."""
    weights, rest = [], Fraction(count)
    for left in range(count, 0, -1):
        weights.append(min(max(rest - (left - 1) * low, low), high))
        rest -= weights[-1]
    return weights


@pytest.mark.parametrize(("x", "kappa"), POINTS)
def test_no_weights_of_a_box_are_worse_than_its_corner(x, kappa):
    draw = random.Random(3)
    for n in (2, 3, 4, 6):
        for _ in range(6):
            low = Fraction(draw.randint(1, 9), 9) * (1 - 1 / x) + 1 / x if n > 2 else Fraction(1)
            high = min(low * Fraction(draw.choice([100, 101, 150]), 100), Fraction(1))
            constant, terms = upper_swap.terms_of(claim(n, x, kappa), low, high)
            assert sum(count for _, count in terms) == n - 1
            (top, heavy), (bottom, light) = terms
            between = n - 1 - (heavy - 1) * top - light * bottom
            assert bottom <= between <= top == x * high
            assert constant == high * (x - kappa) + (top - between) * (kappa - 1)
            largest = excess(constant, weights_of(terms), x, kappa)
            for least in (low, (low + high) / 2, high):
                for weights in (
                    corner(n - 1, least, x * least),
                    *(weights_with_mean_1(draw, n - 1, least, x * least) for _ in range(2)),
                ):
                    assert least <= min(weights) and max(weights) <= x * least and sum(weights) == n - 1
                    assert excess(least * (x - kappa), weights, x, kappa) <= largest


@pytest.mark.parametrize(("x", "kappa"), POINTS)
def test_the_mean_of_a_box_is_above_all_outcomes_and_near(x, kappa):
    for n in (2, 3, 5, 8):
        for low, high in ((1 / x, Fraction(2, 3)), (Fraction(2, 3), Fraction(3, 4)), (Fraction(3, 4), Fraction(1))):
            point = claim(n, x, kappa)
            constant, terms = upper_swap.terms_of(point, low, high)
            truth = excess(constant, weights_of(terms), x, kappa)
            near = upper_swap.mean_excess(point, box_of(low, high, "1/200", "101/100"), fine(8192))
            assert truth <= near <= truth + Fraction(1, 1000)
            # The last number of places is large enough for any tail to be felt, the others for none.
            for grid, atoms, cut, tilt in itertools.product(
                ("1/7", "1/3", "1"), (20, 60, 200), (3, 4, 8, 90), ("101/100", "51/50", "6/5", "3/2")
            ):
                try:
                    rough = upper_swap.mean_excess(point, box_of(low, high, grid, tilt), fine(atoms, cut))
                except claim_files.NotVerified:
                    continue
                assert truth <= rough


def test_coarser_lattices_are_hardly_above_a_fine_one():
    point, box = claim(60, 3, Fraction(5, 4)), box_of("0.5", "0.51", "1/20", "1.02")
    near, rough = (upper_swap.mean_excess(point, box, fine(atoms, 60)) for atoms in (8192, 250))
    assert near <= rough <= near * Fraction(102, 100)


def test_values_on_nodes_are_exact_but_for_round_off():
    # With x = 2, kappa = 1 and L = 1 the values of G are 1, -1 and 0, and the one heavy weight is 2.
    point = claim(9, 2, 1)
    constant, terms = upper_swap.terms_of(point, Fraction(1), Fraction(1))
    assert (constant, terms) == (1, [(2, 1), (1, 7)])
    truth = excess(constant, weights_of(terms), Fraction(2), Fraction(1))
    near = upper_swap.mean_excess(point, box_of(1, 1, "1", "6/5"), fine())
    assert truth <= near <= truth + Fraction(1, 2**100)


@pytest.mark.parametrize("bits", [10, 16, 192])
def test_probabilities_of_a_copy_are_rounded_up_and_keep_the_mean(bits, monkeypatch):
    monkeypatch.setattr(upper_swap, "ONE", 1 << bits)
    for (x, kappa), weight, grid in itertools.product(POINTS, (Fraction(2, 3), Fraction(5, 3)), (Fraction(1, 3), 2)):
        copy = upper_swap.copy_of(claim(3, x, kappa), weight, grid)
        for corner in range(min(copy) - 1, max(copy) + 2):
            payoff = sum(Fraction(mass, 2**bits) * max(place - corner, 0) for place, mass in copy.items())
            truth = sum(chance * max(weight * value / grid - corner, 0) for value, chance in gains(x, kappa))
            assert truth <= payoff
            assert bits < 192 or payoff <= truth + Fraction(1, 4) + Fraction(1, 2**80)
        assert sum(copy.values()) >= 2**bits
        assert bits < 192 or sum(place * mass for place, mass in copy.items()) <= 2**bits * (
            weight * (1 - kappa) / grid + Fraction(1, 2**80)
        )


def test_what_is_left_out_counts():
    # A cut of 2^-2 leaves out most of the law; what it adds in the end must be at least that.
    for tilt in ("101/100", "11/10", "3/2"):
        masses = [ONE // 9, ONE // 2, ONE // 4, ONE // 40]
        law = doubled_laws.Law(masses, -1, 1, ceil(Fraction(tilt) * ONE), ceil(ONE / Fraction(tilt)), 0)
        whole = sum(mass * Fraction(tilt) ** place for place, mass in enumerate(masses, -1))
        for cut in (2, 3):
            short, inside = doubled_laws.shorter(law, fine(cut=cut), upper_swap.highest)
            kept = sum(mass * Fraction(tilt) ** place for place, mass in enumerate(short.masses, short.low))
            assert kept <= inside and whole <= kept + short.left_out
            twice = doubled_laws.twofold(short, inside)
            assert whole * whole / ONE <= kept * kept / ONE + twice.left_out
            copy = {-2: ONE // 3, 5: ONE // 2}
            more = upper_swap.with_copy(short, copy)
            tilted = sum(mass * Fraction(tilt) ** place for place, mass in copy.items())
            assert more.left_out >= short.left_out * tilted / ONE


# --- Mechanisms -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_no_adaptive_mechanism_exceeds_the_bound(seed):
    draw = random.Random(seed)
    x, kappa = draw.choice(POINTS)
    n = draw.choice([2, 3, 3, 4])
    randomizer = twins.Adaptive(draw, n + 1, 2 if n == 4 else 3, float(x) * (1 - 1e-12))
    data = [0, *range(2, n + 1)], [1, *range(2, n + 1)]
    attained = twins.sequence_delta(randomizer, *data, float(kappa), twins.orders_of_swapping)
    ends = [1 / x + (1 - 1 / x) * Fraction(k, 6) for k in range(7)]
    boxes = [box_of(*pair, "1/50", "51/50") for pair in itertools.pairwise(ends)]
    bound = upper_swap.delta_upper(claim(n, x, kappa), fine() | {"boxes": boxes})
    assert attained <= bound + Fraction(1, 10**12)
    assert attained <= upper_swap.one_run(claim(n, x, kappa)) + Fraction(1, 10**12)


def test_responses_with_all_others_alike_are_below_the_bound():
    for n, eps0, epsilon in ((3, "1", "0.4"), (6, "1.5", "0.2")):
        facts = file(n, eps0, epsilon, "0")
        lower = attained_delta.delta_attained(upper_swap.read_claim(facts["claim"])[1])
        with mpmath.workdps(60):
            adaptive = Fraction(naive.hidden_slot_delta(n, eps0, epsilon, "1").mid().str(50, radius=False))
        assert 0 < lower <= adaptive
        assert upper_swap.verify(facts).sentence.startswith("not verified: the claim is false, as delta is at least ")


# --- Files ------------------------------------------------------------------------------------------------------------


def file(n=6, eps0="1", epsilon="0.5", delta="0.25", cuts=("0.45", "0.6", "0.8")):
    boxes = [{"end": end, "grid": "0.02", "tilt": "1.02"} for end in (*cuts, "1")]
    about = {"mechanism": "swap", "clients": n, "eps0": eps0, "epsilon": epsilon, "delta": delta}
    fineness = {"boxes": boxes, "atoms": 2000, "cut": 60}
    return {"pldcheck_certificate": "upper_swap", "claim": about, "fineness": fineness}


def test_a_claim_is_accepted_from_its_own_bound_on():
    facts = file()
    used, _ = upper_swap.read_claim(facts["claim"])
    with mpmath.workdps(60):
        at = upper_swap.read_fineness(facts["fineness"], used)
        bound = upper_swap.delta_upper(used, at)
        assert bound == max(upper_swap.mean_excess(used, box, at) for box in at["boxes"]) / 6
        text = mpmath.nstr(mpmath.mpf(bound.numerator) / bound.denominator, 55, min_fixed=-99)
        for factor, status in ((1 + mpmath.mpf("1e-50"), 0), (1 - mpmath.mpf("1e-50"), 1)):
            delta = mpmath.nstr(mpmath.mpf(text) * factor, 55, min_fixed=-99)
            assert upper_swap.verify(change(facts, ("claim", "delta"), delta)).status == status


@pytest.mark.parametrize("power", [1, 10, 30, 50])
def test_premises_are_rounded_to_the_safe_side(power):
    with mpmath.workdps(90):
        text = mpmath.nstr(mpmath.mpf("1.3") * (1 - mpmath.mpf(10) ** -power), 60)
        used, refutable = upper_swap.read_claim(file(3, "1.3", text)["claim"])
        for value, of, sign in (
            (used.x, "1.3", 1),
            (used.kappa, text, -1),
            (refutable.x, "1.3", -1),
            (refutable.kappa, text, 1),
        ):
            away = mpmath.mpf(value.numerator) / value.denominator - mpmath.exp(mpmath.mpf(of))
            assert 0 < sign * away < mpmath.mpf(10) ** -50


def test_a_claim_that_one_run_proves_rests_on_curves():
    facts = file(10**6, "1", "0.5", "0.29")
    used, _ = upper_swap.read_claim(facts["claim"])
    assert float(upper_swap.one_run(used)) == pytest.approx((mpmath.e - mpmath.exp(0.5)) / (mpmath.e + 1), rel=1e-12)
    assert upper_swap.verify(facts).sentence.endswith("this rests on curves")
    assert upper_swap.verify(file(5, "1", "1.0000001", "0")).status == 0
    assert upper_swap.verify(file(5, "1", "0.9999999", "0")).status == 1


SPOILED = {
    "no boxes": (("fineness", "boxes"), []),
    "boxes that are no list": (("fineness", "boxes"), "1"),
    "a box that is no object": (("fineness", "boxes", 0), "0.5"),
    "a box below 1/x": (("fineness", "boxes", 0, "end"), "0.3"),
    "boxes that do not rise": (("fineness", "boxes", 1, "end"), "0.45"),
    "boxes that fall": (("fineness", "boxes", 2, "end"), "0.5"),
    "boxes that end early": (("fineness", "boxes", 3, "end"), "0.999"),
    "boxes beyond 1": (("fineness", "boxes", 3, "end"), "1.1"),
    "no tilt": (("fineness", "boxes", 0, "tilt"), "1"),
    "a tilt that falls": (("fineness", "boxes", 0, "tilt"), "0.9"),
    "no grid": (("fineness", "boxes", 0, "grid"), "0"),
    "a grid below 0": (("fineness", "boxes", 0, "grid"), "-1"),
    "a number for a text": (("fineness", "boxes", 0, "grid"), 0.02),
    "too fine a grid": (("fineness", "boxes", 0, "grid"), "1e-60"),
    "few atoms": (("fineness", "atoms"), 7),
    "many atoms": (("fineness", "atoms"), 10**6),
    "true for a number": (("fineness", "cut"), True),
    "no cut": (("fineness", "cut"), 1),
    "one client": (("claim", "clients"), 1),
    "too many clients": (("claim", "clients"), 10**15 + 1),
    "another mechanism": (("claim", "mechanism"), "shuffle"),
    "another program": (("pldcheck_certificate",), "upper_slot"),
    "an epsilon below 0": (("claim", "epsilon"), "-0.1"),
    "no budget": (("claim", "eps0"), "0"),
    "nan": (("claim", "delta"), "nan"),
    "a delta above 1": (("claim", "delta"), "1.5"),
}


@pytest.mark.parametrize("name", SPOILED)
def test_what_is_no_certificate_is_refused_in_a_line(name):
    place, value = SPOILED[name]
    verdict = upper_swap.verify(change(file(), place, value))
    assert verdict.status == 2 and verdict.sentence.startswith("refused: ") and "\n" not in verdict.sentence


def test_work_is_bounded(monkeypatch):
    many = [str(Fraction(4 + Fraction(k, 30), 10).limit_denominator(1000)) for k in range(151)]
    assert upper_swap.verify(file(cuts=many)).status == 2
    monkeypatch.setattr(upper_swap, "MOST_DOUBLED", 20_000)
    assert "amount of work" in upper_swap.verify(file()).sentence
    steep = change(file(delta="0.07"), ("fineness", "boxes", 0, "tilt"), "99")
    assert upper_swap.verify(steep).status == 2
    monkeypatch.undo()
    monkeypatch.setattr(upper_swap, "MOST_REACHED", 1000)
    assert "amount of work" in upper_swap.verify(file()).sentence
    monkeypatch.undo()
    assert "tilt is too large" in upper_swap.verify(steep).sentence


def test_tilts_below_all_places_are_bounded():
    # One copy, then doublings of a law with negative places only, each on a lattice twice as coarse.
    with mpmath.workdps(80):
        end = mpmath.nstr(mpmath.exp(mpmath.mpf("-0.5")) * (1 + mpmath.mpf("1e-22")), 50)
    boxes = [{"end": end, "grid": "0.17182818284587734", "tilt": "1.005"}, {"end": "1", "grid": "1", "tilt": "2"}]
    about = {"mechanism": "swap", "clients": 2**49 + 1, "eps0": "0.5", "epsilon": "0.4999999999999", "delta": "1e-30"}
    fineness = {"boxes": boxes, "atoms": 40, "cut": 60}
    verdict = upper_swap.verify({"pldcheck_certificate": "upper_swap", "claim": about, "fineness": fineness})
    assert verdict.status == 1 and "the tilt is too large" in verdict.sentence


@pytest.mark.parametrize("count", [60, pytest.param(3000, marks=pytest.mark.nightly)])
def test_spoiled_certificates_are_not_accepted_below_what_is_known(count):
    examined, accepted, wrong = certificates_examined(SWAP, seed=count, count=count)
    assert wrong == [] and examined == count and accepted > count / 40


# --- The search -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("protocol", "delta"),
    [
        (Swap(10, 0.1), 1e-3),
        (Swap(100, 1.0), 1e-6),
        (Swap(1000, 4.0), 1e-6),
        (Swap(10**4, 6.0), 1e-9),
        pytest.param(Swap(1000, 1.0), 1e-30, marks=pytest.mark.nightly),
        pytest.param(Swap(10**6, 1.0), 1e-6, marks=pytest.mark.nightly),
        pytest.param(Swap(10**6, 8.0), 1e-6, marks=pytest.mark.nightly),
        pytest.param(Swap(10**9, 2.0), 1e-9, marks=pytest.mark.nightly),
        pytest.param(Swap(25, 1.11), 1.767e-4, marks=pytest.mark.nightly),
        pytest.param(Swap(2073, 0.8314), 3.366e-30, marks=pytest.mark.nightly),
    ],
)
def test_what_is_written_is_accepted_half_a_percent_above_the_upper_end(protocol, delta):
    record = certificate(protocol, delta=delta)
    assert record.reached == EPSILON_MARGIN and record.facts["pldcheck_certificate"] == "upper_swap"
    assert record.sentence.startswith("accepted: ") and len(record.dumps()) < 20_000
    facts, lower = json.loads(record.dumps()), protocol.epsilon(delta).lower
    for factor in (1 - 1e-9, 0.9):
        facts["claim"]["epsilon"] = f"{lower * factor:.18f}"
        assert upper_swap.verify(facts).status == 1


def test_two_clients_have_a_looser_certificate():
    record = certificate(Swap(2, 1.0), delta=0.1)
    assert EPSILON_MARGIN < record.reached < 1.5


@pytest.mark.nightly
def test_few_clients_have_boxes_where_none_are_found_one_after_the_other():
    facts = swap_certificates.claim_of(Swap(25, 1.11)) | {"epsilon": "1.0384", "delta": "0.0001767"}
    assert swap_certificates.widest(facts, 1.7e-4) is None
    ends = [float(end) for end in swap_certificates.path(facts, 1.7e-4)]
    assert ends == sorted(ends) and ends[0] > mpmath.exp(-1.11) and ends[-1] == 1.0


def test_boxes_that_would_have_to_be_points_are_given_up():
    facts = swap_certificates.claim_of(Swap(100, 1.0)) | {"epsilon": "0.2", "delta": "1e-6"}
    assert swap_certificates.ends_of(facts, 1e-6) is None and swap_certificates.search(facts) is None

"""The program for upper ends of hidden slots: each rounding and each term against exact twins, and what it refuses."""

import json
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, exp

import mpmath
import naive
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from tampering import change

from pldcheck.checkers import (
    attained_delta,
    block_recursion,
    claim_files,
    doubled_laws,
    fixed_point,
    slot_laws,
    upper_slot,
)
from pldcheck.theorems.balle20 import check_in_reductions
from pldcheck.theorems.balle20.approximate_check_in_bounds import fixed_window_clipped, fixed_window_clipped_delta

ONE = fixed_point.ONE
PLACES = fixed_point.PLACES


def exact(value):
    """The fraction that an integer stands for."""
    return Fraction(value, ONE)


# --- Numbers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["0", "1e-60", "0.1", "1", "6.00000000000000000001", "19.999", "20"])
def test_exponentials_are_enclosed(text):
    low, high = fixed_point.exp_ends(Fraction(text))
    with mpmath.workdps(140):
        truth = mpmath.exp(mpmath.mpf(Fraction(text).numerator) / Fraction(text).denominator)
        assert mpmath.mpf(low.numerator) / low.denominator <= truth <= mpmath.mpf(high.numerator) / high.denominator
    assert high - low <= high * Fraction(2 * fixed_point.SERIES_TERMS, ONE)


@pytest.mark.parametrize(("text", "terms"), [("1", 12), ("0.5", 6), ("2", 21)])
def test_terms_of_the_series_that_are_left_out_are_in_the_upper_end(text, terms, monkeypatch):
    monkeypatch.setattr(fixed_point, "SERIES_TERMS", terms)
    low, high = fixed_point.exp_ends(Fraction(text))
    with mpmath.workdps(140):
        truth = mpmath.exp(mpmath.mpf(text))
        assert mpmath.mpf(low.numerator) / low.denominator < truth <= mpmath.mpf(high.numerator) / high.denominator


@pytest.mark.nightly
def test_the_series_is_long_enough_for_the_largest_exponent():
    # Each term that is left out is at most a tenth of the one before it.
    assert 20 * 10 <= fixed_point.SERIES_TERMS


@pytest.mark.nightly
@given(st.integers(0, 2 * ONE), st.integers(0, 2 * ONE))
def test_products_are_rounded_up_by_less_than_one_unit(a, b):
    assert 0 <= exact(fixed_point.times(a, b)) - exact(a) * exact(b) < exact(1)


@pytest.mark.nightly
@given(st.integers(ONE // 2, ONE + ONE // 8), st.integers(0, 60))
def test_powers_are_rounded_up(base, n):
    found = exact(fixed_point.power(base, n))
    assert exact(base) ** n <= found <= exact(base) ** n + 200 * exact(1) * max(1, exact(base) ** n)


# --- The laws of one step ---------------------------------------------------------------------------------------------


def slot(x, kappa, names=("BE", "CF", "ACE"), steps=1, weight=1, delta=0):
    return slot_laws.Slot(steps, Fraction(weight), [names], Fraction(x), Fraction(kappa), Fraction(delta))


def hexagon_supremum(x, kappa, payoff):
    """The largest mean of a convex function of s over all laws on the hexagon's corners with mean (1, 1)."""
    corners = [(1 / x, 1 / x), (Fraction(1), 1 / x), (x, Fraction(1)), (x, x), (Fraction(1), x), (1 / x, Fraction(1))]
    best = payoff(Fraction(0))
    for i, j, k in product(range(6), repeat=3):
        if i < j < k:
            (a, p), (b, q), (c, r) = corners[i], corners[j], corners[k]
            size = (b - a) * (r - p) - (c - a) * (q - p)
            if size == 0:
                continue
            second = ((1 - a) * (r - p) - (c - a) * (1 - p)) / size
            third = ((b - a) * (1 - p) - (1 - a) * (q - p)) / size
            chances = (1 - second - third, second, third)
            if min(chances) >= 0:
                values = [(one - 1) - kappa * (other - 1) for one, other in (corners[i], corners[j], corners[k])]
                best = max(best, sum(chance * payoff(s) for chance, s in zip(chances, values, strict=True)))
    return best


@given(st.fractions(1, 50), st.fractions(1, 40), st.lists(st.fractions(-60, 60), min_size=1, max_size=4))
def test_three_laws_are_as_bad_as_all_laws_on_the_hexagon(x, kappa, kinks):
    def payoff(s):
        return sum(max(s + kink, Fraction(0)) for kink in kinks)

    laws = slot_laws.steps_of(slot(x, kappa), ("BE", "CF", "ACE"))
    for law in laws:
        assert sum(p for _, p in law) == 1 and sum(s * p for s, p in law) == 0
    if x > 1:
        best = max(sum(p * payoff(s) for s, p in law) for law in laws)
        assert best == hexagon_supremum(x, kappa, payoff)


@given(st.fractions(-9, 9), st.fractions(Fraction(1, 50), 3), st.integers(40, 60))
def test_a_place_between_nodes_is_rounded_up_and_shared(s, grid, count):
    if abs(s / grid) > 30:
        return
    (law,) = block_recursion.moves_of([[(s, Fraction(1))]], grid, count)
    assert sum(share for _, share in law) == 2**PLACES
    assert 0 <= Fraction(sum(node * share for node, share in law), 2**PLACES) - s / grid < Fraction(1, 2**PLACES)
    assert max(node for node, _ in law) - min(node for node, _ in law) <= 1


@given(st.fractions(Fraction(1, 99), Fraction(98, 99)))
def test_probabilities_are_rounded_up(p):
    (law,) = block_recursion.moves_of([[(Fraction(2), p), (Fraction(-3), 1 - p)]], Fraction(1), 9)
    for (node, share), (move, chance) in zip(law, ((2, p), (-3, 1 - p)), strict=True):
        assert node == move and 0 <= share - chance * 2**PLACES < 1


@pytest.mark.nightly
def test_moves_beyond_the_first_node_are_no_longer_than_the_window():
    (law,) = block_recursion.moves_of(
        [[(Fraction(-1000), Fraction(1, 2)), (Fraction(1000), Fraction(1, 2))]], Fraction(1), 9
    )
    assert [node for node, _ in law] == [-9, 1000]


# --- One block --------------------------------------------------------------------------------------------------------


def true_values(laws, steps):
    """V_t by the recursion in fractions, over all policies."""

    @cache
    def value(t, u):
        if t == 0:
            return max(u, Fraction(0))
        return max(sum(p * value(t - 1, u + s) for s, p in law) for law in laws)

    return lambda u: value(steps, u)


# On the second grid every step ends on a node, so that nothing but rounding separates the values from the truth.
@pytest.mark.parametrize(
    ("x", "kappa", "grid"),
    [
        (2, Fraction(3, 2), Fraction(3, 7)),
        (2, 2, Fraction(1, 2)),
        (3, Fraction(3, 2), Fraction(1, 3)),
        (5, 1, Fraction(4, 5)),
    ],
)
@pytest.mark.parametrize(("left", "right"), [(3, 2), (12, 30), (40, 5)])
def test_values_of_a_block_are_above_all_policies(x, kappa, grid, left, right):
    laws = slot_laws.steps_of(slot(x, kappa), ("BE", "CF", "ACE"))
    moves = block_recursion.moves_of(laws, grid, left + right + 1)
    for block in (1, 2, 4):
        values = block_recursion.block_values(moves, block, left, right)
        truth = true_values(laws, block)
        for node, value in enumerate(values, -left):
            assert exact(value) * grid >= truth(node * grid), (block, node)
        if grid == Fraction(1, 2) and left == 40:  # and not above by more than roundings, away from the edges
            middle = values[left - 4 : left + 1]
            assert all(
                exact(value) * grid - truth((node - 4) * grid) < Fraction(1, 2**80) for node, value in enumerate(middle)
            )


@pytest.mark.parametrize("steps", [60, 130])
def test_sums_of_a_block_are_rounded_up(steps):
    # Probabilities 1/4 and 3/4 are exact; after 97 steps the truth has more digits than a value.
    laws = slot_laws.steps_of(slot(3, 1), ("BE",))
    values = block_recursion.block_values(block_recursion.moves_of(laws, Fraction(2, 3), 801), steps, 400, 400)
    for node in range(-20, 20):
        sums = [(comb(steps, j), Fraction(2, 3) * (node + j) - 2 * (steps - j)) for j in range(steps + 1)]
        truth = sum(Fraction(number * 3**j, 4**steps) * max(u, Fraction(0)) for j, (number, u) in enumerate(sums))
        assert exact(values[400 + node]) * Fraction(2, 3) >= truth


# --- The law of a block -----------------------------------------------------------------------------------------------


def stop_loss(masses, low, spacing, u):
    """E (u + L)_+ in fractions, u in nodes."""
    return sum(exact(mass) * max(u + (low + i) * spacing, Fraction(0)) for i, mass in enumerate(masses))


@given(st.integers(1, 4), st.integers(1, 5), st.integers(1, 5), st.data())
def test_the_law_of_a_block_is_above_its_values_everywhere(join, lefts, rights, data):
    left, right = join * lefts, join * rights
    size = left + right + 1
    # A convex increasing function of slope at most 1, with some noise upward: values that a recursion could have.
    slopes = sorted(data.draw(st.lists(st.integers(0, ONE), min_size=size - 1, max_size=size - 1)))
    truth = [data.draw(st.integers(0, ONE))]
    for slope in slopes:
        truth.append(truth[-1] + slope)
    noise = data.draw(st.lists(st.sampled_from([0, 0, 0, 1, 5, ONE // 3]), min_size=size, max_size=size))
    values = [value + more for value, more in zip(truth, noise, strict=True)]
    masses = block_recursion.law_of(values, join)
    low = -(right // join)
    assert min(masses) >= 0 and sum(masses) >= ONE and len(masses) == lefts + rights + 1
    for index, value in enumerate(truth):
        assert exact(values[0]) + stop_loss(masses, low, join, Fraction(index - left)) >= exact(value)
    for beyond in (1, 10, 1000):
        found = exact(values[0]) + stop_loss(masses, low, join, Fraction(right + beyond))
        assert found >= exact(truth[-1]) + beyond
    # At the nodes that are kept it is no more than a unit too steep, unless noise bends it.
    if not any(noise):
        for index in range(0, size, join):
            found = exact(values[0]) + stop_loss(masses, low, join, Fraction(index - left))
            assert found <= exact(truth[index]) + 2 * size * exact(1)


@pytest.mark.nightly
@given(st.lists(st.integers(0, 2**80), min_size=1, max_size=12), st.integers(-9, 9), st.integers(-30, 30))
def test_a_coarser_law_is_above(masses, low, u):
    wider, half = doubled_laws.coarser(masses, low)
    assert stop_loss(wider, half, 2, Fraction(u)) >= stop_loss(masses, low, 1, Fraction(u))
    assert sum(wider) - sum(masses) <= len(masses) and len(wider) <= len(masses) // 2 + 2
    if all(mass % 2 == 0 for mass in masses):
        assert sum(wider) == sum(masses)
        places = enumerate(wider, half)
        assert sum(2 * i * mass for i, mass in places) == sum(i * mass for i, mass in enumerate(masses, low))


@given(st.lists(st.integers(0, ONE), min_size=1, max_size=30).filter(any))
def test_all_masses_of_a_sum_of_two_are_rounded_up(masses):
    found = doubled_laws.squared(masses)
    truth = [Fraction(0)] * (2 * len(masses) - 1)
    for i, j in product(range(len(masses)), repeat=2):
        truth[i + j] += exact(masses[i]) * exact(masses[j])
    assert all(0 <= exact(value) - whole < exact(1) for value, whole in zip(found, truth, strict=True))


@pytest.mark.parametrize("digits", range(190, 200))
def test_masses_of_a_sum_of_two_have_room(digits):
    masses = [2**digits - 1] * 31
    found = doubled_laws.squared(masses)
    assert found == [-(-min(i + 1, 61 - i) * masses[0] ** 2 >> fixed_point.BITS) for i in range(61)]


@pytest.mark.nightly
@given(
    st.lists(st.integers(1, ONE), min_size=1, max_size=8),
    st.integers(-12, 12),
    st.fractions(1, Fraction(3, 2)).filter(lambda g: g > 1),
)
def test_tilted_masses_are_rounded_up(masses, low, g):
    up, down = -(-g.numerator * ONE // g.denominator), -(-g.denominator * ONE // g.numerator)
    for place, (mass, part) in enumerate(zip(masses, doubled_laws.tilted(masses, low, up, down), strict=True), low):
        truth = exact(mass) * g**place
        assert 0 <= exact(part) - truth <= 10**6 * exact(1)


# --- Many blocks ------------------------------------------------------------------------------------------------------


def fine(**more):
    usual = {"block": 1, "doublings": 0, "left": 1, "right": 1, "join": 1, "cut": 100, "atoms": 4000}
    return usual | {"grid": Fraction(1), "tilt": Fraction(11, 10)} | more


def true_sum(masses, low, spacing, copies, start):
    """E (start + L_1 + ... + L_copies)_+ by convolution in fractions."""
    law = {0: Fraction(1)}
    for _ in range(copies):
        more = {}
        for at, p in law.items():
            for i, mass in ((i, mass) for i, mass in enumerate(masses, low) if mass):
                more[at + i] = more.get(at + i, Fraction(0)) + p * exact(mass)
        law = more
    return sum((p * max(start + at * spacing, Fraction(0)) for at, p in law.items()), Fraction(0))


@given(
    st.lists(st.integers(1, 9), min_size=2, max_size=6),
    st.integers(0, 3),
    st.integers(1, 3),
    st.sampled_from([2, 3, 5, 12, 100]),
    st.sampled_from([8, 9, 4000]),
    st.fractions(-20, 0, max_denominator=7),
    st.sampled_from([Fraction(1001, 1000), Fraction(11, 10), Fraction(3, 2)]),
    st.data(),
)
def test_many_blocks_are_above_the_sum(weights, doublings, join, cut, atoms, start, tilt, data):
    rights = data.draw(st.integers(0, len(weights) - 1))
    masses = [weight * ONE // sum(weights) for weight in weights]
    masses[0] += ONE - sum(masses)
    constant = data.draw(st.sampled_from([0, 1, ONE // 10]))
    plan = fine(doublings=doublings, right=rights * join, join=join, cut=cut, atoms=atoms, tilt=tilt)
    try:
        found = block_recursion.many_blocks(masses, constant, start, plan)
    except claim_files.NotVerified:
        return
    truth = true_sum(masses, -rights, join, 2**doublings, start)
    assert found >= truth + 2**doublings * exact(constant)
    if cut == 100 and atoms == 4000:
        assert found <= (truth + 2**doublings * exact(constant)) * (1 + Fraction(1, 10**20)) + Fraction(1, 10**20)


@pytest.mark.parametrize("atoms", [8, 9, 20])
def test_doublings_on_coarser_lattices_are_above_the_sum(atoms):
    masses = [ONE // 6] * 6
    truth = true_sum(masses, -3, 2, 8, Fraction(-1))
    found = block_recursion.many_blocks(masses, 0, Fraction(-1), fine(doublings=3, right=6, join=2, atoms=atoms))
    assert truth <= found <= 3 * truth


def test_what_a_starting_point_between_places_gains_is_rounded_up():
    start = Fraction(-1, 3)
    assert block_recursion.many_blocks([ONE], 0, start, fine(right=0)) == 0
    found = block_recursion.many_blocks([0, ONE], 0, start, fine(right=0))
    assert 0 <= found - Fraction(2, 3) <= Fraction(1, 2**80)


@pytest.mark.nightly
def test_constants_grow_with_the_total_of_a_law():
    # A total of 1.2: c (1 + 1.2) is added by two blocks, and nothing else, so far to the left.
    masses, constant = [6 * ONE // 5], ONE // 7
    found = block_recursion.many_blocks(masses, constant, Fraction(-(10**6)), fine(doublings=1, right=0))
    assert found >= exact(constant) * (1 + Fraction(6, 5))
    with pytest.raises(claim_files.NotVerified, match="grow"):
        block_recursion.many_blocks([13 * ONE // 10], constant, Fraction(-100), fine(doublings=1, right=0))


@pytest.mark.parametrize("doublings", [1, 2, 3])
@pytest.mark.parametrize("upper", [True, False])
def test_what_is_left_out_still_counts(doublings, upper):
    # All sums end near y = 1/theta, where y_+ = e^(theta y) / (e theta), so that the bound is hardly above the truth.
    copies = 2**doublings
    place, apart = 1000 // copies, 40 // copies
    masses = [0] * (place + apart + 1)
    few = (23 if doublings < 3 else 8) * ONE // 100
    masses[place], masses[place + apart] = (ONE - few, few) if upper else (few, ONE - few)
    plan = fine(doublings=doublings, right=0, cut=2, tilt=Fraction(1001, 1000))
    found = block_recursion.many_blocks(masses, 0, Fraction(0), plan)
    truth = true_sum(masses, 0, 1, copies, Fraction(0))
    assert truth <= found <= truth * Fraction(102, 100)


@pytest.mark.parametrize("start", [0, Fraction(-1, 1000)])
@pytest.mark.parametrize(("tilt", "place", "apart"), [("1.1", 5, 1), ("1.0001", 5000, 3)])
def test_the_bound_of_what_is_left_out_is_sharp_and_safe(start, tilt, place, apart):
    # The sums are so near to 1/theta that any constant of the bound that is too small, by 1/4000 or by a place, shows.
    masses = [0] * (place + apart + 1)
    masses[place], masses[place + apart] = ONE - 22 * ONE // 100, 22 * ONE // 100
    plan = fine(doublings=1, right=0, cut=2, tilt=Fraction(tilt))
    found = block_recursion.many_blocks(masses, 0, Fraction(start), plan)
    assert true_sum(masses, 0, 1, 2, Fraction(start)) <= found


@pytest.mark.nightly
def test_a_law_of_which_too_much_is_left_out_is_refused():
    masses = [ONE // 5] * 5
    plan = fine(doublings=9, right=0, cut=2, tilt=Fraction(3, 2))
    with pytest.raises(claim_files.NotVerified, match="too much"):
        block_recursion.many_blocks(masses, 0, Fraction(-1), plan)


# The first has all digits of g, and the second those of 1 / g, until powers have more of them than a number has.
@pytest.mark.parametrize("tilt", [Fraction(2**34 + 1, 2**34), Fraction(2**34, 2**34 - 1), Fraction(10**9 + 7, 10**9)])
def test_tilts_of_coarser_laws_are_rounded_up(tilt, monkeypatch):
    seen, plain = set(), doubled_laws.tilted
    monkeypatch.setattr(doubled_laws, "tilted", lambda *given: seen.add(given[2:]) or plain(*given))
    block_recursion.many_blocks([ONE // 12] * 12, 0, Fraction(-3), fine(doublings=9, right=6, atoms=8, tilt=tilt))
    assert len(seen) > 5
    for up, down in seen:
        doubled = round((float(exact(up)) - 1) / float(tilt - 1)).bit_length() - 1
        assert 0 <= exact(up) - tilt ** (2**doubled) < 10**4 * exact(1)
        assert 0 <= exact(down) - tilt ** -(2**doubled) < 10**4 * exact(1)


@pytest.mark.nightly
def test_a_tilt_out_of_range_is_refused_before_numbers_grow():
    plan = fine(doublings=1, right=0, tilt=Fraction(2))
    with pytest.raises(claim_files.NotVerified, match="too large"):
        block_recursion.many_blocks([0] * 2000 + [ONE], 0, Fraction(-1), plan)


# --- Whole claims -----------------------------------------------------------------------------------------------------


def file(delta="0.5", epsilon="0.3", eps0="1", steps=3, weight="1", adjacency="replace", **fineness):
    claim = {"mechanism": "hidden-slot", "steps": steps, "weight": weight, "adjacency": adjacency}
    claim |= {"eps0": eps0, "epsilon": epsilon, "delta": delta}
    usual = {"block": steps, "doublings": 0, "grid": "0.01", "left": 600, "right": 600, "join": 1}
    usual |= {"cut": 60, "atoms": 800, "tilt": "1.05"} | fineness
    return {"pldcheck_certificate": "upper_slot", "claim": claim, "fineness": usual}


def truth(facts):
    """The worst delta of a claim about a hidden slot, in a ball, by recursion over all policies.

    The decimals of the claim are texts until they are balls of 160 bits or more.
    """
    claim = facts["claim"]
    point = [claim[name] for name in ("steps", "eps0", "epsilon", "weight")]
    if claim["adjacency"] == "zero-out":
        removed, added = (naive.two_point_delta(*point, law) for law in ("CF", "BE"))
        return removed.max(added)
    return naive.hidden_slot_delta(*point)


def as_text(ball, factor):
    """A decimal text of a ball's middle times a factor."""
    return mpmath.nstr(mpmath.mpf(ball.mid().str(60, radius=False)) * factor, 40, min_fixed=-100, max_fixed=100)


WIDE = {"left": 3000, "right": 3000, "tilt": "1.003", "atoms": 8000}
POINTS = [
    {"steps": 1, "epsilon": "0.2"},
    {"steps": 2, "eps0": "0.3", "epsilon": "0.05", "grid": "0.0005", **WIDE},
    {"steps": 3, "eps0": "2", "weight": "0.4", "epsilon": "0.3", **WIDE},
    {"steps": 4, "epsilon": "0.1", "adjacency": "zero-out"},
    {"steps": 6, "eps0": "0.7", "epsilon": "0", "block": 3, "doublings": 1, **WIDE},
    {"steps": 6, "eps0": "1.5", "epsilon": "0.6", "block": 3, "doublings": 1, **WIDE},
    {"steps": 6, "epsilon": "0.2", "weight": "0.9", "adjacency": "zero-out", "block": 3, "doublings": 1, **WIDE},
    {"steps": 7, "epsilon": "0.2", "block": 2, "doublings": 2, **WIDE},
]


@pytest.mark.parametrize("point", POINTS, ids=range(len(POINTS)))
def test_claims_below_the_truth_are_not_accepted_and_claims_above_it_are(point):
    with mpmath.workdps(60):
        facts = file(**point)
        worst = truth(facts)
        for power in (1, 3, 10, 30):
            false = change(facts, ("claim", "delta"), as_text(worst, 1 - mpmath.mpf(10) ** -power))
            assert upper_slot.verify(false).status == 1
        near = upper_slot.verify(change(facts, ("claim", "delta"), as_text(worst, mpmath.mpf("1.3"))))
        assert near.status == 0, near


def test_all_laws_count():
    # Without BE, without CF or without ACE the worst delta is less by more than 1 %.
    facts = file(steps=6, epsilon="0.1", **WIDE)
    claim = upper_slot.read_claim(facts["claim"])[0]._replace(delta=Fraction(0))
    fineness = upper_slot.read_fineness(facts["fineness"], 6)
    (names,), least = claim.choices, truth(facts)
    for left_out in names:
        fewer = claim._replace(choices=[tuple(name for name in names if name != left_out)])
        assert float(block_recursion.delta_upper(fewer, fineness)) < 0.99 * float(least)
    facts["claim"]["delta"] = as_text(least, mpmath.mpf("0.995"))
    assert upper_slot.verify(facts).status == 1


def test_zero_out_takes_the_worse_direction():
    for epsilon in ("0.05", "0.5"):
        facts = file(steps=4, adjacency="zero-out", epsilon=epsilon, grid="0.002", left=3000, right=3000)
        point = 4, "1", epsilon, "1"
        removed, added = (float(naive.two_point_delta(*point, law)) for law in ("CF", "BE"))
        slot_claim, _, _ = upper_slot.read_claim(facts["claim"])
        found = float(
            block_recursion.delta_upper(
                slot_claim._replace(delta=Fraction(0)), upper_slot.read_fineness(facts["fineness"], 4)
            )
        )
        assert max(removed, added) <= found <= 1.02 * max(removed, added)


@pytest.mark.parametrize("power", [1, 10, 30, 50])
def test_premises_are_rounded_to_the_safe_side(power):
    # At epsilon = eps0 delta is 0, and just below it is not: the largest step alone decides.
    with mpmath.workdps(90):
        text = mpmath.nstr(mpmath.mpf("1.3") * (1 - mpmath.mpf(10) ** -power), 60)
    facts = file("0", text, "1.3", steps=1)
    assert upper_slot.verify(facts).status == 1
    assert upper_slot.verify(change(facts, ("claim", "epsilon"), "1.3000000000000000000000000000000001")).status == 0


def test_rounded_premises_enclose_the_truth():
    facts = file(eps0="1.3", epsilon="0.7")
    used, refutable, _ = upper_slot.read_claim(facts["claim"])
    with mpmath.workdps(90):
        for value, text, sign in (
            (used.x, "1.3", 1),
            (used.kappa, "0.7", -1),
            (refutable.x, "1.3", -1),
            (refutable.kappa, "0.7", 1),
        ):
            away = mpmath.mpf(value.numerator) / value.denominator - mpmath.exp(mpmath.mpf(text))
            assert 0 < sign * away < mpmath.mpf(10) ** -50


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_whatever_the_fineness_no_claim_below_the_truth_is_accepted(data):
    point = data.draw(st.sampled_from(POINTS))
    facts = file(**point)
    numbers = {
        "block": st.integers(-1, 9),
        "doublings": st.integers(-1, 4),
        "left": st.integers(-1, 60),
        "right": st.integers(-1, 60),
        "join": st.integers(0, 4),
        "cut": st.integers(1, 9),
        "atoms": st.integers(7, 20),
        "grid": st.sampled_from(["0", "0.05", "0.3", "1", "2.5", "40", "1e-9"]),
        "tilt": st.sampled_from(["1", "1.0000001", "1.01", "1.2", "1.9", "2"]),
    }
    for name in data.draw(st.sets(st.sampled_from(sorted(numbers)), min_size=1)):
        facts["fineness"][name] = data.draw(numbers[name])
    with mpmath.workdps(60):
        facts["claim"]["delta"] = as_text(truth(facts), 1 - mpmath.mpf(10) ** -data.draw(st.integers(1, 30)))
    verdict = upper_slot.verify(facts)
    assert verdict.status in (1, 2) and "\n" not in verdict.sentence


# --- False or too coarse ----------------------------------------------------------------------------------------------


def test_what_two_laws_attain_is_below_the_truth_and_near_the_larger_one():
    for point in POINTS:
        _, refutable, _ = upper_slot.read_claim(file(**point)["claim"])
        lower, worst = attained_delta.delta_attained(refutable), truth(file(**point))
        assert arb(lower.numerator) / arb(lower.denominator) <= worst
        assert float(lower) >= 0.6 * float(worst)


def test_false_claims_are_told_from_coarse_computations():
    coarse = upper_slot.verify(file("0.2", grid="3", left=10, right=10))
    assert coarse.status == 1 and "too coarse or the claim is false" in coarse.sentence
    false = upper_slot.verify(file("0.02"))
    assert false.status == 1 and "the claim is false" in false.sentence and "coarse" not in false.sentence


# --- Reductions -------------------------------------------------------------------------------------------------------


def test_reductions_ask_for_the_parameters_of_the_registered_ones():
    registered = {one.statement: one for one in check_in_reductions.REDUCTIONS if one.general == "hidden-slot"}
    for mechanism, (names, statement) in upper_slot.REDUCTIONS.items():
        if statement in (None, upper_slot.ONE_FEWER):  # the latter has a cost
            continue
        reduction = registered[statement]
        assert reduction.special == mechanism and reduction.general == "hidden-slot"
        params = {names[0]: 7, "eps0": 0.5, "check_in_prob": 0.25}
        assert reduction.map_parameters(params) == {"steps": 7, "eps0": 0.5, "weight": 0.25 if len(names) > 1 else 1.0}


def test_each_reduction_is_named_and_asks_for_the_same_as_the_hidden_slot():
    plain = file("0.3")
    assert upper_slot.verify(plain).sentence.endswith("-DP; it needs no further statement")
    check_in = {
        "mechanism": "check-in",
        "steps": 3,
        "check_in_prob": "0.5",
        "eps0": "1",
        "epsilon": "0.3",
        "delta": "0.3",
    }
    window = {"mechanism": "sliding-window", "window": 3, "eps0": "1", "epsilon": "0.3", "delta": "0.3"}
    for claim, weight in ((check_in, "0.5"), (window, "1")):
        facts = {**plain, "claim": claim}
        verdict = upper_slot.verify(facts)
        assert verdict.status == 0 and verdict.sentence.endswith(f"this rests on {claim['mechanism']}-slot")
        same = upper_slot.read_claim({**plain["claim"], "weight": weight})[0]
        assert upper_slot.read_claim(claim)[0] == same


def test_check_ins_of_known_clients_ask_for_the_same_slot_and_are_refuted_by_a_smaller_one():
    plain = file("0.3")
    check_in = {"mechanism": "check-in", "steps": 3, "check_in_prob": "0.5", "eps0": "1", "epsilon": "0.3"}
    check_in["delta"] = "0.3"
    same, refutable, statements = upper_slot.read_claim(check_in)
    assert refutable.weight == Fraction(1, 2)
    for clients in (1, 2, 3, 10, 1000, 10**15):
        used, refutable, names = upper_slot.read_claim({**check_in, "clients": clients})
        assert used == same and names == statements == ["check-in-slot"]
        # The mean of 1 / (c + 1), c being binomial of n - 1 trials: (1 - (1 - p)^n) / (n p).
        chance = Fraction(1, 2) / 3
        mean = (1 - (1 - chance) ** min(clients, 1000)) / (min(clients, 1000) * chance)
        assert 0 < refutable.weight <= mean / 2 or clients > 1000
        assert refutable.weight >= Fraction(1, 2 * clients) and (clients > 2 or refutable.weight == mean / 2)
    for clients in (0, -1, 2.0, True, "2", None, 10**15 + 1):
        assert upper_slot.verify({**plain, "claim": {**check_in, "clients": clients}}).status == 2
    # Delta of 1000 clients is far below what the program can verify: it must not call such a claim false.
    claim = {**check_in, "epsilon": "0.1", "delta": "0.01"}
    assert "the claim is false" in upper_slot.verify({**plain, "claim": claim}).sentence
    verdict = upper_slot.verify({**plain, "claim": {**claim, "clients": 1000}})
    assert verdict.status == 1 and "the claim is false, as" not in verdict.sentence


@pytest.mark.nightly
def test_a_window_of_few_clients_asks_for_fewer_slots():
    plain = file("0.3")
    window = {"mechanism": "sliding-window", "window": 5, "clients": 7, "eps0": "1", "epsilon": "0.3", "delta": "0.3"}
    used, refutable, statements = upper_slot.read_claim(window)
    assert statements == [upper_slot.FEW_CLIENTS] and used.steps == refutable.steps == 3
    assert used.weight == refutable.weight == Fraction(3, 5)
    assert upper_slot.verify({**plain, "claim": window}).sentence.endswith(f"this rests on {upper_slot.FEW_CLIENTS}")
    for clients, steps in ((5, 1), (8, 4), (9, 5), (10**15, 5)):
        used, _, _ = upper_slot.read_claim({**window, "clients": clients})
        assert used.steps == steps and used.weight == Fraction(steps, 5)
    for clients in (4, 0, 5.0, "7"):
        assert upper_slot.verify({**plain, "claim": {**window, "clients": clients}}).status == 2
    assert upper_slot.verify({**plain, "claim": {**plain["claim"], "clients": 7}}).status == 2


@pytest.mark.parametrize("eps0", ["0.4", "1", "3"])
def test_approximate_randomizers_cost_what_the_statement_says(eps0):
    claim = {**file("0.01", "0.3", eps0, weight="0.5")["claim"], "delta0": "1e-4"}
    used, refutable, statements = upper_slot.read_claim(claim)
    assert statements == [upper_slot.CLIPPING] and refutable.delta == Fraction("0.01")
    share = max(1.0, 3.0 / (1.0 + exp(float(eps0))))
    assert float(used.x) == pytest.approx(exp(float(eps0)) * (1 + share * 1e-4) / (1 - share * 1e-4), rel=1e-12)
    params = {"steps": 1000, "eps0": float(eps0), "check_in_prob": 0.5, "delta0": 1e-4, "delta": 1e-6}
    epsilon = fixed_window_clipped(**params)
    claim |= {"steps": 1000, "epsilon": repr(epsilon), "delta": repr(fixed_window_clipped_delta(**params))}
    assert float(upper_slot.read_claim(claim)[0].delta) == pytest.approx(1e-6, rel=1e-6)


@pytest.mark.nightly
def test_approximate_randomizers_are_named():
    facts = file("0.31")
    facts["claim"]["delta0"] = "0.001"
    verdict = upper_slot.verify(facts)
    assert verdict.status == 0 and verdict.sentence.endswith(f"this rests on {upper_slot.CLIPPING}")
    check_in = {
        "mechanism": "check-in",
        "steps": 3,
        "check_in_prob": "0.5",
        "eps0": "1",
        "epsilon": "0.3",
        "delta": "0.3",
    }
    verdict = upper_slot.verify({**facts, "claim": {**check_in, "delta0": "0.001"}})
    assert verdict.sentence.endswith(f"this rests on check-in-slot and {upper_slot.CLIPPING}")
    assert upper_slot.verify(change(facts, ("claim", "delta0"), "1")).status == 2
    assert upper_slot.verify(change(facts, ("claim", "delta0"), "0.2")).status == 1
    assert upper_slot.verify(change(facts, ("claim", "adjacency"), "zero-out")).status == 2


def response_value(steps, u, x, kappa):
    """The recursion V over the two references of binary randomized response, by all outcomes, in mpmath."""
    if steps == 0:
        return max(u, mpmath.mpf(0))
    likely, means = x / (1 + x), []
    # The ratios (a, a') of each output, and its probability, where the reference is d, and where it is d'.
    for law in ([(1, 1 / x, likely), (1, x, 1 - likely)], [(x, 1, 1 - likely), (1 / x, 1, likely)]):
        moves = [(a - 1 - kappa * (b - 1), p) for a, b, p in law]
        means.append(sum(p * response_value(steps - 1, u + s, x, kappa) for s, p in moves))
    return max(means)


@pytest.mark.parametrize("steps", [1, 2, 3, 5])
@pytest.mark.parametrize(("eps0", "epsilon", "weight"), [("1", "0.2", "1"), ("2", "0.5", "0.7"), ("0.3", "0", "1")])
def test_binary_response_has_the_laws_of_its_two_inputs(steps, eps0, epsilon, weight):
    grid = "0.001" if float(eps0) < 1 else "0.005"
    facts = file("0", epsilon, eps0, steps=steps, weight=weight, grid=grid, left=8000, right=8000)
    facts["claim"]["randomizer"] = "rr"
    facts["fineness"]["block"] = steps
    slot, _, _ = upper_slot.read_claim(facts["claim"])
    found = block_recursion.delta_upper(slot, upper_slot.read_fineness(facts["fineness"], steps))
    with mpmath.workdps(40):
        x, kappa, share = mpmath.exp(mpmath.mpf(eps0)), mpmath.exp(mpmath.mpf(epsilon)), mpmath.mpf(weight) / steps
        truth = share * response_value(steps, (1 - kappa) / share, x, kappa)
        assert truth <= mpmath.mpf(found.numerator) / found.denominator <= truth * mpmath.mpf("1.01")
    verdict = upper_slot.verify(change(facts, ("claim", "delta"), "1"))
    assert verdict.sentence.startswith("accepted: the randomizer rr in the mechanism hidden-slot")


def response_attained(steps, weight, x, kappa, record):
    """The largest delta over references that depend on earlier outputs, from the laws of all outputs, exactly."""

    def chance(own, output):
        return (x if own == output else 1) / (1 + x)

    def best(later, without, one, other):
        """Without the record the outputs so far have this probability; with it, used so far, they have the others."""
        if later == 0:
            unused = (1 - weight) * without
            return max(unused + one - kappa * (unused + other), Fraction(0))
        totals, here = [], weight / steps * without
        for reference in (0, 1):
            values = [
                best(
                    later - 1,
                    without * chance(reference, output),
                    one * chance(reference, output) + here * chance(record, output),
                    other * chance(reference, output) + here * chance(1 - record, output),
                )
                for output in (0, 1)
            ]
            totals.append(sum(values))
        return max(totals)

    return best(steps, Fraction(1), Fraction(0), Fraction(0))


@pytest.mark.nightly
@pytest.mark.parametrize(("steps", "doublings"), [(1, 0), (2, 0), (3, 1), (4, 2), (5, 0), (6, 1)])
@pytest.mark.parametrize(("eps0", "epsilon", "weight"), [("1", "0.2", "1"), ("1.7", "0.05", "0.6")])
def test_binary_response_is_nowhere_below_what_references_attain(steps, doublings, eps0, epsilon, weight):
    with mpmath.workdps(90):  # the quotient from below, e^epsilon from above
        x = Fraction(int(mpmath.exp(mpmath.mpf(eps0)) * 2**200), 2**200)
        kappa = Fraction(int(mpmath.exp(mpmath.mpf(epsilon)) * 2**200) + 1, 2**200)
    truth = max(response_attained(steps, Fraction(weight), x, kappa, record) for record in (0, 1))
    facts = file("0", epsilon, eps0, steps=steps, weight=weight, grid="0.01", left=2000, right=2000)
    facts["claim"]["randomizer"] = "rr"
    facts["fineness"] |= {"block": -(-steps // 2**doublings), "doublings": doublings}
    slot, _, _ = upper_slot.read_claim(facts["claim"])
    upper = block_recursion.delta_upper(slot, upper_slot.read_fineness(facts["fineness"], steps))
    assert truth <= upper and (doublings > 0 or upper <= truth * Fraction("1.03"))


@pytest.mark.parametrize("key", ["adjacency", "delta0", "randomizer"])
def test_claims_of_binary_response_are_for_a_replaced_record(key):
    facts = file("1", steps=2)
    facts["claim"] |= {"randomizer": "rr"} | {key: {"adjacency": "zero-out", "delta0": "0", "randomizer": "krr"}[key]}
    verdict = upper_slot.verify(facts)
    assert verdict.status == 2 and "randomizer" in verdict.sentence


# --- Files ------------------------------------------------------------------------------------------------------------


REFUSED = {
    "a negative number of steps": (("claim", "steps"), -3),
    "no steps": (("claim", "steps"), 0),
    "too many steps": (("claim", "steps"), 10**15 + 1),
    "a truth value for a count": (("claim", "steps"), True),
    "a float for a count": (("claim", "steps"), 3.0),
    "a number for a decimal text": (("claim", "delta"), 0.3),
    "digits of another script": (("claim", "delta"), "0.\u0663"),
    "full-width digits": (("claim", "epsilon"), "\uff11"),
    "a sign": (("claim", "epsilon"), "+0.3"),
    "a negative epsilon": (("claim", "epsilon"), "-0.3"),
    "a space": (("claim", "epsilon"), " 0.3"),
    "a new line": (("claim", "epsilon"), "0.3\n"),
    "an underscore": (("claim", "epsilon"), "0_3"),
    "a ratio": (("claim", "delta"), "1/3"),
    "a capital exponent": (("claim", "delta"), "1E-3"),
    "an exponent out of reach": (("claim", "delta"), "1e-400"),
    "a number that overflows": (("claim", "delta"), "1e400"),
    "not a number": (("claim", "delta"), "nan"),
    "infinite": (("claim", "epsilon"), "inf"),
    "an epsilon that is too large": (("claim", "epsilon"), "20.1"),
    "a delta above 1": (("claim", "delta"), "1.01"),
    "no weight": (("claim", "weight"), "0"),
    "a weight above 1": (("claim", "weight"), "1.5"),
    "a budget of 0": (("claim", "eps0"), "0.0"),
    "a budget that is too large": (("claim", "eps0"), "21"),
    "another adjacency": (("claim", "adjacency"), "both"),
    "no adjacency": (("claim", "adjacency"), None),
    "a list for an adjacency": (("claim", "adjacency"), []),
    "another mechanism": (("claim", "mechanism"), "shuffle"),
    "a list for a mechanism": (("claim", "mechanism"), ["hidden-slot"]),
    "a key that is not known": (("claim", "epochs"), 2),
    "a claim that is a list": (("claim",), []),
    "a fineness that is a text": (("fineness",), "fine"),
    "fineness with one key more": (("fineness", "law"), []),
    "another program": (("pldcheck_certificate",), "upper_sum"),
    "one key more": (("note",), "text"),
    "fewer steps than claimed": (("fineness", "block"), 2),
    "a block that is huge": (("fineness", "block"), 10**9),
    "a block that is 0": (("fineness", "block"), 0),
    "more nodes than allowed": (("fineness", "left"), 10**7),
    "a negative window": (("fineness", "right"), -1),
    "no join": (("fineness", "join"), 0),
    "a join that does not divide": (("fineness", "join"), 7),
    "negative doublings": (("fineness", "doublings"), -1),
    "doublings without end": (("fineness", "doublings"), 61),
    "a grid of 0": (("fineness", "grid"), "0"),
    "a grid that takes too much work": (("fineness", "grid"), "0.000001"),
    "a tilt of 1": (("fineness", "tilt"), "1.000"),
    "a tilt that is too large": (("fineness", "tilt"), "2.1"),
    "a cut that leaves out everything": (("fineness", "cut"), 1),
    "a cut beyond the digits": (("fineness", "cut"), 193),
    "too few atoms": (("fineness", "atoms"), 7),
    "too many atoms": (("fineness", "atoms"), 8193),
}


@pytest.mark.parametrize(("path", "value"), REFUSED.values(), ids=REFUSED)
def test_spoiled_files_are_refused_in_one_line(path, value, tmp_path):
    facts = change(file("0.3"), path, value)
    verdict = upper_slot.verify(facts)
    assert verdict.status == 2 and verdict.sentence.startswith("refused: ") and "\n" not in verdict.sentence
    (tmp_path / "file.json").write_text(json.dumps(facts))
    stored = claim_files.examine(tmp_path / "file.json", upper_slot.verify)
    assert stored.status == 2 and stored.sentence.startswith(verdict.sentence)


@pytest.mark.parametrize("name", ["MOST_PRODUCTS", "MOST_NODES"])
def test_work_is_refused_before_it_is_done(name, monkeypatch):
    # Three steps with 1201 nodes and those that a step reaches, and 14 places where a step may end.
    assert upper_slot.verify(file("0.3")).status == 0
    monkeypatch.setattr(block_recursion, name, 1201)
    monkeypatch.setattr(block_recursion, "block_values", None)
    verdict = upper_slot.verify(file("0.3"))
    assert verdict.status == 2 and "work" in verdict.sentence


def test_every_key_is_required():
    facts = file("0.3")
    for path in (
        ("claim",),
        ("fineness",),
        *(("claim", name) for name in facts["claim"]),
        *(("fineness", name) for name in facts["fineness"]),
    ):
        fewer = json.loads(json.dumps(facts))
        place = fewer
        for step in path[:-1]:
            place = place[step]
        del place[path[-1]]
        assert upper_slot.verify(fewer).status == 2, path


TEXT = json.dumps(file("0.3"))


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "3",
        "null",
        "NaN",
        '"text"',
        "{}",
        "[" * 19_000,
        "\x00",
        TEXT + " 1",
        TEXT + "}",
        TEXT.replace('"0.3"', "NaN", 1),
        TEXT.replace('"0.3"', "1e400", 1),
        TEXT.replace('"0.3"', "Infinity", 1),
        TEXT.replace('"steps": 3', '"steps": ' + "9" * 5000),
        TEXT.replace('"steps": 3', '"steps": 30, "steps": 3'),
        TEXT.replace('"fineness"', '"claim": {}, "fineness"'),
        TEXT.replace('"0.3"', '"0.3\u0661"', 1),
        TEXT + " " * 20_001,
    ],
    ids=range(20),
)
def test_malformed_files_are_refused_in_one_line(content, tmp_path):
    (tmp_path / "file.json").write_text(content, encoding="utf-8")
    verdict = claim_files.examine(tmp_path / "file.json", upper_slot.verify)
    assert verdict.status == 2 and "\n" not in verdict.sentence
    assert not any(ord(letter) > 126 for letter in verdict.sentence)


def test_the_text_of_the_tests_is_accepted(tmp_path):
    (tmp_path / "file.json").write_text(TEXT)
    assert claim_files.examine(tmp_path / "file.json", upper_slot.verify).status == 0


def test_what_follows_from_one_run_is_accepted_at_once():
    fineness = {"block": 1000, "doublings": 0, "grid": "1", "left": 1, "right": 1, "join": 1, "cut": 60, "atoms": 64}
    slot = {"mechanism": "hidden-slot", "steps": 1000, "weight": "1", "adjacency": "replace"}

    def status(**numbers):
        facts = {"pldcheck_certificate": "upper_slot", "claim": slot | numbers, "fineness": fineness | {"tilt": "1.5"}}
        return upper_slot.verify(facts)

    verdict = status(eps0="20", epsilon="20", delta="0")
    assert verdict.status == 0 and verdict.sentence.endswith(" rests on curves")
    assert status(eps0="20", epsilon="19.999999999999999999999", delta="0").status
    near_one = {"eps0": "1", "epsilon": "1", "delta0": "0.999", "weight": "0.5"}
    assert status(**near_one, delta="0.4995").sentence.endswith(" rests on curves")
    assert status(**near_one, delta="0.4994999").status
    # Shuffling is verified by its own theorem.
    assert not upper_slot.follows_from_one_run({"mechanism": "shuffle", "eps0": "1", "epsilon": "1", "delta": "1"}, 1)


def test_one_run_of_one_slot_attains_delta0():
    fineness = {"block": 1, "doublings": 0, "grid": "0.001", "left": 9000, "right": 9000, "join": 1, "cut": 60}
    claim = {"mechanism": "hidden-slot", "steps": 1, "weight": "1", "adjacency": "replace", "eps0": "1", "epsilon": "1"}
    facts = {"pldcheck_certificate": "upper_slot", "fineness": fineness | {"atoms": 64, "tilt": "1.01"}}
    assert upper_slot.verify(facts | {"claim": claim | {"delta0": "0.01", "delta": "0.01"}}).status == 0
    # The truth is 0.01.
    assert upper_slot.verify(facts | {"claim": claim | {"delta0": "0.01", "delta": "0.00999"}}).status == 1

"""Blocks of steps with a choice each: against all choices that depend on earlier outputs, in fractions."""

from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import permutations

import mpmath
import pytest
from known_slot_twins import above, attained, below, response_table
from mpmath import mpf
from rough_decimals import draws
from test_upper_sum import DISCRETE, KRR, LAPLACE, TABLE, certificate, delta_upper, fine, gain, some_law

from pldcheck import HiddenSlot
from pldcheck.checkers import chosen_steps, noise_steps, step_curves, step_lattice, upper_sum
from pldcheck.witness import upper_certificates

CASES = {
    "table, replaced": (TABLE, 3, "replace", "0.1", "1"),
    "table, zero-out": (TABLE, 3, "zero-out", "0.1", "0.9"),
    "binary response": (KRR | {"outputs": "2"}, 5, "replace", "0.3", "1"),
    "ternary response": (KRR | {"outputs": "3"}, 3, "replace", "0.3", "0.9"),
}


def with_block(block, *case):
    randomizer, steps, adjacency, epsilon, weight = case
    facts = certificate(randomizer, steps, adjacency, epsilon, "0", weight, growth=24)
    return facts if block == 1 else facts | {"fineness": facts["fineness"] | {"block": block}}


@cache
def truth(name):
    """The largest delta over all references that depend on earlier outputs, from below and from above."""
    randomizer, steps, adjacency, epsilon, weight = CASES[name]
    ends = []
    for kappa, budget in ((above(epsilon), below("1")), (below(epsilon), above("1"))):
        if randomizer["kind"] == "table":
            rows = [[Fraction(mass) for mass in row] for row in randomizer["rows"]]
        else:
            rows = response_table(int(randomizer["outputs"]), budget)
        if adjacency == "replace":
            pairs = [(rows, i, j) for i, j in permutations(rows, 2)]
            deltas = [attained(own, i, j, steps, Fraction(weight), kappa) for own, i, j in pairs]
        else:
            deltas = [zeroed_out(rows, record, steps, Fraction(weight), kappa) for record in rows]
        ends.append(max(deltas))
    return ends


def zeroed_out(rows, record, steps, weight, kappa):
    """The largest delta for a record that is removed or added, over all choices of references.

    With S = w/m sum (a - 1) it is E (1 - kappa + S)_+ or E (1 - kappa (1 + S))_+.
    """

    def best(later, total, chance, way):
        if later == 0:
            inside = 1 - kappa + total if way == "removed" else 1 - kappa - kappa * total
            return chance * max(inside, Fraction(0))
        values = []
        for own in rows:
            outputs = [(a / o - 1, o) for a, o in zip(record, own, strict=True) if o]
            values.append(sum(best(later - 1, total + weight / steps * x, chance * o, way) for x, o in outputs))
        return max(values)

    return max(best(steps, Fraction(0), Fraction(1), way) for way in ("removed", "added"))


@pytest.mark.parametrize("name", CASES)
def test_a_block_of_all_steps_has_the_best_of_all_choices(name):
    with mpmath.workdps(60):
        steps = CASES[name][1]
        least, most = (mpf(end.numerator) / end.denominator for end in truth(name))
        assert least <= delta_upper(with_block(steps, *CASES[name])) <= most * mpf("1.0005")
        # Longer blocks than there are steps are blocks of all steps.
        assert upper_sum.upper_delta(with_block(4096, *CASES[name])) == upper_sum.upper_delta(
            with_block(steps, *CASES[name])
        )


@pytest.mark.nightly
def test_one_law_for_every_step_is_worse_than_blocks():
    with mpmath.workdps(60):
        case = CASES["binary response"]
        joined, two, three, four, five = (delta_upper(with_block(block, *case)) for block in range(1, 6))
        # The steps that are left over are a block too: 2 + 2 + 1, 3 + 2 and 4 + 1.
        least = mpf(truth("binary response")[0].numerator) / truth("binary response")[0].denominator
        assert least <= five < four < two < joined and five < three < two and joined > least * mpf("1.03")


@pytest.mark.nightly
def test_a_block_of_discrete_noise_is_above_all_choices_and_near_them():
    """Two slots of 0 or 1 with noise, by all outputs that are not far: without the others, delta is lower."""
    facts = with_block(2, DISCRETE, 2, "replace", "0.2", "1")
    with mpmath.workdps(40):
        sigma, kappa = mpf("1.5"), mpmath.exp(mpf("0.2"))
        places = range(-30, 32)
        weights = {j: mpmath.exp(-(mpf(j) ** 2) / (2 * sigma**2)) for j in range(-40, 41)}
        total = mpmath.fsum(mpmath.exp(-(mpf(j) ** 2) / (2 * sigma**2)) for j in range(-60, 61))
        zero, one = ([weights[j - at] / total for j in places] for at in (0, 1))
        choices = []
        for own in (zero, one):  # the record is at 1, its replacement at 0
            choices.append([((a - kappa * b) / o - 1 + kappa, o) for a, b, o in zip(one, zero, own, strict=True)])
        start = -2 * (kappa - 1)

        def last(u):
            return max(mpmath.fsum(o * (u + x) for x, o in law if u + x > 0) for law in choices)

        exact = max(mpmath.fsum(o * last(start + x) for x, o in law) for law in choices) / 2
        assert exact <= delta_upper(facts) <= exact * mpf("1.002")
        assert delta_upper(with_block(1, DISCRETE, 2, "replace", "0.2", "1")) > exact * mpf("1.02")


def test_the_largest_law_has_the_largest_transform_at_every_place():
    at = fine(one=1000)
    for draw in draws(60):
        laws = [some_law(draw, draw.randrange(1, 7), draw.choice([2, 1000])) for _ in range(draw.randrange(1, 4))]
        joined = chosen_steps.largest_law(laws)
        assert min(joined.masses) >= 0 and sum(joined.masses) == max(sum(law.masses) for law in laws)
        assert joined.excess == max(law.excess for law in laws)
        bare = [law._replace(excess=0) for law in (joined, *laws)]
        for n in range(-60, 40):
            own, *others = (gain(law, at, Fraction(n, 8)) for law in bare)
            assert own >= max(others)
            if n % 2 == 0 and n / 2 >= -joined.first - len(joined.masses) + 1 and n / 2 <= -joined.first:
                assert own == max(others)  # at places, from the last to the first


@pytest.mark.parametrize("block", [2, 3, 4, 5, 6, 9])
def test_blocks_of_one_law_are_its_powers(block):
    at = fine(one=10**30, cells=10**6)
    thirds = [Fraction(1, 3), Fraction(2, 3)], [Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 2)] * 2
    (law,) = step_curves.outputs([thirds], Decimal("1.25"), "replaced").choices
    power = step_lattice.power_law(step_lattice.lattice_law(law, Fraction(1, 4), at), 7, at)
    blocks = chosen_steps.sum_of_steps(noise_steps.worst_of([law, law]), Fraction(1, 4), 7, block, at)
    assert power.level == blocks.level == 0
    one, other = (dict(enumerate(law.masses, law.first)) for law in (power, blocks))
    assert all(abs(one.get(k, 0) - other.get(k, 0)) <= 1000 for k in one | other)


@pytest.mark.nightly
def test_other_lengths_of_blocks_are_refused():
    facts = with_block(2, KRR, 5, "replace", "0.1", "1")
    for block in (0, 1, 4097, -3, True, 2.0, "2", None):
        facts["fineness"]["block"] = block
        assert upper_sum.verify(facts) == (2, "refused: block must be an integer from 2 to 4096")


@pytest.mark.nightly
def test_more_products_than_the_limit_are_refused():
    facts = with_block(4096, KRR, 10**6, "replace", "0.1", "1")
    verdict = upper_sum.verify(facts)
    assert verdict.status == 2 and verdict.sentence.startswith("refused: 12328 products of 1800000 digits;")


@pytest.mark.nightly
def test_steps_whose_choices_are_not_known_or_one_have_no_blocks():
    for case in ((LAPLACE, 20, "replace"), (DISCRETE, 20, "zero-out"), (KRR, 20, "remove")):
        assert upper_sum.verify(with_block(1, *case, "0.2", "1")).status == 1
        verdict = upper_sum.verify(with_block(8, *case, "0.2", "1"))
        assert verdict == (2, "refused: a block is for steps with several references")


@pytest.mark.nightly
@pytest.mark.parametrize("case", [("0.5", 30, 1e-6), ("2", 1000, 1e-6), ("8", 10, 1e-3), ("30", 3000, 1e-12)])
def test_discrete_noise_with_a_record_replaced_is_verified_half_a_percent_above_the_upper_end(case):
    sigma, steps, delta = case
    protocol = HiddenSlot(steps, adjacency="replace", randomizer=f"discrete-gaussian:{sigma}")
    record = upper_certificates.certificate(protocol, delta=delta)
    assert record.reached == 1.005 and record.facts["fineness"].get("block", 1) > 1
    below_lower = {"epsilon": f"{protocol.epsilon(delta).lower * 0.999:.12f}"}
    assert upper_sum.verify({**record.facts, "claim": record.facts["claim"] | below_lower}).status == 1

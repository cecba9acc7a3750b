"""Claims of ``upper_slot`` about known randomizers, hidden in slots and shuffled, against all outcomes in fractions."""

import random
from collections import Counter
from fractions import Fraction
from itertools import permutations
from math import comb

import pytest
from adversarial_certificates import KNOWN_SLOT, certificates_examined
from known_slot_twins import above, attained, below, response_table, worst_shuffle

from pldcheck import HiddenSlot, Shuffle
from pldcheck.checkers import block_recursion, claim_files, client_cost, fixed_point, slot_laws, upper_slot, upper_sum
from pldcheck.witness.upper_certificates import certificate


def tables(draw):
    """Yield random tables and corners, as rows of fractions."""
    for inputs, outputs in ((2, 2), (2, 3), (3, 2)):
        rows = [[Fraction(draw.randrange(1, 30)) for _ in range(outputs)] for _ in range(inputs)]
        yield [[value / sum(row) for value in row] for row in rows]
    yield [[Fraction(1, 2), Fraction(1, 2)], [Fraction(501, 1000), Fraction(499, 1000)]]
    yield [[Fraction(1, 100), Fraction(99, 100)], [Fraction(1, 10), Fraction(9, 10)]]
    row = [Fraction(1, 5), Fraction(4, 5), Fraction(0)]
    yield [row, [Fraction(2, 5), Fraction(3, 5), Fraction(0)], row]


def written(rows):
    return [[str(value) for value in row] for row in rows]


def file(more, epsilon, delta="0", theorem=None, **fineness):
    """Return a file about a claim with a fine grid."""
    fine = {"block": 1, "doublings": 0, "grid": "0.02", "left": 2000, "right": 2000, "join": 1, "cut": 60}
    claim = {"epsilon": epsilon, "delta": delta, **more}
    facts = {"pldcheck_certificate": "upper_slot", "claim": claim}
    return (
        facts
        | ({"theorem": theorem} if theorem else {})
        | {"fineness": fine | {"atoms": 800, "tilt": "1.05"} | fineness}
    )


def slot_claim(randomizer, steps, weight="1"):
    """Return a claim about a hidden slot but for its ends; ``randomizer`` is a text with its eps0, or rows."""
    claim = {"mechanism": "hidden-slot", "steps": steps, "weight": weight, "adjacency": "replace"}
    if isinstance(randomizer, list):
        return claim | {"randomizer": written(randomizer)}
    text, eps0 = randomizer
    return claim | {"eps0": eps0, "randomizer": text}


def upper_of(facts):
    slot, _, _ = upper_slot.read_claim(facts["claim"])
    return block_recursion.delta_upper(slot, upper_slot.read_fineness(facts["fineness"], slot.steps))


# --- Hidden slots -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("steps", "doublings"), [(1, 0), (2, 0), (3, 0), (3, 1)])
def test_tables_are_nowhere_below_the_best_choice_of_records(seed, steps, doublings):
    draw = random.Random(seed)
    for rows in tables(draw):
        weight, epsilon = draw.choice(["1", "0.3"]), draw.choice(["0", "0.05", "0.4"])
        kappa = above(epsilon)
        truth = max(attained(rows, *pair, steps, Fraction(weight), kappa) for pair in permutations(rows, 2))
        facts = file(slot_claim(rows, steps, weight), epsilon)
        facts["fineness"] |= {"block": -(-steps // 2**doublings), "doublings": doublings}
        upper = upper_of(facts)
        assert truth <= upper
        if not doublings:
            assert upper <= truth * Fraction(21, 20) + Fraction(1, 500)


@pytest.mark.parametrize("values", [2, 3, 4, 7])
@pytest.mark.parametrize("steps", [1, 2])
@pytest.mark.parametrize(
    ("eps0", "epsilon", "weight"),
    [("1", "0.2", "1"), ("0.4", "0", "0.5"), ("2", "0.5", "1"), ("1", "0.8", "1")],
)
def test_responses_are_nowhere_below_the_best_choice_of_records(values, steps, eps0, epsilon, weight):
    rows, kappa = response_table(values, below(eps0)), above(epsilon)
    truth = attained(rows, rows[0], rows[1], steps, Fraction(weight), kappa)
    upper = upper_of(file(slot_claim((f"krr:{values}", eps0), steps, weight), epsilon, block=steps, grid="0.005"))
    # In each step a convex function with slopes from 0 to 1 is replaced by chords over cells of the grid, which are at
    # most a quarter of a cell above it; delta is weight / steps times that.
    assert truth <= upper <= truth + Fraction(weight) * Fraction(5, 1000) / 4


@pytest.mark.parametrize("values", [2, 3, 4, 7])
def test_the_laws_of_responses_are_those_of_their_tables(values):
    def outputs_together(law):
        """Return the chances of all pairs of ratios, those of equal pairs added."""
        chances = Counter()
        for one, two, chance in law:
            chances[one, two] += chance
        return frozenset(chances.items())

    x = Fraction(5, 2)
    first, *_ = slot_laws.table_choices(written(response_table(values, x)))
    (laws,) = slot_laws.response_choices(values)
    expected = {outputs_together(law) for law in first}
    assert {outputs_together(slot_laws.outputs_of(law, x)) for law in laws} == expected
    assert len(expected) == min(values, 3)


def test_other_slots_may_hold_a_third_value():
    """Without the law of a third value the claim would be one about binary response at every K."""
    rows, kappa = response_table(3, below("1")), above("0.4")
    two = attained(rows[:2], rows[0], rows[1], 2, Fraction(1), kappa)
    assert attained(rows, rows[0], rows[1], 2, Fraction(1), kappa) > two * Fraction(105, 100)


# --- Shuffling --------------------------------------------------------------------------------------------------------


def shuffled_claim(randomizer, clients):
    claim = {"mechanism": "shuffle", "clients": clients}
    if isinstance(randomizer, list):
        return claim | {"randomizer": written(randomizer)}
    text, eps0 = randomizer
    return claim | {"eps0": eps0, "randomizer": text}


def least_accepted(facts):
    """Return the upper bound that the program computes of delta of a claim about shuffling."""
    slot, _, _ = upper_slot.read_claim(facts["claim"])
    fine = upper_slot.read_fineness(facts["fineness"], slot.steps - 1, True)
    reduced = client_cost.one_client_fewer(slot, fine)
    return block_recursion.delta_upper(reduced._replace(delta=Fraction(0)), fine) + slot.delta - reduced.delta


def shuffled_file(randomizer, clients, epsilon, zeta, **more):
    fineness = {
        "block": clients - 1,
        "others": clients - 3,
        "cells": 20,
        "outside": 150,
        "zeta": zeta,
        "nu": "0",
    } | more
    return file(shuffled_claim(randomizer, clients), epsilon, "0.99", "known-client-fewer", **fineness)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("clients", [3, 4, 5])
def test_shuffled_tables_are_nowhere_below_the_worst_data(seed, clients):
    draw = random.Random(100 * clients + seed)
    for rows in tables(draw):
        epsilon, zeta = draw.choice(["0.05", "0.2"]), draw.choice(["0", "0.01", "0.04"])
        facts = shuffled_file(rows, clients, epsilon, zeta, nu=draw.choice(["0", "0.01", "0.03"]))
        try:
            upper = least_accepted(facts)
        except claim_files.NotVerified:  # tau alone is more than 0.99
            continue
        assert worst_shuffle(rows, clients, above(epsilon)) <= upper


@pytest.mark.parametrize("values", [2, 3])
@pytest.mark.parametrize("clients", [3, 4, 6])
def test_shuffled_responses_are_nowhere_below_the_worst_data(values, clients):
    rows = response_table(values, below("0.7"))
    for epsilon, zeta in (("0.1", "0"), ("0.3", "0.1")):
        truth = worst_shuffle(rows, clients, above(epsilon))
        upper = least_accepted(shuffled_file((f"krr:{values}", "0.7"), clients, epsilon, zeta))
        assert truth <= upper <= 3 * truth + Fraction(1, 20)


def tau(clients, x, kappa, zeta, nu, part, factor):
    """Return tau by its double sums, in fractions."""

    def halves(c, k):
        return Fraction(comb(c, k), 2**c) if 0 <= k <= c else Fraction(0)

    total = Fraction(0)
    for c1 in range(clients - 2):
        for c2 in range(clients - 2 - c1):
            rest = clients - 3 - c1 - c2
            ways = comb(clients - 3, c1) * comb(clients - 3 - c1, c2)
            first, second = Fraction(2, 5) * max(part, 2 / (x + 1)), Fraction(3, 5) * part
            chance = ways * first**c1 * second**c2 * (1 - first - second) ** rest
            inner = Fraction(0)
            for k in range(c1 + 2):
                p, q = halves(c1, k - 1), halves(c1, k)
                x_1, q_1 = ((x - kappa) * p + (1 - x * kappa) * q) / (x + 1), (p + x * q) / (x + 1)
                for j in range(c2 + 3):
                    one, two = halves(c2, j - 1), (halves(c2, j - 2) + halves(c2, j)) / 2
                    x_2 = factor * ((x - 1) / (x + 1)) ** 2 * (one - two)
                    q_2 = ((x * x + 1) * one + 2 * x * two) / (x + 1) ** 2
                    inner += max(x_1 * ((1 - nu) * x_2 + nu * q_2) - zeta * q_1 * q_2, 0)
            total += chance * inner
    return total


@pytest.mark.parametrize("clients", [3, 5, 8])
@pytest.mark.parametrize(("part", "factor"), [("1/3", "1"), ("2/3", "1/2"), ("1", "2/3"), ("4/5", "0")])
@pytest.mark.parametrize("nu", ["0", "3/16"])
def test_the_cost_has_the_part_and_the_factor_of_the_randomizer(clients, part, factor, nu):
    x, kappa, zeta = Fraction(3), Fraction(5, 4), Fraction(1, 50)
    fine = {"others": clients - 3, "cells": 50, "outside": 150, "zeta": zeta, "nu": Fraction(nu)}
    numbers = int(x * 2**fixed_point.PLACES), int(kappa * 2**fixed_point.PLACES)
    upper = client_cost.tau_upper(*numbers, fine, Fraction(part), Fraction(factor))
    truth = tau(clients, x, kappa, zeta, Fraction(nu), Fraction(part), Fraction(factor))
    assert truth <= upper <= truth * Fraction(1001, 1000) + Fraction(1, 10**12)


def test_the_part_of_a_table_is_that_of_its_worst_output():
    rows = [[Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 8), Fraction(7, 8)], [Fraction(1, 2), Fraction(1, 2)]]
    assert slot_laws.part_of_table(written(rows)) == (Fraction(2 * 1, 8) / (Fraction(1, 2) + Fraction(1, 8)), 2)
    assert slot_laws.part_of_table(written(rows[:1] * 2)) == (1, 1)


ENDS = {"epsilon": "0.1", "delta": "0.1"}


def test_the_cost_of_a_claim_has_its_part_and_factor():
    for values, factor in ((2, Fraction(1, 2)), (10, Fraction(9, 10))):
        slot, _, _ = upper_slot.read_claim(shuffled_claim((f"krr:{values}", "1"), 9) | ENDS)
        exact = 2 / (above("1") + 1)
        assert exact * (1 - Fraction(1, 10**50)) < slot.part <= exact * (1 + Fraction(1, 10**50))
        assert slot.factor == factor
    rows = [[Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 4), Fraction(3, 4)], [Fraction(1, 2), Fraction(1, 2)]]
    slot, _, _ = upper_slot.read_claim(shuffled_claim(rows, 9) | ENDS)
    assert (slot.x, slot.part, slot.factor) == (2, Fraction(2, 3), Fraction(1, 2))


# --- Files ------------------------------------------------------------------------------------------------------------

TABLE = [["1/2", "1/2"], ["0.25", "0.75"]]


@pytest.mark.parametrize(
    ("randomizer", "words"),
    [
        ([["1/2", "1/2"]], "from 2 to"),
        ([["1/2", "1/2"]] * 9, "from 2 to"),
        ([["1/2", "1/2"], ["1"]], "one length"),
        ([["1/2", "1/3"], ["1/2", "1/2"]], "sum 1"),
        ([["1.5", "-0.5"], ["0.5", "0.5"]], "text of a number"),
        ([[0.5, 0.5], ["0.5", "0.5"]], "text of a number"),
        ([["0", "1"], ["0.5", "0.5"]], "possible on all inputs"),
        ([["1/0", "1"], ["0.5", "0.5"]], "text of a number"),
        (["01", "10"], "entries"),
        ([["0"] * 64 + ["1"]] * 2, "at most 64 entries"),
        ([], "from 2 to"),
        ({"rows": TABLE}, "rr, krr:K or a table"),
        ("krr:1", "rr, krr:K or a table"),
        ("krr:0", "rr, krr:K or a table"),
        ("krr:\u0663", "rr, krr:K or a table"),
        ("krr:10\n", "rr, krr:K or a table"),
        ("laplace", "rr, krr:K or a table"),
    ],
)
def test_a_randomizer_that_is_none_is_refused(randomizer, words):
    claim = slot_claim(("krr:3", "1"), 2) | {"randomizer": randomizer}
    if isinstance(randomizer, list):
        del claim["eps0"]
    verdict = upper_slot.verify(file(claim, "0.1"))
    assert verdict.status == 2 and words in verdict.sentence and "\n" not in verdict.sentence


def test_a_table_has_no_budget_and_a_response_has_one():
    claim = slot_claim(("krr:3", "1"), 2)
    assert upper_slot.verify(file({key: claim[key] for key in claim if key != "eps0"}, "0.1")).status == 2
    assert upper_slot.verify(file(claim | {"randomizer": TABLE}, "0.1")).status == 2
    del claim["eps0"]
    assert upper_slot.verify(file(claim | {"randomizer": TABLE}, "0.1", "1", block=2)).status == 0


def test_shuffling_of_known_and_of_any_randomizers_has_its_own_statement():
    known = shuffled_file(("rr", "1"), 4, "0.3", "0")
    assert upper_slot.verify(known).status == 0
    for changes in (
        {"theorem": "one-client-fewer"},
        {"claim": {**known["claim"], "mechanism": "averaged", "steps": 3}},
    ):
        assert upper_slot.verify(known | changes).status == 2
    anyone = {key: value for key, value in known["claim"].items() if key != "randomizer"}
    assert upper_slot.verify(known | {"claim": anyone}).status == 2
    assert upper_slot.verify(known | {"claim": anyone, "theorem": "one-client-fewer"}).status == 0


def test_large_tables_are_refused_before_they_take_long():
    rows = [[Fraction(1 + (i == j), 65) for j in range(64)] for i in range(8)]
    facts = file(slot_claim(rows, 2), "0.001", left=9000, right=9000, block=300)
    verdict = upper_slot.verify(facts)
    assert (verdict.status, "largest amount of work" in verdict.sentence) == (2, True)


def test_doublings_of_the_laws_of_many_pairs_are_refused_before_they_take_long(monkeypatch):
    """A file of 600 bytes, with 56 pairs of inputs, took ten minutes."""
    rows = [[Fraction(50 + 5 * i, 200), Fraction(150 - 5 * i, 200)] for i in range(8)]
    fineness = {"block": 1, "doublings": 60, "grid": "0.001", "left": 4096, "right": 4096, "atoms": 8192}
    monkeypatch.setattr(block_recursion, "many_blocks", None)
    verdict = upper_slot.verify(file(slot_claim(rows, 1), "1e-7", "1e-12", **fineness))
    assert (verdict.status, "largest amount of work" in verdict.sentence) == (2, True)


def test_few_messages_of_the_second_kind_are_held(monkeypatch):
    facts = shuffled_file(("krr:3", "1"), 40, "0.3", "0")
    all_held = upper_slot.verify(facts)
    kinds = client_cost.second_kinds.cache_info
    before = kinds().hits
    assert upper_slot.verify(facts) == all_held and kinds().hits == before + 1
    client_cost.second_kinds.cache_clear()
    monkeypatch.setattr(client_cost, "MOST_KEPT", 100)
    most = 0

    class Watched(client_cost.SecondKinds):
        def law(self, c):
            nonlocal most
            law = super().law(c)
            assert self.places == sum(len(side) for one in self.laws.values() for side in one[:2])
            most = max(most, self.places)
            return law

    monkeypatch.setattr(client_cost, "SecondKinds", Watched)
    assert upper_slot.verify(facts) == all_held
    assert 0 < most <= 100
    client_cost.second_kinds.cache_clear()


def test_an_acceptance_names_the_randomizer():
    accepted = upper_slot.verify(file(slot_claim(("krr:10", "1"), 2), "0.1", "0.9", block=2))
    assert accepted.sentence.startswith("accepted: the randomizer krr:10 in the mechanism hidden-slot with steps 2, ")
    claim = slot_claim([[Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 4), Fraction(3, 4)]], 2)
    accepted = upper_slot.verify(file(claim, "0.1", "0.9", block=2))
    assert "the randomizer of the table 1/2 1/2; 1/4 3/4 in the mechanism" in accepted.sentence


def two_inputs(folder):
    path = folder / "rows.csv"
    path.write_text("0.75,0.25\n0.5,0.5\n")
    return f"table:{path}"


def test_certificates_use_the_best_choice_of_records_where_one_law_for_all_is_too_much(tmp_path):
    for protocol in (HiddenSlot(10, 1.0, randomizer="krr:10"), HiddenSlot(30, randomizer=two_inputs(tmp_path))):
        record = certificate(protocol, delta=1e-6)
        assert record.reached == 1.005 and upper_slot.verify(record.facts).status == 0


def test_certificates_use_one_law_for_all_records_where_that_is_enough():
    record = certificate(HiddenSlot(1000, 1.0, randomizer="krr:10"), delta=1e-6)
    assert record.reached == 1.005 and upper_sum.verify(record.facts).status == 0


@pytest.mark.nightly
@pytest.mark.parametrize("randomizer", ["rr", "krr:5", "table"])
def test_shuffles_of_known_randomizers_have_certificates(tmp_path, randomizer):
    text = two_inputs(tmp_path) if randomizer == "table" else randomizer
    record = certificate(Shuffle(2000, 1.0, text), delta=1e-3, margin=1.05)
    assert record.reached == 1.05 and "rests on known-client-fewer" in record.sentence
    assert upper_slot.verify(record.facts).status == 0


@pytest.mark.nightly
@pytest.mark.parametrize("count", [60, pytest.param(2000, marks=pytest.mark.long)])
def test_no_spoiled_file_is_accepted_falsely(count):
    """The program is exact for so few outputs: it accepts claims that are hardly above the truth."""
    tried, accepted, wrong = certificates_examined(KNOWN_SLOT, seed=1, count=count)
    assert (tried, wrong) == (count, []) and accepted >= count // 10

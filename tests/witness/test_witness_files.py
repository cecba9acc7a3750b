"""Witness files of rows and questions: accepted by the lower_single, and as large as the engine's own answers."""

import json
import re
from dataclasses import replace
from fractions import Fraction

import pytest
from places import SUITES
from program_files import run_alone

from pldcheck.core.errors import PldcheckError, UnknownNameError
from pldcheck.protocols import (
    Averaged,
    CheckIn,
    Composition,
    DecayingBudgets,
    Gaussian,
    HiddenSlot,
    MixedPair,
    RandomAllocation,
    RandomizedResponse,
    Shuffle,
    SlidingWindow,
    SubsampledRandomizedResponse,
    Swap,
)
from pldcheck.theorems import REGISTRY
from pldcheck.verification import Row, Verdict, judge, problem_of_bound
from pldcheck.verification.runs import run_store
from pldcheck.witness import check, dumps, examine, of_question, of_row

POINT = {"steps": 1000, "eps0": 1.0, "check_in_prob": 1.0, "delta": 1e-6}
CHEAP = 1 << 13  # bytes of a file with three outputs are far fewer


def judge_row(theorem, params, width=0.005):
    """Return the row of a theorem that need not be in the registry."""
    bound = theorem(**params)
    truth = problem_of_bound(theorem, bound).answer(width)
    verdict = judge(bound.value, truth, theorem.relation)
    return Row(theorem.id, params, verdict, bound.value, truth.lower, truth.upper, witness=truth.witness)


def divide_formula(theorem, factor):
    """Return the theorem with its epsilon divided."""
    return replace(theorem, id=f"{theorem.id}-false", formula=lambda **arguments: theorem.formula(**arguments) / factor)


@pytest.fixture(scope="module")
def refutation_rows():
    return run_store.read(SUITES / "refuted.jsonl").rows


def test_every_published_bound_that_is_refuted_has_a_file(refutation_rows, tmp_path):
    violations = [row for row in refutation_rows if row.verdict is Verdict.VIOLATED]
    assert len(violations) == len(refutation_rows) == 24
    paths = []
    for number, row in enumerate(violations):
        facts = of_row(row)
        divergence_reached = float(facts["delta_attained_at_least"])
        if row.quantity == "epsilon":
            assert divergence_reached > float(facts["claim"]["delta"])
        else:
            # Mixing the rows, 2^-50, and rounding of what is stated to nine digits.
            assert row.lower * (1 - 2e-8) <= divergence_reached <= row.upper
        paths.append(tmp_path / f"{number}.json")
        paths[-1].write_bytes(dumps(facts))
        assert paths[-1].stat().st_size < CHEAP
    status, out, err = run_alone(tmp_path, *map(str, paths))
    assert (status, err, out.count(": accepted: ")) == (0, "", 24)
    for row, path in zip(violations, paths, strict=True):
        claim, given = json.loads(path.read_text())["claim"], "epsilon" if row.quantity == "delta" else "delta"
        assert Fraction(claim[row.quantity]) > row.analytic
        assert given == "delta" or Fraction(claim[given]) == Fraction(row.params[given])


@pytest.mark.nightly
def test_theorem_3_2_divided_by_eight_is_refuted(tmp_path):
    false = divide_formula(REGISTRY["thm-3.2"], 8.0)
    row = judge_row(false, POINT)
    assert row.verdict is Verdict.VIOLATED
    facts = of_row(row, false)
    # Theorem 3.2 gives 0.474926 there (tests/theorems).
    assert 0.0 <= float(facts["claim"]["epsilon"]) - row.analytic < 1e-12 and row.analytic == pytest.approx(0.0593657)
    path = tmp_path / "false.json"
    path.write_bytes(dumps(facts))
    assert examine(path)[0] and path.stat().st_size < CHEAP
    for name, value in (("steps", 10_000), ("eps0", 0.999), ("check_in_prob", 0.5)):
        other = json.loads(path.read_text())
        other["claim"]["params"][name] = value
        path.write_text(json.dumps(other))
        assert not examine(path)[0], name
        path.write_bytes(dumps(facts))


def test_a_true_theorem_has_no_witness_file():
    row = judge_row(REGISTRY["thm-3.2"], POINT)
    assert row.verdict is Verdict.HOLDS
    with pytest.raises(PldcheckError, match="HOLDS there, so there is nothing to refute"):
        of_row(row)
    # Nor is there one if the row lies.
    with pytest.raises(PldcheckError, match="claims more than the upper end"):
        of_row(replace(row, verdict=Verdict.VIOLATED))
    with pytest.raises(PldcheckError, match="attains more than the claim"):
        of_row(replace(row, verdict=Verdict.VIOLATED, analytic=row.upper))


def test_a_theorem_barely_false_has_a_file():
    # The engine's lower end is 0.1305656, one law's 0.130565.
    false = divide_formula(REGISTRY["thm-3.2"], REGISTRY["thm-3.2"](**POINT).value / 0.13056)
    assert of_row(judge_row(false, POINT), false)["claim"]["epsilon"].startswith("0.13056")


def test_rows_without_a_witness_file_are_refused_with_the_reason():
    row = Row("thm-5.1", {"clients": 9, "eps0": 1.0, "delta": 1e-3}, Verdict.VIOLATED, 0.01, 0.1, 0.2)
    with pytest.raises(UnknownNameError):
        of_row(replace(row, theorem="mine"))
    lower = next(theorem for theorem in REGISTRY.values() if theorem.relation == ">=")
    with pytest.raises(PldcheckError, match="cannot refute"):
        of_row(replace(row, theorem=lower.id, params=_params(lower)))
    # A theorem that claims an exact value may claim too much.
    exact = REGISTRY["pld-7"]
    with pytest.raises(PldcheckError, match="claims more than the upper end"):
        of_row(replace(row, theorem=exact.id, params=_params(exact), analytic=0.3))


# Parameters at which a protocol's answer and its file take moments.
SMALL = {"steps": "60", "window": "40", "clients": "100", "delta": "1e-4", "epsilon": "0.5", "check_in_prob": "0.5"}
SMALL |= {"weight": "0.5", "scale": "2"}
# Where those are outside a theorem's conditions.
CONDITIONS = {
    "cor-3.3": {"clients": "1100", "steps": "50", "delta": "1e-4"},
    "thm-3.2-approx": {"steps": "20000", "eps0": "0.2", "delta0": "1e-17", "delta": "1e-6"},
    "thm-3.2-approx-main": {"steps": "20000", "eps0": "0.2", "delta0": "1e-12", "delta1": "0.1", "delta": "1e-6"},
    "thm-4.3-approx": {"window": "20000", "eps0": "0.2", "delta0": "1e-17", "delta": "1e-6"},
    "thm-A.4-approx": {"steps": "20000", "eps0": "0.2", "delta0": "1e-17", "delta": "1e-6"},
    "pld-9": {"steps": "10", "epsilon": "5"},
    "neg-25": {"epsilon": "0.02"},
    "fmt21-3.1": {"clients": "5000"},
    "fmt22-closed": {"clients": "5000"},
    "efmrtt-short": {"clients": "1000", "eps0": "0.4"},
    "fmt21-smaller-log": {"clients": "5000"},
    "bbgn19-3.1": {"clients": "2000"},
    "dr14-A.1": {"sigma": "10", "delta": "1e-4"},
    "bs16-3.6": {"sigma": "20"},
    "bbg18-3": {"epsilon": "0.2"},
    "fmt21-3.8": {"clients": "20000", "sigma": "4", "eps0": "2"},
    "fmt22-approximate": {"clients": "20000", "sigma": "4", "eps0": "2"},
    "ccg24-personal": {"clients": "20"},
    "ccg24-personal-approximate": {"clients": "20"},
    "cor-3.3-printed": {"clients": "1100", "steps": "50", "delta": "1e-4"},
    "kov-unequal": {"steps": "10"},
    "gauss-8-simple": {"sigma": "20"},
    "zcdp-14-simple": {"sigma": "20"},
}
# No certified answer at all: VIOLATED is no verdict of theirs.
NO_ANSWER = {"lem-A.3", "thm-A.7-approx", "thm-5.1-approx", "thm-4.1-approx"}
NO_ANSWER |= {"thm-A.7-approx-printed", "thm-A.5-approx", "thm-A.5-approx-printed", "thm-4.1-approx-proof"}
NOISE = {"gauss-8", "gauss-10", "zcdp-14", "zcdp-14-tight", "rr-24", "bbg18-3", "adv-18-noise"}
NOISE |= {"fmt21-3.8", "fmt22-approximate"}
# No table of exact probabilities is made of these.
NO_TABLE_PROTOCOLS = ("personal-shuffle",)
# Protocols of noise, all of whose theorems have no file.
NOISE_PROTOCOLS = (
    *("gaussian", "subsampled-gaussian", "fixed-batches", "reused-sample", "random-allocation", "shuffled-batches"),
    "truncated-poisson",
)
CLAIMS = [t.id for t in REGISTRY.values() if t.quantity in ("epsilon", "delta") and t.relation != ">="]


def _params(theorem):
    from pldcheck.cli.eps_delta_renyi import SAMPLE
    from pldcheck.core.parameters import PARAMETERS

    values = SAMPLE | SMALL | CONDITIONS.get(theorem.id, {})
    return {name: PARAMETERS[name].parse(values[name]) for name in theorem.parameters}


@pytest.mark.parametrize("name", CLAIMS)
def test_every_theorem_made_false_has_a_file_or_a_reason(name):
    theorem, params = REGISTRY[name], _params(REGISTRY[name])
    if name in NO_ANSWER:
        with pytest.raises(PldcheckError):
            problem_of_bound(theorem, theorem(**params))
        return
    bound = theorem(**params)
    truth = problem_of_bound(theorem, bound).answer(0.01)
    assert truth.lower > 0.0
    factor = max(8.0, 1.5 * bound.value / truth.lower)
    false = divide_formula(theorem, factor)
    verdict = judge(false(**params).value, truth, theorem.relation)
    assert verdict is Verdict.VIOLATED
    row = Row(false.id, params, verdict, false(**params).value, truth.lower, truth.upper, witness=truth.witness)
    if name in NOISE or theorem.protocol in (*NOISE_PROTOCOLS, *NO_TABLE_PROTOCOLS):
        with pytest.raises(PldcheckError, match="noise has no finite table|nothing turns its lower end into a table"):
            of_row(row, false)
        return
    facts = of_row(row, false)
    assert check(facts) >= Fraction(facts["delta_attained_at_least"]) > Fraction(facts["claim"]["delta"])
    assert facts["of"] == {"theorem": false.id, "params": params}
    claim = Fraction(facts["claim"][theorem.quantity])
    assert row.analytic <= claim < Fraction(row.analytic) * (1 + Fraction(1, 10**6))
    assert len(dumps(facts)) < 1 << 17


def test_a_violated_claim_without_its_quantity_is_rejected(tmp_path):
    params = {"clients": 2, "eps0": 1.0, "categories": 3, "epsilon": 0.8}
    claim = REGISTRY["krr-merged"](**params).value
    facts = of_row(Row("krr-merged", params, Verdict.VIOLATED, claim, 0.0601, 0.0602))
    path = tmp_path / "file.json"
    path.write_bytes(dumps(facts))
    assert examine(path)[0]
    del facts["claim"]["quantity"]
    path.write_bytes(dumps(facts))
    assert examine(path) == (False, "its quantity is not that of krr-merged")


# Two inputs and three outputs.
TABLE = "0.5 0.3 0.2\n0.2 0.5 0.3\n"
QUESTIONS = {
    "many slots": (HiddenSlot(10_000, 1.0), 1e-6, 1e-9),
    "a rare check-in": (HiddenSlot(1000, 1.0, 0.1), 1e-6, 1e-9),
    "record there or not": (HiddenSlot(200, 1.0, adjacency="zero-out"), 1e-6, 1e-9),
    "an adaptive adversary": (HiddenSlot(30, 1.0), 1e-3, 1e-9),
    "an adaptive adversary of more slots": (HiddenSlot(60, 1.0), 1e-3, 0.0041),
    "adaptive messages": (Shuffle(12, 1.0), 1e-3, 1e-9),
    "a policy that is too long": (HiddenSlot(100, 1.0), 1e-3, 0.011),
    "two slots": (HiddenSlot(2, 0.5), 1e-3, 1e-9),
    "a known response": (HiddenSlot(100, 1.0, randomizer="krr:4"), 1e-5, 1e-9),
    "shuffled": (Shuffle(1000, 1.0), 1e-6, 1e-9),
    "many shuffled": (Shuffle(10_000, 0.5), 1e-8, 1e-9),
    "shuffled responses": (Shuffle(200, 2.0, "krr:5"), 1e-4, 1e-9),
    "binary responses": (Shuffle(100, 1.0, "rr"), 1e-4, 2e-3),
    "shuffled within a total variation": (Shuffle(100, 2.0, "tv:0.25"), 1e-3, 1e-9),
    "very many slots": (HiddenSlot(200_000, 1.0), 1e-6, 1.1e-4),
    "check-ins": (CheckIn(1000, 1.0, 0.5), 1e-6, 1e-9),
    "check-ins of some clients": (CheckIn(100, 1.0, 1.0, clients=500), 1e-4, 1e-9),
    "one slot and its clients": (CheckIn(1, 1.0, 1.0, clients=3), 1e-2, 1e-9),
    "a sliding window": (SlidingWindow(100, 300, 1.0), 1e-6, 1e-9),
    "averaged": (Averaged(1000, 10, 1.0), 1e-6, 1e-9),
    "swapped, few": (Swap(10, 1.0), 1e-3, 1e-9),
    # A random subset of the others attains more; a file has all others alike.
    "swapped, many": (Swap(100, 1.0), 1e-4, 0.11),
    "epochs": (HiddenSlot(100, 1.0, epochs=10), 1e-5, 3.1e-4),
    "epochs of check-ins": (CheckIn(100, 1.0, 1.0, epochs=4, clients=50), 1e-4, 0.0021),
    "many epochs": (HiddenSlot(200, 1.0, weight=0.1, epochs=1000), 1e-6, 0.0021),
    "epochs of a known response": (HiddenSlot(50, 1.0, randomizer="krr:4", epochs=5), 1e-5, 0.0041),
    "rounds": (Shuffle(300, 1.0, rounds=10), 1e-6, 6.1e-4),
    "rounds of responses": (Shuffle(100, 1.0, "rr", rounds=10), 1e-6, 1.1e-5),
    "responses": (RandomizedResponse(1000, 0.1), 1e-6, 1e-9),
    "responses that may reveal": (RandomizedResponse(100, 0.1, None, 1e-8), 1e-5, 1e-9),
    "responses of many budgets": (RandomizedResponse(300, 0.01, 0.05), 1e-6, 0.0041),
    "budgets that decay": (DecayingBudgets(100, 1.0, 0.5), 1e-6, 6.1e-4),
    "responses on a sample": (SubsampledRandomizedResponse(1.0, 0.1, 1e-8, 100), 1e-5, 1e-9),
    "a coin and a mixture": (MixedPair(0.3, 0.5, 0.5), 1e-3, 1e-9),
    "a list": (Composition(("rr:0.1*50", "subsampled-rr:1:0.01*100", "discrete-laplace:10*5")), 1e-6, 1e-6),
    "records revealed": (HiddenSlot(300, 1.0, delta0=1e-9), 1e-6, 1e-6),
    "records revealed often": (HiddenSlot(300, 1.0, delta0=1e-4), 1e-3, 0.011),
    "records there or revealed": (HiddenSlot(100, 1.0, adjacency="zero-out", delta0=1e-7), 1e-4, 1e-3),
    "epochs with records revealed": (HiddenSlot(300, 1.0, delta0=1e-9, epochs=10), 1e-6, 1.1e-3),
}


@pytest.mark.parametrize(("protocol", "delta", "behind"), QUESTIONS.values(), ids=QUESTIONS)
def test_lower_ends_have_files(protocol, delta, behind, tmp_path):
    facts, interval = of_question(protocol, delta), protocol.epsilon(delta)
    (tmp_path / "lower.json").write_bytes(dumps(facts))
    assert examine(tmp_path / "lower.json")[0]
    epsilon = float(facts["claim"]["epsilon"])
    assert interval.lower * (1 - behind) <= epsilon < interval.upper
    # What is attained at that epsilon is above delta, and not above what is certified from above.
    divergence_reached = Fraction(facts["delta_attained_at_least"])
    assert Fraction(delta) < divergence_reached <= Fraction(protocol.delta(epsilon).upper)


@pytest.mark.nightly
def test_a_sentence_claims_no_more_than_its_file_proves(tmp_path):
    number = r"([0-9.e-]+)"
    form = rf"this mechanism has delta >= {number} at epsilon = {number}, so \S+ is not \({number}, {number}\)-DP at .*"
    questions = ((RandomizedResponse(10, 1.0), 1e-6), (HiddenSlot(30, 1.0), 1e-3), (Shuffle(12, 1.0), 0.007))
    for protocol, delta in questions:
        facts = of_question(protocol, delta)
        (tmp_path / "lower.json").write_bytes(dumps(facts))
        is_accepted, sentence = examine(tmp_path / "lower.json")
        shown_delta, at, epsilon, refuted_delta = map(Fraction, re.fullmatch(form, sentence).groups())
        assert is_accepted and at == epsilon <= Fraction(facts["claim"]["epsilon"])
        assert refuted_delta < shown_delta <= check(facts)
        # The digits that are left out cost no more than rounding.
        assert epsilon >= Fraction(facts["claim"]["epsilon"]) * (1 - Fraction(1, 10**8))
        assert abs(refuted_delta - Fraction(delta)) < Fraction(delta) / 10**5
        # A mechanism is not refuted where it is certified: epsilon of the first one is just below 9.99998.
        assert epsilon < Fraction(protocol.epsilon(float(refuted_delta)).upper)


@pytest.mark.nightly
@pytest.mark.parametrize(
    "protocol",
    [HiddenSlot(100, 1.0, delta0=1e-3), RandomizedResponse(100, 0.1, None, 1e-5)],
    ids=["slots", "responses"],
)
def test_where_epsilon_is_infinite_delta_is_attained_far_out(protocol):
    facts = of_question(protocol, 1e-4)
    assert facts["claim"]["epsilon"] == "100" and check(facts) > Fraction(1e-4)


@pytest.mark.long
def test_a_randomizer_that_attains_more_is_named():
    assert "a random subset of the other records" in of_question(Swap(100, 1.0), 1e-4)["note"]
    assert "an adaptive policy attains that end" in of_question(HiddenSlot(100, 1.0), 1e-3)["note"]
    assert "rounded scores" in of_question(HiddenSlot(60, 1.0), 1e-3)["note"]
    assert "note" not in of_question(HiddenSlot(10, 1.0), 1e-3)


@pytest.mark.long
def test_a_table_of_many_outputs_has_a_file(tmp_path):
    rows = [
        "0.2 0.15 0.15 0.1 0.1 0.1 0.1 0.1",
        "0.1 0.2 0.1 0.15 0.1 0.12 0.13 0.1",
        "0.12 0.1 0.2 0.1 0.13 0.1 0.1 0.15",
    ]
    (tmp_path / "table.txt").write_text("\n".join(rows))
    for protocol in (Shuffle(100, 1.0, f"table:{tmp_path / 'table.txt'}"), HiddenSlot(100, 1.0)):
        facts = of_question(replace(protocol, randomizer=f"table:{tmp_path / 'table.txt'}"), 1e-4)
        (tmp_path / "lower.json").write_bytes(dumps(facts))
        assert examine(tmp_path / "lower.json")[0] and facts["pldcheck_witness"] == 2
        interval = replace(protocol, randomizer=f"table:{tmp_path / 'table.txt'}").epsilon(1e-4)
        assert interval.lower * (1 - 1.1e-4) <= float(facts["claim"]["epsilon"]) < interval.upper


@pytest.mark.parametrize("kind", [HiddenSlot, Shuffle], ids=["slots", "shuffled"])
def test_a_table_has_a_file(kind, tmp_path):
    (tmp_path / "table.txt").write_text(TABLE)
    protocol = kind(12, 1.0, randomizer=f"table:{tmp_path / 'table.txt'}")
    facts = of_question(protocol, 1e-3)
    (tmp_path / "lower.json").write_bytes(dumps(facts))
    assert examine(tmp_path / "lower.json")[0]
    assert protocol.epsilon(1e-3).lower * (1 - 1e-9) <= float(facts["claim"]["epsilon"])


@pytest.mark.nightly
def test_a_table_with_no_budget_of_its_own_has_a_file(tmp_path):
    (tmp_path / "table.txt").write_text(TABLE)
    facts = of_question(HiddenSlot(50, randomizer=f"table:{tmp_path / 'table.txt'}"), 1e-4)
    # The largest of its losses is log(0.5/0.2).
    assert facts["claim"]["params"]["eps0"] == pytest.approx(0.916290731874155, rel=1e-8)


@pytest.mark.parametrize(
    ("protocol", "delta", "message"),
    [
        (HiddenSlot(1000, 0.1), 0.5, "the lower end of epsilon is 0"),
        (
            HiddenSlot(100, 1.0, randomizer="laplace"),
            1e-3,
            "randomizer laplace has no witness files: noise has no finite table",
        ),
        (HiddenSlot(100, 1.0, randomizer="laplace", epochs=2), 1e-3, "randomizer laplace has no witness files: noise"),
        (Shuffle(100, 1.0, "gaussian:2"), 1e-3, "randomizer gaussian:2 has no witness files: noise"),
        (RandomAllocation(10, 1.0), 1e-3, "random-allocation has no witness files: noise"),
        (Gaussian(1.0), 1e-3, "gaussian has no witness files: noise"),
        (Composition(("rr:1", "gaussian:2")), 1e-3, "gaussian:2 cannot be written to a witness file"),
        (HiddenSlot(10**9, 1.0), 1e-6, "no mechanism that can be written to a file"),
    ],
    ids=["zero", "laplace", "epochs", "gaussian", "allocation", "protocol", "composition", "too many slots"],
)
def test_questions_without_a_witness_file_are_refused_with_the_reason(protocol, delta, message):
    with pytest.raises(PldcheckError, match=message):
        of_question(protocol, delta)


def test_a_lower_end_that_no_one_table_attains_has_no_file(tmp_path):
    file = tmp_path / "table.txt"
    file.write_text("0.75 0.25\n0.125 0.875\n", encoding="utf-8")
    with pytest.raises(PldcheckError, match="attains the lower end by itself"):
        of_question(HiddenSlot(20, randomizer=f"table:{file}"), 1e-3)

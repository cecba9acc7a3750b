"""Witness files of rows and questions: accepted by the checker, and as large as the engine's own answers."""

import json
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from time import perf_counter

import pytest

from pldcheck.batch import store
from pldcheck.errors import PldcheckError, UnknownNameError
from pldcheck.protocols import HiddenSlot, RandomAllocation, Shuffle, Swap
from pldcheck.theorems import REGISTRY
from pldcheck.verify import Row, Verdict, bounded, judge
from pldcheck.witness import checker, dumps, examine, of_question, of_row

RESULTS = Path(__file__).parents[2] / "results"
POINT = {"steps": 1000, "eps0": 1.0, "check_in_prob": 1.0, "delta": 1e-6}
CHEAP = 1 << 13  # bytes of a file with three outputs are far fewer


def judged(theorem, params, width=0.005):
    """The row of a theorem that need not be in the registry."""
    bound = theorem(**params)
    truth = bounded(theorem, bound).answer(width)
    verdict = judge(bound.value, truth, theorem.relation)
    return Row(theorem.id, params, verdict, bound.value, truth.lower, truth.upper, witness=truth.witness)


def divided(theorem, by):
    """The theorem with its epsilon divided."""
    return replace(theorem, id=f"{theorem.id}-false", formula=lambda **given: theorem.formula(**given) / by)


@pytest.fixture(scope="module")
def refuted():
    return store.read(RESULTS / "refuted.jsonl").rows


def test_every_published_bound_that_is_refuted_has_a_file(refuted, tmp_path):
    violated = [row for row in refuted if row.verdict is Verdict.VIOLATED]
    assert len(violated) == len(refuted) == 20
    paths = []
    for number, row in enumerate(violated):
        facts = of_row(row)
        attained = float(facts["delta_attained_at_least"])
        # Mixing the rows, 2^-50, and rounding of what is stated to nine digits.
        assert row.lower * (1 - 2e-8) <= attained <= row.upper
        paths.append(tmp_path / f"{number}.json")
        paths[-1].write_bytes(dumps(facts))
        assert paths[-1].stat().st_size < CHEAP
    alone = [sys.executable, "-I", "-S", checker.__file__]
    done = subprocess.run([*alone, *map(str, paths)], capture_output=True, text=True)
    assert (done.returncode, done.stderr, done.stdout.count(": accepted: ")) == (0, "", 20)
    for row, path in zip(violated, paths, strict=True):
        claim = json.loads(path.read_text())["claim"]
        assert Fraction(claim["delta"]) > row.analytic and Fraction(claim["epsilon"]) == Fraction(row.params["epsilon"])


def test_theorem_3_2_divided_by_eight_is_refuted(tmp_path):
    false = divided(REGISTRY["thm-3.2"], 8.0)
    row = judged(false, POINT)
    assert row.verdict is Verdict.VIOLATED
    facts = of_row(row, false)
    # Theorem 3.2 gives 0.474926 there (tests/theorems).
    assert 0.0 <= float(facts["claim"]["epsilon"]) - row.analytic < 1e-12 and row.analytic == pytest.approx(0.0593657)
    path = tmp_path / "false.json"
    path.write_bytes(dumps(facts))
    start = perf_counter()
    assert examine(path)[0]
    assert perf_counter() - start < 30.0 and path.stat().st_size < CHEAP
    for name, value in (("steps", 10_000), ("eps0", 0.999), ("check_in_prob", 0.5)):
        other = json.loads(path.read_text())
        other["claim"]["params"][name] = value
        path.write_text(json.dumps(other))
        assert not examine(path)[0], name
        path.write_bytes(dumps(facts))


def test_what_is_true_has_no_file():
    row = judged(REGISTRY["thm-3.2"], POINT)
    assert row.verdict is Verdict.HOLDS
    with pytest.raises(PldcheckError, match="HOLDS there: nothing to be refuted"):
        of_row(row)
    # Nor is there one if the row lies.
    with pytest.raises(PldcheckError, match="attains more than is claimed"):
        of_row(replace(row, verdict=Verdict.VIOLATED))


def test_a_theorem_barely_false_has_a_file():
    # The engine's lower end is 0.1305656, one law's 0.130565.
    false = divided(REGISTRY["thm-3.2"], REGISTRY["thm-3.2"](**POINT).value / 0.13056)
    assert of_row(judged(false, POINT), false)["claim"]["epsilon"].startswith("0.13056")


def test_rows_without_a_file():
    row = Row("thm-5.1", {"clients": 9, "eps0": 1.0, "delta": 1e-3}, Verdict.VIOLATED, 0.01, 0.1, 0.2)
    with pytest.raises(UnknownNameError):
        of_row(replace(row, theorem="mine"))
    lower = next(theorem for theorem in REGISTRY.values() if theorem.relation == ">=")
    with pytest.raises(PldcheckError, match="cannot refute"):
        of_row(replace(row, theorem=lower.id, params=_sample(lower)))
    with pytest.raises(PldcheckError, match="one epoch or round of hidden-slot or shuffle only"):
        of_row(replace(row, theorem="adv-18", params=_sample(REGISTRY["adv-18"])))


def _sample(theorem):
    from pldcheck.cli.answers import SAMPLE
    from pldcheck.parameters import PARAMETERS

    return {name: PARAMETERS[name].parse(SAMPLE[name]) for name in theorem.parameters}


# Two inputs and three outputs.
TABLE = "0.5 0.3 0.2\n0.2 0.5 0.3\n"
QUESTIONS = {
    "many slots": (HiddenSlot(10_000, 1.0), 1e-6, 1e-9),
    "a rare check-in": (HiddenSlot(1000, 1.0, 0.1), 1e-6, 1e-9),
    "record there or not": (HiddenSlot(200, 1.0, adjacency="zero-out"), 1e-6, 1e-9),
    "an adaptive adversary": (HiddenSlot(30, 1.0), 1e-3, 0.021),
    "two slots": (HiddenSlot(2, 0.5), 1e-3, 1e-9),
    "a known response": (HiddenSlot(100, 1.0, randomizer="krr:4"), 1e-5, 1e-9),
    "shuffled": (Shuffle(1000, 1.0), 1e-6, 1e-9),
    "many shuffled": (Shuffle(10_000, 0.5), 1e-8, 1e-9),
    "shuffled responses": (Shuffle(200, 2.0, "krr:5"), 1e-4, 1e-9),
    "binary responses": (Shuffle(100, 1.0, "rr"), 1e-4, 2e-3),
    "shuffled within a total variation": (Shuffle(100, 2.0, "tv:0.25"), 1e-3, 1e-9),
}


@pytest.mark.parametrize(("protocol", "delta", "behind"), QUESTIONS.values(), ids=QUESTIONS)
def test_lower_ends_have_files(protocol, delta, behind, tmp_path):
    facts, found = of_question(protocol, delta), protocol.epsilon(delta)
    (tmp_path / "lower.json").write_bytes(dumps(facts))
    assert examine(tmp_path / "lower.json")[0]
    epsilon = float(facts["claim"]["epsilon"])
    assert found.lower * (1 - behind) <= epsilon < found.upper
    # What is attained at that epsilon is above delta, and not above what is certified from above.
    attained = Fraction(facts["delta_attained_at_least"])
    assert Fraction(delta) < attained <= Fraction(protocol.delta(epsilon).upper)


@pytest.mark.parametrize("kind", [HiddenSlot, Shuffle], ids=["slots", "shuffled"])
def test_a_table_has_a_file(kind, tmp_path):
    (tmp_path / "table.txt").write_text(TABLE)
    protocol = kind(12, 1.0, randomizer=f"table:{tmp_path / 'table.txt'}")
    facts = of_question(protocol, 1e-3)
    (tmp_path / "lower.json").write_bytes(dumps(facts))
    assert examine(tmp_path / "lower.json")[0]
    assert protocol.epsilon(1e-3).lower * (1 - 1e-9) <= float(facts["claim"]["epsilon"])


def test_a_table_with_no_budget_of_its_own_has_a_file(tmp_path):
    (tmp_path / "table.txt").write_text(TABLE)
    facts = of_question(HiddenSlot(50, randomizer=f"table:{tmp_path / 'table.txt'}"), 1e-4)
    # The largest of its losses is log(0.5/0.2).
    assert facts["claim"]["params"]["eps0"] == pytest.approx(0.916290731874155, rel=1e-8)


@pytest.mark.parametrize(
    ("protocol", "delta", "said"),
    [
        (HiddenSlot(1000, 0.1), 0.5, "epsilon may be 0"),
        (HiddenSlot(100, 1.0, epochs=2), 1e-3, "one epoch"),
        (HiddenSlot(100, 1.0, delta0=1e-9), 1e-3, "one epoch"),
        (HiddenSlot(100, 1.0, randomizer="laplace"), 1e-3, "too many outputs"),
        (Shuffle(100, 1.0, rounds=2), 1e-3, "one epoch or round"),
        (Shuffle(100, 1.0, "gaussian:2"), 1e-3, "too many outputs"),
        (Swap(100, 1.0), 1e-3, "one epoch or round"),
        (RandomAllocation(10, 1.0), 1e-3, "one epoch or round"),
        (HiddenSlot(10**6, 1.0), 1e-6, "no mechanism that can be written out"),
    ],
    ids=["zero", "epochs", "delta0", "laplace", "rounds", "gaussian", "swap", "allocation", "too many slots"],
)
def test_questions_without_a_file(protocol, delta, said):
    with pytest.raises(PldcheckError, match=said):
        of_question(protocol, delta)

"""Every statement that a program of certificates can name is registered, in the program's words, with its proof."""

import ast
import json
import random
import re

import pytest
from program_files import FOLDER, names_of, siblings

from pldcheck import (
    Averaged,
    BallsInBins,
    CheckIn,
    Composition,
    FixedBatches,
    GaussianMixture,
    HiddenSlot,
    MatrixMechanism,
    PersonalShuffle,
    RandomAllocation,
    ReusedSample,
    SampledShuffle,
    Shuffle,
    ShuffledBatches,
    SlidingWindow,
    Swap,
    TruncatedPoisson,
)
from pldcheck.checkers.programs import CERTIFICATES
from pldcheck.checkers.statement_sentences import SENTENCES, sentence_of
from pldcheck.core.errors import ParameterError
from pldcheck.theorems.papers import reductions
from pldcheck.theorems.statements import STATEMENTS
from pldcheck.witness import shuffle_certificates
from pldcheck.witness.upper_certificates import certificate

# Questions about each program which together rest on all its statements; a statement that is new needs one here.
QUESTIONS = {
    "upper_slot": [
        HiddenSlot(3, 1.0),
        CheckIn(3, 1.0, 0.5),
        SlidingWindow(30, 300, 1.0),
        SlidingWindow(5, 7, 1.0, delta0=1e-9),
        Shuffle(30, 0.5),
        Averaged(30, 10, 0.5),
        Shuffle(30, 0.5, "rr"),
    ],
    "upper_shuffle": [Shuffle(3, 1.0), Averaged(3, 2, 1.0)],
    "upper_swap": [Swap(10, 1.0), Swap(1000, 1.0)],
    "upper_sum": [
        HiddenSlot(3, 1.0, randomizer="krr:3"),
        HiddenSlot(3, 1.0, randomizer="laplace", adjacency="zero-out"),
        HiddenSlot(3, randomizer="gaussian:2", adjacency="zero-out"),
        HiddenSlot(3, randomizer="discrete-gaussian:2"),
        RandomAllocation(3, 1.0),
        BallsInBins(3, 2.0, 2),
    ],
    "upper_epochs": [
        HiddenSlot(3, 1.0, randomizer="laplace", adjacency="zero-out", epochs=2),
        HiddenSlot(3, randomizer="gaussian:2", adjacency="zero-out", epochs=2),
        HiddenSlot(3, randomizer="discrete-gaussian:2", adjacency="zero-out", epochs=2),
        RandomAllocation(3, 1.0, selected=2),
    ],
    "upper_few": [SampledShuffle(9, 3, 1.0), PersonalShuffle(9, 1.0, 2.0)],
    "upper_rounds": [Shuffle(3, 1.0, rounds=2), HiddenSlot(3, 1.0, epochs=2)],
    "upper_loss": [
        Composition(("rr:1",)),
        Composition(("rr:0.5:1e-9", "gaussian:5")),
        Composition(("laplace:9", "discrete-laplace:5")),
        Composition(("discrete-gaussian:5*2",)),
        Composition(("subsampled-rr:1:0.1*2",)),
        Composition(("fixed-size-gaussian:5:0.1*2",)),
        ReusedSample(5.0, 0.1, 2, 2, "poisson-replaced"),
        GaussianMixture(5.0, "1:0.1"),
        FixedBatches(5.0, 20, 2),
        TruncatedPoisson(5.0, 0.1, 20, 5),
    ],
}


def named(sentence):
    """Return the statements that a sentence of acceptance names."""
    words = re.search(r"; (?:this rests on (.*?)|it needs no further statement)(; sha256 .*)?$", sentence)[1]
    return set(words.split(" and ")) if words else set()


@pytest.mark.parametrize("name", CERTIFICATES)
def test_a_program_has_the_ids_and_sentences_of_registered_statements(name):
    program = CERTIFICATES[name]
    for key, sentence in program.STATEMENTS.items():
        assert STATEMENTS[key].sentence == sentence
    # No other registered id stands in its code, where an acceptance might name it without its sentence.
    others = {"statement_sentences"}
    if name == "upper_rounds":  # points rest on the statements of the programs that it calls
        others |= set().union(*map(names_of, (CERTIFICATES[one] for one in CERTIFICATES if one in siblings(name))))
    files = [FOLDER / f"{one}.py" for one in names_of(program) - others]
    texts = {
        node.value for file in files for node in ast.walk(ast.parse(file.read_text())) if type(node) is ast.Constant
    }
    assert {key for key in STATEMENTS if key in texts} <= program.STATEMENTS.keys()


def test_sentences_of_statements_are_those_of_some_program():
    assert SENTENCES.keys() == set().union(*(program.STATEMENTS for program in CERTIFICATES.values()))


@pytest.mark.parametrize("name", QUESTIONS)
def test_acceptances_name_all_statements_of_a_program_and_no_others(name, monkeypatch):
    if name == "upper_slot":  # which verifies shuffles where stronger clones would be too much work
        monkeypatch.setattr(shuffle_certificates, "by_clones", lambda claim: None)
    at = {"epsilon": 0.3} if name == "upper_few" else {"delta": 1e-3}
    names = [named(certificate(protocol, **at).sentence) for protocol in QUESTIONS[name]]
    # Points of rounds rest on the statements of their programs.
    others = {"stronger-clones", "curves"} if name == "upper_rounds" else set()
    assert set().union(*names) == CERTIFICATES[name].STATEMENTS.keys() | others
    assert all(one <= STATEMENTS.keys() for one in names)


AT = {"epsilon": "0.3", "delta": "0.001"}
ROWS = [["0.28", "0.13", "0.59"], ["0.21", "0.03", "0.76"], ["0.77", "0.02", "0.21"]]
# So long that a sentence has only its size and its digest.
LONG = [["0." + "0" * 20 + str(i + j) for j in range(9)] for i in range(3)]
SLOT = {"steps": 3, "weight": "0.5", "adjacency": "replace"}
# Claims of each program, which together have every key that its claims may have.
CLAIMS = {
    "upper_slot": [
        {"mechanism": "hidden-slot", **SLOT, "eps0": "1", "delta0": "0.0001", **AT},
        {"mechanism": "hidden-slot", **SLOT, "eps0": "1", "randomizer": "rr", **AT},
        *({"mechanism": "hidden-slot", **SLOT, "randomizer": rows, **AT} for rows in (ROWS, LONG)),
        {"mechanism": "check-in", "steps": 3, "check_in_prob": "0.5", "clients": 4, "eps0": "1", **AT},
        {"mechanism": "sliding-window", "window": 3, "clients": 9, "eps0": "1", **AT},
    ],
    "upper_shuffle": [{"mechanism": "averaged", "clients": 9, "steps": 3, "eps0": "1", **AT}],
    "upper_swap": [{"mechanism": "swap", "clients": 9, "eps0": "1", **AT}],
    "upper_few": [
        {"mechanism": "sampled-shuffle", "clients": 9, "eps0": "1", "batch": 3, **AT},
        {"mechanism": "personal-shuffle", "clients": 9, "eps0": "1", "eps0_last": "2", "delta0": "0", **AT},
    ],
    "upper_sum": [
        {"mechanism": "hidden-slot", **SLOT, "randomizer": {"kind": "krr", "eps0": "1", "outputs": "3"}, **AT},
        {"mechanism": "balls-in-bins", **SLOT, "randomizer": {"kind": "repeated-gaussian", "sigma": "2", "passes": "3"}}
        | AT,
        *(
            {"mechanism": "hidden-slot", **SLOT, "randomizer": {"kind": "table", "rows": rows}, **AT}
            for rows in (ROWS, LONG)
        ),
    ],
    "upper_epochs": [
        {
            "mechanism": "hidden-slot",
            **SLOT,
            "selected": 2,
            "epochs": 5,
            "randomizer": {"kind": "table", "rows": rows},
            **AT,
        }
        for rows in (ROWS, LONG)
    ],
    "upper_rounds": [
        {"mechanism": "rounds", "round": one, "times": 3, **AT}
        for one in (
            {"mechanism": "hidden-slot", **SLOT, "eps0": "1", "delta0": "0.1"},
            {"mechanism": "hidden-slot", **SLOT, "randomizer": LONG},
            *(
                {"mechanism": "hidden-slot", **SLOT, "randomizer": {"kind": "table", "rows": rows}}
                for rows in (ROWS, LONG)
            ),
        )
    ],
    "upper_loss": [
        {
            "mechanism": "composition",
            "rounds": [
                {"mechanism": "rr", "rate": "0.5", "count": 2, "eps0": "1", "delta0": "0.1"},
                {"mechanism": "random-lengths", "rate": "1", "count": 4, "sigma": "3", "lengths": "1:0.1,2:0.2"},
            ],
            "times": 3,
            **AT,
        },
    ],
}


def sentence(name, claim):
    """Return the words of a program for a claim, whether or not it verifies it."""
    return sentence_of(CERTIFICATES[name].words_of(claim), claim, [])


def perturbed(value, draw):
    """Yield copies of a claim, each with one number or text changed."""
    entries = value.items() if type(value) is dict else enumerate(value) if type(value) is list else ()
    for key, one in entries:
        if type(one) is int:
            others = [one + draw.randint(1, 9)]
        elif type(one) is str and re.fullmatch(r"[0-9.]+", one):
            others = [one + str(draw.randint(1, 9))]
        elif type(one) is str:
            others = [one + draw.choice("xyz")] if key != "mechanism" else []
        else:
            others = perturbed(one, draw)
        for other in others:
            copy = dict(value) if type(value) is dict else list(value)
            copy[key] = other
            yield copy


@pytest.mark.parametrize("name", CERTIFICATES)
def test_different_claims_have_different_sentences(name):
    draw = random.Random(f"sentences of {name}")
    claims = [claim for one in CLAIMS[name] for claim in (one, *perturbed(one, draw), *perturbed(one, draw))]
    texts = {}
    for claim in claims:
        key = json.dumps(claim, sort_keys=True)
        assert texts.setdefault(sentence(name, claim), key) == key
    assert len(texts) > 2 * len(CLAIMS[name])
    for one in CLAIMS[name]:
        assert len(sentence(name, one)) < 600
        # One more row, and the same numbers in rows of another length.
        inner = one.get("round", one).get("randomizer")
        rows = inner if type(inner) is list else inner["rows"] if type(inner) is dict and "rows" in inner else None
        if rows:
            said = sentence(name, one)
            rows.append(rows[0])
            assert sentence(name, one) not in (said, *texts)
            rows.pop()


def test_a_composition_says_what_becomes_of_the_record():
    """A round's sampling decides it, and the claim has no other word for it."""
    gaussian = {"mechanism": "gaussian", "count": 2, "sigma": "5"}
    words = {
        "removed or added": {**gaussian, "rate": "0.5"},
        "replaced": {**gaussian, "mechanism": "fixed-size-gaussian", "rate": "0.5"},
        "": {**gaussian, "rate": "1"},
    }
    for change, entry in words.items():
        text = sentence("upper_loss", {"mechanism": "composition", "rounds": [entry], "times": 1, **AT})
        assert (f"for a record that is {change}" if change else "gaussian (sigma 5) is (") in text


@pytest.mark.nightly
def test_each_acceptance_names_what_its_mechanism_needs():
    def statements(protocol):
        return named(certificate(protocol, delta=1e-3).sentence)

    assert statements(HiddenSlot(3, 1.0)) == {"curves"}  # a claim above eps0
    assert statements(HiddenSlot(30, 1.0)) == set()
    assert statements(SlidingWindow(5, 7, 1.0, delta0=1e-9)) == {"few-clients-window", "clipped-slot"}
    assert statements(CheckIn(3, 1.0, 0.5, clients=2)) == {"check-in-slot"}
    assert statements(Averaged(3, 2, 1.0)) == {"averaged-shuffle", "stronger-clones"}
    assert statements(RandomAllocation(3, 1.0)) == {"known-slot", "gaussian-vectors"}
    assert statements(BallsInBins(3, 1.0, 2)) == {"known-slot", "same-slot"}
    assert statements(ReusedSample(5.0, 0.1, 2)) == {"composed-pairs", "gaussian-noise", "poisson-sampling"}
    assert statements(ShuffledBatches(3, 1.0, 2)) == {"composed-pairs", "gaussian-noise"}
    sampled = MatrixMechanism(4, 5.0, "toeplitz:1:0.5", 2, rate=0.1)
    assert statements(sampled) == {"composed-pairs", "gaussian-noise", "poisson-sampling"}
    separated = MatrixMechanism(4, 5.0, "toeplitz:1:0.5", 8, "b-min-sep", rate=0.01)
    assert statements(separated) == {"composed-pairs", "gaussian-noise", "poisson-sampling"}
    known = MatrixMechanism(4, 5.0, "toeplitz:1:0.5", 2, "known-order")
    assert statements(known) == {"curves", "gaussian-noise"}
    assert statements(Shuffle(3, 1.0, rounds=2)) == {"epochs", "composed-pairs", "stronger-clones"}
    assert statements(Composition(("fixed-size-gaussian:5:0.1*2",))) == {
        "composed-pairs",
        "gaussian-noise",
        "fixed-size-sampling",
    }
    assert statements(Composition(("subsampled-gaussian:5:0.1*2", "rr:0.1"))) == {
        "composed-pairs",
        "gaussian-noise",
        "approximate-pair",
        "poisson-sampling",
    }


@pytest.mark.nightly
def test_two_kinds_of_neighbours_have_no_certificate():
    with pytest.raises(ParameterError, match="not both \\(neighbours differ\\)"):
        certificate(Composition(("subsampled-gaussian:5:0.1", "fixed-size-gaussian:5:0.1")), delta=1e-3)
    # Where all records are used there is no sample.
    assert certificate(Composition(("subsampled-gaussian:5:0.1", "fixed-size-gaussian:5:1")), delta=1e-3).reached


def test_reductions_between_protocols_name_registered_statements():
    names = [one.statement for one in reductions() if one.statement]
    assert len(names) >= 6 and set(names) <= STATEMENTS.keys()

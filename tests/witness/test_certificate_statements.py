"""Every statement that a program of certificates can name is registered, in the program's words, with its proof."""

import ast
import json
import re
import subprocess
import sys

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
from pldcheck.core.errors import ParameterError
from pldcheck.theorems.papers import reductions
from pldcheck.theorems.statements import STATEMENTS
from pldcheck.witness import shuffle_certificates
from pldcheck.witness.statement_sentences import SENTENCES
from pldcheck.witness.upper_certificates import PROGRAMS, certificate

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


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_has_the_ids_and_sentences_of_registered_statements(name):
    program = PROGRAMS[name]
    for key, sentence in program.STATEMENTS.items():
        assert STATEMENTS[key].sentence == sentence
    # No other registered id stands in its code, where an acceptance might name it without its sentence.
    others = {"statement_sentences"}
    if name == "upper_rounds":  # points rest on the statements of the programs that it calls
        others |= set().union(*map(names_of, (PROGRAMS[one] for one in PROGRAMS if one in siblings(name))))
    files = [FOLDER / f"{one}.py" for one in names_of(program) - others]
    texts = {
        node.value for file in files for node in ast.walk(ast.parse(file.read_text())) if type(node) is ast.Constant
    }
    assert {key for key in STATEMENTS if key in texts} <= program.STATEMENTS.keys()


def test_sentences_of_statements_are_those_of_some_program():
    assert SENTENCES.keys() == set().union(*(program.STATEMENTS for program in PROGRAMS.values()))


@pytest.mark.parametrize("name", QUESTIONS)
def test_acceptances_name_all_statements_of_a_program_and_no_others(name, monkeypatch):
    if name == "upper_slot":  # which verifies shuffles where stronger clones would be too much work
        monkeypatch.setattr(shuffle_certificates, "by_clones", lambda claim: None)
    at = {"epsilon": 0.3} if name == "upper_few" else {"delta": 1e-3}
    names = [named(certificate(protocol, **at).sentence) for protocol in QUESTIONS[name]]
    # Points of rounds rest on the statements of their programs.
    others = {"stronger-clones", "curves"} if name == "upper_rounds" else set()
    assert set().union(*names) == PROGRAMS[name].STATEMENTS.keys() | others
    assert all(one <= STATEMENTS.keys() for one in names)


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


def test_a_program_that_runs_alone_names_them_too(tmp_path):
    record = certificate(CheckIn(3, 1.0, 0.5), delta=1e-3)
    (tmp_path / "file.json").write_text(json.dumps(record.facts))
    program = PROGRAMS["upper_slot"].__file__
    done = subprocess.run(
        [sys.executable, "-I", "-S", program, tmp_path / "file.json"], capture_output=True, text=True, check=True
    )
    assert named(done.stdout.strip()) == {"check-in-slot"}


def test_reductions_between_protocols_name_registered_statements():
    names = [one.statement for one in reductions() if one.statement]
    assert len(names) >= 6 and set(names) <= STATEMENTS.keys()

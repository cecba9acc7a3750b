"""``pldcheck training``: what is printed, as text and as JSON, and recorded runs."""

import json

import dp_accounting as dpa
import pytest

from pldcheck import ParameterError, Training
from pldcheck.accounting import Accountant, OpacusAccountant
from pldcheck.accounting.interop.event_files import read_event
from pldcheck.cli import run
from pldcheck.core.errors import PldcheckError

WORDS = ["training", "--records", "6000", "--batch", "256", "--epochs", "3"]


def test_the_answer_names_the_steps_the_sampling_and_all_others(capsys):
    """As text and as JSON; the ends are those of the object in Python."""
    assert run([*WORDS, "--sigma", "1.1", "--delta", "1e-5"]) == 0
    text = capsys.readouterr().out
    assert "3 epochs × 24 batches = 72 steps" in text and "Opacus" in text and "shuffle=True" in text
    assert run([*WORDS, "--sigma", "1.1", "--delta", "1e-5", "--sampling", "opacus", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    first = facts["samplings"][0]
    expected = Training(6000, 256, 3, 1.1, "opacus").epsilon(1e-5)
    assert (first["sampling"], first["lower"], first["upper"]) == ("opacus", *expected)
    assert facts["run"]["steps"] == 72 and len(facts["samplings"]) == 6


@pytest.mark.nightly
def test_later_parts_a_solved_value_and_a_picture(capsys, tmp_path):
    """``--then`` goes on, ``--solve`` meets its target, ``--figure`` writes what its name ends in."""
    assert run([*WORDS, "--sigma", "2", "--then", "epochs=2,sigma=1.5", "--delta", "1e-5", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["run"]["later"] == [{"epochs": 2, "batch": 256, "sigma": 1.5}] and facts["run"]["steps"] == 120
    figure = tmp_path / "new" / "run.svg"
    solved = ["--delta", "1e-5", "--solve", "sigma", "--target-epsilon", "2", "--figure", str(figure)]
    assert run([*WORDS, *solved, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["samplings"][0]["upper"] <= 2.0 and facts["optimal"]
    assert figure.read_text().startswith("<?xml")


def test_a_recorded_run_has_the_answer_of_its_accountant(capsys, tmp_path):
    """Opacus' state, and the text of an event, each bit for bit; anything else is one line."""
    accountant = OpacusAccountant()
    for noise in (1.1, 1.1, 0.8):
        accountant.step(noise_multiplier=noise, sample_rate=0.01)
    state = tmp_path / "state.json"
    state.write_text(json.dumps(accountant.state_dict()))
    event = dpa.SelfComposedDpEvent(dpa.PoissonSampledDpEvent(0.01, dpa.GaussianDpEvent(1.0)), 100)
    text = tmp_path / "event.txt"
    text.write_text(repr(dpa.ComposedDpEvent([event, dpa.LaplaceDpEvent(2.0)])) + "\n")
    own = Accountant().compose(dpa.ComposedDpEvent([event, dpa.LaplaceDpEvent(2.0)])).epsilon(1e-5)
    for path, steps, expected in ((state, 3, accountant.epsilon(1e-5)), (text, 101, own)):
        assert run(["training", "--history", str(path), "--delta", "1e-5", "--json"]) == 0
        facts = json.loads(capsys.readouterr().out)
        assert (facts["steps"], facts["lower"], facts["upper"]) == (steps, *expected)
    assert run(["training", "--history", str(state), "--delta", "1e-5"]) == 0
    printed = capsys.readouterr().out
    assert "Poisson samples" in printed and "shuffled batches" in printed and "noise_multiplier=0.8" in printed
    for content in (
        "",
        "{}",
        '{"history": []}',
        '{"history": [[1.1, 2.0, 3]]}',
        '{"history": [[1.1]]}',
        "1 + ",
        "[1]",
        '[{"noise": 1}]',
    ):
        state.write_text(content)
        with pytest.raises(PldcheckError):
            read_event(state)
    for content in (
        "GaussianDpEvent(print(1))",
        "print(1)",
        "dp_accounting.DpEvent",
        "GaussianDpEvent(*[1])",
        "(" * 400,
    ):
        text.write_text(content)
        assert run(["training", "--history", str(text), "--delta", "1e-5"]) == 2
        assert "no record of a run" in capsys.readouterr().err
    with pytest.raises(PldcheckError, match="cannot be read"):
        read_event(tmp_path / "none")


def test_what_is_missing_or_too_much_is_one_line(capsys, tmp_path):
    """Exit status 2, and what to type; a noise multiplier is sigma, whatever the sampling."""
    small = ["training", "--num-records", "9", "--batch-size", "9", "--noise-multiplier", "2", "--delta", "1e-5"]
    assert run([*small, "--epochs", "1", "--json", "--sampling", "fixed-size", "--adjacency", "zero-out"]) == 0
    facts = json.loads(capsys.readouterr().out)["run"]
    assert (facts["records"], facts["sigma"], facts["adjacency"]) == (9, 2.0, "add-remove")
    whole = [*WORDS, "--sigma", "1", "--delta", "1e-5"]
    for words, expected in (
        (WORDS, "missing option --delta"),
        ([*WORDS, "--delta", "1e-5"], "missing option --sigma"),
        (["training", "--sigma", "1", "--delta", "1e-5"], "missing option --records"),
        ([*whole, "--then", "steps=5"], "epochs=5,sigma=0.8"),
        ([*whole, "--then", "epochs=5,epochs=6"], "epochs=5,sigma=0.8"),
        ([*whole, "--then", "noise_multiplier=x"], "sigma of --then noise_multiplier=x must be above 0"),
        (small, "missing option --epochs"),
        ([*small, "--steps", "9"], "pldcheck eps subsampled-gaussian --sigma 1 --rate 0.01 --steps 1000"),
        (["eps", "training", "--delta", "1e-5"], "training is a command of its own: pldcheck training --records"),
        ([*whole, "--adjacency", "zero-out"], "one of add-remove, replace"),
        ([*whole, "--figure", "a.txt"], ".svg or .png"),
        ([*whole, "--solve", "sigma", "--target-epsilon", "1"], "left out where it is solved for"),
        ([*whole, "--solve", "epochs"], "missing option --target-epsilon"),
        ([*WORDS, "--delta", "1e-5", "--solve", "sigma"], "missing option --target-epsilon"),
        ([*whole, "--target-epsilon", "1"], "missing option --solve"),
        ([*whole, "--history", "x.json"], "leave out --records"),
        ([*whole, "--sampling", "shuffle"], "shuffled"),
    ):
        assert run(words) == 2, words
        assert expected in capsys.readouterr().err, words
    with pytest.raises(ParameterError):
        Training(10, 20, 1, 1.0)

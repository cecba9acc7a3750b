"""``calibrate`` on the command line: what it prints, and exit statuses scripts can tell apart."""

import re

import pytest

from pldcheck.accounting.calibration import calibrate
from pldcheck.cli import calibrate as command
from pldcheck.core.errors import ParameterError
from pldcheck.core.interval import Interval
from pldcheck.protocols import PROTOCOLS

GAUSSIAN = ("calibrate", "gaussian", "--target-epsilon", 1, "--delta", "1e-6")
CHECK_IN = ("calibrate", "check-in", "--steps", 1000, "--eps0", 1, "--delta", "1e-6")
SIGMA = ("--solve", "sigma")


def test_the_answer_in_text_is_what_was_certified(pldcheck):
    result = pldcheck(*GAUSSIAN, *SIGMA)
    assert (result.status, result.err) == (0, "")
    first, second_line, target, _, fourth_line, verdict_line, time = result.out.splitlines()
    assert first == "sigma = 4.225, certified to meet the target"
    assert second_line.startswith("  reached      epsilon in [0.99991808")
    assert target.startswith("  target       epsilon ≤ 1 at delta = 1e-6, adjacency any (neighbours are ")
    assert fourth_line.startswith("  fails        sigma = 4.221: epsilon in [1.00093946")
    assert verdict_line.endswith("the least sigma that meets the target lies between the two (precision 0.1 %)")
    assert re.fullmatch(r"  time         \d+\.\d s, \d values tried", time)
    again = pldcheck("eps", "gaussian", "--sigma", 4.225, "--delta", "1e-6").out
    assert again.partition(", certified")[0] in second_line


@pytest.mark.long
def test_integers_and_wide_answers(pldcheck):
    result = pldcheck(
        "calibrate", "gaussian", "--solve", "steps", "--sigma", 5, "--target-epsilon", 10, "--delta", "1e-6"
    )
    assert (
        result.out.startswith("steps = 85, certified")
        and "  optimal      no larger value of steps meets the target\n" in result.out
    )
    # The ends of swapping are a fifth apart: between what is refused and what is excluded nothing is known.
    result = pldcheck(
        "calibrate", "swap", "--clients", 1000, "--solve", "eps0", "--target-epsilon", 0.1, "--delta", "1e-6"
    )
    *_, refusal, exclusion, verdict_line, _ = result.out.splitlines()
    assert refusal.startswith("  uncertain    eps0 = 0.69") and exclusion.startswith("  fails        eps0 = 0.81")
    assert verdict_line == "  optimal      the largest eps0 that meets the target lies below the one that fails"


def test_the_side_of_the_best_value_is_said_where_answers_are_wide(pldcheck, monkeypatch):
    from pldcheck.core.interval import Interval
    from pldcheck.protocols import Gaussian

    # Each answer is so wide that a factor of 2 is not decided.
    monkeypatch.setattr(Gaussian, "epsilon", lambda self, delta, *_: Interval(1 / self.sigma, 2 / self.sigma))
    words = ("calibrate", "gaussian", "--solve", "sigma", "--target-epsilon", 1, "--delta", "1e-6")
    lines = dict(line.split(maxsplit=1) for line in pldcheck(*words).out.splitlines()[1:])
    assert lines["optimal"] == "the least sigma that meets the target lies above the one that fails"
    assert float(lines["fails"].split()[2].rstrip(":")) < 1


@pytest.mark.nightly
def test_a_value_misses_the_target_only_if_that_is_certain(pldcheck):
    words = ("calibrate", "shuffle", "--solve", "eps0", "--clients", 10000, "--target-epsilon", 0.1, "--delta", "1e-6")
    lines = dict(line.split(maxsplit=1) for line in pldcheck(*words, "--precision", 0.1).out.splitlines()[1:])
    least = {label: float(re.search(r"\[([^,]*),", lines[label])[1]) for label in ("uncertain", "fails")}
    assert least["uncertain"] <= 0.1 < least["fails"]


RATE = ("calibrate", "matrix-mechanism", "--steps-per-epoch", 4, "--sigma", 4, "--epochs", 2, "--solve", "rate")
RATE += ("--target-epsilon", 0.5, "--delta", "1e-6", "--precision", 0.1)


def test_the_rate_of_samples_that_are_far_apart_is_not_solved_for(pldcheck):
    result = pldcheck(*RATE, "--sampling", "b-min-sep")
    message = "another parameter: with sampling b-min-sep it is not proved how epsilon moves, got 'rate'"
    assert (result.status, result.out, result.err) == (2, "", f"pldcheck: solve must be {message}\n")


@pytest.mark.nightly
def test_the_rate_of_cyclic_samples_is_solved_for(pldcheck):
    result = pldcheck(*RATE, "--sampling", "cyclic-poisson")
    assert result.status == 0 and result.out.startswith("rate = 0.")


def test_a_refused_target_is_named_as_it_was_typed(pldcheck):
    words = ("calibrate", "gaussian", *SIGMA, "--target-epsilon", -1, "--delta", "1e-6")
    assert pldcheck(*words).err == "pldcheck: target_epsilon must be at least 0 and finite, got '-1'\n"
    with pytest.raises(ParameterError, match="^target_epsilon must be at least 0"):
        calibrate("gaussian", "sigma", -1.0, 1e-6)


def test_no_line_of_an_answer_begins_with_a_percent_sign(pldcheck):
    words = ("calibrate", "gaussian", "--solve", "sigma", "--target-epsilon", 0, "--delta", "1e-6")
    text = pldcheck(*words).out
    assert re.search(r", width\n +2\.6e-10 %\n", text) and all(len(line) <= 100 for line in text.splitlines())


def test_the_answer_in_json(pldcheck):
    result = pldcheck(*GAUSSIAN, *SIGMA, "--steps", 4, "--precision", 0.01, "--json")
    assert (result.status, result.err, result.out.count("\n")) == (0, "", 1)
    answer = calibrate("gaussian", "sigma", 1.0, 1e-6, 0.01, steps=4).to_dict()
    assert {**result.json, "seconds": 0.0} == {**answer, "seconds": 0.0}
    assert list(answer) == [
        *(
            "protocol",
            "params",
            "solve",
            "value",
            "target_epsilon",
            "delta",
            "precision",
            "searched",
            "quantity",
            "lower",
        ),
        *("upper", "budget", "witness", "refused", "excluded", "optimal", "complete", "queries", "seconds"),
    ]


def test_every_value_meets_the_target(pldcheck):
    result = pldcheck(*CHECK_IN, "--solve", "check-in-prob", "--target-epsilon", 2)
    assert result.status == 0 and result.out.startswith("check_in_prob = 1.0, certified")
    assert "every check_in_prob from 1e-9 to 1 meets the target; this is the last one\n" in result.out


def test_no_value_meets_the_target(pldcheck):
    words = ("calibrate", "gaussian", "--solve", "steps", "--sigma", 2, "--target-epsilon", 1, "--delta", "1e-6")
    result = pldcheck(*words)
    assert (result.status, result.out, result.err.count("\n")) == (1, "", 1)
    assert result.err.startswith("pldcheck: no steps from 1 to 1e12 is (1.0, 1e-06)-DP; steps = 1 comes nearest with ")
    result = pldcheck(*words, "--json")
    assert (result.status, result.err) == (1, "") and result.json["value"] is None and result.json["proved"]
    assert result.json["nearest"]["value"] == 1 and result.json["params"] == {"sigma": 2.0}


def test_no_value_could_be_certified(pldcheck, engine):
    engine(0.05, 0.2)
    result = pldcheck(*CHECK_IN, "--solve", "check-in-prob", "--target-epsilon", 0.1)
    assert (result.status, result.out) == (3, "") and "could be certified to be (0.1, 1e-06)-DP" in result.err
    result = pldcheck(*CHECK_IN, "--solve", "check-in-prob", "--target-epsilon", 0.1, "--json")
    assert result.status == 3 and not result.json["proved"]


def test_how_far_the_truth_lies_may_be_unknown(pldcheck, monkeypatch):
    monkeypatch.setattr(PROTOCOLS["gaussian"], "epsilon", lambda self, delta, width: Interval(0.0, 1 / self.sigma))
    lines = pldcheck(*GAUSSIAN, *SIGMA).out.splitlines()
    assert lines[0].startswith("sigma = 1.0, certified")
    assert lines[-2].endswith("how much further the least sigma that meets the target lies is not known")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (GAUSSIAN, "missing option --solve"),
        ((*GAUSSIAN, "--solve", "scale"), "unknown parameter to solve for 'scale'"),
        ((*GAUSSIAN, *SIGMA, "--sigma", 2), "sigma must be left out where it is solved for, got 2.0"),
        ((*GAUSSIAN, "--solve", "steps", "--steps", 1), "steps must be left out where it is solved for, got 1"),
        ((*GAUSSIAN, "--solve", "steps"), "missing option --sigma, which must be above 0 and at most 1e9"),
        ((*GAUSSIAN, *SIGMA, "--steps", 0), "steps must be an integer"),
        ((*GAUSSIAN, *SIGMA, "--precision", 1), "precision must be from 1e-9 to 0.5, got '1'"),
        (
            (*GAUSSIAN[:2], *SIGMA, "--target-epsilon", "nan", "--delta", 0.1),
            "epsilon must be at least 0 and finite, got 'nan'",
        ),
        (("calibrate", "gaussian", *SIGMA, "--delta", "1e-6"), "missing option --target-epsilon"),
        (
            ("calibrate", "gaussian", *SIGMA, "--target-epsilon", 1),
            "missing option --delta, which must be above 0 and below 1",
        ),
        (("calibrate", "gausian"), "did you mean gaussian"),
        (("calibrate", "gaussian-mean"), "gaussian-mean is known, but has no parameter to solve for"),
        (("calibrate",), "protocol missing; known: hidden-slot, check-in"),
        (
            ("calibrate", "composition", "--solve", "steps", "--target-epsilon", 1, "--delta", 0.1),
            "missing option --mechanism",
        ),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, tuple) else "",
)
@pytest.mark.parametrize("json", [(), ("--json",)], ids=["text", "json"])
def test_bad_usage_is_one_line_and_status_two(pldcheck, words, message, json):
    result = pldcheck(*words, *(json if len(words) > 1 else ()))
    assert (result.status, result.out, result.err.count("\n")) == (2, "", 1) and result.err.startswith("pldcheck: ")
    assert message in result.err


def test_every_protocol_that_can_be_calibrated_has_an_example():
    with_directions = {name for name, protocol in PROTOCOLS.items() if protocol.directions}
    assert set(command.calibrate_group.table) == with_directions
    assert all(PROTOCOLS[name].examples.calibrate for name in with_directions)

"""A few fuzzed command lines and calls on every run; ``python -m tests.adversarial.lines`` draws as many as wanted."""

import os
import signal
import warnings

import pytest

from .lines import fuzz
from .verdicts import Verdict, judged_call, judged_line

# The lines are the same in every run.
SEED = 3


# Eight lines take some two seconds.
@pytest.mark.parametrize("lines", [8, pytest.param(16, marks=pytest.mark.nightly)])
def test_every_line_ends_in_an_answer_or_one_line(lines):
    verdicts = fuzz(SEED, range(lines), 1)
    assert [verdict for verdict in verdicts if verdict.fails] == []
    # where all is refused nothing is checked
    assert {"answer", "refused"} <= {verdict.kind for verdict in verdicts}


def line(monkeypatch, replacement):
    from pldcheck.protocols import Gaussian

    monkeypatch.setattr(Gaussian, "epsilon", replacement)
    return judged_line(["eps", "gaussian", "--sigma", "1", "--delta", "0.1"])


class Answer:
    """An interval that no Interval is."""

    sources = None

    def __init__(self, lower, upper):
        self.lower, self.upper, self.quantity = lower, upper, "epsilon"
        self.width, self.relative_width = upper - lower, 0.0

    def __iter__(self):
        return iter((self.lower, self.upper))


def report(*arguments):
    raise ZeroDivisionError("two\nlines")


@pytest.mark.parametrize(
    ("replacement", "kind"),
    [
        (report, "traceback"),
        (lambda *arguments: warnings.warn("soon", RuntimeWarning, stacklevel=1), "warning"),
        (lambda *arguments: exec("raise SystemExit(0)"), "traceback"),
        (lambda *arguments: print("chatter", file=__import__("sys").stderr) or Answer(1.0, 2.0), "wrong"),
        (lambda *arguments: Answer(2.0, 1.0), "wrong"),
    ],
)
def test_what_is_wrong_is_noticed_in_lines(monkeypatch, replacement, kind):
    verdict = line(monkeypatch, replacement)
    assert verdict.kind == kind and verdict.fails


def test_a_completion_that_raises_is_noticed(monkeypatch):
    from pldcheck.cli.options import Name

    monkeypatch.setattr(Name, "shell_complete", report)
    verdict = judged_line(["calibrate", "gaussian", "--solve", "sigma"])
    assert verdict.fails and verdict.question.endswith(" after pldcheck calibrate gaussian --solve")


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("1 / 0", "traceback"),
        ("numpy.float64(1) / 0", "warning"),
        ("Gaussian(1).epsilon(2)", "refused"),
        ("Gaussian(1).epsilon(.1)", "answer"),
        ("pld.gaussian(1).delta(1)", "answer"),
        ("pld.gaussian(1).delta([1, 2])", "answer"),
    ],
)
def test_what_is_wrong_is_noticed_in_calls(call, kind):
    assert judged_call(call).kind == kind


def test_a_hang_is_stopped_and_says_where(tmp_path):
    """In a process of its own: what stops it is its own computing time."""
    trace = tmp_path / "trace"
    child = os.fork()
    if not child:
        judged_call("[numpy.exp(1.0) for _ in iter(int, 1)]", str(trace), 0.2)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF
    assert "verdicts.py" in trace.read_text()


def test_a_failure_is_assigned_to_the_room_that_raised_it():
    frames = ("pld/solve.py:1 f", "shuffle/pair.py:2 g", "protocols/shuffle.py:3 h")
    assert Verdict("q", "traceback", "", frames).owner == "shuffle"
    assert Verdict("q", "traceback", "", ("pld/stoploss.py:1 f",)).owner == "shuffle"
    assert Verdict("q", "traceback", "", ("protocols/known_slot.py:1 f",)).owner == "known"
    assert Verdict("q", "traceback", "", ("cli/answers.py:1 f",)).owner == "cli"

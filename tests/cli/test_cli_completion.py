"""What a shell offers after a TAB: words that exist, and never a refusal or a traceback, whatever stands before."""

import os
import subprocess
import sys

import click
import pytest
from click.shell_completion import BashComplete, FishComplete, ZshComplete
from places import ROOT

from pldcheck.cli import VERBS, cli
from pldcheck.hidden_slot.known.encoder_text import FORMS
from pldcheck.protocols import PROTOCOLS
from pldcheck.theorems import REGISTRY

SHELLS = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}
# What stands before the word that is completed, beside the names of commands; the last ones would be refused in a line.
BEFORE = ([], ["--json"], ["--steps", "x"], ["--nothing"], ["nothing"])


def commands(command, context, words=()):
    """Yield the words of every command, and the command."""
    yield list(words), command
    for name in command.list_commands(context) if isinstance(command, click.Group) else ():
        inner = command.get_command(context, name)
        yield from commands(inner, click.Context(inner, context, name), (*words, name))


def offered(words, beginning="", shell="bash"):
    completion = SHELLS[shell](cli, {}, "pldcheck", "_PLDCHECK_COMPLETE")
    items = completion.get_completions(words, beginning)
    assert all(completion.format_completion(item) for item in items)
    return [item.value for item in items]


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_offers_its_commands_and_options_whatever_stands_before(shell):
    for words, command in commands(cli, click.Context(cli)):
        for more in BEFORE if len(words) < 2 else BEFORE[:1]:
            offered([*words, *more], "", shell)
        if isinstance(command, click.Group):
            assert offered(words, "", shell) == command.list_commands(click.Context(command))
        options = [one for one in command.params if isinstance(one, click.Option)]
        assert {one.opts[-1] for one in options} <= {"--json", "--debug", *offered(words, "--", shell)}


def test_names_are_offered_where_one_is_typed():
    assert offered([], "ep") == ["eps"] and offered([]) == [*VERBS]
    assert offered(["eps"], "hid") == ["hidden-slot"]
    assert set(offered(["delta"])) <= {*PROTOCOLS}
    assert offered(["verify", "--theorem"], "thm-3.2") == [name for name in REGISTRY if name.startswith("thm-3.2")]
    assert offered(["calibrate", "gaussian", "--solve"]) == ["sigma", "steps"]
    assert offered(["eps", "random-allocation", "--adjacency"], "re") == ["remove", "replace"]
    assert offered(["eps", "check-in", "--randomizer"], "k") == ["krr:"] and offered(["report", "--out"]) == [""]
    assert offered(["eps", "composition", "--mechanism"], "sub") == ["subsampled-gaussian:", "subsampled-rr:"]
    encoders = offered(["eps", "matrix-mechanism", "--encoder"])
    assert all(one.rstrip(":") in FORMS for one in encoders) and len(encoders) == 5
    assert REGISTRY._ipython_key_completions_() == [*REGISTRY]


@pytest.mark.skipif(os.name != "posix", reason="POSIX shells")
@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_is_answered_without_a_word_on_stderr(shell):
    words = {"COMP_WORDS": "pldcheck eps ", "COMP_CWORD": "" if shell == "fish" else "2"}
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "_PLDCHECK_COMPLETE": f"{shell}_complete", **words}
    result = subprocess.run([sys.executable, "-m", "pldcheck"], env=environment, capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "") and "hidden-slot" in result.stdout

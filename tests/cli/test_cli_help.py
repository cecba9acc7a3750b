"""Help teaches by example, and every example runs."""

import ast
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from pldcheck.cli import VERBS, cli


def commands(group, path=()):
    """Yield the words of every command there is."""
    yield path
    if isinstance(group, click.Group):
        context = click.Context(group)
        for name in group.list_commands(context):
            yield from commands(group.get_command(context, name), (*path, name))


ALL = list(commands(cli))


def command_at(path):
    """Return the command with these words, or None."""
    command = cli
    for name in path:
        command = command.get_command(click.Context(command), name)
    return command


# Some examples read a file; these commands make it.
PREPARATIONS = {
    "job.toml": ("job new job.toml",),
    "certificate check hidden-slot.json": (
        "certificate write hidden-slot --steps 9 --eps0 1 --delta 0.01 --out hidden-slot.json",
    ),
    "witness": ("witness write hidden-slot --steps 9 --eps0 1 --delta 0.01 --out witness.json",),
    "paper-quick.sqlite": ("verify --quick --quiet",),
    "results": ("verify --quick --theorem thm-3.2 --quiet", "compare figure-2 --quick --out results"),
}
# The theorems of a user's own that some examples judge.
CLAIMS = """
protocol, grid = "hidden-slot", {"steps": 9, "eps0": 1, "delta": 0.01}


def my_bound(steps, eps0, delta):
    return eps0


plain = my_bound
"""


def examples(text):
    """Return the command lines after "Examples:"."""
    lines = text.partition("Examples:\n")[2].splitlines()
    return [line.strip().removeprefix("pldcheck ") for line in lines if line.strip()]


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_every_command_has_help_with_examples(pldcheck, path):
    result = pldcheck(*path, "--help")
    assert (result.status, result.err) == (0, "")
    lines = examples(result.out)
    assert lines and lines[0].startswith(" ".join(path))
    # The help of a group may end with the command that uses what the group makes.
    group = isinstance(command_at(path), click.Group)
    assert all(line.startswith(" ".join(path)) or (group and command_at(line.split()[:1])) for line in lines)


def test_help_tells_the_allowed_range(pldcheck):
    text = " ".join(pldcheck("eps", "hidden-slot", "--help").out.split()).replace("- ", "-")
    ranges = ("an integer from 1 to 1e12", "above 0 and at most 20", "above 0 and at most 1")
    for words in (*ranges, "replace or zero-out", "[default: 0.005]"):
        assert words in text


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_every_example_runs(pldcheck, path):
    lines = examples(pldcheck(*path, "--help").out)
    Path("claims.py").write_text(CLAIMS)
    for words, preparations in PREPARATIONS.items():
        if any(words in line for line in lines):
            for words_before in preparations:
                assert pldcheck(*shlex.split(words_before)).status == 0
    for line in lines:
        result = pldcheck(*shlex.split(line))
        assert (result.status, result.err) == (0, ""), line
        assert result.out, line


def test_help_speaks_of_slots_only_where_there_are_some(pldcheck):
    for name in ("gaussian", "subsampled-gaussian", "randomized-response"):
        text = " ".join(pldcheck("eps", name, "--help").out.split())
        assert "Number of repetitions; an integer" in text
        assert "slot" not in text.partition("--json")[0] and "training run" not in text
    for name in ("check-in", "hidden-slot", "random-allocation"):
        text = " ".join(pldcheck("eps", name, "--help").out.split())
        assert "--steps-per-epoch, --steps N Number of slots m of one epoch, which are its steps of training;" in text
    for name in ("shuffle", "randomized-response"):
        assert "every slot" not in " ".join(pldcheck("eps", name, "--help").out.split()).partition("--json")[0]


def test_help_says_when_eps0_is_required(pldcheck):
    for name in ("check-in", "hidden-slot"):
        text = " ".join(pldcheck("eps", name, "--help").out.split())
        assert "above 0 and at most 20; required unless --randomizer is table:FILE, gaussian:S or" in text
        words = ("eps", name, "--steps", 9, "--delta", 0.1, "--randomizer")
        assert "missing option --eps0" in pldcheck(*words, "krr:4").err
        assert pldcheck(*words, "discrete-gaussian:2").status == 0
    assert "required unless" not in pldcheck("eps", "shuffle", "--help").out


def test_the_table_of_verbs_is_that_of_the_commands(pldcheck):
    context = click.Context(cli)
    assert all(cli.get_command(context, name).name == name for name in VERBS)
    help_text = pldcheck("--help").out
    assert all(re.search(rf"^  {name} ", help_text, re.MULTILINE) for name in VERBS)


def test_help_imports_no_verb():
    code = (
        "import sys, pldcheck.cli as c; c.run(['--help']); print([m for m in sys.modules if m.startswith('pldcheck')])"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = ast.literal_eval(process.stdout.splitlines()[-1])
    # What a name or a number may be is known without any numeric library.
    light = ("pldcheck.core", "pldcheck.randomizers")
    assert {name for name in modules if not name.startswith(light)} == {
        "pldcheck",
        "pldcheck.cli",
        "pldcheck.cli.options",
        "pldcheck.cli.refused_usage",
        "pldcheck.cli.unknown_names",
    }

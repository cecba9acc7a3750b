"""The index of results/: every stored file is on it once, and every command on it is one."""

import re
import shlex
from fnmatch import fnmatch
from importlib.util import find_spec

import click
import pytest
from places import RESULTS

from pldcheck.cli import cli
from pldcheck.witness.checker_archive import ARCHIVE

LINES = [line.split(" | ") for line in (RESULTS / "README.md").read_text().splitlines() if line.startswith("| `")]
PATTERNS = [pattern for files, *_ in LINES for pattern in re.findall(r"`([^`]+)`", files)]
COMMANDS = [command for *_, words in LINES for command in re.findall(r"`([^`]+)`", words)]
FILES = sorted(
    path.relative_to(RESULTS).as_posix()
    for path in RESULTS.rglob("*")
    if path.is_file() and path.relative_to(RESULTS).parts[0] != "runs" and path.name != ARCHIVE
)


def test_every_stored_file_is_on_the_index_once():
    index = [name for name in FILES if sum(fnmatch(name, pattern) for pattern in PATTERNS) != 1]
    assert index == ["README.md"]
    assert all(any(fnmatch(name, pattern) for name in FILES) for pattern in PATTERNS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_of_the_index_exists(command):
    """Its verbs and options are known; nothing is run."""
    program, *words = shlex.split(command)
    assert len(LINES) == len(COMMANDS)
    if program == "python":
        assert words[0] == "-m" and find_spec(words[1]) is not None
        return
    assert program == "pldcheck"
    verb, context = cli, click.Context(cli, obj=words)
    while isinstance(verb, click.Group):
        verb = verb.get_command(context, words.pop(0))
        assert verb is not None
        context = click.Context(verb, parent=context, obj=words)
    options, rest, _ = verb.make_parser(context).parse_args(words)
    assert options and not [word for word in rest if word.startswith("-")]

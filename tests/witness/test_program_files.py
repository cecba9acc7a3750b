"""The files of certificate programs: each is short, names what it needs, and runs alone beside that."""

import ast
import re
import subprocess
import sys

import pytest
from program_files import FOLDER, copied, imported, names_of, siblings

from pldcheck.witness.upper_certificates import PROGRAMS

# All files that are a part of some program.
PARTS = sorted(set().union(*map(names_of, PROGRAMS.values())))
# The most lines of a file, its page included.
MOST_LINES = 300


def page(name):
    """Return the page at the top of a file, in one line."""
    return " ".join(ast.get_docstring(ast.parse((FOLDER / f"{name}.py").read_text())).split())


def test_no_file_of_a_program_is_long():
    assert {name for name in PARTS if len((FOLDER / f"{name}.py").read_text().splitlines()) > MOST_LINES} == set()


def test_every_file_is_imported_alike_as_a_module_and_alone():
    for name in PARTS:
        nodes = [
            node
            for node in ast.parse((FOLDER / f"{name}.py").read_text()).body
            if isinstance(node, ast.If) and node.orelse
        ]
        assert len(nodes) == bool(siblings(name)), name
        for branches in nodes:
            inside = [(one.module or alias.name, alias.name) for one in branches.body for alias in one.names]
            alone = [
                (getattr(one, "module", None) or alias.name, alias.name)
                for one in branches.orelse
                if isinstance(one, ast.Import | ast.ImportFrom)
                for alias in one.names
            ]
            assert sorted(inside) == sorted(alone), name


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_names_the_files_that_it_needs(name):
    needed = names_of(PROGRAMS[name]) - {name}
    if name == "upper_rounds":  # it names programs, whose pages name the others
        called = [one for one in PROGRAMS if one in siblings(name)]
        assert len(called) == 3
        needed -= set().union(*map(names_of, (PROGRAMS[one] for one in called))) - set(called)
    assert needed <= set(re.findall(r"(\w+)\.py", page(name)))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_needs_the_standard_library_and_runs_in_a_folder_of_its_own(name, tmp_path):
    assert imported(PROGRAMS[name]) <= sys.stdlib_module_names
    command = [sys.executable, "-I", "-S", copied(PROGRAMS[name], tmp_path)]
    done = subprocess.run([*command, tmp_path], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (2, "refused: not a file\n", "")
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode and (done.stdout, done.stderr) == (f"usage: python {name}.py FILE\n", "")

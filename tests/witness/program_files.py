"""The modules that a program of the checkers needs, by its imports, and the checkers as one archive."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from pldcheck.checkers import claim_files
from pldcheck.witness.checker_archive import ARCHIVE, archive

FOLDER = Path(import_module("pldcheck.checkers").__file__).parent


def siblings(name):
    """Return the names of the modules that one beside them imports."""
    nodes = [node for node in ast.walk(ast.parse((FOLDER / f"{name}.py").read_text())) if type(node) is ast.ImportFrom]
    relative = [node for node in nodes if node.level == 1]
    return {
        one for node in relative for one in ([node.module] if node.module else [alias.name for alias in node.names])
    }


def names_of(program):
    """Return the name of a program, and those of all modules that it needs."""
    names, new = set(), {program.__name__.rpartition(".")[2]}
    while new:
        names |= new
        new = set().union(*map(siblings, new)) - names
    return names


def modules_of(program):
    """Return a program, and all modules that it needs."""
    return [import_module(f"pldcheck.checkers.{name}") for name in sorted(names_of(program))]


def examined(program, path):
    """Return whether a program accepts a file, and its sentence."""
    verdict = claim_files.examine(path, program.verify)
    return verdict.status == 0, verdict.sentence


def run_alone(folder, *files):
    """Return the exit status, the output and the errors of the archive on files, in a folder with nothing else.

    The interpreter is isolated: it has the standard library, and no other package.
    """
    (folder / ARCHIVE).write_bytes(archive())
    command = [sys.executable, "-I", "-S", ARCHIVE, *files]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    return done.returncode, done.stdout, done.stderr

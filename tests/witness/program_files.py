"""The files that a certificate program needs beside it, and the modules of these files, by its imports."""

import ast
import shutil
from importlib import import_module
from pathlib import Path

FOLDER = Path(import_module("pldcheck.witness").__file__).parent


def siblings(name):
    """Return the names of the modules that one beside them imports where it is a module of the package."""
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
    return [import_module(f"pldcheck.witness.{name}") for name in sorted(names_of(program))]


def copied(program, folder):
    """Return the path of a copy of a program in a folder, beside copies of all that it needs."""
    for name in names_of(program):
        shutil.copy(FOLDER / f"{name}.py", folder)
    return folder / f"{program.__name__.rpartition('.')[2]}.py"


def imported(program):
    """Return the first names of all that the files of a program import but for the modules of these files."""
    found = set()
    for name in names_of(program):
        for node in ast.walk(ast.parse((FOLDER / f"{name}.py").read_text())):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found.add(node.module.partition(".")[0])
    return found - names_of(program)

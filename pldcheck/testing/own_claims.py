"""A theorem of a user's own from what names it: a function with its protocol, or the words ``FILE.py:NAME``."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import redirect_stdout
from importlib.util import module_from_spec, spec_from_file_location
from inspect import isfunction, signature
from pathlib import Path
from traceback import extract_tb
from types import FunctionType, ModuleType
from typing import Any

from ..core.errors import ParameterError, PldcheckError, UnknownNameError
from ..theorems import GIVEN, Theorem
from ..verification.runs.cell_identity import source_of
from .theorem_decorator import theorem

# The end of a file with theorems, and what stands between the file and the name of one.
SUFFIX = ".py"
# The variables of a file that say what its plain functions are about, and at which cells theorems are judged.
PROTOCOL = ("protocol", "PROTOCOL")
GRID = ("grid", "GRID")


def is_claim(word: str) -> bool:
    """Return whether a word of the command line has the form ``FILE.py:NAME``, or is a Python file."""
    path, colon, _ = word.rpartition(":")
    return (path if colon else word).endswith(SUFFIX)


def theorem_of(function: FunctionType, protocol: Any = None) -> Theorem:
    """Return the theorem that a plain function states about a protocol.

    Parameters
    ----------
    function : function
        Its arguments are parameters by their usual names: with ``delta`` it bounds epsilon, with ``epsilon`` delta,
        with ``order`` the Rényi divergence.
    protocol : optional
        In a form of :func:`pldcheck.theorem`; by default the variable ``protocol`` of the function's module.

    Raises
    ------
    PldcheckError
        If the protocol is not given, or the parameters are not its own.

    """
    about = _variable(function.__globals__, PROTOCOL) if protocol is None else protocol
    if about is None:
        raise PldcheckError(
            f"{function.__name__} is about no protocol: give --protocol NAME, a variable protocol beside it, or "
            "@pldcheck.theorem(protocol=...) before it"
        )
    names = signature(function).parameters
    quantity = next((one for one in ("epsilon", "delta", "renyi") if GIVEN[one] in names), "epsilon")
    return theorem(protocol=about, quantity=quantity)(function)


def load_claim(word: str, protocol: Any = None) -> Theorem:
    """Return the theorem that ``FILE.py:NAME`` names: a decorated function of the file, a plain one, or its id.

    What the file prints goes to stderr.

    Raises
    ------
    PldcheckError
        If the file cannot be run, in one line with the place and the error; if it has no theorem of that name; or if
        ``protocol`` is given for a theorem that has its own.

    """
    path, colon, name = word.rpartition(":")
    if not colon:
        path, name = word, ""
    module = _module(Path(path))
    theorems = {key: value for key, value in vars(module).items() if isinstance(value, Theorem)}
    functions = [
        key for key, value in vars(module).items() if isfunction(value) and value.__module__ == module.__name__
    ]
    if not name:
        raise PldcheckError(
            f"{path} needs the name of a theorem: {path}:NAME, one of {', '.join([*theorems, *functions])}"
        )
    found = vars(module).get(name) or next((one for one in theorems.values() if one.id == name), None)
    if isinstance(found, FunctionType):
        return theorem_of(found, protocol)
    if not isinstance(found, Theorem):
        raise UnknownNameError(f"theorem or function in {path}", name, [*theorems, *functions])
    if protocol is not None:
        raise ParameterError("protocol", f"left out: {name} is about {found.protocol}", protocol)
    return found


def grid_of(claim: Theorem) -> Any:
    """Return the grid of a theorem: its own, or the variable ``grid`` of its file that has exactly its parameters."""
    if claim.grid is not None:
        return claim.grid
    grid = _variable(getattr(claim.formula, "__globals__", {}), GRID)
    return grid if isinstance(grid, Mapping) and set(grid) == set(claim.parameters) else None


def place_of(claim: Theorem) -> str | None:
    """Return the words ``FILE.py:NAME`` by which the command line finds a theorem, or None if there are none.

    A theorem inside a function, or in a notebook, has none.  The file is relative to the current folder if it is in it.
    """
    module = sys.modules.get(getattr(claim.formula, "__module__", ""))
    path = getattr(module, "__file__", None) or ""
    names = [name for name, value in vars(module).items() if value is claim or value is claim.formula] if module else []
    if not names or not path.endswith(SUFFIX) or not Path(path).is_file():
        return None
    near = os.path.relpath(path) if Path(path).resolve().is_relative_to(Path.cwd()) else path
    return f"{near}:{names[0]}"


def source_facts(claims: Iterable[Theorem]) -> dict[str, Any]:
    """Return where theorems are written, with the SHA-256 digests of their files, for the provenance of a run."""
    facts = {place_of(claim) or claim.id: source_of(claim) for claim in claims}
    return {"sources": facts} if facts else {}


def _variable(names: Mapping[str, Any], words: tuple[str, ...]) -> Any:
    return next((names[word] for word in words if word in names), None)


def _module(path: Path) -> ModuleType:
    """Return the module of a file, which is run."""
    if not path.is_file():
        raise ParameterError("FILE.py", "a Python file, and there is no such file", str(path))
    path, parts = path.resolve(), [path.stem]
    root = path.parent
    while (root / "__init__.py").is_file():
        parts.insert(0, root.name)
        root = root.parent
    name = ".".join(parts)
    if name in sys.modules:  # one of a library, or this file before an edit
        name = f"{name}-{len(sys.modules)}"
    spec = spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None  # the file ends in .py
    module = module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(root))  # what it imports may lie beside it
    try:
        with redirect_stdout(sys.stderr):
            spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == str(path)]
        line = getattr(error, "lineno", None) if isinstance(error, SyntaxError) else next(reversed(lines), None)
        place = f"{path.name}, line {line}" if line else path.name
        raise PldcheckError(" ".join(f"{place}: {type(error).__name__}: {error}".split())) from None
    return module

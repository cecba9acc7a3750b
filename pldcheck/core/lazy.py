"""Packages whose modules are loaded on first use, by the convention of scientific Python packages (their SPEC 1).

A package's ``__init__`` imports for type checkers what it offers, and offers the same at run time through a table::

    if TYPE_CHECKING:
        from . import lattice_law as lattice_law
        from .mechanisms import gaussian as gaussian
    else:
        __getattr__, __dir__ = lazy_parts(__name__, {"lattice_law": (), "mechanisms": ("gaussian",)}, __all__)

So ``from .. import pld`` costs nothing, and ``pld.gaussian`` loads the engine.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any

Lookup = Callable[[str], Any]
Listing = Callable[[], list[str]]


def lazy_parts(package: str, table: Mapping[str, tuple[str, ...]], public: Iterable[str]) -> tuple[Lookup, Listing]:
    """Return ``__getattr__`` and ``__dir__`` of a package whose modules are loaded on first use.

    Two threads may ask at once: the import system lets one of them load the module, and the other one wait for it.

    Parameters
    ----------
    package : str
        The ``__name__`` of the package.
    table : mapping
        By module, relative to the package, the names that the package takes from it.  A module directly in the package
        is an attribute of the package as well.
    public : iterable of str
        Names that ``dir`` lists.

    Returns
    -------
    tuple of two functions
        To be bound to ``__getattr__`` and ``__dir__`` in the package's ``__init__``.

    """
    homes = {name: module for module, names in table.items() for name in names}
    modules = {module for module in table if "." not in module}
    sorted_names = sorted(public)

    def lookup(name: str) -> Any:
        if name in homes:
            value = getattr(import_module(f".{homes[name]}", package), name)
            # The name becomes an attribute of the package, as after an import: the next look-up does not come here.
            setattr(sys.modules[package], name, value)
            return value
        if name in modules:
            return import_module(f".{name}", package)
        # With both keywords Python suggests a similar name.
        raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name, obj=sys.modules.get(package))

    def listing() -> list[str]:
        return list(sorted_names)

    return lookup, listing

"""The package as pdoc describes it: which modules and members have a page, and where links to them lead."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType

import pdoc.doc

import pldcheck

from .docstring_html import Links, plain_line

# The folder of the site that has these pages.
FOLDER = "rooms"


@dataclass(frozen=True)
class Entry:
    """A module or a member: its dotted name, its address from the site's own folder, and its docstring's first line."""

    name: str
    address: str
    summary: str
    kind: str


def load_modules(rooms: tuple[str, ...] | None = None) -> tuple[dict[str, pdoc.doc.Module], dict[str, str]]:
    """Return all modules of the package by name, and those that cannot be imported here with the reason.

    Libraries that only some files need, such as other accountants or pytest, may be absent: those files have no page.

    Parameters
    ----------
    rooms : tuple of str, optional
        The names of rooms without which the package is described; all of them by default.

    """
    names = [pldcheck.__name__]
    for info in pkgutil.walk_packages(pldcheck.__path__, f"{pldcheck.__name__}.", onerror=lambda name: None):
        parts = info.name.split(".")
        if parts[-1] != "__main__" and (rooms is None or parts[1] in rooms):
            names.append(info.name)
    modules: dict[str, pdoc.doc.Module] = {}
    absent: dict[str, str] = {}
    for name in names:
        try:
            modules[name] = pdoc.doc.Module(_load(name))
        except ImportError as error:
            absent[name] = str(error)
    return modules, absent


def _load(name: str) -> ModuleType:
    """Return a module with all that it offers in its namespace, also what it imports only when it is asked for."""
    module = import_module(name)
    for offer in getattr(module, "__all__", ()):
        vars(module).setdefault(offer, getattr(module, offer))
    return module


def is_shown(member: pdoc.doc.Doc) -> bool:
    """Return whether a member stands on its module's page: public, with a docstring or named in ``__all__``."""
    if member.kind == "module":
        return False
    if isinstance(member, pdoc.doc.Function) and member.name == "__init__":
        return bool(member.docstring or member.signature_without_self.parameters)
    if member.name.startswith("_"):
        return False
    return bool(member.docstring) or member.name in getattr(import_module(member.modulename), "__all__", ())


def page_of(module: str) -> str:
    """Return the address of a module's page."""
    return f"@/{FOLDER}/{module.replace('.', '/')}.html"


def members(module: pdoc.doc.Module) -> Iterator[pdoc.doc.Doc]:
    """Yield all members that stand on a module's page, those of its classes after each class."""
    for member in module.flattened_own_members:
        if is_shown(member):
            yield member
            if isinstance(member, pdoc.doc.Class):
                yield from (inner for inner in member.own_members if inner.kind != "class" and is_shown(inner))


def links(modules: Mapping[str, pdoc.doc.Module], words: Mapping[str, str]) -> Links:
    """Return where every module and every member that has a place is described; ``words`` as in :class:`Links`."""
    names = {name: page_of(name) for name in modules}
    for name, module in modules.items():
        for member in members(module):
            names.setdefault(f"{name}.{member.qualname}", f"{page_of(name)}#{member.qualname}")
    return Links(names, words)


def files(modules: Mapping[str, pdoc.doc.Module], package: str) -> list[Entry]:
    """Return the modules directly in a package, in the order in which its docstring names them, then by name."""
    text = modules[package].docstring
    inside = [name for name in modules if name.rpartition(".")[0] == package]
    places = {name: text.find(f"{name}`") % (len(text) + 1) for name in inside}
    in_order = sorted(inside, key=lambda name: (places[name], name))
    return [Entry(name, page_of(name), plain_line(modules[name].docstring), "module") for name in in_order]


def entries(modules: Mapping[str, pdoc.doc.Module]) -> Iterator[Entry]:
    """Yield all modules, and the functions and classes that are defined in them."""
    for name, module in modules.items():
        yield Entry(name, page_of(name), plain_line(module.docstring), "module")
        for member in module.flattened_own_members:
            if is_shown(member) and member.taken_from[0] == name and member.kind in ("class", "function"):
                address = f"{page_of(name)}#{member.qualname}"
                yield Entry(f"{name}.{member.qualname}", address, plain_line(member.docstring), member.kind)

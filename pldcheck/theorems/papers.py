"""The papers, one folder each, and the collections from all of them: theorems, cells of suites, proofs, reductions.

A folder's ``__init__`` has ``THEOREMS`` and may have ``REMARKS``.  By name it lists its ``PROOFS``, files with
``CHAINS``, and its ``REDUCTIONS``, files with ``REDUCTIONS`` or ``SCENES``: no computation needs them, and they are
imported on first use.  The cells of the suite ``paper`` are in the folder's ``paper.toml``, and so for the other
suites.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING

from . import (
    abadi16,
    balle18,
    balle19,
    balle20,
    biswas23,
    bu20,
    bun16,
    bun18,
    chen24,
    chua24,
    dong19,
    dwork14,
    erlingsson19,
    feldman21,
    feldman22,
    feldman25,
    girgis21,
    girgis21sampled,
    gopi21,
    kairouz15,
    liew22,
    mironov17,
    mironov19,
    rogers16,
    statements,
    steinke22,
    steinke23,
    vadhan17,
    wang19,
    wang24,
    whitehouse23,
    zhu19,
)

if TYPE_CHECKING:
    from .proof_step import Chain
    from .reduction import Reduction

# The papers, in the order in which their theorems are listed.
PAPERS = (
    *(balle20, steinke22, erlingsson19, feldman21, feldman22, chen24, girgis21, wang24, girgis21sampled, biswas23),
    *(dwork14, vadhan17, kairouz15, rogers16, whitehouse23, bun16, mironov17, dong19),
    *(balle18, abadi16, mironov19, zhu19, wang19, bun18, bu20, gopi21),
    *(feldman25, chua24, balle19, liew22, steinke23),
)


def suite_files(suite: str) -> tuple[Path, ...]:
    """Return the files with the papers' cells of a suite, in the order of the papers."""
    files = (Path(str(paper.__file__)).with_name(f"{suite}.toml") for paper in PAPERS)
    return tuple(file for file in files if file.is_file())


@cache
def chains() -> Mapping[str, Chain]:
    """Return all proof chains by the id of their theorem or statement; the first call imports the files of proofs."""
    files = [file for place in (*PAPERS, statements) for file in _files(place, place.PROOFS)]
    return MappingProxyType({chain.theorem: chain for file in files for chain in file.CHAINS})


@cache
def reductions() -> tuple[Reduction, ...]:
    """Return all reductions of all papers, in the order of the papers."""
    files = [file for paper in PAPERS for file in _files(paper, paper.REDUCTIONS)]
    return tuple(reduction for file in files for reduction in getattr(file, "REDUCTIONS", ()))


@cache
def scenes() -> Mapping[str, str]:
    """Return the scenes of theorems that are not stated for the whole of their protocol, by the id of the theorem."""
    files = [file for paper in PAPERS for file in _files(paper, paper.REDUCTIONS)]
    return MappingProxyType({id_: scene for file in files for id_, scene in getattr(file, "SCENES", {}).items()})


def _files(paper: ModuleType, names: tuple[str, ...]) -> Iterator[ModuleType]:
    return (import_module(f"{paper.__name__}.{name}") for name in names)

"""Remarks: numbered items of a paper that bound no quantity of a protocol, such as definitions and lemmas.

A paper's folder lists them in ``REMARKS``.  A lemma whose proof is a chain of inequalities has the id of its chain, and
the audit judges it; what theorems say as well is judged through them; of anything else the reason stands here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ..core.errors import ParameterError, UnknownNameError
from .theorem import Source

KINDS = (
    *("definition", "remark", "lemma", "proposition", "corollary", "theorem", "algorithm", "section"),
    *("figure", "table"),
)
# Kinds that claim nothing: theorems rest on them.
USED = ("definition", "algorithm")


@dataclass(frozen=True)
class Remark:
    """An item of a paper that is no :class:`~pldcheck.theorems.theorem.Theorem`.

    Attributes
    ----------
    id, kind, title, statement, source
        The permanent name, what the paper calls it, the title, the statement in LaTeX, and where it is printed.
    theorems
        The ids of the theorems and chains that judge it or, of a definition, that rest on it.
    why
        The reason why nothing of it is judged, where neither theorems nor a chain of its own do.
    notes
        Remarks for readers.

    """

    id: str
    kind: str
    title: str
    statement: str
    source: Source
    theorems: tuple[str, ...] = ()
    why: str = ""
    notes: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UnknownNameError("kind of remark", self.kind, KINDS)

    def state(self, audited: bool) -> str:
        """Return in words by what the remark is judged; ``audited`` says whether it has a proof chain of its own."""
        chain = (f"judged by the steps of pldcheck audit {self.id}",) if audited else ()
        verb = "used" if self.kind in USED else "judged"
        through = (f"{verb} in {', '.join(self.theorems)}",) if self.theorems else ()
        return "; ".join((*chain, *through)) or f"not judged, because {self.why}"


class Remarks(Mapping[str, Remark]):
    """The remarks by id, in the order of the papers; an unknown id raises UnknownNameError, which suggests others."""

    def __init__(self, remarks: Iterable[Remark]) -> None:
        self._remarks: dict[str, Remark] = {}
        for remark in remarks:
            if remark.id in self._remarks:
                raise ParameterError("remark id", "unique", remark.id)
            self._remarks[remark.id] = remark

    def __getitem__(self, key: str) -> Remark:
        if key not in self._remarks:
            raise UnknownNameError("remark", str(key), self._remarks)
        return self._remarks[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._remarks)

    def __len__(self) -> int:
        return len(self._remarks)

    # Mapping defines it by KeyError, and UnknownNameError is none.
    def __contains__(self, key: object) -> bool:
        return key in self._remarks

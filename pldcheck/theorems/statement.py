"""Statements: by each of them a claim about one mechanism follows from a claim about another, simpler one.

Certificates of upper ends rest on statements: their programs hold the ids and the sentences of those that they use, and
name them where they accept a file.  A statement is no formula that bounds a number, as a theorem is: it says that a
pair of laws dominates a mechanism, or that a protocol reveals at most as much as another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ..core.errors import ParameterError, UnknownNameError
from .theorem import Source

# The notation that all statements and their proofs have in common.
NOTATION = (
    "H(κ; P, Q) is the largest P(E) - κ Q(E) over events E, the curve of the pair (P, Q) at κ > 0: outputs are "
    "(ε, δ)-DP if H(e^ε; P, Q) ≤ δ for all pairs of their laws on neighbours, in both orders.",
    "(P, Q) dominates (P', Q') if H(κ; P', Q') ≤ H(κ; P, Q) for every κ > 0; a set of pairs, if it dominates each.",
    "y₊ is max(y, 0); p, q are densities of P, Q; the loss of (P, Q) is L = log(p/q), infinite where q is 0.",
)


@dataclass(frozen=True)
class Statement:
    """A statement with its proof.

    Attributes
    ----------
    id, sentence
        The permanent name, and what is stated in one sentence, both as programs have them.
    statement
        What is stated exactly, in whole sentences and Unicode mathematics.
    conditions
        What is assumed.
    proof
        The proof: steps in order, each in whole sentences.
    uses
        The ids of the statements that the proof uses.
    source
        The place where it is printed, or what it follows.

    """

    id: str
    sentence: str
    statement: str
    conditions: tuple[str, ...]
    proof: tuple[str, ...]
    source: Source
    uses: tuple[str, ...] = ()


class Statements(Mapping[str, Statement]):
    """The statements by id; one that a proof uses stands before it, so that no proof goes in a circle.

    An unknown id raises UnknownNameError, which suggests similar ids.
    """

    def __init__(self, statements: Iterable[Statement]) -> None:
        self._statements: dict[str, Statement] = {}
        for statement in statements:
            if statement.id in self._statements:
                raise ParameterError("statement id", "unique", statement.id)
            for name in statement.uses:
                if name not in self._statements:
                    raise UnknownNameError(f"statement used by {statement.id}", name, self._statements)
            self._statements[statement.id] = statement

    def __getitem__(self, key: str) -> Statement:
        if key not in self._statements:
            raise UnknownNameError("statement", str(key), self._statements)
        return self._statements[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._statements)

    def __len__(self) -> int:
        return len(self._statements)

    # Mapping defines it by KeyError, and UnknownNameError is none.
    def __contains__(self, key: object) -> bool:
        return key in self._statements

    def all_used_by(self, key: str) -> tuple[str, ...]:
        """Return the ids of all statements on which a proof rests, directly or not, in their order."""
        needed, waiting = set(), [key]
        while waiting:
            for name in self[waiting.pop()].uses:
                if name not in needed:
                    needed.add(name)
                    waiting.append(name)
        return tuple(name for name in self if name in needed)

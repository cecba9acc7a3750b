"""A protocol's page: what it is, its parameters with their ranges, what can be asked of it, and an example."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ParameterFacts:
    """A parameter of a protocol: what it means, what it may be, and its default as Python writes it (empty: none)."""

    name: str
    meaning: str
    domain: str
    default: str


@dataclass(frozen=True)
class ProtocolFacts:
    """All that a protocol's page says, gathered by who knows protocols: this room does not.

    ``name`` is what the command line calls it, ``type_name`` the class in :mod:`pldcheck`, ``module`` where that is
    defined.  ``answers`` pairs what can be asked with a sentence on it; ``lacks`` what cannot be with the reason.
    ``command`` and ``python`` ask for the same number; both are empty where no verb serves the protocol.
    """

    name: str
    type_name: str
    module: str
    docstring: str
    parameters: tuple[ParameterFacts, ...]
    adjacencies: tuple[str, ...]
    answers: tuple[tuple[str, str], ...]
    lacks: tuple[tuple[str, str], ...]
    command: str
    python: str

    @property
    def summary(self) -> str:
        """The first paragraph of the docstring, on one line."""
        return " ".join(self.docstring.partition("\n\n")[0].split())

    @property
    def details(self) -> str:
        """The docstring without its first paragraph."""
        return self.docstring.partition("\n\n")[2]

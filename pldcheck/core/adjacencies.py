"""The adjacencies by their names: which data sets are neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

# What differs between neighbours, by the name of the adjacency.
NEIGHBOURS: Mapping[str, str] = MappingProxyType(
    {
        "replace": "one record is changed for another",
        "zero-out": "one record is there, or a reference record that everybody knows is in its place",
        "add-remove": "one record is there or not, the worse direction",
        "remove": "one record is there under the first law and not under the second",
        "add": "one record is there under the second law and not under the first",
        "both": "one record is there or not, the worse of remove and add",
        "any": "the data that the sensitivity or the eps0 is stated for",
    }
)
# The adjacency of the exchanged pairs, where that is another one; all others have with each pair the exchanged one.
EXCHANGED: Mapping[str, str] = MappingProxyType({"remove": "add", "add": "remove"})
# The name of an adjacency in theorems, where it is another one than in protocols.
IN_THEOREMS = {"replacement": "replace"}


def adjacency_word(name: str) -> str:
    """Return the name of an adjacency as protocols have it."""
    return IN_THEOREMS.get(name, name)

"""The adjacencies by their names: which data sets are neighbours.

These are the words of parameters, answers, rows and help.  The words of other accountants, and those of rows and jobs
that pldcheck wrote before there was one vocabulary, are read by :mod:`pldcheck.core.usual_names`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .errors import UnknownNameError
from .usual_names import understood_name

# What differs between neighbours, by the name of the adjacency.
NEIGHBOURS: Mapping[str, str] = MappingProxyType(
    {
        "replace": "one record is changed for another",
        "zero-out": "one record is there, or a reference record that everybody knows is in its place",
        "add-remove": "one record is there or not, the worse of remove and add",
        "remove": "one record is there under the first law and not under the second",
        "add": "one record is there under the second law and not under the first",
        "any": "the data that the sensitivity or the eps0 is stated for",
    }
)
# The adjacency of the exchanged pairs, where that is another one; all others have with each pair the exchanged one.
EXCHANGED: Mapping[str, str] = MappingProxyType({"remove": "add", "add": "remove"})


def adjacency_word(name: str) -> str:
    """Return the name of an adjacency here; raise UnknownNameError for one that is unknown here and elsewhere.

    Examples
    --------
    >>> adjacency_word("REPLACE_ONE"), adjacency_word("both")
    ('replace', 'add-remove')

    """
    word = name if name in NEIGHBOURS else understood_name(name, NEIGHBOURS)
    if word is None:
        raise UnknownNameError("adjacency", name, NEIGHBOURS)
    return word

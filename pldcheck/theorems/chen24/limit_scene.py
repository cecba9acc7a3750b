"""Scenes of the theorems of this paper that are not stated for the whole of their protocol."""

from collections.abc import Mapping

SCENES: Mapping[str, str] = {
    "chen-gdp": "shuffle-many",
    "ccg24-personal": "personal-many",
    "ccg24-personal-approximate": "personal-many",
}

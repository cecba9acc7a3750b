"""Scenes of the theorems of this paper that are not stated for the whole of their protocol."""

from collections.abc import Mapping

SCENES: Mapping[str, str] = {
    "fmt21-3.8": "shuffle-noise",
    "fmt22-approximate": "shuffle-noise",
    "fmt22-renyi": "shuffle-categories",
}

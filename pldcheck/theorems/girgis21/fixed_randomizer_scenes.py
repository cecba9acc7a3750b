"""Scenes of the theorems of this paper that are not stated for the whole of their protocol."""

from collections.abc import Mapping

SCENES: Mapping[str, str] = {
    "girgis-ub1": "shuffle-fixed",
    "girgis-ub2": "shuffle-fixed",
    "girgis-lb": "shuffle-fixed",
    "girgis-3.6": "shuffle-response",
}

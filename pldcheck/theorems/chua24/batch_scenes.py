"""Scenes of the theorems of this paper that are not stated for the whole of their protocol."""

from collections.abc import Mapping

SCENES: Mapping[str, str] = {
    "poisson-for-shuffled": "shuffled-two-batches-misread",
    "chua24-cut": "truncated-poisson-once",
}

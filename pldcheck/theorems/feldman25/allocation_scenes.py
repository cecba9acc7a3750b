"""Scenes of the theorems of this paper that are not stated for the whole of their protocol."""

from collections.abc import Mapping

SCENES: Mapping[str, str] = {
    "fs25-remove": "allocation-remove",
    "fs25-add": "allocation-add",
    "fs25-decomposition": "allocation-remove-two",
    "poisson-allocation": "allocation-two-misread",
}

"""Scenes of the theorems of this paper that are not stated for the whole of their protocol."""

from collections.abc import Mapping

SCENES: Mapping[str, str] = {"mtz19-replaced": "poisson-replaced", "mtz19-accountant": "subsampled-gaussian-many-steps"}

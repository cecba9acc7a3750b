"""Scenes of the theorems of this paper that are not stated for the whole of their protocol."""

from collections.abc import Mapping

SCENES: Mapping[str, str] = {"drs19-3.4": "response-curve", "drs19-limit": "response-many"}

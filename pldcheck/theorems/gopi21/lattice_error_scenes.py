"""Scenes of the theorems of this paper that are not stated for the whole of their protocol."""

from collections.abc import Mapping

SCENES: Mapping[str, str] = {"glw21-5.5": "response-on-a-lattice", "rounded-up": "response-rounded-up"}

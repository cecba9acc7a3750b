"""Scenes of the theorems of this paper that are not stated for the whole of their protocol."""

from collections.abc import Mapping

SCENES: Mapping[str, str] = dict.fromkeys(("gdd21-upper", "gdd21-lower", "gdd21-exact"), "sampled-shuffle-renyi")

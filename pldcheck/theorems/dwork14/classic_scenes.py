"""Scenes of the theorems of this book that are not stated for the whole of their protocol."""

from collections.abc import Mapping

SCENES: Mapping[str, str] = {"dr14-any-epsilon": "gaussian-misread"}

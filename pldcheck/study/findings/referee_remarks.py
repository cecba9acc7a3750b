"""Remarks of a fair referee: repetitions of one mistake, and ambiguous texts."""

from __future__ import annotations

from collections.abc import Mapping

# Theorems that are special cases of another: the other theorem, and the parameters.  They share one mistake.
CASES: Mapping[str, tuple[str, str]] = {
    "krr-merged": ("vr-wang", "at the total variation distance of K-ary response, with the same gap in its proof"),
}
# Steps that are one of two readings of a text: the step that is the other reading, and the reason for the two.
TWO_READINGS: Mapping[str, tuple[str, str]] = {
    "A.4/absorbed-4": ("A.4/absorbed-100", "One sentence of the proof says delta <= 1/4, the next one delta <= 1/100."),
    "A.4/simple-4": ("A.4/simple-100", "The statement says delta <= 1/100, one sentence of its proof delta <= 1/4."),
    "3.3/half-relaxed": (
        "3.3/half",
        "The text says that epsilon_1 is at most 1/2, and then uses this for the larger bound of (6).",
    ),
}

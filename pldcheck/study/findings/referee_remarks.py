"""What a fair referee adds to a finding: what a paper does not claim, what is one mistake, and what a text may mean."""

from __future__ import annotations

from collections.abc import Mapping

# Statements that their papers call approximate, with what is to be said of them.
APPROXIMATE: Mapping[str, str] = {
    "chen-gdp": (
        'The paper says that shuffling "approximately satisfies" this, in the limit of many clients; it claims no '
        "bound at a number of clients. Here it is held to its word as if it did."
    ),
}
# Theorems that are another one at parameters of their own: no second mistake.
CASES: Mapping[str, tuple[str, str]] = {
    "krr-merged": ("vr-wang", "at the total variation distance of K-ary response, with the same gap in its proof"),
}
# Steps that are one of two readings of a text, the step that is the other, and why there are two.
TWO_READINGS: Mapping[str, tuple[str, str]] = {
    "A.4/absorbed-4": ("A.4/absorbed-100", "One sentence of the proof says delta <= 1/4, the next one delta <= 1/100."),
    "A.4/simple-4": ("A.4/simple-100", "The statement says delta <= 1/100, one sentence of its proof delta <= 1/4."),
    "3.3/half-relaxed": (
        "3.3/half",
        "The text says that epsilon_1 is at most 1/2, and then uses it where (6) has put more in its place.",
    ),
}

"""The kinds of statements by their origin, and the words in the notes of those whose text was not at hand."""

from __future__ import annotations

# What a statement is: printed as a bound, printed as an approximation that its paper calls no bound, one of pldcheck's
# own, registered from memory, or a reading that its authors do not claim and that is registered because it is false.
STANDINGS = ("published", "approximation", "of pldcheck", "recalled", "deliberately false")
PUBLISHED, APPROXIMATION, OWN, RECALLED, MISREAD = STANDINGS
# The key of the source of a bound that is in no paper.
OWN_KEY = "pldcheck"
# A statement so marked is never called false as its authors' claim: the verdict is on the formula that is registered.
AS_RECALLED = "As recalled: the text was not at hand, and every verdict is on the formula as it stands here."
# The words for a statement that was derived again or compared with others' programs, and not read either.
STATEMENT_IS_RECALLED = "The statement is recalled"

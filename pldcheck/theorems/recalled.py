"""The words that mark a statement whose text was not at hand, the same in the notes of all of them."""

from __future__ import annotations

# A statement so marked is never called false as its authors' claim: the verdict is on the formula that is registered.
AS_RECALLED = "As recalled: the text was not at hand, and every verdict is on the formula as it stands here."

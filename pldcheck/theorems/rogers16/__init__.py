"""Rogers, Roth, Ullman, Vadhan (2016): privacy odometers and filters."""

from . import first_filter

THEOREMS = first_filter.THEOREMS
PROOFS: tuple[str, ...] = ()
REDUCTIONS: tuple[str, ...] = ()

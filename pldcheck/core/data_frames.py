"""The optional import of pandas, which only ``to_pandas`` needs."""

from __future__ import annotations

from typing import Any

from .errors import PldcheckError


def pandas() -> Any:
    """Return the pandas module; raise PldcheckError, with a message of one line, where it is not installed."""
    try:
        import pandas as library  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        raise PldcheckError("to_pandas needs pandas, which is not installed") from None
    return library

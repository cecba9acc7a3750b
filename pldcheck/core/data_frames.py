"""pandas, which is not needed for anything but ``to_pandas`` and may be missing."""

from __future__ import annotations

from typing import Any

from .errors import PldcheckError


def pandas() -> Any:
    """Return the library; raises PldcheckError in one line where it is not installed."""
    try:
        import pandas as library  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        raise PldcheckError("to_pandas needs pandas, which is not installed") from None
    return library

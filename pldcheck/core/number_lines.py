"""Files with lines of numbers: commas or blanks separate the numbers of a line, and ``#`` begins a comment."""

from __future__ import annotations

from pathlib import Path

from . import sealed_files
from .parameters import decimal


def read(path: str, most: int) -> list[list[float]]:
    """Return the numbers of a file, a list for each line that has any.

    Parameters
    ----------
    path : str
    most : int
        The largest size of the file, in bytes.

    Raises
    ------
    ValueError
        If the file cannot be read, is longer, or has something else in it.  The message is the reason, in words, and
        quotes nothing of the file, which may be any file.

    """
    try:
        text = sealed_files.load(Path(path), most).decode("utf-8")
        lines = [line.partition("#")[0].replace(",", " ").split() for line in text.splitlines()]
        return [[decimal(word) for word in line] for line in lines if line]
    except sealed_files.DamageError as error:
        reason = str(error)
    except OSError as error:
        reason = (error.strerror or "cannot be read").lower()
    except ValueError:
        reason = "not numbers"
    raise ValueError(reason)

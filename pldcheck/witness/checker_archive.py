"""The programs that check files as one archive, which lies beside the files and needs only Python."""

from __future__ import annotations

import io
from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from shlex import quote
from zipfile import ZipFile, ZipInfo

from .. import checkers

# The name of the archive beside files.
ARCHIVE = "checkers.pyz"
# The system whose attributes entries have, whatever this one is.
UNIX = 3


def archive() -> bytes:
    """Return :mod:`pldcheck.checkers` as one file that Python runs, as ``python -m zipapp`` would make it.

    The same version of the programs gives the same bytes: no file of the archive has a time.
    """
    content = io.BytesIO()
    with ZipFile(content, "w") as pyz:
        modules = [one for one in resources.files(checkers).iterdir() if one.name.endswith(".py")]
        for module in sorted(modules, key=lambda one: one.name):
            entry = ZipInfo(module.name)
            entry.create_system = UNIX
            pyz.writestr(entry, module.read_bytes())
    return content.getvalue()


def command(folder: Path, words: Iterable[str]) -> str:
    """Return the command for a shell that checks files by the archive in a folder; ``words`` are what it is given."""
    return " ".join(["python3", quote(str(folder / ARCHIVE)), *words])

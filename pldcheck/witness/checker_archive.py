"""The programs that check files as one archive beside these, and the command that runs it: it needs only Python."""

from __future__ import annotations

import io
from collections.abc import Iterable
from importlib import resources
from itertools import groupby
from pathlib import Path
from shlex import quote
from zipfile import ZipFile, ZipInfo

from .. import checkers

# The name of the archive beside files.
ARCHIVE = "checkers.pyz"
# The length of the end of the name of a row's file: its hash, and the ending of JSON.
END = 16 + len(".json")
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


def command(folder: Path, files: Iterable[Path]) -> str:
    """Return the command for a shell that checks files by the archive in a folder.

    Patterns stand for files where they find no others.
    """
    words = []
    for room, group in groupby(sorted(files), key=lambda path: path.parent):
        own = [*group]
        for stems in ([""], sorted({path.name[:-END] for path in own})):
            if len(own) > 1 and {path for stem in stems for path in room.glob(f"{stem}*.json")} == {*own}:
                words += [f"{quote(f'{room}/{stem}')}*.json" for stem in stems]
                break
        else:
            words += [quote(str(path)) for path in own]
    return " ".join(["python3", quote(str(folder / ARCHIVE)), *words])

"""The command for a shell that checks the files of a run by the archive beside them, which needs only Python."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from shlex import quote

from .checker_archive import command
from .run_files import SIZE

# The length of the end of a file's name: its hash, and the ending of JSON.
END = 2 * SIZE + len(".json")


def check_commands(folder: Path, files: Iterable[str]) -> list[str]:
    """Return the command for a shell that checks a run's files by the archive in its folder; none without files.

    Parameters
    ----------
    folder : Path
        The folder of the run.
    files : iterable of str
        The names of its files, as a manifest lists them.

    """
    names = sorted(files)
    words = []
    for kind in sorted({name.partition("/")[0] for name in names}):
        own = [name for name in names if name.startswith(f"{kind}/")]
        # A pattern stands for files where it finds no others.
        for stems in ([f"{kind}/"], sorted({name[:-END] for name in own})):
            if {path for stem in stems for path in folder.glob(f"{stem}*.json")} == {folder / name for name in own}:
                words += [f"{quote(str(folder / stem))}{'/' * stem.endswith('/')}*.json" for stem in stems]
                break
        else:
            words += [quote(str(folder / name)) for name in own]
    return [command(folder, words)] if words else []

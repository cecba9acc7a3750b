"""Files of runs: reading one of any kind, and writing any file as a whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from ...core.errors import ParameterError, PldcheckError
from ...core.outward_decimals import safe
from .. import Report
from . import json_lines
from .run_database import SUFFIX, to_read
from .stored_rows import StoredRows

# The keys of a head that are no part of a report's header.
EXTRA = ("kind", "format", "digest", "identity", "ended")


@contextmanager
def written(path: Path) -> Iterator[IO[bytes]]:
    """Yield an open file that gets its name by one rename, once all is on the disk; create its folder if necessary."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write(path: Path, content: bytes) -> None:
    """Write ``content`` to the file by one rename; create the folder if necessary."""
    with written(path) as file:
        file.write(content)


def check_writable(folder: Path) -> None:
    """Raise ParameterError unless files can be written to ``folder``; leave no file and no new folder behind."""
    new_folders: list[Path] = []
    try:
        for path in reversed([path for path in (folder, *folder.parents) if not path.exists()]):
            path.mkdir(parents=True, exist_ok=True)  # another process may make or remove the folder meanwhile
            new_folders.append(path)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        domain = f"a folder to write to ({(error.strerror or str(error)).lower()})"
        raise ParameterError("out", domain, str(folder)) from None
    finally:
        for path in reversed(new_folders):
            with suppress(OSError):  # another process uses the folder now
                path.rmdir()


def check_overwrite(path: Path, own_questions: str, advice: str) -> None:
    """Raise an error if a run of other questions, one that has not ended or one that cannot be read would be replaced.

    Parameters
    ----------
    path : Path
        The file of a run that is not resumed; its JSON lines stand for it where they are alone.
    own_questions : str
        The digest of its cells.
    advice : str
        What to do about it, in words.

    """
    path = path if path.exists() else path.with_suffix(json_lines.SUFFIX)
    if not path.exists():
        return
    try:
        head = header(path)
        what = "holds other cells than these" if head.get("questions") != own_questions else ""
        what = what or ("" if head.get("ended", True) else "has rows of a run that did not end")
    except (OSError, PldcheckError):
        what = "cannot be read as a run"
    if what:
        raise PldcheckError(safe(f"{path} is there already and {what}; {advice}"))


def dumps(report: Report, provenance: dict[str, Any]) -> bytes:
    """Return a report as JSON lines, with its provenance."""
    return json_lines.dumps(report, provenance)


def read(path: str | os.PathLike[str], damage: list[str] | None = None) -> Report:
    """Return a stored run: its rows, and its header, which includes the provenance.

    Parameters
    ----------
    path : path
        The run's file, or JSON lines.  Many rows are read one by one as they are used.
    damage : list, optional
        A list that receives a sentence about each damaged row; the other rows are then read.

    Raises
    ------
    PldcheckError
        If the file is no run, its header is damaged, or the run has not ended; without ``damage``, also if any row is
        damaged.
    OSError
        If the file cannot be read.

    """
    path = Path(path)
    if path.suffix != SUFFIX:
        head, rows = json_lines.read(path, damage)
        return Report(head["suite"], rows, head)
    database = to_read(path)
    head = database.head()
    if head.get("ended") is not True:
        raise PldcheckError(f"{path}: its run has not ended; pldcheck verify --resume goes on with it")
    stored = StoredRows(database, 0, head["cells"], damage)
    stored.check()
    ((largest,),) = database.execute("SELECT max(number) FROM rows")
    if largest is not None and largest >= len(stored):
        raise PldcheckError(f"{path}: it has more rows than cells")
    # Of what is damaged there are sentences already.
    found = StoredRows(database, 0, len(stored), None if damage is None else [])
    return Report(head["suite"], found.small(), {name: value for name, value in head.items() if name not in EXTRA})


def header(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what is said of a stored run; raise the errors of :func:`read`."""
    path = Path(path)
    return to_read(path).head() if path.suffix == SUFFIX else json_lines.header(path)

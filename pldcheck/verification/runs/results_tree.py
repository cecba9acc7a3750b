"""The layout of a folder of results: runs, figures and studies lie in one folder each, or all files lie flat."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

# The folder of runs of suites.
SUITES = "suites"
# The folder of comparisons, waterfalls and trajectories.
FIGURES = "figures"
# The folder of audits, mutants, findings, attacks and simulations.
STUDY = "study"
FOLDERS = (SUITES, FIGURES, STUDY)
# The folder of speeds and widths, whose lines are no runs.
BENCHMARKS = "benchmarks"
# The folders of files beside the rows of a run: what proves that a bound holds, or that it is false.
CERTIFICATES = "certificates"
WITNESSES = "witnesses"
BESIDE_ROWS = (CERTIFICATES, WITNESSES)
# The ends of the names of a run's file, and of its rows as JSON lines, an export.
RUN, LINES = ".sqlite", ".jsonl"
# The ends of the names of files of results.
ENDINGS = (".json", LINES, RUN)
# Runs that a user made, each in a folder of its own; the reference runs are in SUITES.
RUNS = "runs"
# The folder in which each run has its own by default, so that no stored reference is overwritten.
OUT = "results/runs"


def files(folder: Path) -> list[Path]:
    """Return the JSON files and all runs in a folder of results, sorted by name; raise OSError if unreadable.

    A folder that has none, such as the one in which each run has its own, has those of its inner folders.  JSON lines
    beside a run of their name are its export, and left out.
    """
    own = sorted(entry for entry in (folder / RUNS).iterdir() if entry.is_dir()) if (folder / RUNS).is_dir() else []
    rooms = [folder, *(folder / name for name in FOLDERS if (folder / name).is_dir()), *own]
    entries = _entries(rooms) or _entries(one for one in sorted(folder.iterdir()) if one.is_dir())
    return sorted((entry for entry in entries if not entry.name.startswith(".")), key=lambda path: (path.name, path))


def _entries(rooms: Iterable[Path]) -> list[Path]:
    """Return the files of results in some folders, but for those of what lies beside rows."""
    return [
        entry
        for room in rooms
        if room.name not in (*BESIDE_ROWS, BENCHMARKS)
        for entry in room.iterdir()
        if entry.suffix in ENDINGS and not (entry.suffix == LINES and entry.with_suffix(RUN).exists())
    ]


def benchmarks(folder: Path) -> list[Path]:
    """Return the files of speeds and widths in a folder of results, sorted by name."""
    return sorted((folder / BENCHMARKS).glob("*.jsonl"))


def locate(folder: Path, name: str) -> Path:
    """Return the path of a file in a folder of results, or in the first of its inner folders that has the file."""
    places = [folder / name, *(folder / room / name for room in FOLDERS)]
    return next((path for path in places if path.is_file()), places[0])


def locate_run(folder: Path, name: str) -> Path:
    """Return the path of a stored run in a folder of results, or of its JSON lines where there is none."""
    path = locate(folder, f"{name}{RUN}")
    return path if path.is_file() else locate(folder, f"{name}{LINES}")

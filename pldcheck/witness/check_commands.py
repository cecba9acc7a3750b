"""Commands for a shell that check the files of a run by their stand-alone programs, which need only Python."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from shlex import quote

from ..verification.runs.results_tree import WITNESSES
from . import checker_programs, upper_certificates
from .run_files import SIZE

# The length of the end of a file's name: its hash, and the ending of JSON.
END = 2 * SIZE + len(".json")


def check_commands(folder: Path, files: Iterable[str]) -> list[str]:
    """Return commands for a shell that check a run's files by their stand-alone programs, which need only Python.

    Parameters
    ----------
    folder : Path
        The folder of the run.
    files : iterable of str
        The names of its files, as a manifest lists them.

    """
    names: dict[tuple[Path, str], list[str]] = {}
    for name in sorted(files):
        facts = json.loads((folder / name).read_bytes())
        kind = name.partition("/")[0]
        module = (
            checker_programs.PROGRAMS[facts["pldcheck_witness"]]
            if kind == WITNESSES
            else upper_certificates.PROGRAMS[facts["pldcheck_certificate"]]
        )
        names.setdefault((Path(str(module.__file__)), kind), []).append(name)
    commands = []
    for (program, kind), own in names.items():
        words = [quote(str(folder / name)) for name in own]
        stems = sorted({name[:-END] for name in own})
        # A pattern stands for them where it finds no other files.
        if len(own) > 1 and {path for stem in stems for path in folder.glob(f"{stem}*.json")} == {
            folder / name for name in own
        }:
            words = [f"{quote(str(folder / stem))}*.json" for stem in stems]
        call, listed = f"python3 {quote(str(program))}", " ".join(words)
        # A program for certificates takes one file; xargs fails if one of them is not accepted.
        is_list = kind == WITNESSES or len(own) == 1
        commands.append(f"{call} {listed}" if is_list else f"printf '%s\\0' {listed} | xargs -0 -n 1 {call}")
    return commands

"""Files beside the rows of a run: certificates where theorems hold, witnesses where they are violated, a manifest.

A file is named by the theorem and a hash of the row's parameters: what it proves does not depend on the engine that
computed the row, so that it stays when the engine changes.  The manifest lists the files with their SHA-256 digests.
The programs that check them lie beside it as one archive.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b, sha256
from pathlib import Path
from time import perf_counter
from types import MappingProxyType
from typing import Any

from ..core import sealed_files, stored_formats
from ..core.errors import PldcheckError
from ..theorems import Theorem
from ..verification import Report, Row, Verdict
from ..verification.run_cells import Answer
from ..verification.runs import run_store
from ..verification.runs.cell_identity import is_in_share
from ..verification.runs.executors import Executor, InProcess
from ..verification.runs.results_tree import CERTIFICATES, WITNESSES
from . import row_certificates, upper_certificates, witness_files
from .checker_archive import ARCHIVE, archive
from .witness_examination import examine

# The folder of a file, by the verdict on its row.
FOLDERS = {Verdict.HOLDS: CERTIFICATES, Verdict.VIOLATED: WITNESSES}
# The kind of a manifest, and the end of its file's name.
KIND = "certificates"
# The length of the hash in a file's name, in bytes: a run has thousands of rows, not billions.
SIZE = 8
# The most letters of a theorem's name in that of a file.
LONGEST = 80
# The most cells of a run with files beside its rows: each of them takes a file, and memory.
MOST_CELLS = 50_000
# What is said of a file that no longer has its content.
CHANGED = "its digest is not that in the manifest"

# The theorems of a run that are not registered, where all are.
NONE: Mapping[str, Theorem] = MappingProxyType({})

# A function that is called with the numbers of finished and of all files.
Step = Callable[[int, int], None]


def file_name(row: Row) -> str | None:
    """Return the name of the file of a row, with its folder; None for a row that neither holds nor is violated."""
    if row.verdict not in FOLDERS:
        return None
    question = json.dumps([row.subject, sorted(row.params.items())], default=str)
    stem = "".join(letter if letter.isalnum() or letter in "._-" else "-" for letter in row.subject)[:LONGEST]
    digest = blake2b(question.encode(), digest_size=SIZE).hexdigest()
    return f"{FOLDERS[row.verdict]}/{stem.lstrip('.')}-{digest}.json"


def manifest_path(folder: Path, suite: str) -> Path:
    """Return the manifest of a run."""
    return folder / f"{suite}-{KIND}.json"


@dataclass(frozen=True)
class FileAnswer(Answer):
    """The content of a row's file; ``old`` says that it was stored before."""

    content: bytes = b""
    old: bool = False


@dataclass(frozen=True)
class CheckTask:
    """The work of checking a row's file by the program that it is for; ``theorem``: the row's, if not registered."""

    row: Row
    path: Path
    digest: str
    theorem: Theorem | None = None

    def solve(self) -> Answer:
        """Return an answer whose reason says why the file is not confirmed; None if it is."""
        start = perf_counter()
        try:
            reason = self._complaint()
        except OSError as error:
            reason = f"it cannot be read ({(error.strerror or str(error)).lower()})"
        except (PldcheckError, sealed_files.DamageError) as error:
            reason = str(error)
        return Answer(None, perf_counter() - start, reason or None)

    def _complaint(self) -> str:
        content = sealed_files.load(self.path)
        if sha256(content).hexdigest() != self.digest:
            return CHANGED
        if self.row.verdict is Verdict.HOLDS:
            verdict = upper_certificates.check(self.path)
            accepted, sentence = verdict.status == 0, verdict.sentence
        else:
            accepted, sentence = examine(self.path)
        return _complaint(self.row, json.loads(content), self.theorem) if accepted else sentence


@dataclass(frozen=True)
class WriteTask:
    """The work of writing a row's file, which a worker does; ``old`` checks the stored one, if there is one."""

    row: Row
    old: CheckTask | None
    theorem: Theorem | None = None

    def solve(self) -> Answer:
        """Return the content of the file, the stored one if it is confirmed, or the reason why there is none."""
        start = perf_counter()
        if self.old is not None and self.old.solve().reason is None:
            return FileAnswer(None, perf_counter() - start, None, self.old.path.read_bytes(), True)
        try:
            maker = row_certificates.of_row if self.row.verdict is Verdict.HOLDS else witness_files.of_row
            content = witness_files.dumps(maker(self.row, self.theorem))
        except PldcheckError as error:
            return Answer(None, perf_counter() - start, str(error))
        return FileAnswer(None, perf_counter() - start, None, content)


def _complaint(row: Row, facts: Mapping[str, Any], theorem: Theorem | None) -> str:
    """Return why an accepted file does not show the verdict of a row; empty if it does."""
    if row.verdict is Verdict.HOLDS:
        return row_certificates.complaint(row, facts["claim"], theorem)
    own = {"theorem": row.theorem, "params": json.loads(json.dumps(dict(row.params)))}
    return "" if facts["of"] == own else "its mechanism is about another cell"


def _manifest(folder: Path, suite: str) -> dict[str, str]:
    """Return the digests of a run's files by their names, none without a manifest; raise PldcheckError for damage."""
    path = manifest_path(folder, suite)
    if not path.exists():
        return {}
    try:
        values = sealed_files.unseal(sealed_files.load(path))
    except (OSError, sealed_files.DamageError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise PldcheckError(f"{path}: {reason}") from None
    files = values.get("files")
    if values.get("kind") != KIND or not isinstance(files, dict) or not all(isinstance(d, str) for d in files.values()):
        raise PldcheckError(f"{path}: not the list of a run's certificates")
    return files


@dataclass
class Outcome:
    """The files of a run, collected one by one.

    ``files`` has their SHA-256 digests by name; ``without`` counts, by the reason, the rows that have none;
    ``stronger`` counts certificates that claim a smaller number than the theorem, ``again`` files that were stored.
    """

    files: dict[str, str] = field(default_factory=dict)
    without: Counter[str] = field(default_factory=Counter)
    stronger: int = 0
    again: int = 0
    seconds: float = 0.0

    def count(self, folder: str) -> int:
        """Return the number of files in a folder."""
        return sum(name.startswith(f"{folder}/") for name in self.files)

    def add(self, row: Row, name: str, content: bytes, theorem: Theorem | None) -> None:
        """Add a row's file."""
        self.files[name] = sha256(content).hexdigest()
        if row.verdict is Verdict.HOLDS:
            self.stronger += json.loads(content)["claim"] != row_certificates.claim_of_row(row, theorem).facts

    def to_dict(self) -> dict[str, Any]:
        """Return the counts and the digests as plain values."""
        return {
            CERTIFICATES: self.count(CERTIFICATES),
            "stronger": self.stronger,
            WITNESSES: self.count(WITNESSES),
            "without": dict(self.without.most_common()),
            "seconds": self.seconds,
            "files": dict(sorted(self.files.items())),
        }


def check_count(cells: int) -> None:
    """Raise PldcheckError for a run of so many cells that files beside its rows would be too many."""
    if cells > MOST_CELLS:
        raise PldcheckError(f"certify writes a file for each row: at most {MOST_CELLS:,} cells, got {cells:,}")


def certify(
    report: Report,
    folder: Path,
    executor: Executor,
    origin: Mapping[str, Any],
    resume: bool,
    step: Step,
    own: Mapping[str, Theorem] = NONE,
) -> Outcome:
    """Write a certificate beside every row that holds, a witness beside every violated one, and their manifest.

    Beside the manifest lies :mod:`pldcheck.checkers` as an archive, which checks the files without this package.

    Parameters
    ----------
    report : Report
        The run, which is stored in ``folder``.
    folder : Path
        Where the folders of files go.
    executor : Executor
        The executor that computes the files.
    origin : mapping
        The provenance, for the manifest.
    resume : bool
        Whether files are kept that the manifest lists, if a recheck of them would confirm them.
    step : callable
        A function that is called with the numbers of finished and of all files.
    own : mapping, optional
        The theorems of rows that are not registered, by id; this process then writes the files, as no other knows them.

    """
    executor = InProcess() if own else executor
    start, outcome = perf_counter(), Outcome()
    earlier = _earlier_files(folder, report.suite, strict=resume)
    old = earlier if resume else {}
    named = [(row, name) for row in report.rows if (name := file_name(row))]
    tasks = [
        WriteTask(row, CheckTask(row, folder / name, old[name], theorem) if name in old else None, theorem)
        for row, name in named
        for theorem in [own.get(row.subject)]
    ]
    try:
        for count, (number, answer) in enumerate(executor.solve_all(tasks), 1):
            row, name = named[number]
            if isinstance(answer, FileAnswer):
                if not answer.old:
                    run_store.write(folder / name, answer.content)
                outcome.add(row, name, answer.content, own.get(row.subject))
                outcome.again += answer.old
            else:
                outcome.without[answer.reason or ""] += 1
            step(count, len(tasks))
    finally:  # what an interrupted run has written is listed, and taken over later
        outcome.seconds = perf_counter() - start
        facts = {**stored_formats.opening(KIND), "suite": report.suite, **origin, **outcome.to_dict()}
        text = json.dumps(sealed_files.seal(facts), allow_nan=False, indent=1) + "\n"
        run_store.write(manifest_path(folder, report.suite), text.encode())
        if outcome.files:
            run_store.write(folder / ARCHIVE, archive())
    _remove_superseded(folder, {name: digest for name, digest in earlier.items() if name not in outcome.files})
    return outcome


def _earlier_files(folder: Path, suite: str, strict: bool) -> dict[str, str]:
    """Return what the manifest of an earlier run lists; nothing for a damaged one, unless it is an error."""
    try:
        return _manifest(folder, suite)
    except PldcheckError:
        if strict:
            raise
        return {}


def remove_outdated(report: Report, folder: Path) -> None:
    """Remove files that an earlier run has listed of rows that are gone or have another verdict now, and their names.

    Nothing is done where the list is damaged.
    """
    files = _earlier_files(folder, report.suite, strict=False)
    if not files or report.is_large:
        return
    names = {file_name(row) for row in report.rows}
    gone = {name: digest for name, digest in files.items() if name not in names}
    if not gone:
        return
    path = manifest_path(folder, report.suite)
    facts = sealed_files.unseal(sealed_files.load(path))
    facts["files"] = {name: digest for name, digest in files.items() if name in names}
    for kind in FOLDERS.values():
        facts[kind] = sum(name.startswith(f"{kind}/") for name in facts["files"])
    text = json.dumps(sealed_files.seal(facts), allow_nan=False, indent=1) + "\n"
    run_store.write(path, text.encode())
    _remove_superseded(folder, gone)


def _remove_superseded(folder: Path, files: Mapping[str, str]) -> None:
    """Remove files of an earlier run of the same suite: witnesses of a claim that was edited since, say.

    A file stays if the manifest of another suite of the folder lists it, or if it was changed after it was written.
    """
    others = [path.name.removesuffix(f"-{KIND}.json") for path in folder.glob(f"*-{KIND}.json")] if files else []
    listed = {name for suite in others for name in _earlier_files(folder, suite, strict=False)}
    for name, digest in files.items():
        path = folder / name
        is_ours = Path(name).parts[:-1] in [(one,) for one in FOLDERS.values()]
        if is_ours and name not in listed and path.is_file() and sha256(path.read_bytes()).hexdigest() == digest:
            path.unlink()


def recheck(
    report: Report, folder: Path, share: float, executor: Executor, step: Step, own: Mapping[str, Theorem] = NONE
) -> tuple[int, list[str]]:
    """Check the files of a share of the rows by their programs; return their number, and sentences on those that fail.

    A file fails if its digest is not that in the manifest, if its program does not accept it, or if its claim is not
    that of its row.  The share is chosen by the digests of cells, as for rows that are computed anew.
    """
    try:
        files = _manifest(folder, report.suite)
    except PldcheckError as error:
        return 0, [str(error)]
    if not files:  # nothing of a run's rows need be read
        return 0, []
    executor = InProcess() if own else executor
    tasks, names = [], []
    for row in report.rows:
        name = file_name(row)
        if name in files and row.cell is not None and is_in_share(row.cell, share):
            tasks.append(CheckTask(row, folder / name, files[name], own.get(row.subject)))
            names.append(name)
    failures = []
    for count, (number, answer) in enumerate(executor.solve_all(tasks), 1):
        if answer.reason:
            failures.append(f"{names[number]}: {answer.reason}")
        step(count, len(tasks))
    return len(tasks), sorted(failures)

"""The writing of a corpus: points are computed on processes and kept beside the file until all are there.

What is finished stands in ``FILE.part``, one sealed point a line.  The same command goes on from there after an
interruption; a line that was cut off is computed again.  The file itself appears by one rename, whole or not at all.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pldcheck

from ...core import sealed_files, stored_formats
from ...core.errors import PldcheckError
from ...core.threads import VARIABLE
from .certified_points import CorpusQuestion, certified_point
from .corpus_strata import questions

# The variables from which libraries read their number of threads; every process has one.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", VARIABLE)
# The end of the name of the file with what is finished.
PART = ".part"

# A function that writes the witness and certificate of a question, and returns their names.
Evidence = Callable[[CorpusQuestion], Mapping[str, str]]


def write_corpus(
    path: str | os.PathLike[str],
    count: int = 10_000,
    seed: int = 0,
    protocols: Iterable[str] | None = None,
    *,
    workers: int = 0,
    evidence: Evidence | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Write a corpus of so many points, and return its first line.

    Parameters
    ----------
    path : path
        The file; ``FILE.part`` beside it holds what is finished, until all is.
    count, seed : int
        The number of points, and the seed that decides which.
    protocols : iterable of str, optional
        The names of protocols; all unless given.
    workers : int
        The number of processes; 0 stands for this one alone.
    evidence : callable, optional
        A function that writes a question's witness and certificate and returns their names, for processes to import.
    progress : callable, optional
        A function of the number of finished points and of all.

    Raises
    ------
    PldcheckError
        If ``FILE.part`` belongs to another corpus, or a process ends.
    UnknownNameError
        For a protocol that no corpus has.
    OSError
        If the file cannot be written.

    """
    asked = questions(count, seed, protocols)
    head = {
        **stored_formats.opening("corpus"),
        "program": f"pldcheck {pldcheck.__version__}",
        "seed": seed,
        "count": count,
        "protocols": sorted({question.protocol for question in asked}),
    }
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(file.name + PART)
    known = _finished(part, {**head, "files": evidence is not None})
    ids = {question.id for question in asked}
    points = {name: point for name, point in known.items() if name in ids}
    todo = [question for question in asked if question.id not in points]
    with part.open("ab") as journal:
        for point in _solve(todo, workers, evidence):
            points[point["id"]] = point
            journal.write(_line(point))
            journal.flush()
            if progress:
                progress(len(points), count)
    ordered = [points[question.id] for question in asked]
    whole = blake2b("".join(point["digest"] for point in ordered).encode(), digest_size=sealed_files.SIZE)
    sealed = sealed_files.seal({**head, "sum": whole.hexdigest()})
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        temporary.write_bytes(b"".join(map(_line, [sealed, *ordered])))
        os.replace(temporary, file)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    part.unlink()
    return sealed


def _line(values: Mapping[str, Any]) -> bytes:
    return (json.dumps(values, allow_nan=False) + "\n").encode()


def _finished(part: Path, head: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the points that an interrupted run has finished; begin the file where there is none."""
    first = sealed_files.seal({**head, "kind": "corpus part"})
    points: dict[str, dict[str, Any]] = {}
    if part.exists():
        lines = sealed_files.load(part).split(b"\n")
        with suppress(sealed_files.DamageError):
            if sealed_files.unseal(lines[0]) != first:
                raise PldcheckError(
                    f"{part} is a part of another corpus: finish that one by its own command, or delete the file"
                )
            for line in lines[1:]:
                point = sealed_files.unseal(line)  # the end of the file may be cut off
                points[point["id"]] = point
    part.write_bytes(b"".join(map(_line, [first, *points.values()])))
    return points


def _solve(asked: Iterable[CorpusQuestion], workers: int, evidence: Evidence | None) -> Iterator[dict[str, Any]]:
    """Yield the points of questions as they are finished."""
    solve = partial(_point, evidence)
    if not workers:
        yield from map(solve, asked)
        return
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_begin)
    try:
        futures = [pool.submit(solve, question) for question in asked]
        for future in as_completed(futures):
            yield future.result()
    except BrokenProcessPool:
        raise PldcheckError("a process ended before its point was finished; the same command goes on") from None
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _begin() -> None:
    """Limit a process to one thread, and leave the interrupt to the one that has begun it."""
    os.environ.update(dict.fromkeys(THREADS, "1"))
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _point(evidence: Evidence | None, question: CorpusQuestion) -> dict[str, Any]:
    try:
        return certified_point(question, None if evidence is None else evidence(question))
    except PldcheckError as error:
        raise PldcheckError(f"{question.id}: {error}") from None

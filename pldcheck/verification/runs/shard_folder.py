"""The folder of a large run: shards of rows, each for a range of indices, and what is known of them.

``NAME.rows`` holds ``run.json`` (the header), ``000000.jsonl`` and so on (whole shards, rows in the order of the job),
``000007.part`` (rows of a shard that is not whole yet, in the order in which they were finished) and ``shards.index``
(a line for each whole shard).  A whole shard appears by one rename; a journal grows by whole lines, of which a kill can
cut the last one only.  ``duckdb`` reads the rows as ``'NAME.rows/0*.jsonl'``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from ...core import sealed_files
from ...core.errors import PldcheckError
from .results_tree import ROWS

try:
    import fcntl
except ImportError:  # on systems other than POSIX a second process is not noticed
    fcntl = None  # type: ignore[assignment]

# The rows of a shard: some 50 MB, which are sorted in memory.
SHARD_ROWS = 100_000
# The kind of the header's file.
KIND = "shards"
# The bytes of a file that are read together.
CHUNK = 1 << 20


@dataclass(frozen=True)
class ShardFolder:
    """The names of files in the folder of a run with ``cells`` rows, ``size`` of them in each shard."""

    path: Path
    cells: int
    size: int = SHARD_ROWS

    @property
    def count(self) -> int:
        """The number of shards."""
        return -(-self.cells // self.size)

    def range(self, shard: int) -> range:
        """Return the indices of a shard."""
        return range(shard * self.size, min((shard + 1) * self.size, self.cells))

    def whole(self, shard: int) -> Path:
        """Return the file of a whole shard."""
        return self.path / f"{shard:06}.jsonl"

    def journal(self, shard: int) -> Path:
        """Return the file of a shard that is not whole yet."""
        return self.path / f"{shard:06}.part"

    @property
    def head(self) -> Path:
        """The file of the header."""
        return self.path / "run.json"

    @property
    def index(self) -> Path:
        """The file with a line for each whole shard."""
        return self.path / "shards.index"

    def entries(self) -> dict[int, dict[str, Any]]:
        """Return the lines of the index by shard, the last one of each; lines that are cut or damaged are left out."""
        entries: dict[int, dict[str, Any]] = {}
        if self.index.is_file():
            for line in self.index.read_bytes().split(b"\n"):
                try:
                    values = sealed_files.unseal(line)
                    entries[values["shard"]] = values
                except (sealed_files.DamageError, KeyError):
                    continue
        return entries

    def write_entries(self, entries: Mapping[int, Mapping[str, Any]]) -> None:
        """Write the index anew, with these lines alone."""
        lines = [json.dumps(sealed_files.seal(entry)) + "\n" for _, entry in sorted(entries.items())]
        replace(self.index, "".join(lines).encode())

    def add_entry(self, shard: int, without_numbers: int, sum: str, size: int) -> None:
        """Append the line of a whole shard to the index by one system call."""
        values = {"shard": shard, "rows": len(self.range(shard)), "bytes": size, "sum": sum}
        values["without_numbers"] = without_numbers
        append(self.index, (json.dumps(sealed_files.seal(values)) + "\n").encode())

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Refuse other processes that want to write to the folder meanwhile; raise PldcheckError if one does so."""
        self.path.mkdir(parents=True, exist_ok=True)
        handle = os.open(self.path / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            if fcntl:
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    raise PldcheckError(f"{self.path} is being written by another process") from None
            yield
        finally:
            os.close(handle)

    def clear(self) -> None:
        """Delete all files of a run."""
        for path in [self.head, self.index, *self.path.glob("*.jsonl"), *self.path.glob("*.part")]:
            path.unlink(missing_ok=True)


def folder_of(path: Path) -> Path:
    """Return the folder of a large run, from the file in which a small run of that name would be stored."""
    return path.with_suffix(ROWS)


def read_head(folder: Path) -> dict[str, Any]:
    """Return the values of a folder's header; raise PldcheckError if there is none or it is damaged."""
    path = folder / "run.json"
    try:
        values = sealed_files.unseal(sealed_files.load(path))
    except OSError as error:
        raise PldcheckError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    except sealed_files.DamageError as error:
        raise PldcheckError(f"{path}: {error}") from None
    numbers = [values.get("cells"), values.get("size")]
    if values.get("kind") != KIND or not isinstance(values.get("suite"), str):
        raise PldcheckError(f"{path}: not the header of a run")
    if not all(type(number) is int and number > 0 for number in numbers):
        raise PldcheckError(f"{path}: it does not say how many rows there are")
    return values


def write_head(folder: ShardFolder, values: Mapping[str, Any]) -> None:
    """Write the header by one rename."""
    facts = {"kind": KIND, **values, "cells": folder.cells, "size": folder.size}
    replace(folder.head, (json.dumps(sealed_files.seal(facts), allow_nan=False, indent=1) + "\n").encode())


def replace(path: Path, content: bytes) -> None:
    """Write a file by one rename, after its content is on the disk."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def append(path: Path, content: bytes) -> None:
    """Append to a file by one system call; the disk may get it later."""
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        while content:  # a full disk raises an error; a signal may cut the first call short
            content = content[os.write(handle, content) :]
    finally:
        os.close(handle)


def file_sum(path: Path) -> str:
    """Return the digest of a file's bytes, of which a part is in memory at a time."""
    whole = blake2b(digest_size=sealed_files.SIZE)
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            whole.update(chunk)
    return whole.hexdigest()

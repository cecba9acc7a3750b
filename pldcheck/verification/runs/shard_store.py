"""The header of a large run that has ended, and the reader of such runs."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

from ...core.errors import PldcheckError
from ...core.sealed_files import SIZE
from .. import Report
from .shard_folder import ShardFolder, file_sum, read_head, write_head
from .sharded_rows import ShardedRows

# The keys of the header's file that are no part of the header.
EXTRA = ("kind", "sum", "digest", "size", "identity", "ended")


def finish(report: Report, rows: ShardedRows, provenance: Mapping[str, Any]) -> None:
    """Write the header of a large run whose shards are whole; its rows have the suite's name from now on."""
    folder = rows.folder
    old = read_head(folder.path)
    values = {**old, **provenance, **report.header, "suite": report.suite}
    write_head(folder, {**values, "ended": True, "sum": _sum(folder)})


def read(path: Path, damage: list[str] | None) -> Report:
    """Return a stored large run; ``damage`` is as in :func:`pldcheck.verification.runs.run_store.read`.

    Raise PldcheckError if the run has not ended, and for damage.
    """
    values = read_head(path)
    if values.get("ended") is not True:
        raise PldcheckError(f"{path}: its run has not ended; pldcheck verify --resume goes on with it")
    folder = ShardFolder(path, values["cells"], values["size"])
    complaints = _complaints(folder, values)
    if damage is None and complaints:
        raise PldcheckError(f"{path}: {complaints[0]}")
    rows = ShardedRows(folder, 0, folder.cells, None if damage is None else [])
    if damage is not None:
        damage += complaints
    return Report(values["suite"], rows, {name: value for name, value in values.items() if name not in EXTRA})


def _complaints(folder: ShardFolder, values: Mapping[str, Any]) -> list[str]:
    """Return a sentence about each shard whose bytes are not those that were written."""
    entries, complaints = folder.entries(), []
    for shard in range(folder.count):
        path, entry = folder.whole(shard), entries.get(shard)
        if not path.is_file():
            complaints.append(f"{path.name} is missing")
        elif entry is None or (path.stat().st_size, file_sum(path)) != (entry["bytes"], entry["sum"]):
            complaints.append(f"{path.name}: its bytes are not those that were written")
    if not complaints and _sum(folder) != values.get("sum"):
        complaints.append("its shards are not those that were written")
    return complaints


def _sum(folder: ShardFolder) -> str:
    """Return the digest of the digests of all shards in their order."""
    whole = blake2b(digest_size=SIZE)
    for _, entry in sorted(folder.entries().items()):
        whole.update(str(entry["sum"]).encode())
    return whole.hexdigest()

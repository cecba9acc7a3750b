"""The stored reference results that pages quote: runs of suites, and the audit of all proofs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...core import sealed_files
from ...core.errors import PldcheckError
from ...verification import Report, Row
from ...verification.runs import results_tree, run_store

# The file of all audits, and the kind that it says it is.
AUDIT_FILE = "audit.json"
AUDIT_KIND = "audit"


@dataclass(frozen=True)
class Reference:
    """Runs by name and audits by theorem, as stored; both are empty where there is no folder of results.

    The runs of a user's own stand after the reference runs.
    """

    runs: Mapping[str, Report] = field(default_factory=dict)
    audits: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def of_theorem(self, theorem: str) -> Iterator[tuple[str, Report]]:
        """Yield the name of every run that adds a cell of the theorem, and the part of the run that is about it.

        A run whose cells have all been in runs before it, as those of a quick run, is left out.
        """
        seen: set[tuple[str, frozenset[tuple[str, Any]]]] = set()
        for name, run in self.runs.items():
            rows = tuple(row for row in run.rows if row.theorem == theorem)
            new = {cell_key(row) for row in rows} - seen
            if new:
                seen |= new
                yield name, Report(run.suite, rows, run.header)

    def distinct_rows(self, theorem: str) -> list[Row]:
        """Return one row for each cell of the theorem: that of the first run that has the cell."""
        rows: dict[tuple[str, frozenset[tuple[str, Any]]], Row] = {}
        for _, part in self.of_theorem(theorem):
            for row in part.rows:
                rows.setdefault(cell_key(row), row)
        return list(rows.values())


def cell_key(row: Row) -> tuple[str, frozenset[tuple[str, Any]]]:
    """Return the quantity and the parameters, which tell apart the cells of one theorem."""
    return row.quantity, frozenset(row.params.items())


def read(folder: Path) -> Reference:
    """Return what a folder of results holds; raises PldcheckError for a file that is damaged.

    Comparisons, simulations and studies other than the audit are left to ``pldcheck report``.
    """
    if not folder.is_dir():
        return Reference()
    runs = _runs(folder)
    path = results_tree.locate(folder, AUDIT_FILE)
    if not path.is_file():
        return Reference(runs)
    try:
        values = sealed_files.unseal(sealed_files.load(path))
    except sealed_files.DamageError as error:
        raise PldcheckError(f"{path}: {error}") from None
    if values.get("kind") != AUDIT_KIND:
        raise PldcheckError(f"{path}: not an audit")
    return Reference(runs, {audit["theorem"]: audit for audit in values["audits"]})


def _runs(folder: Path) -> dict[str, Report]:
    """Return the runs by name: the reference runs before those of a user's own, and of these the larger ones first."""
    files = [path for path in results_tree.files(folder) if path.suffix in (results_tree.LINES, results_tree.RUN)]
    stored = [(folder / results_tree.RUNS in path.parents, path, run_store.read(path)) for path in files]
    stored.sort(key=lambda one: (one[0], -len(one[2].rows) if one[0] else 0))
    runs: dict[str, Report] = {}
    for _, path, run in stored:
        runs[path.stem if path.stem not in runs else f"{path.parent.name}-{path.stem}"] = run
    return runs

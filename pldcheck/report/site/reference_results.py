"""The stored reference results that pages quote: runs of suites, and the audit of all proofs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...core import sealed_files
from ...core.errors import PldcheckError
from ...verification import Report
from ...verification.runs import results_tree, run_store

# The file of all audits, and the kind that it says it is.
AUDIT_FILE = "audit.json"
AUDIT_KIND = "audit"


@dataclass(frozen=True)
class Reference:
    """Runs by suite and audits by theorem, as stored; both are empty where there is no folder of results."""

    runs: Mapping[str, Report] = field(default_factory=dict)
    audits: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def of_theorem(self, theorem: str) -> Iterator[tuple[str, Report]]:
        """Yield, for every suite that has the theorem, the part of its run that is about it."""
        for suite, run in self.runs.items():
            rows = tuple(row for row in run.rows if row.theorem == theorem)
            if rows:
                yield suite, Report(run.suite, rows, run.header)


def read(folder: Path) -> Reference:
    """Return what a folder of results holds; raises PldcheckError for a file that is damaged.

    Comparisons, simulations and studies other than the audit are left to ``pldcheck report``.
    """
    if not folder.is_dir():
        return Reference()
    runs = {path.stem: run_store.read(path) for path in results_tree.files(folder) if path.suffix == ".jsonl"}
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

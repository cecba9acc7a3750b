"""All findings about the papers, in order of consequence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...core import sealed_files
from ...core.errors import PldcheckError, UnknownNameError
from ...theorems import REGISTRY
from ...theorems.papers import chains
from ...verification import Row, Verdict, suites, verify
from ...verification.runs import results_tree, run_store
from ..audit.theorem_audit import audit
from ..dominance import Comparison, dominance
from . import collect_findings
from .finding import Finding, Kind

# The file of audits in a folder of results.
AUDIT = "audit.json"
# The file of mutants in a folder of results.
MUTATION = "mutation.json"


@dataclass(frozen=True)
class Findings:
    """Findings in order of consequence; :meth:`of` returns those of one kind, :meth:`to_dict` all of them for JSON."""

    findings: tuple[Finding, ...] = field(repr=False)

    def of(self, kind: Kind) -> tuple[Finding, ...]:
        """Return the findings of one kind."""
        return tuple(one for one in self.findings if one.kind is kind)

    def to_dict(self) -> dict[str, Any]:
        """Return all findings as plain values, ready for JSON."""
        return {"findings": [one.to_dict() for one in self.findings]}

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(self.of(kind))} {kind.name.lower()}" for kind in Kind if self.of(kind))
        return f"<Findings: {counts or 'none'}>"


def theorem_names() -> tuple[str, ...]:
    """Return the names of all theorems that are registered or whose proof can be audited."""
    return tuple(dict.fromkeys((*REGISTRY, *chains())))


def findings(
    theorems: Iterable[str] | None = None,
    stored: str | Path = "results",
    progress: Callable[[str], None] | None = None,
) -> Findings:
    """Collect the findings about theorems: false statements, steps that fail, needless conditions, and implications.

    Parameters
    ----------
    theorems
        The names of the theorems; by default all theorems are examined.
    stored
        The folder from which runs, audits and mutants are read.  Runs and audits that are missing there are computed,
        which takes minutes for all theorems; the finding on mutants is left out if they are missing.
    progress
        A function that is called with a few words before each part of the work.

    Returns
    -------
    Findings
        The findings in order of consequence, each with its numbers and the command that shows it again.

    Raises
    ------
    UnknownNameError
        If a name is neither that of a registered theorem nor that of an audited proof.
    PldcheckError
        If a stored file cannot be read.

    """
    selection = None if theorems is None else tuple(theorems)
    for name in selection or ():
        if name not in theorem_names():
            raise UnknownNameError("theorem", name, theorem_names())
    folder, notify = Path(stored), progress or (lambda what: None)
    collection: list[Finding] = []
    for suite in suites.NAMES:
        collection += collect_findings.false_statements(suite, _rows(suite, folder, selection, notify))
    audits = _audits(folder, selection, notify)
    for gather in (
        collect_findings.failing_steps,
        collect_findings.failing_readings,
        collect_findings.spare_conditions,
        collect_findings.discarded_parameters,
    ):
        collection += gather(audits)
    collection += collect_findings.implied_theorems(_comparisons(selection, notify))
    collection += collect_findings.guards({} if selection else _read(results_tree.locate(folder, MUTATION)))
    return Findings(tuple(sorted(collection, key=lambda one: one.kind)))


def _rows(suite: str, folder: Path, selection: tuple[str, ...] | None, notify: Callable[[str], None]) -> Iterator[Row]:
    """Yield the violated rows of the stored run of a suite; the suite is run where no run is stored."""
    job = suites.find(suite)
    names = [theorem.id for theorem in job.theorems if selection is None or theorem.id in selection]
    path = results_tree.locate_run(folder, suite)
    if not names:
        return
    if path.is_file():
        rows = run_store.read(path).rows
    else:
        notify(f"suite {suite}")
        rows = verify(job, names).rows
    yield from (row for row in rows if row.theorem in names and row.verdict is Verdict.VIOLATED)


def _audits(folder: Path, selection: tuple[str, ...] | None, notify: Callable[[str], None]) -> list[Mapping[str, Any]]:
    by_theorem = {one["theorem"]: one for one in _read(results_tree.locate(folder, AUDIT)).get("audits", ())}
    audits = []
    for name in chains():
        if selection is None or name in selection:
            notify(f"audit {name}")
            audits.append(by_theorem[name] if name in by_theorem else audit(name).to_dict())
    return audits


def _comparisons(selection: tuple[str, ...] | None, notify: Callable[[str], None]) -> Iterator[Comparison]:
    """Yield the comparisons of the theorems with all others."""
    notify("dominance")
    if selection is None:
        yield from dominance().comparisons
        return
    for name in selection:
        if name in REGISTRY:
            yield from dominance(name).of(name)


def _read(path: Path) -> Mapping[str, Any]:
    if not path.is_file():
        return {}
    try:
        return sealed_files.unseal(sealed_files.load(path))
    except OSError as error:
        raise PldcheckError(f"{path} cannot be read ({type(error).__name__})") from None
    except sealed_files.DamageError as error:
        raise PldcheckError(f"{path} cannot be read ({error})") from None

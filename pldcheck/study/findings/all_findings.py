"""All findings, in order of consequence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
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
from .finding import HEADS, Finding, Kind

# The file of audits in a folder of results.
AUDIT = "audit.json"
# The file of mutants in a folder of results.
MUTATION = "mutation.json"


@dataclass(frozen=True)
class Findings:
    """Findings in order of consequence."""

    findings: tuple[Finding, ...] = field(repr=False)

    def of(self, kind: Kind) -> tuple[Finding, ...]:
        """Return those of one kind."""
        return tuple(one for one in self.findings if one.kind is kind)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {"findings": [one.to_dict() for one in self.findings]}

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(self.of(kind))} {kind.name.lower()}" for kind in Kind if self.of(kind))
        return f"<Findings: {counts or 'none'}>"

    def _repr_html_(self) -> str:
        parts = []
        for kind in Kind:
            items = "".join(f"<li><b>{escape(one.title)}</b> {escape(one.said)}</li>" for one in self.of(kind))
            parts.append(f"<p>{escape(HEADS[kind])}</p><ul>{items}</ul>" if items else "")
        return "".join(parts)


def known() -> tuple[str, ...]:
    """Return the theorems that can be asked about: registered, or with an audited proof."""
    return tuple(dict.fromkeys((*REGISTRY, *chains())))


def findings(
    theorems: Iterable[str] | None = None,
    stored: str | Path = "results",
    progress: Callable[[str], None] | None = None,
) -> Findings:
    """Collect what is the matter with the theorems, by default with all.

    Runs, audits and mutants are read in the folder ``stored``; runs and audits that it does not have are made.
    ``progress`` is called with what is begun.

    Raises
    ------
    UnknownNameError, PldcheckError
        For a name that is neither registered nor audited, and for a file that cannot be read.

    """
    chosen = None if theorems is None else tuple(theorems)
    for name in chosen or ():
        if name not in known():
            raise UnknownNameError("theorem", name, known())
    folder, seen = Path(stored), progress or (lambda what: None)
    found: list[Finding] = []
    for suite in suites.NAMES:
        found += collect_findings.false_statements(suite, _rows(suite, folder, chosen, seen))
    audits = _audits(folder, chosen, seen)
    for gather in (
        collect_findings.failing_steps,
        collect_findings.failing_readings,
        collect_findings.spare_conditions,
        collect_findings.forgotten,
    ):
        found += gather(audits)
    found += collect_findings.dominated(_comparisons(chosen, seen))
    found += collect_findings.guards({} if chosen else _read(results_tree.locate(folder, MUTATION)))
    return Findings(tuple(sorted(found, key=lambda one: one.kind)))


def _rows(suite: str, folder: Path, chosen: tuple[str, ...] | None, seen: Callable[[str], None]) -> Iterator[Row]:
    """Yield the violated rows of a run, which is made where none is stored."""
    job = suites.find(suite)
    wanted = [theorem.id for theorem in job.theorems if chosen is None or theorem.id in chosen]
    path = results_tree.locate(folder, f"{suite}.jsonl")
    if not wanted:
        return
    if path.is_file():
        rows = run_store.read(path).rows
    else:
        seen(f"suite {suite}")
        rows = verify(job, wanted).rows
    yield from (row for row in rows if row.theorem in wanted and row.verdict is Verdict.VIOLATED)


def _audits(folder: Path, chosen: tuple[str, ...] | None, seen: Callable[[str], None]) -> list[Mapping[str, Any]]:
    have = {one["theorem"]: one for one in _read(results_tree.locate(folder, AUDIT)).get("audits", ())}
    found = []
    for name in chains():
        if chosen is None or name in chosen:
            seen(f"audit {name}")
            found.append(have[name] if name in have else audit(name).to_dict())
    return found


def _comparisons(chosen: tuple[str, ...] | None, seen: Callable[[str], None]) -> Iterator[Comparison]:
    """Yield whether the theorems are implied by others."""
    seen("dominance")
    if chosen is None:
        yield from dominance().comparisons
        return
    for name in chosen:
        if name in REGISTRY:
            yield from dominance(name).of(name)


def _read(path: Path) -> Mapping[str, Any]:
    if not path.is_file():
        return {}
    try:
        return sealed_files.unseal(sealed_files.load(path))
    except OSError as error:
        raise PldcheckError(f"{path} cannot be read ({type(error).__name__})") from None
    except sealed_files.Spoiled as error:
        raise PldcheckError(f"{path} cannot be read ({error})") from None

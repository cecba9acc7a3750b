"""All findings, in order of consequence."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from .. import suites
from ..batch import store
from ..dominance import Comparison, dominance
from ..errors import PldcheckError, UnknownNameError
from ..theorems import REGISTRY
from ..verify import Row, Verdict, verify
from . import collect
from .finding import HEADS, Finding, Kind

# Files of a folder of results.
AUDIT, MUTATION = "audit.json", "mutation.json"


@dataclass(frozen=True)
class Findings:
    """Findings in order of consequence."""

    findings: tuple[Finding, ...] = field(repr=False)

    def of(self, kind: Kind) -> tuple[Finding, ...]:
        """Those of one kind."""
        return tuple(one for one in self.findings if one.kind is kind)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
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
    """The theorems that can be asked about: registered, or with an audited proof."""
    from ..audit.chains import CHAINS

    return tuple(dict.fromkeys((*REGISTRY, *CHAINS)))


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
        found += collect.false_statements(suite, _rows(suite, folder, chosen, seen))
    audits = _audits(folder, chosen, seen)
    for gather in (collect.failing_steps, collect.failing_readings, collect.spare_conditions, collect.forgotten):
        found += gather(audits)
    found += collect.dominated(_comparisons(chosen, seen))
    found += collect.guards({} if chosen else _read(folder / MUTATION))
    return Findings(tuple(sorted(found, key=lambda one: one.kind)))


def _rows(suite: str, folder: Path, chosen: tuple[str, ...] | None, seen: Callable[[str], None]) -> Iterator[Row]:
    """The violated rows of a run, which is made where none is stored."""
    job = suites.find(suite)
    wanted = [theorem.id for theorem in job.theorems if chosen is None or theorem.id in chosen]
    path = folder / f"{suite}.jsonl"
    if not wanted:
        return
    if path.is_file():
        rows = store.read(path).rows
    else:
        seen(f"suite {suite}")
        rows = verify(job, wanted).rows
    yield from (row for row in rows if row.theorem in wanted and row.verdict is Verdict.VIOLATED)


def _audits(folder: Path, chosen: tuple[str, ...] | None, seen: Callable[[str], None]) -> list[Mapping[str, Any]]:
    from ..audit.answer import audit
    from ..audit.chains import CHAINS

    have = {one["theorem"]: one for one in _read(folder / AUDIT).get("audits", ())}
    found = []
    for name in CHAINS:
        if chosen is None or name in chosen:
            seen(f"audit {name}")
            found.append(have[name] if name in have else audit(name).to_dict())
    return found


def _comparisons(chosen: tuple[str, ...] | None, seen: Callable[[str], None]) -> Iterator[Comparison]:
    """Whether the theorems are implied by others."""
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
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise PldcheckError(f"{path} cannot be read ({type(error).__name__})") from None
    if not isinstance(found, dict):
        raise PldcheckError(f"{path} is no table")
    return found

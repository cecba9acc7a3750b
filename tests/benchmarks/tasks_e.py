"""(e) Whole suites as a user runs them, compiled kernels and all; and a report on a hundred thousand rows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import limits
from .case import Case

GROUP = "suites"
PAGE = "report"
COLD = "verify paper, cold"
REPORT = "report on 1e5 rows"
# A suite that ends in a violation, and is meant to.
EXIT_STATUSES = {"refuted": 1}
SUITES = ("shuffle", "composition", "approximate", "refuted")
CACHE = "suites"
# The report has so many rows.
ROWS = 10**5
# Its page may have so many bytes.
BYTES = 5e6
CORES = 2
THEOREMS = ("thm-3.2", "thm-A.4", "thm-4.3", "thm-5.1", "adv-18", "rdp-38", "girgis-lb", "kov")


def cases(quick: bool) -> list[Case]:
    """Return the paper's suite with no compiled kernels; then with them, and the others."""
    if quick:
        return [suite("paper", "verify paper --quick, cold", "--quick")]
    words = ("-m", "pldcheck", "report", "{out}")
    report = Case("e", PAGE, REPORT, {"rows": ROWS}, command=words, cache=CACHE, rounds=1)
    warm = suite("paper", "verify paper, warm")
    return [suite("paper", COLD), warm, *(suite(name, f"verify {name}") for name in SUITES), report]


def suite(name: str, case: str, *more: str) -> Case:
    """Return the case of one run of ``pldcheck verify`` on two cores."""
    words = ("verify", "--suite", name, "--out", "{out}", "--workers", str(CORES), "--quiet", *more)
    params = {"suite": name, "quick": bool(more)}
    status = EXIT_STATUSES.get(name, 0)
    return Case("e", GROUP, case, params, command=("-m", "pldcheck", *words), status=status, cache=CACHE, rounds=1)


def prepare(params: Mapping[str, Any], folder: Path) -> None:
    """Write rows for the report: eight theorems on a lattice of parameters, no two alike."""
    from pldcheck.core.interval import ErrorBudget
    from pldcheck.verification import Report, Row, Verdict
    from pldcheck.verification.runs import run_store

    rows, budget = [], ErrorBudget(3e-9, 1e-9, 0.0)
    for number in range(params.get("rows", 0)):
        eps0, delta = 0.01 * (1 + number // 8 % 97), 10.0 ** -(3 + number // 800 % 10)
        lower = eps0 * (1 + number) ** -0.3
        row_params = {"steps": 1 + number // 8, "eps0": eps0, "delta": delta}
        ends = (lower * (1.2 + number % 101), lower, 1.001 * lower)
        rows.append(Row(THEOREMS[number % 8], row_params, Verdict.HOLDS, *ends, budget, 0.01, cell=f"{number:032x}"))
    if rows:
        report = Report("many", tuple(rows), {"suite": "many"})
        header = {"version": "0", "created": "2000-01-01T00:00:00+00:00", "command": "none", "seconds": 1.0}
        run_store.write(folder / "many.jsonl", run_store.dumps(report, header))


def after(params: Mapping[str, Any], folder: Path) -> tuple[str, limits.Limit | None]:
    """Return what came of it; of the paper's suite, one recursion for each of its problems, shared by the cores."""
    if "rows" in params:
        size = (folder / "report.html").stat().st_size
        return f"a page of {size / 1e6:.1f} MB, {'within' if size <= BYTES else 'above'} {BYTES / 1e6:g} MB", None
    from pldcheck.verification.runs import run_store

    report = run_store.read(folder / f"{params['suite']}{'-quick' if params['quick'] else ''}.sqlite")
    counts = ", ".join(f"{count} {verdict}" for verdict, count in report.counts.items() if count)
    note = f"{report.header['problems']} certified intervals: {counts}"
    return note, _recursions(report) if params["suite"] == "paper" else None


def _recursions(report: Any) -> limits.Limit | None:
    from . import tasks_a

    problems = set()
    for row in report.rows:
        steps, weight = row.params.get("steps"), row.params.get("check_in_prob", row.params.get("weight"))
        if steps and weight and row.upper:
            problems.add((steps, row.params["eps0"], weight, row.upper))
    limits_of_cells = [
        tasks_a.limit({"steps": steps, "eps0": eps0, "weight": weight}, epsilon, tasks_a.WIDTH)
        for steps, eps0, weight, epsilon in sorted(problems)
    ]
    recursions = [one for one in limits_of_cells if one is not None]
    if not recursions:
        return None
    count, size = sum(one.count for one in recursions), sum(one.size for one in recursions)
    unit = f"node-steps on {CORES} cores"
    return limits.Limit(unit, count, size, lambda: [one.bare() for one in recursions], float(CORES))

"""Folders of results made without an engine: a run with every kind of row, and one of each of the others."""

import json
from pathlib import Path

from pldcheck.core.interval import ErrorBudget, Interval
from pldcheck.core.sealed_files import seal
from pldcheck.study import trajectories
from pldcheck.study.waterfall.waterfall import Level, Waterfall
from pldcheck.theorems import REGISTRY
from pldcheck.verification import Report, Row, Verdict
from pldcheck.verification.runs import run_store

BUDGET = ErrorBudget(3e-9, 1e-9, 0.0)
HEADER = {"version": "0.1.0", "created": "2026-01-02T03:04:05+00:00", "command": "pldcheck verify", "seconds": 12.5}
HOSTILE = "<script>alert('x')</script> | `a` \" & $\\frac$ {{ 1 + 1 }} {% raw %}\n# head"


def slot_params(steps, eps0=1.0, delta=1e-6, **more):
    return {"steps": steps, "eps0": eps0, "delta": delta, **more}


def rows_of_every_kind():
    """Return twelve rows that hold, and one of each other kind."""
    rows = [
        Row(
            "thm-A.4",
            slot_params(steps, eps0, weight=1.0),
            Verdict.HOLDS,
            2.0 * eps0 / k,
            eps0 / k,
            eps0 / k * 1.001,
            BUDGET,
            0.1 * k,
        )
        for k, steps in enumerate((10, 100, 1000, 10**4), 1)
        for eps0 in (0.5, 1.0, 2.0)
    ]
    witness = {"kind": "law", "summary": "extreme law BE in every slot"}
    return (
        *rows,
        Row("vr-wang", {"clients": 9, "eps0": 1.0, "tv": 0.4, "epsilon": 0.5}, Verdict.VIOLATED, 0.1, 0.2, 0.25, BUDGET,
            witness=witness),
        Row("adv-18", slot_params(7, eps0_last=1.0), Verdict.UNDECIDED, 1.0, 0.9, 1.1, reason="MemoryError: no"),
        Row("adv-18", slot_params(8, eps0_last=1.0), Verdict.OUT_OF_CONDITIONS, reason="eps0 <= 1"),
        Row("adv-18", slot_params(9, eps0_last=1.0), Verdict.NOT_JUDGED, 1.5),
        Row(None, slot_params(50, adjacency="replace"), Verdict.NOT_JUDGED, None, 0.1234567, 0.1234568, BUDGET, 2.5,
            protocol="hidden-slot", quantity="epsilon"),
    )  # fmt: skip


def sealed_text(kind: str, facts) -> str:
    """Return the text as commands store facts of that kind."""
    return json.dumps(seal({"kind": kind, **facts}))


def put(folder: Path, name: str, rows, **header) -> Path:
    """Store rows as a run of that name."""
    report = Report(name, tuple(rows), {"suite": name})
    run_store.write(folder / f"{name}.jsonl", run_store.dumps(report, {**HEADER, **header}))
    return folder


def full(folder: Path) -> Path:
    """Return a folder with one of everything."""
    put(folder, "mixed", rows_of_every_kind())
    levels = (Level("L0", "the formula", Interval(0.4, 0.4)), Level("L1", "the truth", Interval(0.1, 0.11)))
    fall = Waterfall("thm-3.2", slot_params(1000, check_in_prob=1.0), levels)
    (folder / "waterfall-thm-3.2.json").write_text(sealed_text("waterfall", fall.to_dict()))
    run = trajectories.random_replacement(100, 1.0, points=5)
    (folder / "random-replacement-CF.json").write_text(sealed_text("trajectory", run.to_dict()))
    responses = [
        {"clients": 1000, "eps0": 1.0, "categories": k, "fmt21_lower": 0.18, "fmt21_upper": 0.18, "fmt22_lower": 0.15,
         "fmt22_upper": 0.15, "lower": 0.1, "upper": 0.11, "merged": 1.0 - 0.1 / k, "merged_false": True}
        for k in (2, 3, 4)
    ]  # fmt: skip
    facts = {"comparison": "krr", "title": "K-ary responses", "params": {"categories": [2, 3, 4], "delta": 1e-6}}
    (folder / "krr.json").write_text(sealed_text("comparison", {**facts, "rows": responses}))
    return folder


def many_rows(count: int):
    """Yield so many rows of eight theorems on a lattice of parameters, with numbers that no two share."""
    names = ("thm-3.2", "thm-A.4", "thm-4.3", "thm-5.1", "adv-18", "thm-A.7", "thm-3.2-improved", "thm-4.3-simple")
    for number in range(count):
        eps0, delta = 0.01 * (1 + number // 8 % 97), 10.0 ** -(3 + number // 800 % 10)
        lower = eps0 * (1 + number) ** -0.3
        claim = lower * (1.2 + number % 101)
        values = {"eps0": eps0, "eps0_last": eps0, "delta": delta, "weight": 1.0, "check_in_prob": 1.0}
        params = {name: values.get(name, 1 + number // 8) for name in REGISTRY[names[number % 8]].parameters}
        yield Row(
            names[number % 8], params, Verdict.HOLDS, claim, lower, 1.001 * lower, BUDGET, 0.01, cell=f"{number:032x}"
        )

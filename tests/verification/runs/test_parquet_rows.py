"""The Parquet file of a run has what its JSON lines have, row by row; needs pyarrow, of the extra ``test``."""

import json
from math import inf, nan

import pytest
from pyarrow import parquet

from pldcheck import verify
from pldcheck.core.interval import ErrorBudget
from pldcheck.verification import Report, Row, Verdict
from pldcheck.verification.runs import parquet_rows, run_store

SUITES = ["paper", "refuted"]
# A row whose ends and parameters are of every kind.
STRANGE = Row(
    None,
    {"steps": 3, "sigma": 0.1 + 0.2, "randomizer": "krr:10", "subset": (1, 2), "eps0": 5e-324},
    Verdict.NOT_JUDGED,
    lower=0.1,
    upper=inf,
    budget=ErrorBudget(1e-300, inf, 0.0),
    reason='"quoted", ü\n',
    witness={"rows": [[0.5, 0.5], [1.0, 0.0]]},
    protocol="hidden-slot",
    quantity="delta",
)


def flat(line):
    """Return the columns that a JSON line of a row has, in the words of the Parquet file, by names that it has."""
    number = {"inf": inf, "-inf": -inf, "nan": nan}
    columns = {name: line[name] for name in (*parquet_rows.TEXTS, *parquet_rows.NUMBERS) if name in line}
    columns |= {f"budget.{name}": value for name, value in (line["budget"] or {}).items()}
    columns |= {f"params.{name}": value for name, value in line["params"].items()}
    columns = {name: number.get(value, value) if isinstance(value, str) else value for name, value in columns.items()}
    return {name: value for name, value in columns.items() if value is not None}


def read(path, names):
    """Return the columns of each row, with the JSON texts of parameters and witnesses read."""
    rows = []
    for index, columns in enumerate(parquet.read_table(path).to_pylist()):
        assert columns.pop("index") == index
        for name in ("witness", *(f"params.{name}" for name in names if name not in parquet_rows.PARAMETERS)):
            columns[name] = None if columns[name] is None else json.loads(columns[name])
        rows.append({name: value for name, value in columns.items() if value is not None})
    return rows


@pytest.mark.nightly
@pytest.mark.parametrize("suite", SUITES)
def test_a_parquet_file_has_the_rows_of_the_json_lines(suite, tmp_path, monkeypatch):
    monkeypatch.setattr(parquet_rows, "GROUP", 7)  # several groups
    report = verify(suite, quick=True)
    report = Report(report.suite, (*report.rows, STRANGE), report.header)
    names = sorted({name for row in report.rows for name in row.params})
    with (tmp_path / "run.parquet").open("wb") as file:
        parquet_rows.write_to(report, file, names)
    lines = [json.loads(line) for line in run_store.dumps(report, {}).decode("utf-8").splitlines()]
    lines = [flat(line) for line in lines if "verdict" in line]
    rows = read(tmp_path / "run.parquet", names)
    assert len(rows) == len(lines) == len(report.rows) > 9
    assert rows == lines
    # One digit of one end is noticed.
    lines[0]["upper" if "upper" in lines[0] else "analytic"] = 0.125
    assert rows != lines

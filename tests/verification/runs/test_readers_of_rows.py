"""The readers that documents advise read every number of the stored suites bit for bit; needs the extra ``test``."""

import json
import re
from dataclasses import replace
from struct import pack
from sys import float_info

import duckdb
import pandas
import pyarrow.json
import pyarrow.parquet
import pytest
from places import RESULTS, ROOT

from pldcheck.verification.runs import parquet_rows, run_store, stored_rows
from pldcheck.verification.runs.row_exports import export

SUITES = sorted(path.stem for path in (RESULTS / "suites").glob("*.jsonl"))


def bits(value):
    """Return the bits of a number, which tell 0.0 from -0.0, and anything else as it is; None for what is missing."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return None if value != value else pack("<d", float(value))


def numbers(row):
    """Return the numbers of a row, those of its budget and its parameters by names such as ``budget.rounding``."""
    columns = {name: row.get(name) for name in parquet_rows.NUMBERS}
    for table in ("budget", "params"):
        columns |= {f"{table}.{name}": value for name, value in (row.get(table) or {}).items()}
    return {name: bits(value) for name, value in columns.items() if value is not None and value == value}


def nested(columns):
    """Return a row with tables of its own from columns such as ``budget.rounding``."""
    row = {name: value for name, value in columns.items() if "." not in name and name not in ("budget", "params")}
    for name, value in columns.items():
        table, dot, part = name.partition(".")
        if dot:
            row.setdefault(table, {})[part] = value
    return row


def by_line(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def by_pandas(path):
    return map(nested, pandas.json_normalize(by_line(path)).to_dict("records"))


def by_pyarrow(path):
    return pyarrow.json.read_json(path).to_pylist()


def by_duckdb(path):
    return of_duckdb(duckdb.read_json(str(path), format="newline_delimited"))


def of_duckdb(table):
    return [dict(zip(table.columns, row, strict=True)) for row in table.fetchall()]


def parquet_of(path, folder):
    report = run_store.read(path)
    file = folder / "run.parquet"
    with file.open("wb") as content:
        parquet_rows.write_to(report, content, sorted({name for row in report.rows for name in row.params}))
    return file


READERS = {
    "json.loads": lambda path, folder: by_line(path),
    "pandas.json_normalize": lambda path, folder: by_pandas(path),
    "pyarrow.json.read_json": lambda path, folder: by_pyarrow(path),
    "duckdb.read_json": lambda path, folder: by_duckdb(path),
    "pyarrow.parquet": lambda path, folder: map(
        nested, pyarrow.parquet.read_table(parquet_of(path, folder)).to_pylist()
    ),
    "pandas.read_parquet": lambda path, folder: map(
        nested, pandas.read_parquet(parquet_of(path, folder)).to_dict("records")
    ),
    "duckdb.read_parquet": lambda path, folder: map(
        nested, of_duckdb(duckdb.read_parquet(str(parquet_of(path, folder))))
    ),
}


def rows_by(reader, path, folder):
    """Return the numbers of all rows; the header of a run has no verdict."""
    return [numbers(row) for row in READERS[reader](path, folder) if isinstance(row.get("verdict"), str)]


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("reader", READERS)
def test_every_advised_reader_reads_stored_rows_bit_for_bit(reader, suite, tmp_path):
    check_reader(reader, suite, tmp_path)


def test_every_advised_reader_reads_one_suite_with_the_smallest_numbers_bit_for_bit(tmp_path):
    for reader in READERS:
        check_reader(reader, "composition", tmp_path)


@pytest.mark.parametrize("suite", SUITES)
def test_stored_suites_come_out_of_a_database_byte_for_byte(suite, tmp_path, monkeypatch):
    path = RESULTS / "suites" / f"{suite}.jsonl"
    monkeypatch.setattr(stored_rows, "IN_MEMORY", 5)  # more rows are read by way of a database
    report = run_store.read(path)
    assert report.is_large
    (copy,) = export(replace(report, suite=suite), tmp_path, ["jsonl"], ())
    assert copy.read_bytes() == path.read_bytes()


def check_reader(reader, suite, folder):
    path = RESULTS / "suites" / f"{suite}.jsonl"
    expected = [
        {name: bits(value) for name, value in flat(line).items()}
        for line in map(json.loads, path.read_text(encoding="utf-8").splitlines())
        if line["kind"] == "cell"
    ]
    assert expected and rows_by(reader, path, folder) == expected


def flat(line):
    """Return the numbers of a line, read by the library of Python."""
    tables = {f"{table}.{name}": value for table in ("budget", "params") for name, value in (line[table] or {}).items()}
    values = {**{name: line[name] for name in parquet_rows.NUMBERS}, **tables}
    return {name: value for name, value in values.items() if value is not None}


def test_stored_rows_have_no_number_that_readers_refuse():
    for suite in SUITES:
        for line in (RESULTS / "suites" / f"{suite}.jsonl").read_text(encoding="utf-8").splitlines()[1:]:
            sizes = [abs(value) for value in flat(json.loads(line)).values() if isinstance(value, int | float)]
            assert all(size == 0.0 or size >= float_info.min for size in sizes), line


def test_documents_advise_no_reader_that_rounds():
    places = [
        *ROOT.glob("*.md"),
        *(ROOT / "results").glob("*.md"),
        *ROOT.glob("notebooks/*.ipynb"),
        *ROOT.glob("pldcheck/**/*.py"),
    ]
    advised = set()
    for place in places:
        text = " ".join(place.read_text(encoding="utf-8").split())
        advised |= set(re.findall(r"\b(?:pandas|pyarrow\.json|duckdb)\.(?:read_json|json_normalize)", text))
        for match in re.finditer(r"pandas\.read_json[^.]{0,120}", text.replace('" "', "")):
            assert re.search(r"rounds|moves", match[0]), (place, match[0])
    assert advised - {"pandas.read_json"} == {
        name for name in READERS if "json_normalize" in name or "read_json" in name
    }

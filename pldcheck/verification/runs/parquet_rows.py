"""The rows of a run as the columns of a table, and as a Parquet file, in groups of rows, so that memory is bounded.

Parameters have columns of their own, such as ``params.steps``: numbers are doubles, and other values JSON texts.
Parquet needs pyarrow, the extra ``parquet``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import IO, Any

from ...core.errors import ParameterError
from ...core.parameters import PARAMETERS
from .. import Report, Row

# The columns of every row: texts, and numbers.
TEXTS = ("theorem", "protocol", "quantity", "verdict", "reason", "witness")
NUMBERS = ("analytic", "lower", "upper", "tightness_lower", "tightness_upper", "seconds")
# The parts of an error budget, which are columns such as ``budget.rounding``.
BUDGET = ("discretisation", "truncation", "rounding")
# The rows of a group, which are in memory together: some 50 MB.
GROUP = 20_000


def check_library() -> None:
    """Raise ParameterError unless Parquet files can be written."""
    _library()


def names_of(names: Iterable[str]) -> list[str]:
    """Return the names of the columns of rows whose parameters have these names."""
    parts = [*(f"budget.{part}" for part in BUDGET), *(f"params.{name}" for name in names)]
    return ["index", *TEXTS, *NUMBERS, *parts]


def write_to(report: Report, file: IO[bytes], names: Sequence[str]) -> None:
    """Write the rows of a report, whose parameters have these names, to an open file."""
    arrow, parquet = _library()
    numbers = {
        *NUMBERS,
        *(f"budget.{part}" for part in BUDGET),
        *(f"params.{name}" for name in names if name in PARAMETERS),
    }
    kinds = [(name, arrow.float64() if name in numbers else arrow.string()) for name in names_of(names)[1:]]
    schema = arrow.schema([("index", arrow.int64()), *kinds])
    start = 0
    with parquet.ParquetWriter(file, schema) as writer:
        for rows in report.chunks(GROUP):
            columns = [columns_of(index, row, names) for index, row in enumerate(rows, start)]
            writer.write_table(arrow.Table.from_pylist(columns, schema=schema))
            start += len(rows)


def columns_of(index: int, row: Row, names: Iterable[str]) -> dict[str, Any]:
    """Return the columns of a row; an infinite end is an infinite number."""
    columns: dict[str, Any] = {"index": index, **{name: getattr(row, name) for name in (*TEXTS, *NUMBERS)}}
    columns["verdict"] = str(row.verdict)
    columns["witness"] = json.dumps(dict(row.witness)) if row.witness else None
    columns |= {f"budget.{part}": getattr(row.budget, part) if row.budget else None for part in BUDGET}
    for name in names:
        value = row.params.get(name)
        text_or_number = json.dumps(value) if name not in PARAMETERS else value
        columns[f"params.{name}"] = None if value is None else text_or_number
    return columns


def _library() -> tuple[Any, Any]:
    try:
        import pyarrow  # type: ignore[import-not-found,import-untyped,unused-ignore]
        from pyarrow import parquet  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        domain = "left out unless pyarrow is installed (pip install 'pldcheck[parquet]')"
        raise ParameterError("--export", domain, "parquet") from None
    return pyarrow, parquet

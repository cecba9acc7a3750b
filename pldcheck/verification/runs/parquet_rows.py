"""The rows of a run as one Parquet file, in groups of rows, so that any run is written in bounded memory.

Parameters have columns of their own, such as ``params.steps``: numbers are doubles, and other values JSON texts.
Parquet needs pyarrow, the extra ``parquet``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

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


def write(report: Report, path: Path, names: Iterable[str]) -> None:
    """Write the rows of a report, whose parameters have these names, to a file that appears as a whole."""
    arrow, parquet = _library()
    names = tuple(names)
    kinds = {name: arrow.string() for name in TEXTS} | {name: arrow.float64() for name in NUMBERS}
    kinds |= {f"budget.{part}": arrow.float64() for part in BUDGET}
    kinds |= {f"params.{name}": arrow.float64() if name in PARAMETERS else arrow.string() for name in names}
    schema = arrow.schema([("index", arrow.int64()), *kinds.items()])
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    start = 0
    try:
        with parquet.ParquetWriter(temporary, schema) as writer:
            for rows in report.chunks(GROUP):
                columns = [columns_of(index, row, names) for index, row in enumerate(rows, start)]
                writer.write_table(arrow.Table.from_pylist(columns, schema=schema))
                start += len(rows)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


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
        raise ParameterError("parquet", domain, True) from None
    return pyarrow, parquet

"""The type of every comparison: rows of plain values, with one type of row for each comparison."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field, fields
from itertools import product
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    R = TypeVar("R", bound=DataclassInstance)
else:
    R = TypeVar("R")
T = TypeVar("T")

# A function that is called with the number of finished rows and the number of all rows.
Progress = Callable[[int, int], None]


def column(head: str) -> Any:
    """Return a field of a row, with the heading of its column."""
    return field(metadata={"head": head})


def heads(row: type[DataclassInstance]) -> dict[str, str]:
    """Return the heading of each column, by field."""
    return {entry.name: str(entry.metadata.get("head", entry.name)) for entry in fields(row)}


@dataclass(frozen=True)
class Comparison(Generic[R]):
    """The rows of a comparison, dataclasses of one type, and the ``params`` that they share.

    Fields in pairs ``x_lower`` and ``x_upper``, or ``lower`` and ``upper``, are certified enclosures.  All other fields
    are values of formulas.
    """

    name: str
    title: str
    params: Mapping[str, Any] = field(hash=False)
    rows: tuple[R, ...] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain values, ready for JSON."""
        return {
            "comparison": self.name,
            "title": self.title,
            "params": dict(self.params),
            "rows": [asdict(row) for row in self.rows],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], row: type[R]) -> Comparison[R]:
        """Return the comparison that :meth:`to_dict` has stored; raises TypeError for rows of another type."""
        rows = tuple(row(**entry) for entry in values["rows"])
        return cls(values["comparison"], values["title"], dict(values["params"]), rows)


def over(*grids: Iterable[Any], row: Callable[..., T], progress: Progress | None = None) -> tuple[T, ...]:
    """Return ``row`` of every point of a product of grids, in its order; ``progress`` is called in this thread."""
    points = list(product(*grids))
    pool = ThreadPoolExecutor(os.cpu_count())  # threads are enough: the kernels release the interpreter lock
    try:
        futures = [pool.submit(row, *point) for point in points]
        for number, future in enumerate(as_completed(futures), 1):
            future.result()
            if progress:
                progress(number, len(points))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # all work is finished, or the computation is interrupted
    return tuple(future.result() for future in futures)

"""The registry of theorems: all of them by id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from html import escape

from ..core.errors import ParameterError, UnknownNameError
from .theorem import Theorem


class Registry(Mapping[str, Theorem]):
    """The theorems by id, in the order of the papers; none can be added later.

    An unknown id raises UnknownNameError, which suggests similar ids.
    """

    def __init__(self, theorems: Iterable[Theorem]) -> None:
        self._theorems: dict[str, Theorem] = {}
        for theorem in theorems:
            if theorem.id in self._theorems:
                raise ParameterError("theorem id", "unique", theorem.id)
            self._theorems[theorem.id] = theorem

    def __getitem__(self, key: str) -> Theorem:
        if key not in self._theorems:
            raise UnknownNameError("theorem", str(key), self._theorems)
        return self._theorems[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._theorems)

    def __len__(self) -> int:
        return len(self._theorems)

    # Mapping defines these three by KeyError, and UnknownNameError is none.
    def __contains__(self, key: object) -> bool:
        return key in self._theorems

    def get(self, key, default=None):
        """Return the theorem with that id, or ``default`` where there is none."""
        return self._theorems.get(key, default)

    def items(self):
        """Return the pairs of id and theorem, in the order of the papers."""
        return self._theorems.items()

    def _ipython_key_completions_(self) -> list[str]:
        """Return the ids, which IPython offers after ``REGISTRY["``."""
        return list(self)

    def __repr__(self) -> str:
        return f"<Registry of {len(self)} theorems: {', '.join(self)}>"

    def _repr_html_(self) -> str:
        head = "<tr><th>id</th><th>title</th><th>protocol</th><th>parameters</th><th>source</th></tr>"
        rows = "".join(
            f"<tr><td>{escape(theorem.id)}</td><td>{escape(theorem.title)}</td><td>{escape(theorem.protocol)}</td>"
            f"<td>{escape(', '.join(theorem.parameters))}</td>"
            f'<td><a href="{escape(theorem.source.url)}">'
            f"{escape(theorem.source.key)}, {escape(theorem.source.where)}</a></td></tr>"
            for theorem in self.values()
        )
        return f"<table>{head}{rows}</table>"

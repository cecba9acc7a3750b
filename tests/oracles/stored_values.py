"""Files of stored values, ``tests/oracles/NAME.toml``: read, selected from by parameters, and written."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .enclosure import Enclosure, parse, texts

HERE = Path(__file__).parent
ENTRIES = ("value", "lower", "upper")


@dataclass(frozen=True)
class StoredValue:
    """What an oracle answered: its parameters, by name, and a two-sided enclosure of the value."""

    parameters: dict[str, int | float | str]
    enclosure: Enclosure

    def __getitem__(self, name: str) -> int | float | str:
        return self.parameters[name]

    @property
    def lower(self):
        """Return the lower end, a fraction."""
        return self.enclosure.lower

    @property
    def upper(self):
        """Return the upper end, a fraction."""
        return self.enclosure.upper


@cache
def stored_values(name: str) -> tuple[StoredValue, ...]:
    """Return all values of one oracle, in the order of its file."""
    path = HERE / f"{name}.toml"
    if not path.is_file():
        raise LookupError(f"oracle {name!r} has no stored values: python -m tests.oracles {name}")
    return loads(path.read_text(encoding="utf-8"), path.name)


def select(name: str, **parameters) -> tuple[StoredValue, ...]:
    """Return the values at these parameters, whatever the others are; raise LookupError if there are none."""
    selection = tuple(
        value
        for value in stored_values(name)
        if all(value.parameters.get(key) == wanted for key, wanted in parameters.items())
    )
    if not selection:
        raise LookupError(f"oracle {name!r} has no stored value at {parameters}: python -m tests.oracles {name}")
    return selection


def the_one(name: str, **parameters) -> StoredValue:
    """Return the only value at these parameters."""
    selection = select(name, **parameters)
    if len(selection) > 1:
        raise LookupError(f"oracle {name!r} has {len(selection)} stored values at {parameters}, not one")
    return selection[0]


def loads(text: str, file: str) -> tuple[StoredValue, ...]:
    """Return the values of a file's text; raise ValueError with a line that names what is not as it should be."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{file}: {error}") from error
    if content.keys() != {"widest", "values"} or not isinstance(content["values"], list) or not content["values"]:
        raise ValueError(f"{file} must have the entries 'widest' and 'values', a list that is not empty")
    widest = content["widest"]
    if not (isinstance(widest, float) and 0.0 < widest < 1.0):
        raise ValueError(f"{file}: widest {widest!r} must be a number between 0 and 1")
    values: list[StoredValue] = []
    for number, entry in enumerate(content["values"], 1):
        try:
            values.append(_stored_value(entry, widest))
        except ValueError as error:
            raise ValueError(f"{file}, value {number}: {error}") from error
        if list(values[-1].parameters) != list(values[0].parameters):
            raise ValueError(
                f"{file}, value {number}: parameters {list(values[-1].parameters)} are not those of the 1st"
            )
    if len({tuple(value.parameters.values()) for value in values}) < len(values):
        raise ValueError(f"{file} has two values at the same parameters")
    return tuple(values)


def _stored_value(entry: object, widest: float) -> StoredValue:
    if not isinstance(entry, dict):
        raise ValueError(f"{entry!r} must be a table")
    parameters = {name: one for name, one in entry.items() if name not in ENTRIES}
    for name, one in parameters.items():
        if type(one) not in (int, float, str):
            raise ValueError(f"{name} {one!r} must be an integer, a number or a text")
    enclosure = parse({name: text for name, text in entry.items() if name in ENTRIES})
    if enclosure.width > widest:
        raise ValueError(f"relative width {float(enclosure.width):.3g} is above {widest}")
    return StoredValue(parameters, enclosure)


def dumps(name: str, statement: str, widest: float, values: Iterable[StoredValue]) -> str:
    """Return the text of a file; ``statement`` says what the numbers are, ``widest`` bounds their relative widths."""
    lines = [
        f"# {statement}",
        f"# `python -m tests.oracles {name}` computes and writes this file, and with --check compares.",
        f"widest = {widest!r}",
        "values = [",
    ]
    for value in values:
        entry = {**value.parameters, **texts(value.enclosure)}
        lines.append(f"  {{ {', '.join(f'{key} = {json.dumps(one)}' for key, one in entry.items())} }},")
    return "\n".join([*lines, "]", ""])

"""Mutants of the engine: one line of numerics made wrong, and the test that must notice."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
KINDS = (
    "rounding",
    "direction",
    "tail",
    "probability",
    "alias",
    "count",
    "cap",
    "difference",
    "join",
    "statement",
    "condition",
)


@dataclass(frozen=True)
class Mutant:
    """``file`` with its only occurrence of ``old`` replaced by ``new`` is wrong; ``test`` fails then.

    ``kind``: one of ``KINDS``, what sort of mistake it is.  ``test``: node ids with a space between them.  Where none
    of the few cases of a parametrized test that run by default (``tests/default_set.py``) notices, it names one
    that does, which is then among them.
    """

    room: str
    kind: str
    file: str
    old: str
    new: str
    test: str

    @property
    def tests(self) -> list[str]:
        return re.split(r" (?=tests/)", self.test)  # names of cases may have spaces

    @property
    def name(self) -> str:
        return f"{self.file}: {self.old.strip()!r} -> {self.new.strip()!r}"

    def apply(self, root: Path) -> str:
        """Return the text of the mutated file; raises where ``old`` is not there exactly once."""
        text = (root / self.file).read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            raise LookupError(f"{self.file} has {self.old!r} {text.count(self.old)} times, not once")
        return text.replace(self.old, self.new)


def all_mutants() -> list[Mutant]:
    """Return the mutants of every ``*.toml`` of this folder; its name is the room's."""
    return [
        Mutant(path.stem, **entry)
        for path in sorted(HERE.glob("*.toml"))
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]
    ]

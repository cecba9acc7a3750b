"""The rule by which a test belongs to the default set (``pytest``) or to the nightly one (``pytest -m nightly``).

* A test marked ``nightly`` is nightly: it takes more than some two seconds, and others touch the same promise.  One
  marked ``long`` is, too: it takes some 10 seconds or more, and ``.ci/run`` leaves it out.  Of a parametrized test
  ``tests/long_cases.txt`` names the cases that do, as ``--durations`` measures and prints them.
* Of each other parametrized test a few cases are in the default set: one, two of ``SOME`` or more, three of ``MANY`` or
  more.  They are the first in the order of a checksum of their names, so that the choice is spread over all parameters,
  is the same in every process, and hardly changes when cases are added.  The other cases are nightly.
* A case that ``tests/mutants`` names is in the default set, in the place of one of those: it notices a mistake.
* What the command line names by ``::`` runs, nightly or not, and so does whatever an option ``-m`` selects.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from zlib import crc32

# Two of so many cases are kept: nearly all parametrized tests have fewer.
SOME = 600
# Three of so many: they are sweeps over several parameters.
MANY = 1000


def long_cases() -> frozenset[str]:
    """Return the node ids of cases that are marked ``long`` because ``long_cases.txt`` names them."""
    return frozenset((Path(__file__).parent / "long_cases.txt").read_text().splitlines())


def function_of(node: str) -> str:
    """Return the node id of a test function without the parameters of one case."""
    return node.partition("[")[0]


def cases_by_default(nodes: Iterable[str], names: Collection[str] = ()) -> set[str]:
    """Return the node ids in the default set, of tests none of which is marked nightly; ``names`` are kept first."""
    cases = defaultdict(list)
    for node in nodes:
        cases[function_of(node)].append(node)
    default = set()
    for same in cases.values():
        number = 1 + (len(same) >= SOME) + (len(same) >= MANY)
        named = set(same).intersection(names)
        others = sorted(set(same) - named, key=lambda node: crc32(node.encode()))
        default |= named.union(others[: max(number - len(named), 0)])
    return default


def is_named(node: str, path: Path, arguments: Sequence[str], folder: Path) -> bool:
    """Return whether an argument of the command line, given in ``folder``, names a test itself, not only its file."""
    names = node.partition("::")[2]
    for file, _, name in (argument.partition("::") for argument in arguments):
        inside = name and (names == name or names.startswith((f"{name}[", f"{name}::")))
        if inside and (folder / file).resolve() == path:
            return True
    return False

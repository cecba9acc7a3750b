"""The content of a folder of results: runs, and results of other kinds, read back from files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..core import sealed_files, stored_formats
from ..core.errors import ParameterError, PldcheckError
from ..core.outward_decimals import safe
from ..verification import Report
from ..verification.runs import results_tree
from .page_fold import PageFold
from .stored_kinds import StoredKind

# The most damaged lines of a file that are named.
MOST_NAMED = 5
# Keys of which every stored result has at least one, including results from before there were kinds.
OURS = {"kind", "digest", "comparison", "levels", "quantile_upper"}
# The name of runs among the kinds.
RUN = "run"
# The errors that a stored value which is not of its kind raises when it is read.
FORMAT_ERRORS = (KeyError, TypeError, ValueError, AttributeError, ArithmeticError, IndexError, RecursionError)


@dataclass(frozen=True)
class Folder:
    """The readable files by stem, in the order of their names; ``damage``: the others by name, with the reason.

    A second file of one name has its folder's name before its stem.
    ``results``: by the kind, all results that are not runs.  ``aside``: names of JSON files that are something else.
    ``page``: what a report says of all rows, each of which is read once.
    ``homes``: by the kind (``run`` for runs) and the stem, the folder that the file is in.
    """

    path: Path
    kinds: Sequence[StoredKind]
    runs: Mapping[str, Report]
    results: Mapping[str, Mapping[str, Any]]
    damage: Mapping[str, str]
    aside: tuple[str, ...] = ()
    homes: Mapping[tuple[str, str], Path] = field(default_factory=dict)
    page: PageFold = field(default_factory=PageFold)

    @property
    def empty(self) -> bool:
        """Whether nothing in it can be shown."""
        return not (self.runs or any(self.results.values()))

    def file_beside(self, stem: str, name: str | None) -> str | None:
        """Return the path, relative to the folder, of a file beside a run; None if there is no such file."""
        home = self.homes.get((RUN, stem))
        if name is None or home is None or not (home / name).is_file():
            return None
        return (home / name).relative_to(self.path).as_posix()


def read(path: Path, read_run: Callable[[Path, list[str]], Report], kinds: Sequence[StoredKind]) -> Folder:
    """Return everything stored in ``path``, its folders ``suites``, ``figures``, ``study`` and ``benchmarks``.

    In ``runs`` each folder is read as well.

    ``read_run`` reads a file of rows, and adds a sentence to its second argument for every line that is not one;
    ``kinds`` are those of all other results.

    Raises ParameterError if it is no folder that can be read.
    """
    try:
        files = [*results_tree.files(path), *results_tree.benchmarks(path)]
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise ParameterError("folder", f"one with stored results ({why})", str(path)) from None
    runs: dict[str, Report] = {}
    page = PageFold()
    results: dict[str, dict[str, Any]] = {kind.name: {} for kind in kinds}
    damage, aside = {}, []
    homes: dict[tuple[str, str], Path] = {}
    for file in files:
        file_name = file.relative_to(path).as_posix()
        try:
            if file.suffix == results_tree.LINES and (kind := _kind_of_lines(file, kinds)):
                result = _read_lines(file, kind)
                results[kind.name][_free_stem(file, results[kind.name], homes, kind.name)] = result
                continue
            if file.suffix in (results_tree.LINES, results_tree.RUN):
                lines: list[str] = []
                run = read_run(file, lines)
                if lines:
                    damage[file_name] = _several(lines, bool(run.rows))
                if run.rows or not lines:
                    stem = _free_stem(file, runs, homes, RUN)
                    runs[stem] = page.add_run(stem, run, f"{stem}{file.suffix}")
                continue
            name, result = _read_file(sealed_files.load(file), kinds)
        except OSError as error:
            damage[file_name] = (error.strerror or str(error)).lower()
        except PldcheckError as error:
            damage[file_name] = str(error).replace(f"{file}, ", "").replace(f"{file}: ", "")
        except FORMAT_ERRORS as error:
            damage[file_name] = f"not what it says it is ({type(error).__name__}: {error})"
        else:
            if result is None:
                aside.append(file_name)
            else:
                results[name][_free_stem(file, results[name], homes, name)] = result
    return Folder(path, kinds, runs, results, damage, tuple(aside), homes, page)


def _free_stem(file: Path, results: Mapping[str, Any], homes: dict[tuple[str, str], Path], kind: str) -> str:
    """Return the stem of a file, after its folder's name if another file has that stem, and record its folder."""
    stem = file.stem if file.stem not in results else f"{file.parent.name}-{file.stem}"
    homes[kind, stem] = file.parent
    return stem


def _read_file(content: bytes, kinds: Sequence[StoredKind]) -> tuple[str, Any]:
    """Return kind and result of a file's content; an empty kind and None if it is not ours."""
    values = sealed_files.any_json(content)
    if not isinstance(values, dict) or not OURS & values.keys():
        return "", None
    return read_values(sealed_files.unseal(content), kinds)


def _kind_of_lines(file: Path, kinds: Sequence[StoredKind]) -> StoredKind | None:
    """Return the kind that the first line of a file says, if it is one of those of lines that are not a run's."""
    if not file.is_file():  # a pipe would wait for a writer
        return None
    with file.open("rb") as content:
        first = content.readline(sealed_files.LARGEST)
    names = {kind.name: kind for kind in kinds if kind.of_lines}
    try:
        name = sealed_files.parse(first).get("kind")
    except sealed_files.DamageError:
        return None
    return names.get(name) if isinstance(name, str) else None


def _read_lines(file: Path, kind: StoredKind) -> Any:
    """Return the result of a file of lines, the first of which is its header; they are not sealed."""
    header, *lines = map(sealed_files.parse, filter(None, sealed_files.load(file).split(b"\n")))
    if unreadable := stored_formats.complaint(header):
        raise PldcheckError(unreadable)
    assert kind.read is not None
    return kind.read({**header, "lines": lines})


def read_values(values: Any, kinds: Sequence[StoredKind]) -> tuple[str, Any]:
    """Return the kind of ``values``, and the result that this is the ``to_dict`` of; None for what is no object.

    Raises PldcheckError for what does not say what it is.
    """
    if not isinstance(values, dict):
        return "", None
    for kind in kinds:
        if values.get("kind") == kind.name:
            return kind.name, kind.read(values)
    raise PldcheckError("it does not say of what kind it is")


def _several(lines: list[str], others: bool) -> str:
    """Return what is wrong with some lines of a file; ``others``: whether there are more lines, which are read."""
    rest = f", and {len(lines) - MOST_NAMED} more" if len(lines) > MOST_NAMED else ""
    return f"{'; '.join(lines[:MOST_NAMED])}{rest}{'; all other rows are here' if others else ''}"


def complaints(folder: Folder) -> Iterator[str]:
    """Yield a line for every file that cannot be read, or not in full."""
    for name, why in folder.damage.items():
        is_run = Path(name).suffix in (results_tree.LINES, results_tree.RUN) and Path(name).stem in folder.runs
        what = f"some of {name}" if is_run else name
        yield safe(f"{what} is left out: {' '.join(why.split())}")

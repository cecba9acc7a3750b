"""Apply every mutant of the engine to a copy of the tree and run the test that must notice it.

``python -m tests.mutants`` takes some 10 s a mutant; it prints a line for each and ends with status 1 if one survives.
With ``--default`` only those cases of the tests run that are in the default set of pytest.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

from ..places import ROOT
from .mutant import Mutant, all_mutants

# Seconds for one test; a mutant that makes the engine hang is noticed, too.
LIMIT = 300
# Which cases of a test run: all of them, or those in the default set (``tests/default_set.py``).
ALL = "nightly or not nightly"
DEFAULT = "not nightly"
# pytest's exit status where no case of a test is in the default set.
NOTHING_RUN = 5


def _tree(folder: Path) -> Path:
    """Return a copy of package and tests; time stamps are kept, so that compiled kernels are not compiled anew."""
    for name in ("pldcheck", "tests", "results"):
        shutil.copytree(ROOT / name, folder / name, copy_function=shutil.copy2)
    for name in ("pyproject.toml", "README.md"):
        shutil.copy2(ROOT / name, folder / name)
    return folder


def _status(tree: Path, tests: list[str], cases: str) -> int:
    """Return pytest's exit status; 1 (a test failed) also for a test that does not end."""
    try:
        process = subprocess.run(
            [sys.executable, "-m", "pytest", "-x", "-q", "-n0", "-p", "no:cacheprovider", "-m", cases, *tests],
            cwd=tree,
            env=os.environ | {"PYTHONPATH": str(tree)},
            capture_output=True,
            timeout=LIMIT * len(tests),
        )
    except subprocess.TimeoutExpired:
        return 1
    return process.returncode


def _fate(mutant: Mutant, trees: "Queue[Path]", cases: str) -> str:
    """Return ``noticed``, ``SURVIVES``, or ``BROKEN`` where the mutant cannot be applied or its test cannot be run."""
    tree = trees.get()
    path = tree / mutant.file
    content, stamp = path.read_bytes(), path.stat()
    try:
        path.write_text(mutant.apply(tree), encoding="utf-8")
        status = _status(tree, mutant.tests, cases)
        return {1: "noticed", 0: "SURVIVES", NOTHING_RUN: "SURVIVES"}.get(status, "BROKEN")
    except LookupError:
        return "BROKEN"
    finally:
        path.write_bytes(content)
        os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
        trees.put(tree)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="mutants of files whose path contains this")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--default", action="store_true", help="run the cases in pytest's default set alone")
    options = parser.parse_args()
    cases = DEFAULT if options.default else ALL
    mutants = [mutant for mutant in all_mutants() if options.only in mutant.file]
    with tempfile.TemporaryDirectory() as folder:
        trees: Queue[Path] = Queue()
        for number in range(options.workers):
            trees.put(_tree(Path(folder) / str(number)))
        tree = trees.queue[0]
        tests = sorted({test for mutant in mutants for test in mutant.tests})
        if _status(tree, tests, cases) != 0:
            print("a listed test fails, or is not there, without any mutant")
            return 2
        counts: Counter[str] = Counter()
        with ThreadPoolExecutor(options.workers) as pool:
            fates = pool.map(lambda mutant: _fate(mutant, trees, cases), mutants)
            for mutant, fate in zip(mutants, fates, strict=True):
                print(f"{fate}: {mutant.name}: {mutant.test}", flush=True)
                counts[fate] += 1
    print(", ".join(f"{count} {fate}" for fate, count in counts.items()))
    return int(counts["noticed"] < len(mutants))


if __name__ == "__main__":
    sys.exit(main())

"""Execute the notebooks again and print what is no longer as stored; with ``--store`` their outputs are stored anew.

``python -m tests.notebooks 05`` takes those whose names begin so.  The status is 1 if an output differs.
"""

import argparse
import os
import sys

from .comparison import differences
from .execution import execute
from .stored_notebook import code_cells, load, paths, store


def _seconds() -> float:
    """Processor time of this process and of those that it started and that have ended."""
    return sum(os.times()[:4])


def main() -> int:
    """Run the command, and return its status."""
    parser = argparse.ArgumentParser(prog="python -m tests.notebooks", description=__doc__)
    parser.add_argument("names", nargs="*", help="Beginnings of names; all notebooks by default.")
    parser.add_argument("--store", action="store_true", help="Write the outputs into the notebooks.")
    options = parser.parse_args()
    selection = [path for path in paths() if path.name.startswith(tuple(options.names) or "")]
    if not selection:
        parser.error("there is no such notebook")
    status = 0
    for path in selection:
        start = _seconds()
        if options.store:
            store(path, execute(code_cells(load(path)), path.name))
            lines = []
        else:
            lines = differences(path)
        status |= bool(lines)
        word = "stored" if options.store else "differs" if lines else "as stored"
        print(f"{path.name}: {word}, {_seconds() - start:.1f} s of processor time", *lines, sep="\n  ", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())

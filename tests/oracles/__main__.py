"""Compute the values of slow oracles anew and store them, or with ``--check`` print where they differ from the stored.

``python -m tests.oracles few_slots`` takes that oracle alone; all of them take some minutes.  The status is 1 if
anything differs.
"""

import argparse
import sys
import time

from .oracle import NAMES, compute, differences
from .stored_values import HERE


def main() -> int:
    """Run the command, and return its status."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracles", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(NAMES)}; all of them by default")
    parser.add_argument("--check", action="store_true", help="write nothing; print what differs from what is stored")
    options = parser.parse_args()
    if unknown := set(options.names) - set(NAMES):
        parser.error(f"there is no oracle {min(unknown)!r}; there are {', '.join(NAMES)}")
    status = 0
    for name in options.names or NAMES:
        start = time.process_time()
        if options.check:
            lines = differences(name)
        else:
            (HERE / f"{name}.toml").write_text(compute(name), encoding="utf-8")
            lines = []
        status |= bool(lines)
        word = "differs" if lines else "as stored" if options.check else "stored"
        print(f"{name}: {word}, {time.process_time() - start:.0f} s of processor time", *lines, sep="\n  ", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())

"""The command line of fuzzers of files: so many of them, by a seed that is told."""

import argparse
import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from typing import Any


def run(
    description: str | None,
    subject: str,
    files: int,
    fuzz: Callable[[int, int], Iterable[Any]],
    failures: Collection[str],
) -> int:
    """Return status 1 if an outcome of ``fuzz(files, seed)`` has one of these kinds; print each of them, and a table.

    ``description``: what ``--help`` says; ``what``: the kind of files; ``files``: their default number.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--files", type=int, default=files)
    parser.add_argument("--seed", type=int, default=None, help="as printed; a fresh one if left out")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(10**9)
    counts: Counter = Counter()
    for outcome in fuzz(options.files, seed):
        counts[outcome.kind] += 1
        if outcome.kind in failures:
            print(outcome, flush=True)
    print(f"seed {seed}: {options.files} {subject}: {dict(counts)}")
    return int(any(counts[kind] for kind in failures))

"""Hunt for cells where a certified interval misses the truth: ``python -m tests.adversarial --cells 20000``.

Prints the seed, a line for each failure, and a table of outcomes by hunt; ends with status 1 if there was a failure.
"""

import argparse
import math
import os
import random
import sys
from collections import Counter
from concurrent.futures import TimeoutError as TimedOut
from dataclasses import dataclass, field

from pebble import ProcessPool

from .hunts import all_hunts, hunt_cells

# Cells of one task.
BATCH = 20
# Seconds that a task may take: one hang of 60 s and the oracles of the other cells.
LIMIT = 600.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=2000, help="cells in all; cheap hunts get more of them")
    parser.add_argument("--seed", type=int, default=None, help="as printed; a fresh one if left out")
    parser.add_argument("--only", default="", help="hunts whose name contains this")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(10**9)
    names = sorted(name for name in all_hunts() if options.only in name)
    first = min(BATCH, max(options.cells // len(names), 1))
    print(f"seed {seed}: {options.cells} cells of {len(names)} hunts, at least {first} of each", flush=True)
    results = {name: Result() for name in names}
    with ProcessPool(options.workers) as pool:
        _run(pool, seed, [(name, 0, first) for name in names], results)
        shares = _shares(options.cells, first, {name: result.seconds / first for name, result in results.items()})
        batches = [
            (name, begin, min(BATCH, share - begin))
            for name, share in shares.items()
            for begin in range(first, share, BATCH)
        ]
        random.Random(seed).shuffle(batches)  # a run that is cut off has tried some of all
        _run(pool, seed, batches, results)
    return _print_table(results)


@dataclass
class Result:
    """The end of the cells of one hunt, and their cost."""

    counts: Counter = field(default_factory=Counter)
    seconds: float = 0.0


def _run(pool: ProcessPool, seed: int, batches: list[tuple[str, int, int]], results: dict[str, Result]) -> None:
    """Run the cells of the batches (hunt, first cell, number of cells); print each failure at once."""
    tasks = [(batch, pool.schedule(hunt_cells, (batch[0], seed, *batch[1:]), timeout=LIMIT)) for batch in batches]
    for (name, first, count), task in tasks:
        result = results[name]
        try:
            outcomes, seconds = task.result()
        except (TimedOut, Exception) as error:
            result.counts["slow" if isinstance(error, TimedOut) else "broken"] += 1
            result.seconds += LIMIT if isinstance(error, TimedOut) else 0.0
            print(f"{name}, cells {first} to {first + count - 1}: {error!r}", flush=True)
            continue
        result.seconds += seconds
        for outcome in outcomes:
            result.counts[outcome.kind] += 1
            if outcome.fails:
                print(f"{outcome.kind}: {name}: {outcome.question}: {outcome.text}", flush=True)


def _shares(cells: int, least: int, costs: dict[str, float]) -> dict[str, int]:
    """Return the cells of each hunt: ``least`` and a share in proportion to one over the root of a cell's seconds.

    For a given time this spreads the chance to hit a fault best, if faults are as likely in each hunt (Neyman).
    """
    weights = {name: 1.0 / math.sqrt(max(cost, 1e-4)) for name, cost in costs.items()}
    scale = max(cells - least * len(costs), 0) / sum(weights.values())
    return {name: least + round(scale * weight) for name, weight in weights.items()}


def _print_table(results: dict[str, Result]) -> int:
    """Print the outcomes by hunt; return the exit status."""
    kinds = ["hit", "refused", "wide", "miss", "crash", "warning", "slow", "broken"]
    print(f"{'':40}" + "".join(f"{kind:>9}" for kind in kinds) + f"{'CPU s':>9}")
    results["all"] = Result(
        sum((one.counts for one in results.values()), Counter()), sum(one.seconds for one in results.values())
    )
    for name, result in results.items():
        print(f"{name:40}" + "".join(f"{result.counts[kind]:>9}" for kind in kinds) + f"{result.seconds:>9.1f}")
    return int(any(results["all"].counts[kind] for kind in kinds[2:]))


if __name__ == "__main__":
    sys.exit(main())

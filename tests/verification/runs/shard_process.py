"""A process that stores the rows of a large run, and is killed meanwhile: ``python shard_process.py FOLDER SEED``."""

import random
import sys
import time
from pathlib import Path

from pldcheck.core.interval import ErrorBudget
from pldcheck.verification import Row, Verdict
from pldcheck.verification.runs import shard_writer
from pldcheck.verification.runs.shard_folder import ShardFolder
from pldcheck.verification.runs.shard_recovery import recover

CELLS = 12_345
SIZE = 100
VERDICTS = (Verdict.HOLDS, Verdict.HOLDS, Verdict.VIOLATED, Verdict.UNDECIDED, Verdict.OUT_OF_CONDITIONS)


def row_of(index):
    """Return the row of a cell, from its index alone."""
    steps, rest = divmod(index, 50)
    params = {"steps": 10 + steps, "eps0": 0.5 + rest / 100, "check_in_prob": 1.0, "delta": 1e-6}
    claim, verdict = 1.0 / (index + 3), VERDICTS[index % len(VERDICTS)]
    if verdict is Verdict.OUT_OF_CONDITIONS:
        return Row("thm-3.2", params, verdict, reason='a "reason" with "lower":null and é')
    lower, upper = {
        Verdict.HOLDS: (claim / 2, claim / 1.5),
        Verdict.VIOLATED: (claim * 2, claim * 3),
        Verdict.UNDECIDED: (claim / 2, claim * 2),
    }[verdict]
    return Row("thm-3.2", params, verdict, claim, lower, upper, ErrorBudget(1e-9, 0.0, index * 1e-20), 0.25)


def main(folder, seed):
    """Store all rows that are missing, in an order of its own."""
    draw = random.Random(seed)
    shard_writer.SECONDS = 0.0  # every batch is written at once
    shards = ShardFolder(Path(folder), CELLS, SIZE)
    with shards.lock():
        writer, damage = recover(shards)
        print(len(damage), writer.row_count, flush=True)
        todo = [index for start, stop in writer.missing() for index in range(start, stop)]
        while todo:
            window = todo[:400]
            part = draw.sample(window, min(len(window), draw.randint(1, 60)))
            taken = set(part)
            todo = [index for index in window if index not in taken] + todo[400:]
            writer.add((index, row_of(index)) for index in part)
            time.sleep(draw.choice((0.0, 0.001)))
        writer.flush()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))

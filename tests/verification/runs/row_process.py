"""A process that stores the rows of a run, and is killed meanwhile: ``python row_process.py FILE SEED``."""

import random
import sys
import time
from pathlib import Path

from pldcheck.core.interval import ErrorBudget
from pldcheck.verification import Row, Verdict
from pldcheck.verification.runs import row_writer
from pldcheck.verification.runs.run_database import to_write, write_lock

CELLS = 12_345
VERDICTS = (Verdict.HOLDS, Verdict.HOLDS, Verdict.VIOLATED, Verdict.UNDECIDED, Verdict.OUT_OF_CONDITIONS)


def row_of(index):
    """Return the row of a cell, from its index alone."""
    steps, rest = divmod(index, 50)
    params = {"steps": 10 + steps, "eps0": 0.5 + rest / 100, "check_in_prob": 1.0, "delta": 1e-6}
    claim, verdict = 1.0 / (index + 3), VERDICTS[index % len(VERDICTS)]
    cell = f"{index:024x}"
    if verdict is Verdict.OUT_OF_CONDITIONS:
        return Row("thm-3.2", params, verdict, reason='a "reason" with "lower":null and é', cell=cell)
    lower, upper = {
        Verdict.HOLDS: (claim / 2, claim / 1.5),
        Verdict.VIOLATED: (claim * 2, claim * 3),
        Verdict.UNDECIDED: (claim / 2, claim * 2),
    }[verdict]
    budget = ErrorBudget(1e-9, 0.0, index * 1e-20)
    return Row("thm-3.2", params, verdict, claim, lower, upper, budget, 0.25, cell=cell)


def main(path, seed):
    """Store all rows that are missing, in an order of its own, and say how many there were and when one is stored."""
    draw = random.Random(seed)
    row_writer.SECONDS = 0.01
    with write_lock(path):
        database = to_write(path)
        database.commit()
        stored = {number for number, *_ in database.rows(0, CELLS)}
        print(len(stored), flush=True)
        writer = row_writer.RowWriter(database)
        todo = [index for index in range(CELLS) if index not in stored]
        while todo:
            window = todo[:400]
            part = draw.sample(window, min(len(window), draw.randint(1, 60)))
            taken = set(part)
            todo = [index for index in window if index not in taken] + todo[400:]
            writer.add((index, row_of(index)) for index in part)
            time.sleep(draw.choice((0.0, 0.001)))
        writer.close()
        database.settle()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))

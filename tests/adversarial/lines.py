"""Fuzz command lines and calls: ``python -m tests.adversarial.lines --lines 3000 --seed 1``.

Each ends in a certified answer or one line, within 60 s, without a warning, and a shell can complete it at every word;
prints the seed, each failure, a table, and with ``--findings FOLDER`` a file of failures for each room.  Ends with
status 1 if there was one.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable
from concurrent.futures import TimeoutError as TimedOut
from multiprocessing import get_context
from pathlib import Path

from pebble import ProcessExpired, ProcessPool

from .sentences import call, line
from .verdicts import HANG, Verdict, judged_call, judged_line, places, quote

KINDS = ("answer", "refused", "told", "traceback", "warning", "hang", "lines", "wrong", "broken")
# One line in three is a call.
CALLS = 3
# Bytes of address space that a line may take up: more is as bad as a hang.
MEMORY = 6 * 2**30


def judge(seed: int, index: int, folder: str, limit: float) -> Verdict:
    """Judge line number ``index`` of a seed."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    draw = random.Random(f"{seed} {index}")
    trace = os.path.join(folder, str(index))
    verdict = judged_call(call(draw), trace, limit) if index % CALLS == 0 else judged_line(line(draw), trace, limit)
    os.remove(trace)
    return verdict


def question(seed: int, index: int) -> str:
    """Return what line number ``index`` of a seed asks."""
    draw = random.Random(f"{seed} {index}")
    return call(draw) if index % CALLS == 0 else "pldcheck " + " ".join(map(quote, line(draw)))


def fuzz(seed: int, indices: Iterable[int], workers: int, limit: float = HANG, report=print) -> list[Verdict]:
    """Return the verdicts on lines of a seed; each failure is reported at once."""
    verdicts = []
    with tempfile.TemporaryDirectory() as folder, ProcessPool(workers, context=get_context("spawn")) as pool:
        tasks = [(index, pool.schedule(judge, (seed, index, folder, limit), timeout=10.0 * limit)) for index in indices]
        for index, task in tasks:
            try:
                verdict = task.result()
            except (TimedOut, ProcessExpired):
                trace = Path(folder, str(index))
                text = trace.read_text(errors="replace") if trace.exists() else ""
                location = places(text)[::-1]  # this kind of trace begins with the innermost
                verdict = Verdict(question(seed, index), "hang", f"more than {limit:.0f} s", location, limit)
            except Exception as error:
                verdict = Verdict(question(seed, index), "broken", repr(error)[:300])
            verdicts.append(verdict)
            if verdict.fails:
                location = " < ".join(verdict.frames[:4])
                report(f"{verdict.kind}: {verdict.owner}: {index}: {verdict.question}: {verdict.text} at {location}")
    return verdicts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=3000)
    parser.add_argument("--first", type=int, default=0, help="number of the first line")
    parser.add_argument("--seed", type=int, default=None, help="as printed; a fresh one if left out")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", help="lines that contain this, of those drawn")
    parser.add_argument("--limit", type=float, default=HANG, help="seconds of computing that a line may take")
    parser.add_argument("--findings", default=None, help="a folder for failures by room")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(10**9)
    numbers = range(options.first, options.first + options.lines)
    choice = [index for index in numbers if not options.only or options.only in question(seed, index)]
    print(f"seed {seed}: {len(choice)} lines and calls", flush=True)
    verdicts = fuzz(seed, choice, options.workers, options.limit, lambda text: print(text, flush=True))
    counts = Counter(verdict.kind for verdict in verdicts)
    print("  ".join(f"{kind} {counts[kind]}" for kind in KINDS))
    slowest = sorted(verdicts, key=lambda verdict: -verdict.seconds)[:5]
    print("slowest:", *(f"{verdict.seconds:.1f} s {verdict.question}" for verdict in slowest), sep="\n  ")
    rooms = defaultdict(list)
    for verdict in verdicts:
        if verdict.fails:
            rooms[verdict.owner].append(verdict)
    for owner, failures in sorted(rooms.items()):
        print(f"{owner}: {len(failures)}")
        if options.findings:
            with open(Path(options.findings, f"{owner}.txt"), "a", encoding="utf-8") as stream:
                for one in sorted(failures, key=lambda verdict: (verdict.kind, verdict.frames[:1])):
                    at = "\n    ".join(one.frames[:6])
                    stream.write(f"{one.kind}: {one.question}\n    {one.text}\n    {at}\n")
    return int(any(verdict.fails for verdict in verdicts))


if __name__ == "__main__":
    sys.exit(main())

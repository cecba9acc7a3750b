"""Runs our side of cases in a process of its own: once to compile or load, then timed, then its bare limit.

One JSON object a line: do = make | run | bare | top, with the number of the case; what is asked is in ``_DO``.
"""

from __future__ import annotations

import cProfile
import json
import os
import pstats
import sys
from importlib import import_module
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

# So many functions of a profile are shown.
FUNCTIONS_SHOWN = 6
# A profile runs at least so many seconds.
PROFILE_SECONDS = 0.2
# A bare loop runs so often, and its median counts.
BARE = 3
# A bare loop that takes more seconds than this runs once.
SLOW = 1.0

_cases: list[dict[str, Any]] = []


def make(task: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return the first answer."""
    run, limit = import_module(f"tests.benchmarks.tasks_{task}").ours(params)
    start = perf_counter()
    answer = run()
    _cases.append({"run": run, "limit": limit, "answer": answer})
    seconds = perf_counter() - start
    return {"seconds": seconds, "lower": _plain(answer.lower), "upper": _plain(answer.upper), "megabytes": peak()}


def run(at: int, least: float, most: int) -> dict[str, Any]:
    """Return seconds of runs, one after another until they took ``least`` together, at most so many."""
    seconds: list[float] = []
    while len(seconds) < most and (not seconds or sum(seconds) < least):
        seconds.append(_time(_cases[at]["run"]))
    return {"seconds": seconds, "megabytes": peak()}


def bare(at: int) -> dict[str, Any]:
    """Return the limit and its seconds, scaled to all of it; nothing where there is none."""
    case = _cases[at]
    if "bare" not in case:
        case["bare"] = case["limit"](case["answer"])
    limit = case["bare"]
    if limit is None:
        return {"of": ""}
    limit.bare()
    seconds = [_time(limit.bare)]
    while len(seconds) < BARE and sum(seconds) < SLOW:
        seconds.append(_time(limit.bare))
    return {
        "of": limit.of,
        "count": limit.count,
        "bytes": limit.size,
        "seconds": [one / limit.share for one in seconds],
    }


def top(at: int) -> dict[str, Any]:
    """Return functions by the share of time spent in themselves; compiled kernels count for who calls them."""
    # Of the processor, not of the clock: the machine may have other things to do.
    profile, start = cProfile.Profile(process_time), perf_counter()
    while perf_counter() - start < PROFILE_SECONDS:
        profile.runcall(_cases[at]["run"])
    statistics = pstats.Stats(profile)
    whole = statistics.total_tt or 1.0  # type: ignore[attr-defined]
    times = ((_name(*location), entry[2] / whole) for location, entry in statistics.stats.items())  # type: ignore[attr-defined]
    return {"top": sorted(times, key=lambda one: -one[1])[:FUNCTIONS_SHOWN]}


def prepare(task: str, params: dict[str, Any], folder: str) -> dict[str, Any]:
    """Write what a command needs in its folder."""
    import_module(f"tests.benchmarks.tasks_{task}").prepare(params, Path(folder))
    return {}


def after(task: str, params: dict[str, Any], folder: str) -> dict[str, Any]:
    """Return what a command has left behind, in words, and its limit."""
    note, limit = import_module(f"tests.benchmarks.tasks_{task}").after(params, Path(folder))
    if limit is None:
        return {"note": note, "of": ""}
    limit.bare()
    seconds = [_time(limit.bare) / limit.share]
    return {"note": note, "of": limit.of, "count": limit.count, "bytes": limit.size, "seconds": seconds}


def peak() -> float:
    """Return megabytes this process has held at most, of which those before it became this program are none."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
        return next(float(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")) / 1024.0
    except (OSError, StopIteration):
        import resource

        usage = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return usage / (2.0**20 if sys.platform == "darwin" else 1024.0)


def _plain(value: float) -> float | str:
    return value if abs(value) < float("inf") else str(value)


def _time(call: Any) -> float:
    start = perf_counter()
    call()
    return perf_counter() - start


def _name(file: str, line: int, function: str) -> str:
    parts = Path(file).parts
    if "pldcheck" in parts:
        place = len(parts) - 1 - parts[::-1].index("pldcheck")
        return f"{'/'.join(parts[place + 1 :])}:{function}"
    return f"{Path(file).stem}:{function}" if line else function


_DO = {"make": make, "run": run, "bare": bare, "top": top, "prepare": prepare, "after": after}


def main() -> None:
    """Read requests and write answers until there are no more requests."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what is printed is no answer
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = _DO[request.pop("do")](**request)
        except Exception as error:
            answer = {"error": " ".join(f"{type(error).__name__}: {error}".split())[:200]}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


main()

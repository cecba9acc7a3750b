"""``pldcheck doctor``: the machine and its libraries, a test of pldcheck, and installed peers with known defects."""

from __future__ import annotations

import os
import platform
import sys
from collections import Counter
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

import pldcheck

from ..core.interval import Interval
from ..protocols import PROTOCOLS
from ..report.decimal_ends import outward
from ..verification.runs.provenance import version
from .options import examples, print_json, switches
from .peers import point_lines

if TYPE_CHECKING:
    from ..accounting.peers import KnownPoint, Peer

LIBRARIES = ("numpy", "scipy", "numba", "llvmlite", "python-flint", "dp-accounting", "matplotlib", "click")
# The most seconds that a peer may take at each of its known points.
SECONDS = 20.0
BROKEN = 1
GIB = 2**30
# What is said of threads where the environment sets no number of them.
DEFAULT_THREADS = "as many as libraries choose (no OMP_NUM_THREADS or the like is set)"
# A small answer of the engine that compiles kernels, and the range in which it must lie, as epsilon is at most eps0.
TRIAL = {"steps": 9, "eps0": 1.0}, 0.01


@dataclass(frozen=True)
class Trial:
    """A test of pldcheck itself: an ``answer`` and its seconds, or the reason in one line why there is none.

    ``caches``: the folders in which its kernels are cached; none if caching is impossible.
    """

    answer: Interval | None
    seconds: float
    failure: str
    caches: tuple[str, ...]


def trial() -> Trial:
    """Compute one answer and return it."""
    params, delta = TRIAL
    start = perf_counter()
    answer, failure, seconds = None, "", 0.0
    caches: tuple[str, ...] = ()
    try:
        answer = PROTOCOLS["hidden-slot"](**params).epsilon(delta)
        seconds = perf_counter() - start
        if not 0.0 < answer.lower <= answer.upper <= params["eps0"]:
            failure = f"epsilon of {params} at delta {delta} came out as [{answer.lower!r}, {answer.upper!r}]"
        caches = _caches()
    except Exception as error:  # whatever is wrong with this installation is what is asked for
        failure = " ".join(f"{type(error).__name__}: {error}".split())
    return Trial(answer, seconds, failure, caches)


def violations() -> list[str]:
    """Return the assumptions on mathematical libraries that do not hold here, one on each line.

    The assumptions are those of :mod:`pldcheck.core.assumed`, held against balls at some hundred points.
    """
    try:
        return list(import_module("pldcheck.core.assumption_check").violations())
    except Exception as error:  # a library that is not what it was
        return [" ".join(f"{type(error).__name__}: {error}".split())]


def _caches() -> tuple[str, ...]:
    """Return the folders that numba caches the kernels in that are loaded, whether or not one was compiled."""
    kernels = [
        value
        for name, module in list(sys.modules.items())
        if name.startswith("pldcheck.kernels.")
        for value in vars(module).values()
        if hasattr(value, "py_func")
    ]
    # With NUMBA_DISABLE_JIT there are functions in the place of dispatchers.
    paths = {kernel.dispatcher.stats.cache_path for kernel in kernels if hasattr(kernel.dispatcher, "stats")}
    return tuple(sorted(path for path in paths if path))


def _memory() -> dict[str, float | None]:
    """Return the GiB of memory of this machine, and those available now; None where the system does not say."""
    try:
        page, pages = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_PHYS_PAGES")
        free = os.sysconf("SC_AVPHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return {"total": None, "free": None}
    return {"total": round(page * pages / GIB, 1), "free": round(page * free / GIB, 1)}


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _facts() -> dict[str, Any]:
    """Return all facts but those on peers."""
    result, wrong = trial(), violations()
    return {
        "pldcheck": pldcheck.__version__,
        "python": f"{platform.python_version()} ({sys.executable})",
        "libraries": {library: version(library) for library in LIBRARIES},
        "cores": _cores(),
        "threads": {name: os.environ[name] for name in _threads() if name in os.environ},
        "memory_gib": _memory(),
        "kernels": [{"folder": path, "writable": _writable(path)} for path in result.caches],
        "assumptions": wrong,
        "works": not result.failure and not wrong,
        "failure": result.failure or "; ".join(wrong or ()),
        "epsilon": list(result.answer) if result.answer else None,
        "seconds": result.seconds,
    }


def _threads() -> tuple[str, ...]:
    from ..core.fork_server import THREADS

    return THREADS


def _writable(path: str) -> bool:
    folder = Path(path)
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return os.access(folder, os.W_OK)


def _doctor(context: click.Context, as_json: bool, quick: bool) -> None:
    from ..accounting import peers

    facts = _facts()
    here = peers.installed_peers()
    known_points = [one for one in peers.KNOWN if one.peer in here]
    results = [] if quick else peers.run_known_points(here, seconds=SECONDS)
    if as_json:
        peer_list = [
            {"name": name, "version": peer.version, "installed": name in here} for name, peer in _peers().items()
        ]
        points = (
            [one.to_dict() for one in results]
            if results
            else [{"id": one.id, "peer": one.peer} for one in known_points]
        )
        print_json({**facts, "peers": peer_list, "known_points": points})
    else:
        for line in _lines(facts):
            click.echo(line)
        for name, peer in _peers().items():
            elsewhere = os.environ.get(peer.variable)
            click.echo(f"{name:<16}{elsewhere or peer.version or 'not installed'}")
            for line in [line for one in results if one.case.peer == name for line in point_lines(one)]:
                click.echo(f"  {line}")
            for entry in [entry for entry in known_points if quick and entry.peer == name]:
                click.echo(f"  {_mark(peer, entry)}: {entry.id}: {entry.wrong}")
        errors = Counter(
            f"{one.case.peer} {one.claim.version or ''}".strip() for one in results if one.status == "confirmed"
        )
        for peer_text, count in sorted(errors.items()):
            known = "1 known error" if count == 1 else f"{count} known errors"
            occur = "occurs" if count == 1 else "occur"
            click.echo(f"{known} of {peer_text} {occur} here; answers of pldcheck do not depend on it")
    if facts["failure"]:
        click.echo(f"pldcheck: does not work here: {facts['failure']}", err=True)
        context.exit(BROKEN)


def _mark(peer: Peer, entry: KnownPoint) -> str:
    return "known in this version" if peer.version in entry.versions else f"seen in {', '.join(entry.versions)}"


def _peers() -> Any:
    from ..accounting import peers

    return peers.PEERS


def _lines(facts: dict[str, Any]) -> list[str]:
    memory, kernels = facts["memory_gib"], facts["kernels"]
    lines = [("pldcheck", facts["pldcheck"]), ("python", facts["python"])]
    lines += [(name, library_version or "not installed") for name, library_version in facts["libraries"].items()]
    lines += [
        ("cores", str(facts["cores"])),
        ("threads", " ".join(f"{name}={value}" for name, value in facts["threads"].items()) or DEFAULT_THREADS),
        ("memory", f"{memory['free']} GiB free of {memory['total']}" if memory["total"] else "unknown"),
    ]
    lines += [("kernels", f"{one['folder']}{'' if one['writable'] else ' (cannot be written)'}") for one in kernels]
    if not kernels:
        lines.append(("kernels", "not cached: compiled in every process; set NUMBA_CACHE_DIR to a folder of yours"))
    if facts["assumptions"] == []:
        lines.append(("assumptions", "functions of libraries are as exact as pldcheck assumes"))
    if facts["works"]:
        lower, upper = outward(Interval(*facts["epsilon"]))
        question = ", ".join(f"{name} = {value:g}" for name, value in (*TRIAL[0].items(), ("delta", TRIAL[1])))
        answer = f"epsilon in [{lower}, {upper}]"
        lines.append(("works", f"{answer} for a hidden slot with {question}, in {facts['seconds']:.1f} s"))
    return [f"{name:<16}{text}" for name, text in lines]


doctor_command = click.Command(
    "doctor",
    callback=click.pass_context(_doctor),
    params=[
        click.Option(["--quick"], is_flag=True, help="Name the known points of installed peers without asking them."),
        *switches(),
    ],
    short_help="What pldcheck runs on, whether it works, and which installed accountants are known to go wrong.",
    help=(
        "What pldcheck runs on, whether it works, and which installed accountants are known to go wrong.\n\n"
        "The known points of those are asked again, in processes of their own.  "
        "Exit status: 0, or 1 if pldcheck itself does not work; an error of a peer is no failure."
    ),
    epilog=examples("doctor --quick", "doctor --quick --json"),
)

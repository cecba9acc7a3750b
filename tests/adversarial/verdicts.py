"""Whether a command line or a call ended as it may: a certified answer, or one line; nothing else."""

from __future__ import annotations

import contextlib
import faulthandler
import io
import json
import math
import os
import re
import signal
import tempfile
import time
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .draws import write_tables

# Seconds of computing after which a line counts as a hang.
HANG = 60.0
# Statuses that are documented: an answer, none for certain, refused, none as far as is known.
EXIT_STATUSES = (0, 1, 2, 3)
# Rooms and who looks after them; the last one that matches a file counts.
OWNERS = {
    "": "cli",
    "allocation/": "allocation",
    "fourier.py": "allocation",
    "laws.py": "allocation",
    "protocols/random_allocation": "allocation",
    "allocation/known": "known",
    "allocation/pairs": "known",
    "allocation/replaced": "known",
    "allocation/randomizers": "known",
    "protocols/known_slot": "known",
    "minimax/": "minimax",
    "protocols/epochs": "minimax",
    "protocols/approximate": "minimax",
    "protocols/hidden_slot": "minimax",
    "protocols/check_in": "minimax",
    "protocols/populated": "minimax",
    "protocols/sliding_window": "minimax",
    "population/": "minimax",
    "shuffle/": "shuffle",
    "protocols/shuffle": "shuffle",
    "protocols/swap": "shuffle",
    "pld/": "pld",
    "pld/stoploss": "shuffle",
    "pld/candidates": "shuffle",
    "kernels/": "pld",
    "protocols/composed": "pld",
    "protocols/composition": "pld",
    "protocols/noise_mechanisms": "pld",
    "protocols/randomized_responses": "pld",
    "protocols/gaussian_mean": "pld",
    "theorems/": "theorems",
    "verify/": "theorems",
    "waterfall": "theorems",
    "audit/": "theorems",
    "witness/": "stored",
    "report/": "stored",
    "batch/": "stored",
}
# Rooms whose frames do not say whose mistake it is.
OUTER_ROOMS = (
    *("cli/", "interval.py", "kernels/", "parameters.py", "pld/solve", "minimax/solve", "differences.py"),
    "calibration/",
)


@dataclass(frozen=True)
class Verdict:
    """``kind``: answer, refused or told where all is well; else traceback, warning, hang, lines, wrong or slow.

    ``frames``: where it happened, innermost first.
    """

    question: str
    kind: str
    text: str = ""
    frames: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def fails(self) -> bool:
        return self.kind not in ("answer", "refused", "told")

    @property
    def owner(self) -> str:
        """The room of the innermost frame that says something."""
        frames = [frame for frame in self.frames if not frame.startswith(OUTER_ROOMS)] or list(self.frames)
        owner = "cli"
        for room, owner_name in OWNERS.items():
            if frames and frames[0].startswith(room):
                owner = owner_name
        return owner


def places(text: str) -> tuple[str, ...]:
    """Return frames of pldcheck in a trace, innermost first: room/file.py:line function."""
    frames = re.findall(r'File "[^"]*/pldcheck/([\w/]+\.py)", line (\d+),? in (\S+)', text)
    return tuple(f"{path}:{line} {function}" for path, line, function in reversed(frames))


@contextlib.contextmanager
def somewhere():
    """Enter an empty folder with the tables, as the working directory."""
    back = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        write_tables(Path(folder))
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(back)


def judged_line(words: list[str], trace: str | None = None, limit: float = HANG) -> Verdict:
    """Return what a command line did, warnings being errors.  ``trace``: a file for where it is when it hangs.

    A shell that completes any of its words comes first: nothing may be refused there.
    """
    from pldcheck.cli import run

    question = "pldcheck " + " ".join(quote(word) for word in words)
    if failure := _failed_completion(words):
        return failure
    out, err = io.StringIO(), io.StringIO()
    with somewhere(), _watch(trace, limit), warnings.catch_warnings():
        warnings.simplefilter("error")
        start = time.process_time()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                status = run(["--debug", *words])
            except BaseException:
                return Verdict(question, "traceback", _last_line(), places(traceback.format_exc()))
        seconds = time.process_time() - start
    # Of what takes long it is said what is computed.
    output, complaint = out.getvalue(), re.sub(r"(?m)^computing \w+ of .*\n", "", err.getvalue())
    if "Traceback" in complaint or status not in EXIT_STATUSES:
        kind = "warning" if "Warning" in complaint.strip().rpartition("\n")[2] else "traceback"
        return Verdict(question, kind, complaint.strip().rpartition("\n")[2][:300], places(complaint), seconds)
    if status == 2:
        is_refusal = (
            not output
            and complaint.startswith("pldcheck: ")
            and complaint.count("\n") == 1
            and _is_fit_to_show(complaint)
        )
        return Verdict(question, "refused" if is_refusal else "lines", complaint[:300], (), seconds)
    wrong = _wrong(output, "--json" in words) if status == 0 else ""
    if wrong or status == 0 and any(not re.search(r"\d s (left|so far)", line) for line in complaint.splitlines()):
        return Verdict(question, "wrong", f"{wrong}: {output[:300]} {complaint[:100]}", (), seconds)
    return Verdict(question, "answer" if status == 0 else "told", (output or complaint).strip()[:300], (), seconds)


def _failed_completion(words: list[str]) -> Verdict | None:
    """Return the verdict on a place of the line at which a shell that completes it is shown a traceback, if any."""
    from click.shell_completion import BashComplete

    from pldcheck.cli import cli

    completion = BashComplete(cli, {}, "pldcheck", "_PLDCHECK_COMPLETE")
    for place in range(len(words) + 1):
        for beginning in {"", *words[place : place + 1]}:
            try:
                completion.get_completions(words[:place], beginning)
            except BaseException:
                question = f"completion of {beginning!r} after pldcheck {' '.join(map(quote, words[:place]))}"
                return Verdict(question, "traceback", _last_line(), places(traceback.format_exc()))
    return None


def judged_call(text: str, trace: str | None = None, limit: float = HANG) -> Verdict:
    """Return what a call returned or raised, warnings being errors."""
    import numpy

    from pldcheck import calibrate, pld
    from pldcheck.core.errors import PldcheckError
    from pldcheck.protocols import PROTOCOLS

    names: dict[str, Any] = {protocol.__name__: protocol for protocol in PROTOCOLS.values()}
    names |= {"pld": pld, "calibrate": calibrate, "numpy": numpy, "nan": math.nan, "inf": math.inf}
    with somewhere(), _watch(trace, limit), warnings.catch_warnings():
        warnings.simplefilter("error")
        start = time.process_time()
        try:
            interval = eval(text, names)  # noqa: S307
        except PldcheckError as error:
            is_answer = "\n" not in str(error)
            return Verdict(text, "refused" if is_answer else "lines", str(error)[:300])
        except Warning:
            return Verdict(text, "warning", _last_line(), places(traceback.format_exc()))
        except Exception:
            return Verdict(text, "traceback", _last_line(), places(traceback.format_exc()))
        seconds = time.process_time() - start
    is_answer = bool(numpy.all((0.0 <= interval.lower) & (interval.lower <= interval.upper)))
    if getattr(interval, "quantity", "delta") == "delta":  # a curve has none: it is of delta
        is_answer = is_answer and bool(numpy.all(interval.upper <= 1.0))
    return Verdict(text, "answer" if is_answer else "wrong", f"{interval!r}"[:300], (), seconds)


def _wrong(text: str, as_json: bool) -> str:
    """Return what is wrong with what was printed, if anything."""
    if as_json:
        try:
            facts = json.loads(text, parse_constant=lambda name: 1 / 0)
        except (ValueError, ZeroDivisionError):
            return "no JSON"
        low, high = facts.get("lower"), facts.get("upper")
        ends = isinstance(low, float | int) and isinstance(high, float | int)
        return "ends" if ends and not 0.0 <= low <= high else ""
    # What is measured, and not certified, may be negative: an excess risk is a difference.
    for low, high, kind in re.findall(r"in \[([^,\]]+), ([^\]]+)\]( empirical)?", text):
        if not float(low) <= float(high) or not (kind or float(low) >= 0.0):
            return "ends"
    return "nan" if re.search(r"\bnan\b", text) else ""


def _is_fit_to_show(message: str) -> bool:
    """Return whether nothing in it moves a terminal's cursor, and it is no page."""
    return len(message) < 2000 and all(letter.isprintable() or letter == "\n" for letter in message)


def _last_line() -> str:
    return traceback.format_exc().strip().rpartition("\n")[2][:300]


def quote(word: str) -> str:
    """Return a word as it is shown."""
    return word if re.fullmatch(r"[\w.:*+-]+", word) else repr(word)


@contextlib.contextmanager
def _watch(trace: str | None, limit: float = HANG):
    """Ends this process, and writes down where it is, once it has computed for so long; other work does not count."""
    if trace is None:
        yield
        return
    with open(trace, "w") as stream:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        faulthandler.register(signal.SIGPROF, file=stream, all_threads=False, chain=True)
        signal.setitimer(signal.ITIMER_PROF, limit)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0.0)
            faulthandler.unregister(signal.SIGPROF)

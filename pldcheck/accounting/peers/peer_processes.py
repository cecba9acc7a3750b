"""Questions to peers, in processes of their own, so that a crash or a leak of a peer does not reach pldcheck.

A process that crashes or takes too long is ended with all its children.  The claim for the question that it was at
reports that, and a new process answers the questions after it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isnan
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

from .peer_point import Point
from .peer_table import PEERS, Peer

# The program that runs in the process of a peer.
DRIVER = Path(__file__).parent / "adapters" / "driver.py"
# The default time limit of a question in seconds.
SECONDS = 60.0
# The default limit on the data of a process in GiB.
MEMORY = 4.0
# Bytes per GiB.
GIB = 2**30
# The time in seconds between two checks of a process.
PAUSE = 0.02
# The largest length of a note in characters.
LONGEST = 300
# The largest number of bytes that a process may print.
LARGEST = 2**24

# The statuses of claims.
ANSWERED = "answered"
NOT_INSTALLED = "not installed"
UNSUPPORTED = "does not support"
LATE = "no answer within"
FAILED = "failed"
NO_NUMBER = "gave nan or negative"
TIME_LIMIT = "time limit"


@dataclass(frozen=True)
class Question:
    """A point, the ``way`` to call a peer, and further options of its adapter.

    ``at`` is a text that replaces the point's own delta or epsilon, to see whether a peer refuses it.  ``adjacency`` is
    one direction of the point's own adjacency, ``add`` or ``remove``, where the question is about it alone.
    """

    point: Point
    way: str = ""
    options: tuple[tuple[str, Any], ...] = ()
    at: str | None = None
    adjacency: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the question as the driver reads it; JSON holds floats as their repr, which is exact."""
        return {
            "quantity": self.point.quantity,
            "at": self.point.at if self.at is None else self.at,
            "adjacency": self.adjacency or self.point.adjacency,
            "way": self.way,
            "options": dict(self.options),
            "parts": [{**asdict(part), "numbers": dict(part.numbers)} for part in self.point.parts],
        }


@dataclass(frozen=True)
class Claim:
    """The claim of a peer that ``lower <= truth <= upper``; an end is None if it claims nothing there.

    Nothing in it is certified.  ``status`` is "answered", or the kind of failure, which ``note`` explains; for an
    answer, ``note`` is the call that gave it.  ``adjacency`` is the one that the peer states, and ``seconds`` its
    computing time without imports and first-call compilation.  ``libraries`` has the versions of numpy and scipy.
    """

    peer: str
    way: str
    status: str
    lower: float | None = None
    upper: float | None = None
    adjacency: str | None = None
    seconds: float | None = None
    version: str | None = None
    note: str = ""
    libraries: str = ""


def ask(
    peer: Peer | str,
    point: Point,
    *,
    way: str = "",
    python: str | None = None,
    seconds: float = SECONDS,
    memory: float = MEMORY,
) -> Claim:
    """Return the claim of a peer about a point; if the peer fails, the status of the claim says so.

    Parameters
    ----------
    peer : Peer or str
        The peer or its name.
    point : Point
        The point.
    way : str
        One of the peer's ``ways``.
    python : str, optional
        The interpreter of the peer; by default that of ``PLDCHECK_PEER_...``, or this one.
    seconds, memory : float
        The limits in seconds and GiB; the start of the process and imports count.

    """
    entry = PEERS[peer] if isinstance(peer, str) else peer
    return ask_all(entry, [Question(point, way)], python=python, seconds=seconds, memory=memory)[0]


def ask_all(
    peer: Peer,
    questions: Sequence[Question],
    *,
    python: str | None = None,
    seconds: float = SECONDS,
    memory: float = MEMORY,
) -> list[Claim]:
    """Return a claim for each question; one process answers all unless it fails, and the limits hold for each."""
    claims = {i: claim for i, question in enumerate(questions) if (claim := _refusal(peer, question, python))}
    rest = [i for i in range(len(questions)) if i not in claims]
    interpreter = peer.interpreter(python) if rest else ""
    while rest:
        answers, ending = _run(peer, [questions[i] for i in rest], interpreter, seconds, memory)
        for i, answer in zip(rest, answers, strict=False):
            claims[i] = _claim(peer, questions[i], answer)
        rest = rest[len(answers) :]
        if rest:
            # The process failed at the first question that is left; a new process answers the others.
            status = TIME_LIMIT if ending.startswith(LATE) else FAILED
            claims[rest[0]] = Claim(
                peer.name, questions[rest[0]].way, status, version=_version(peer, python), note=ending
            )
            rest = rest[1:]
    return [claims[i] for i in range(len(questions))]


def _version(peer: Peer, python: str | None) -> str | None:
    """Return the version of a peer beside pldcheck; None if it has an interpreter of its own."""
    return None if peer.elsewhere(python) else peer.version


def _refusal(peer: Peer, question: Question, python: str | None) -> Claim | None:
    """Return the claim of a peer that certainly has no answer, else None: it takes seconds to start a process."""
    version = _version(peer, python)
    strange = {part.kind for part in question.point.parts} - peer.ways[question.way]
    if strange:
        note = f"has nothing for {', '.join(sorted(strange))}"
        return Claim(peer.name, question.way, UNSUPPORTED, version=version, note=note)
    if question.point.adjacency == "mixed":
        note = "mechanisms for different adjacencies"
        return Claim(peer.name, question.way, UNSUPPORTED, version=version, note=note)
    if version is None and not peer.elsewhere(python):
        note = f"pip install {peer.distribution}, or name an interpreter that has it in {peer.variable}"
        return Claim(peer.name, question.way, NOT_INSTALLED, note=note)
    return None


def _run(
    peer: Peer, questions: Sequence[Question], python: str, seconds: float, memory: float
) -> tuple[list[dict[str, Any]], str]:
    """Return the answers in order, and how the process ended if some answers are missing."""
    words = [python, str(DRIVER), peer.name, peer.module, peer.distribution, str(int(memory * GIB))]
    # Files are used instead of pipes: a pipe stays open as long as any child of the peer holds it.
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        input_file, output_file, error_file = (Path(folder) / name for name in ("questions", "answers", "errors"))
        input_file.write_text("".join(json.dumps(question.to_dict()) + "\n" for question in questions))
        with input_file.open("rb") as stdin, output_file.open("wb") as stdout, error_file.open("wb") as stderr:
            try:
                process = subprocess.Popen(
                    words, stdin=stdin, stdout=stdout, stderr=stderr, cwd=folder, start_new_session=True
                )
            except OSError as error:
                return [], _shorten(f"{python} cannot be run: {error}")
            try:
                reason = _wait(process, (output_file, error_file), len(questions), seconds)
            finally:
                _end(process)
        answers, readable = _read(output_file)
        if reason:
            return answers, reason
        ending = _ending(process.returncode) if readable else "its answer cannot be read"
        messages = error_file.read_bytes()[-4096:].decode(errors="replace").strip().splitlines()
        return answers, _shorten(": ".join([ending, *messages[-1:]]))


def _wait(process: subprocess.Popen[bytes], files: tuple[Path, Path], count: int, seconds: float) -> str:
    """Wait until the process ends or has answered everything; return why it must be stopped before, else nothing."""
    line_count, deadline, output_file = 0, monotonic() + seconds, files[0]
    while True:
        try:
            process.wait(PAUSE)
            return ""
        except subprocess.TimeoutExpired:
            pass
        if max(path.stat().st_size for path in files) > LARGEST:
            return f"printed more than {LARGEST >> 20} MiB"
        if (lines := output_file.read_bytes().count(b"\n")) > line_count:
            line_count, deadline = lines, monotonic() + seconds
            if line_count >= count:  # the process may hang at its exit
                return ""
        if monotonic() > deadline:
            return f"{LATE} {seconds:g} s"


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and all processes that it has started."""
    if hasattr(os, "killpg"):
        try:
            os.killpg(process.pid, signal.SIGKILL)  # the process leads a session, so its id is that of the group
        except (ProcessLookupError, PermissionError):
            pass
    else:
        process.kill()
    process.wait()


def _read(path: Path) -> tuple[list[dict[str, Any]], bool]:
    """Return the answers up to the first line that is none, and whether all lines are answers."""
    answers: list[dict[str, Any]] = []
    for line in path.read_bytes().split(b"\n")[:-1]:
        try:
            answer = json.loads(line)
        except ValueError:
            return answers, False
        if not isinstance(answer, dict):
            return answers, False
        answers.append(answer)
    return answers, True


def _claim(peer: Peer, question: Question, answer: Mapping[str, Any]) -> Claim:
    version = answer.get("version")

    def none(status: str, note: Any) -> Claim:
        return Claim(peer.name, question.way, status, version=version, note=_shorten(str(note)))

    for key, status in (("missing", NOT_INSTALLED), ("unsupported", UNSUPPORTED), ("error", FAILED)):
        if key in answer:
            return none(status, answer[key])
    try:
        ends = [None if answer[side] is None else float(answer[side]) for side in ("lower", "upper")]
        how, adjacency, duration = str(answer["how"]), str(answer["adjacency"]), float(answer["seconds"])
    except (KeyError, TypeError, ValueError):
        return none(FAILED, "its answer cannot be read")
    lower, upper = ends
    # A lower end below 0 is true, although useless.
    bad = [end for end in ends if end is not None and isnan(end)] + [end for end in (upper,) if end and end < 0.0]
    if bad or (lower is None and upper is None):
        return none(NO_NUMBER, f"{how} gave {question.point.quantity} {bad[0]!r}" if bad else f"{how} gave nothing")
    libraries = str(answer.get("libraries", ""))
    return Claim(
        peer.name, question.way, ANSWERED, lower, upper, adjacency, duration, version, _shorten(how), libraries
    )


def _ending(code: int) -> str:
    return f"its process ended (signal {-code})" if code < 0 else f"its process ended (exit status {code})"


def _shorten(text: str) -> str:
    """Return a text as one line of at most ``LONGEST`` characters."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 3] + "..."

"""Peers asked in processes of their own, so that what they do to themselves stops there.

A process that crashes or takes too long is ended with all its children, the question it was at is answered by saying
so, and those after it are put to a new process.
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

DRIVER = Path(__file__).parent / "adapters" / "driver.py"
# Seconds that a peer may take.
SECONDS = 60.0
# GiB that a peer may take.
MEMORY = 4.0
GIB = 2**30
# Seconds between looks at a process.
PAUSE = 0.02
# Characters of a note at most.
LONGEST = 300
# Bytes that a process may print.
LARGEST = 2**24

ANSWERED = "answered"
NOT_INSTALLED = "not installed"
UNSUPPORTED = "does not support"
LATE = "no answer within"
FAILED = "failed"
NO_NUMBER = "gave nan or negative"
TIME_LIMIT = "time limit"


@dataclass(frozen=True)
class Question:
    """A point, the ``way`` in which a peer is asked about it, and what else its adapter is told.

    ``at``: asked instead of the point's own, for what is no number.
    """

    point: Point
    way: str = ""
    options: tuple[tuple[str, Any], ...] = ()
    at: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return what is sent; floats as their repr, which is exact."""
        return {
            "quantity": self.point.quantity,
            "at": self.point.at if self.at is None else self.at,
            "adjacency": self.point.adjacency,
            "way": self.way,
            "options": dict(self.options),
            "parts": [{**asdict(part), "numbers": dict(part.numbers)} for part in self.point.parts],
        }


@dataclass(frozen=True)
class Claim:
    """What a peer says: ``lower <= truth`` and ``truth <= upper``, None where it claims nothing; nothing is certified.

    ``status``: answered, or why not, which ``note`` says in one line; else ``note`` is how it was asked.
    ``adjacency``: what it states.  ``seconds``: its own, without imports and first-call compilation.
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


def ask(
    peer: Peer | str,
    point: Point,
    *,
    way: str = "",
    python: str | None = None,
    seconds: float = SECONDS,
    memory: float = MEMORY,
) -> Claim:
    """Return what a peer claims of a point; whatever happens to it is a status.

    Parameters
    ----------
    peer : Peer or its name
    point : Point
    way : str
        One of the peer's ways of being asked.
    python : str, optional
        Its interpreter, if not that of ``PLDCHECK_PEER_...`` or this one.
    seconds, memory : float
        Limits; start and imports count.

    """
    asked = PEERS[peer] if isinstance(peer, str) else peer
    return ask_all(asked, [Question(point, way)], python=python, seconds=seconds, memory=memory)[0]


def ask_all(
    peer: Peer,
    questions: Sequence[Question],
    *,
    python: str | None = None,
    seconds: float = SECONDS,
    memory: float = MEMORY,
) -> list[Claim]:
    """Return a claim for each question, all in one process unless it ends early; the limit is for each."""
    claims = {i: claim for i, question in enumerate(questions) if (claim := _refused(peer, question, python))}
    left = [i for i in range(len(questions)) if i not in claims]
    interpreter = peer.interpreter(python) if left else ""
    while left:
        answers, ending = _run(peer, [questions[i] for i in left], interpreter, seconds, memory)
        for i, answer in zip(left, answers, strict=False):
            claims[i] = _claim(peer, questions[i], answer)
        left = left[len(answers) :]
        if left:
            # The one it was at; the others are asked again.
            status = TIME_LIMIT if ending.startswith(LATE) else FAILED
            claims[left[0]] = Claim(
                peer.name, questions[left[0]].way, status, version=_version(peer, python), note=ending
            )
            left = left[1:]
    return [claims[i] for i in range(len(questions))]


def _version(peer: Peer, python: str | None) -> str | None:
    """As far as it is known without asking."""
    return None if peer.elsewhere(python) else peer.version


def _refused(peer: Peer, question: Question, python: str | None) -> Claim | None:
    """Return the claim, if it is clear without asking: a process takes seconds to start."""
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
    """Return the answers that came, in order, and how the process ended if some did not."""
    words = [python, str(DRIVER), peer.name, peer.module, peer.distribution, str(int(memory * GIB))]
    # Files, not pipes: a pipe stays open as long as any child of the peer's holds it.
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        asked, told, complained = (Path(folder) / name for name in ("questions", "answers", "errors"))
        asked.write_text("".join(json.dumps(question.to_dict()) + "\n" for question in questions))
        with asked.open("rb") as stdin, told.open("wb") as stdout, complained.open("wb") as stderr:
            try:
                process = subprocess.Popen(
                    words, stdin=stdin, stdout=stdout, stderr=stderr, cwd=folder, start_new_session=True
                )
            except OSError as error:
                return [], _cut(f"{python} cannot be run: {error}")
            try:
                stopped = _waited(process, (told, complained), len(questions), seconds)
            finally:
                _end(process)
        answers, readable = _read(told)
        if stopped:
            return answers, stopped
        ending = _ending(process.returncode) if readable else "its answer cannot be read"
        said = complained.read_bytes()[-4096:].decode(errors="replace").strip().splitlines()
        return answers, _cut(": ".join([ending, *said[-1:]]))


def _waited(process: subprocess.Popen[bytes], printed: tuple[Path, Path], count: int, seconds: float) -> str:
    """Return until it ends or has answered everything: empty; else why it has to be stopped."""
    done, deadline, told = 0, monotonic() + seconds, printed[0]
    while True:
        try:
            process.wait(PAUSE)
            return ""
        except subprocess.TimeoutExpired:
            pass
        if max(path.stat().st_size for path in printed) > LARGEST:
            return f"printed more than {LARGEST >> 20} MiB"
        if (lines := told.read_bytes().count(b"\n")) > done:
            done, deadline = lines, monotonic() + seconds
            if done >= count:  # it may hang at its exit
                return ""
        if monotonic() > deadline:
            return f"{LATE} {seconds:g} s"


def _end(process: subprocess.Popen[bytes]) -> None:
    """The process and all that it has started."""
    if hasattr(os, "killpg"):
        try:
            os.killpg(process.pid, signal.SIGKILL)  # a session of its own, so its id is the group's
        except (ProcessLookupError, PermissionError):
            pass
    else:
        process.kill()
    process.wait()


def _read(told: Path) -> tuple[list[dict[str, Any]], bool]:
    """Return whole lines that are answers, up to the first that is none; whether there was none such."""
    answers: list[dict[str, Any]] = []
    for line in told.read_bytes().split(b"\n")[:-1]:
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
        return Claim(peer.name, question.way, status, version=version, note=_cut(str(note)))

    for key, status in (("missing", NOT_INSTALLED), ("unsupported", UNSUPPORTED), ("error", FAILED)):
        if key in answer:
            return none(status, answer[key])
    try:
        ends = [None if answer[side] is None else float(answer[side]) for side in ("lower", "upper")]
        how, adjacency, spent = str(answer["how"]), str(answer["adjacency"]), float(answer["seconds"])
    except (KeyError, TypeError, ValueError):
        return none(FAILED, "its answer cannot be read")
    lower, upper = ends
    # A lower end below 0 is true, if of no use.
    bad = [end for end in ends if end is not None and isnan(end)] + [end for end in (upper,) if end and end < 0.0]
    if bad or (lower is None and upper is None):
        return none(NO_NUMBER, f"{how} gave {question.point.quantity} {bad[0]!r}" if bad else f"{how} gave nothing")
    return Claim(peer.name, question.way, ANSWERED, lower, upper, adjacency, spent, version, _cut(how))


def _ending(code: int) -> str:
    return f"its process ended (signal {-code})" if code < 0 else f"its process ended (exit status {code})"


def _cut(text: str) -> str:
    """Return one line, not too long."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 3] + "..."

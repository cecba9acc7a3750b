"""Answers of the kept questions, with a method of the engine or without it, in processes of their own."""

from __future__ import annotations

import json
import os
import resource
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from math import ceil, inf
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

from pebble import ProcessExpired, ProcessPool

from pldcheck.core import threads
from pldcheck.core.errors import PldcheckError
from pldcheck.protocols import JUDGEABLE, Protocol

from ..benchmarks.width_questions import TABLES
from .methods import METHODS

# The processor's seconds after which a question is given up; every one takes 5 s at most with all methods.
LIMIT = 20
# An answer that takes less is asked again, nearby: the first one loads kernels.
LOADING = 1.5
NEARBY = 1.001


@dataclass(frozen=True)
class Answer:
    """Both ends of an answer, the processor's seconds, and the methods that it used; or why there is none."""

    lower: float = 0.0
    upper: float = inf
    seconds: float = 0.0
    methods: tuple[str, ...] = ()
    failure: str = ""

    @property
    def width(self) -> float:
        return self.upper - self.lower if self.upper < inf else inf


def enter(folder: str, off: str | None) -> None:
    """Make the folder of the tables that of this process, and switch a method off or, without one, count all."""
    os.chdir(folder)
    os.environ[threads.VARIABLE] = "1"
    for name, text in TABLES.items():
        Path(name).write_text(text)
    for one in METHODS:
        if off is None:
            one.count(USED.add)
        elif one.name == off:
            one.switch_off()


# The methods that the question at hand has used, in the process that answers it.
USED: set[str] = set()


def protocol_of(question: dict[str, Any]) -> Protocol:
    """Return the protocol of a question; lists of parameters are tuples."""
    params = {name: tuple(value) if isinstance(value, list) else value for name, value in question["params"].items()}
    return JUDGEABLE[question["protocol"]](**params)


def ask(question: dict[str, Any]) -> Answer:
    """Return the answer; the process ends where that takes too long."""
    resource.setrlimit(resource.RLIMIT_CPU, (ceil(process_time()) + LIMIT, resource.RLIM_INFINITY))
    protocol = protocol_of(question)
    USED.clear()
    start = process_time()
    interval = protocol.answer(question["quantity"], question["at"], question["width"])
    seconds, methods = process_time() - start, tuple(sorted(USED))
    if seconds < LOADING:
        start = process_time()
        protocol.answer(question["quantity"], NEARBY * question["at"], question["width"])
        seconds = min(seconds, process_time() - start)
    return Answer(interval.lower, interval.upper, seconds, methods)


def answers(questions: Sequence[dict[str, Any]], off: str | None = None) -> Iterator[Answer]:
    """Yield the answers without a method, or with all of them and the names of those that were used."""
    with (
        TemporaryDirectory(prefix="pldcheck-ablation-") as folder,
        ProcessPool(max_workers=2, context=get_context("spawn"), initializer=enter, initargs=(folder, off)) as pool,
    ):
        for future in [pool.schedule(ask, args=(one,)) for one in questions]:
            try:
                yield future.result()
            except ProcessExpired:
                yield Answer(failure=f"no answer in {LIMIT} s")
            except (PldcheckError, ArithmeticError) as error:
                yield Answer(failure=f"{type(error).__name__}: {error}")


def read(file: Path) -> dict[str, Answer]:
    """Return stored answers by their question, as it is written in the list of questions."""
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    return {json.dumps(row.pop("question")): Answer(**row | {"methods": tuple(row["methods"])}) for row in rows}


def stored(questions: Sequence[dict[str, Any]], file: Path) -> list[Answer]:
    """Return the answers with all methods; a file has some of them, and the others are added to it as they come."""
    found = read(file) if file.exists() else {}
    missing = [one for one in questions if json.dumps(one) not in found]
    with file.open("a") as rows:
        for question, answer in zip(missing, answers(missing), strict=True):
            found[json.dumps(question)] = answer
            rows.write(json.dumps({"question": question, **asdict(answer)}) + "\n")
            rows.flush()
    return [found[json.dumps(one)] for one in questions]

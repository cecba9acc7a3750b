"""Inspection of a run by its messages: requests, answers and released models must follow the protocol."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...core.arrays import Array
from .server import Server
from .simulation_runs import Run
from .wire import Message, Opened, Reply, Request


@dataclass
class _Tape:
    """A recorded channel: it repeats the arrivals and answers of a run to another server."""

    loads: list[int]
    answers: list[list[Array]]
    requests: list[tuple[int, int]] = field(default_factory=list)
    slot: int = -1
    count: int = 0

    def open(self, slot: int) -> int:
        self.slot, self.count = slot, 0
        return self.loads[slot]

    def ask(self, place: int, model: Array) -> Array:
        self.requests.append((self.slot, place))
        here, self.count = self.answers[self.slot], self.count + 1
        # A request that the run did not have has no answer here; the list of requests shows the difference.
        return here[self.count - 1] if self.count <= len(here) else np.zeros_like(model)


def complaints(run: Run, honest: Server) -> tuple[str, ...]:
    """Return what is wrong with a run, beside that of an honest server with the same draws, arrivals and answers.

    A server that asks other clients than it should, or whose models depend on anything but the answers, is detected.
    """
    log: list[Message] = run.wire.log
    strange = {type(message).__name__ for message in log if type(message) not in (Opened, Reply, Request)}
    if strange:
        return (f"messages that the protocol does not have: {', '.join(sorted(strange))}",)
    openings = [message for message in log if isinstance(message, Opened)]
    if [message.slot for message in openings] != list(range(run.algorithm.slots)):
        return (f"{len(openings)} of {run.algorithm.slots} slots are opened in order",)
    answers: list[list[Array]] = []
    requests, slot = [], -1
    for message in log:
        if isinstance(message, Opened):
            slot = message.slot
            answers.append([])
        elif isinstance(message, Request):
            requests.append((slot, message.place))
        else:
            answers[-1].append(message.gradient)
    tape = _Tape([message.arrivals for message in openings], answers)
    models, problems = honest.serve(tape), []
    if tape.requests != requests:
        problems.append(f"the server asks {len(requests)} times, and the protocol prescribes {len(tape.requests)}")
    if not np.array_equal(models, run.models):
        problems.append("the released models do not follow from the answers alone")
    return tuple(problems)

"""Whether a run kept to the protocol, from its wire: what was asked, what was told, what was released."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...core.arrays import Array
from .server import Server
from .simulation_runs import Run
from .wire import Message, Opened, Reply, Request


@dataclass
class _Tape:
    """A wire played back: the same arrivals and answers, to a server that may ask otherwise."""

    loads: list[int]
    answers: list[list[Array]]
    requests: list[tuple[int, int]] = field(default_factory=list)
    slot: int = -1
    asked: int = 0

    def open(self, slot: int) -> int:
        self.slot, self.asked = slot, 0
        return self.loads[slot]

    def ask(self, place: int, model: Array) -> Array:
        self.requests.append((self.slot, place))
        here, self.asked = self.answers[self.slot], self.asked + 1
        # What was never asked has no answer on the tape; the difference is told by the requests.
        return here[self.asked - 1] if self.asked <= len(here) else np.zeros_like(model)


def complaints(run: Run, honest: Server) -> tuple[str, ...]:
    """What is wrong with a run, against the ``honest`` server with the same draws, given the same arrivals and answers.

    A server that asks others than it should, or lets anything but the answers into its models, is found by this.
    """
    log: list[Message] = run.wire.log
    strange = {type(message).__name__ for message in log if type(message) not in (Opened, Reply, Request)}
    if strange:
        return (f"messages that are not of the protocol: {', '.join(sorted(strange))}",)
    opened = [message for message in log if isinstance(message, Opened)]
    if [message.slot for message in opened] != list(range(run.algorithm.slots)):
        return (f"slots opened: {len(opened)} of {run.algorithm.slots}",)
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
    tape = _Tape([message.arrivals for message in opened], answers)
    models, found = honest.serve(tape), []
    if tape.requests != requests:
        found.append(f"asked {len(requests)} times, not as the protocol has it, {len(tape.requests)} times")
    if not np.array_equal(models, run.models):
        found.append("released models that are not made of the answers alone")
    return tuple(found)

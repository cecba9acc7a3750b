"""Spoil witness files and check them: ``python -m tests.adversarial.witness_files --files 3000``.

A file that is accepted must be true: what it is of, asked anew, has at least the delta that the file says is attained.
No file may take long, whatever is in it.
"""

import json
import random
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pldcheck.protocols import PROTOCOLS, HiddenSlot
from pldcheck.theorems import REGISTRY
from pldcheck.verification import Row, Verdict, problem_of_bound
from pldcheck.witness import examine, of_question, of_row

from . import command

# Seconds that one file may take; a machine that does much else is several times slower than one that does not.
SLOW = 60.0


@cache
def originals():
    """Return files for all three programs: lower ends, and a theorem that is false."""
    protocols = (HiddenSlot(30, 1.0), HiddenSlot(10, 1.0, epochs=2), HiddenSlot(6, 1.0))
    params = {"clients": 2, "eps0": 1.0, "categories": 3, "epsilon": 0.8}
    claim = REGISTRY["krr-merged"](**params).value
    row = Row("krr-merged", params, Verdict.VIOLATED, claim, 0.0601, 0.0602)
    return [*(of_question(protocol, 1e-3) for protocol in protocols), of_row(row)]


def _paths(values, path=()):
    items = values.items() if isinstance(values, dict) else enumerate(values) if isinstance(values, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from _paths(value, (*path, key))


def _other(value, draw):
    if isinstance(value, bool) or value is None:
        return draw.choice([1, "x", []])
    if isinstance(value, int | float) and draw.random() < 0.7:
        return draw.choice(
            [value + 1, value - 1, -value, value * 2, min(value, 1e300) * (1 + 1e-9), 0, 10**30, 0.5, str(value)]
        )
    if isinstance(value, str) and draw.random() < 0.7 and value:
        digits = [at for at, letter in enumerate(value) if letter.isdigit()]
        if digits:
            at = draw.choice(digits)
            return value[:at] + str(draw.randrange(10)) + value[at + 1 :]
    if isinstance(value, list) and value and draw.random() < 0.7:
        at = draw.randrange(len(value))
        return draw.choice([value[:at] + value[at + 1 :], value[::-1], [*value, value[at]], value * 50])
    return draw.choice(
        [None, [], {}, "x", "1/0", "9" * 5000, 10**400, -1, 1e308, True, [[[[]]]], "\ud800", "krr-merged"]
    )


def spoil(facts, draw):
    """Return the text of a file with something changed in it, as values or as text."""
    facts = json.loads(json.dumps(facts))
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        path = draw.choice(list(_paths(facts)))
        place = facts
        for step in path[:-1]:
            place = place[step]
        kind = draw.random()
        if kind < 0.75:
            place[path[-1]] = _other(place[path[-1]], draw)
        elif kind < 0.9:
            del place[path[-1]]
        elif isinstance(place, dict):
            place[draw.choice(["more", "tv", "sizes", "note", "epochs", "weight"])] = _other(place[path[-1]], draw)
    text = json.dumps(facts)
    if draw.random() < 0.25:
        at = draw.randrange(len(text))
        insertion = draw.choice(
            ["1", "}", "{", ",", '"', "0", "\0", '"delta_attained_at_least": "0.9", ', " " * 300_000, ""]
        )
        text = text[:at] + insertion + text[at + draw.choice((0, 1)) :]
    return text


@dataclass(frozen=True)
class Outcome:
    """The outcome of one file: ``rejected``, ``accepted`` and true, ``FALSE``, ``SLOW`` or ``crash``."""

    kind: str
    number: int
    text: str = ""


def true(facts):
    """Return whether the subject of the file has at least the delta that it says, by the engine's certified
    upper end.
    """
    subject, claim = facts["of"], facts["claim"]
    arguments = {name: tuple(value) if isinstance(value, list) else value for name, value in subject["params"].items()}
    if "theorem" in subject:
        if subject["theorem"] not in REGISTRY:  # the claim is the file's own word, and said to be
            return True
        theorem = REGISTRY[subject["theorem"]]
        bound = theorem(**arguments)
        protocol = problem_of_bound(theorem, bound).protocol
        if float(claim[bound.quantity]) < bound.value:
            return False
    else:
        protocol = PROTOCOLS[subject["protocol"]](**arguments)
    return (
        protocol.delta(float(claim["epsilon"])).upper >= float(facts["delta_attained_at_least"]) > float(claim["delta"])
    )


def fuzz(files, seed):
    """Yield the outcomes of so many files."""
    with tempfile.TemporaryDirectory() as room:
        path = Path(room) / "file.json"
        for number in range(files):
            draw = random.Random(f"{seed} {number}")
            text = spoil(originals()[number % len(originals())], draw)
            path.write_bytes(text.encode("utf-8", "surrogatepass"))
            start = time.process_time()
            try:
                is_accepted, message = examine(path)
                seconds = time.process_time() - start
                kind = "accepted" if is_accepted else "rejected"
                if is_accepted and not true(json.loads(text)):
                    kind = "FALSE"
                if "\n" in message or not message.isprintable():
                    kind, message = "crash", repr(message)
            except Exception as error:  # a file must not end the command
                yield Outcome("crash", number, repr(error))
                continue
            yield Outcome("SLOW" if seconds > SLOW else kind, number, message if kind != "rejected" else "")


if __name__ == "__main__":
    sys.exit(command.run(__doc__, "spoiled witness files", 3000, fuzz, ("FALSE", "SLOW", "crash")))

"""Ask the kept questions with every method of the engine and without each: ``python -m tests.ablation``.

The first run counts which questions use a method at all, and a method is switched off for these alone.  It prints a
table.  ``--only NAME`` does one method (may be given several times), ``--questions N`` asks about N of them.
``--save FILE`` stores the answers with all methods; what the file has is not asked again.  ``--against FILE`` compares
these answers with those that another commit stored: what a change of the engine costs.

Seconds are those of the processor, so that other work on the machine changes them little.  Answers with and without a
method contain the same truth: the run fails where two have no number in common.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from statistics import median
from typing import Any

from pldcheck import __version__
from pldcheck.protocols import JUDGEABLE

from ..benchmarks.table import align
from ..places import ROOT
from .answers import LIMIT, Answer, answers, read, stored
from .methods import METHODS, Method

QUESTIONS = Path(__file__).parent / "questions.jsonl"
# What a method must be worth to stay: this share of the value, or this factor of the width where it is wider than was
# asked, or this factor of the time.
LEAST_SHARE = 0.01
LEAST_WIDENING = 1.1
LEAST_FACTOR = 2.0
# Seconds below which an answer is quick with and without a method.
QUICK = 0.1
# The last two are of everyday questions + corners.
HEADS = (
    "method", "lines", "used by", "changed", "median", "largest", "of the width", "time", "narrower by it", "faster",
)  # fmt: skip


@dataclass(frozen=True)
class Change:
    """What became of one answer: how much wider it is, relative to its value and to its width, and both times."""

    question: dict[str, Any]
    widening: float
    factor: float
    before: float
    after: float

    @classmethod
    def of(cls, question: dict[str, Any], old: Answer, new: Answer) -> Change:
        if old.failure or new.failure:
            lost = inf if not old.failure else 0.0
            return cls(question, lost, lost or 1.0, old.seconds or LIMIT, new.seconds or LIMIT)
        if max(old.lower, new.lower) > min(old.upper, new.upper):
            raise ArithmeticError(f"{question}: [{old.lower}, {old.upper}] and [{new.lower}, {new.upper}] are apart")
        if old.width == new.width:  # both may be infinite
            return cls(question, 0.0, 1.0, old.seconds, new.seconds)
        widening = (new.width - old.width) / old.upper if 0.0 < old.upper < inf else -inf
        return cls(question, widening, new.width / old.width if old.width else inf, old.seconds, new.seconds)

    @property
    def is_wider(self) -> bool:
        """Whether the interval is so much wider that the method must stay."""
        asked = self.question["width"] or JUDGEABLE[self.question["protocol"]].default_width
        return self.widening > LEAST_SHARE or (self.factor > LEAST_WIDENING and self.widening > asked)

    @property
    def is_slower(self) -> bool:
        return self.after > max(LEAST_FACTOR * self.before, QUICK)


def changes_without(method: Method, questions: Sequence[dict[str, Any]], known: Sequence[Answer]) -> list[Change]:
    """Return the changes of the questions that use a method, without it."""
    used = [(one, old) for one, old in zip(questions, known, strict=True) if method.name in old.methods]
    new = list(answers([one for one, _ in used], method.name)) if used else []
    return [Change.of(one, old, after) for (one, old), after in zip(used, new, strict=True)]


def row(method: Method, changes: Sequence[Change]) -> tuple[str, ...]:
    """Return the line of a method."""
    lines = sum(len((ROOT / "pldcheck" / file).read_text().splitlines()) for file in method.files)
    changed = [one for one in changes if one.factor != 1.0]
    wider = [one.widening for one in changed]
    return (
        method.name,
        str(lines) if lines else "-",
        str(len(changes)),
        str(len(changed)),
        _percent(median(wider)) if wider else "-",
        _percent(max(wider)) if wider else "-",
        f"{max(one.factor for one in changed):.3g}" if changed else "-",
        f"{sum(one.after for one in changes) / sum(one.before for one in changes):.2f}" if changes else "-",
        _by_kind([one for one in changes if one.is_wider]),
        _by_kind([one for one in changes if one.is_slower]),
    )


def against(both: Sequence[tuple[dict[str, Any], Answer, Answer]]) -> Iterator[str]:
    """Yield what changed since another commit: the sums, and every question that is wider or slower."""
    changes = [Change.of(*one) for one in both]
    factors = [one.factor for one in changes]
    time = sum(one.after for one in changes) / sum(one.before for one in changes)
    yield f"{len(changes)} answers: widths times {median(factors):.4g} in the median, {max(factors):.4g} at most"
    yield f"{sum(one.widening > LEAST_SHARE for one in changes)} are wider by {LEAST_SHARE:.0%} of their value"
    yield f"time {time:.3f} of what it was"
    for one in sorted(changes, key=lambda one: -one.widening):
        if one.is_wider or one.is_slower or -one.widening > LEAST_SHARE:
            yield (
                f"{_percent(one.widening)}, width times {one.factor:.3g}, {one.before:.2f} s to {one.after:.2f} s: "
                + json.dumps(one.question)
            )


def _by_kind(changes: Sequence[Change]) -> str:
    """Return how many everyday questions and how many corners there are."""
    everyday = sum(one.question["kind"] == "everyday" for one in changes)
    return f"{everyday}+{len(changes) - everyday}"


def _percent(share: float) -> str:
    return f"{100.0 * share:+.2g} %" if abs(share) < inf else "no end"


def main(words: Sequence[str]) -> int:
    """Ask, compare, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.ablation", description=__doc__.partition("\n")[0])
    parser.add_argument("--only", action="append", choices=[one.name for one in METHODS], metavar="NAME")
    parser.add_argument("--questions", type=int, help="about so many of them")
    parser.add_argument(
        "--save", type=Path, help="store the answers with all methods; those that it has are not asked again"
    )
    parser.add_argument("--against", type=Path, help="compare them with what another commit stored")
    options = parser.parse_args(words)
    questions = [json.loads(line) for line in QUESTIONS.read_text().splitlines()]
    questions = questions[:: max(len(questions) // (options.questions or len(questions)), 1)]
    known = stored(questions, options.save) if options.save else list(answers(questions))
    for question, answer in zip(questions, known, strict=True):
        if answer.failure:
            print(f"{answer.failure}: {json.dumps(question)}", file=sys.stderr)
    if options.against:
        others = read(options.against)
        pairs = zip(questions, known, strict=True)
        both = [(one, others[json.dumps(one)], new) for one, new in pairs if json.dumps(one) in others]
        print("\n".join(against(both)))
    elif not options.save or options.only:
        lines: list[tuple[str, ...]] = [HEADS]
        for method in METHODS:
            if not options.only or method.name in options.only:
                changes = changes_without(method, questions, known)
                lines.append(row(method, changes))
                print("  ".join(lines[-1]), file=sys.stderr, flush=True)
        print(f"pldcheck {__version__}, {len(questions)} questions\n")
        print("\n".join(align(lines, {0})))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

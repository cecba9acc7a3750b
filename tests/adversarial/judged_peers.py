"""Judge other accountants by a corpus of certified points: ``python -m tests.adversarial.judged_peers CORPUS``.

``--peer dp_accounting:rdp``, several times, chooses; those that are installed unless given.  A peer that is not beside
pldcheck has its interpreter in PLDCHECK_PEER_NAME.  A corpus is a file of ``pldcheck corpus``; ``--points 500`` draws
so many of its points by a seed.  Each answer has a time limit, and what is slower is counted.  ``--claims FILE`` keeps
the claims, so that an interrupted judgement goes on, and a later one judges them anew without asking.

The table has, for each peer, how many points it was asked and answered, how many it does not support, was late for or
failed at, and how many answers are certainly false: by more than round-off, by round-off alone, or no number at all.
The ratios are the median and the largest upper answer over the certified upper end, of epsilon alone.  False answers
are listed, one a line.
The exit status is 1 if an answer is false by more than round-off.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from pldcheck.accounting import peers
from pldcheck.accounting.corpus.peer_answers import answer_of, peer_claims
from pldcheck.accounting.peers.peer_comparison import align_columns
from pldcheck.accounting.peers.peer_processes import FAILED, NO_NUMBER, TIME_LIMIT, Claim
from pldcheck.witness import judge_corpus

# The points that a peer is asked before its claims are kept.
BATCH = 100
# The most seconds that an answer may take.
SECONDS = 60.0
# The most false answers of a peer that are shown.
SHOWN = 20
HEADS = (
    *("peer", "version", "asked", "answered", "unsupported", "late", "failed"),
    *("false", "round-off", "no number", "median", "widest", "widest at"),
)

# A function of points, a peer's name and the seconds of an answer that returns claims by the ids of the points.
Ask = Callable[..., Mapping[str, Claim]]


@dataclass(frozen=True)
class Tally:
    """What a peer claims of the points of a corpus, and the judgement on those claims that are about them.

    ``claims`` and ``quantities`` are by the ids of the points.
    """

    peer: str
    claims: Mapping[str, Claim]
    quantities: Mapping[str, str]
    judgement: judge_corpus.Judgement

    @property
    def false(self) -> list[judge_corpus.Fault]:
        """The answers that are false by more than round-off."""
        return [one for one in self._numbers() if one.by > judge_corpus.ROUND_OFF]

    @property
    def rounded(self) -> list[judge_corpus.Fault]:
        """The answers that are false by no more than round-off."""
        return [one for one in self._numbers() if one.by <= judge_corpus.ROUND_OFF]

    def _numbers(self) -> Iterator[judge_corpus.Fault]:
        faults = self.judgement.faults
        return (fault for fault in faults if self.claims[fault.point["id"]].status != NO_NUMBER)

    @property
    def cells(self) -> tuple[str, ...]:
        """The texts of the peer's line, in the order of HEADS."""
        statuses = Counter(claim.status for claim in self.claims.values())
        versions = {claim.version for claim in self.claims.values() if claim.version}
        answered, late, failed = self.judgement.answered, statuses[TIME_LIMIT], statuses[FAILED]
        epsilons = (name for name in self.judgement.ratios if self.quantities[name] == "epsilon")
        ratios = sorted((self.judgement.ratios[name], name) for name in epsilons)
        widest, place = ratios[-1] if ratios else (None, "-")
        return (
            self.peer,
            ",".join(sorted(versions)) or "-",
            *map(str, (len(self.claims), answered, len(self.claims) - answered - late - failed, late, failed)),
            *map(str, (len(self.false), len(self.rounded), statuses[NO_NUMBER])),
            f"{median(ratio for ratio, _ in ratios):.6g}" if ratios else "-",
            "-" if widest is None else f"{widest:.3g}",
            place,
        )


def tally(peer: str, points: Iterable[Mapping[str, Any]], claims: Mapping[str, Claim]) -> Tally:
    """Return the tally of a peer's claims; points without a claim are left out."""
    asked = [dict(point) for point in points if point["id"] in claims]
    answers = {}
    for point in asked:
        answer = answer_of(point, claims[point["id"]])
        if answer:
            answers[point["id"]] = judge_corpus.number(answer["lower"]), judge_corpus.number(answer["upper"])
    return Tally(
        peer,
        {point["id"]: claims[point["id"]] for point in asked},
        {point["id"]: point["quantity"] for point in asked},
        judge_corpus.judge(asked, answers),
    )


def table(tallies: Iterable[Tally]) -> list[str]:
    """Return the lines of the table."""
    return align_columns([HEADS, *(one.cells for one in tallies)])


def fault_lines(one: Tally, shown: int = SHOWN) -> Iterator[str]:
    """Yield a line for each false answer that is shown, the worst first."""
    faults = [*one.false, *one.rounded]
    for fault in faults[:shown]:
        note = one.claims[fault.point["id"]].note
        yield f"{one.peer}: {fault.reason}, by {float(fault.by):.3g}: {judge_corpus.question(fault.point)} ({note})"
    if len(faults) > shown:
        yield f"{one.peer}: and {len(faults) - shown} more"


def collect(
    points: list[Mapping[str, Any]],
    peer: str,
    seconds: float,
    file: Path | None = None,
    ask: Ask = peer_claims,
) -> dict[str, Claim]:
    """Return a peer's claims by the ids of points; those that a file keeps are not asked again, and new ones added."""
    known = dict(kept(file, peer)) if file and file.exists() else {}
    claims = {point["id"]: known[point["id"]] for point in points if point["id"] in known}
    rest = [point for point in points if point["id"] not in claims]
    for start in range(0, len(rest), BATCH):
        batch = ask(rest[start : start + BATCH], peer, seconds=seconds)
        claims.update(batch)
        if file:
            with file.open("a", encoding="utf-8") as stream:
                stream.writelines(
                    json.dumps({"asked": peer, "id": name, **asdict(one)}) + "\n" for name, one in batch.items()
                )
    return claims


def kept(file: Path, peer: str) -> Iterator[tuple[str, Claim]]:
    """Yield the claims of a peer that a file keeps, with the ids of their points."""
    for line in file.read_text(encoding="utf-8").splitlines():
        values = json.loads(line)
        if values.pop("asked") == peer:
            name = values.pop("id")
            yield name, Claim(**values)


def main() -> int:
    """Print the table and the false answers, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus")
    parser.add_argument("--peer", action="append", help="a name, with a way after a colon; several times")
    parser.add_argument("--points", type=int, default=0, help="so many points, drawn by the seed; all unless given")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="the limit of each answer")
    parser.add_argument("--claims", type=Path, default=None, help="a file that keeps the claims")
    parser.add_argument("--shown", type=int, default=SHOWN)
    options = parser.parse_args()
    _, points = judge_corpus.read_corpus(options.corpus)
    if options.points:
        points = random.Random(options.seed).sample(points, min(options.points, len(points)))
    tallies = []
    for peer in options.peer or peers.installed_peers():
        claims = collect(points, peer, options.seconds, options.claims)
        tallies.append(tally(peer, points, claims))
        for line in fault_lines(tallies[-1], options.shown):
            print(line, flush=True)
    print(*table(tallies), sep="\n")
    return int(any(one.false for one in tallies))


if __name__ == "__main__":
    sys.exit(main())

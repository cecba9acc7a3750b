"""Runs cases: ours, a peer, ours, the next peer, ..., so that what else the machine does hits all of them alike."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from statistics import median

from pldcheck.accounting.peers import Claim, judge
from pldcheck.accounting.peers.peer_processes import ANSWERED, TIME_LIMIT
from pldcheck.core.interval import Interval

from . import table
from .case import FAILURE, LATE, Case, Question, Row, relative
from .codes import UPPER_ONLY
from .peers import Peers
from .process import Child, ChildError, Late, command

# Our side may take so many seconds for one answer.
OURS = 300.0
# A command may take so many seconds.
COMMAND = 900.0
# In one turn ours is run until it took so many seconds.
TURN = 0.1
# In one turn ours is run at most so often.
OFTEN = 5
# The rest of our turns are left out once they took so many seconds.
ENOUGH_SECONDS = 8.0
# A peer gives at most so many answers.
ANSWERS = 3
# No more answers of a peer are asked for once they took so many seconds.
PATIENCE = 4.0
# A quick run has so many rounds.
QUICK_ROUNDS = 2


@dataclass
class PeerAnswers:
    """The answers of one peer so far."""

    question: Question
    claims: list[Claim] = field(default_factory=list)
    adjacency: str = "replace"

    @property
    def is_open(self) -> bool:
        """Whether it is to be asked again."""
        seconds = [claim.seconds or 0.0 for claim in self.claims]
        is_answered = all(claim.status == ANSWERED for claim in self.claims)
        return is_answered and len(seconds) < ANSWERS and sum(seconds) < PATIENCE


@dataclass
class Runner:
    """``quick``: fewer rounds; ``say`` is told what is done; ``scratch``: a folder for all that is written."""

    peers: Peers
    scratch: Path
    quick: bool = False
    say: Callable[[str], None] = lambda line: None

    def rows(self, cases: Sequence[Case]) -> Iterator[Row]:
        """Yield rows as they come; cases of one curve, and commands, in turns."""
        worker_cases = [case for case in cases if not case.command]
        for curve, points in groupby(sorted(worker_cases, key=lambda case: case.curve), key=lambda case: case.curve):
            for cases_together in [list(points)] if curve else [[case] for case in points]:
                yield from self._announce(self._measure(cases_together))
        commands = [case for case in cases if case.command]
        if commands:
            yield from self._run_commands(commands)

    def _announce(self, rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            self.say(line(row))
            yield row

    def _measure(self, cases: Sequence[Case]) -> list[Row]:
        """Measure cases that share a worker, in turns."""
        rows_without_times = [
            Row(case.task, case.group, case.name, case.params, curve=case.curve, x=case.x) for case in cases
        ]
        peer_answers = [[PeerAnswers(question) for question in case.peers] for case in cases]
        times: list[list[float]] = [[] for _ in cases]
        bare: list[list[float]] = [[] for _ in cases]
        with Child("worker") as child:
            alive = self._begin(child, cases, rows_without_times)
            try:
                for number, at in enumerate(alive):
                    reply = child.ask(OURS, do="run", at=number, least=TURN, most=OFTEN)
                    times[at] += reply["seconds"]
                    # Before the bare loops, whose memory is not ours.
                    rows_without_times[at] = replace(rows_without_times[at], megabytes=reply["megabytes"])
                for _ in range(1, QUICK_ROUNDS if self.quick else max(case.rounds for case in cases)):
                    for number, at in enumerate(alive):
                        self._turns(child, number, peer_answers[at], times[at])
                        rows_without_times[at] = self._limit(child, number, rows_without_times[at], bare[at])
                for number, at in enumerate([] if cases[0].curve else alive):
                    top = child.ask(OURS, do="top", at=number)["top"]
                    rows_without_times[at] = replace(
                        rows_without_times[at], top=tuple((name, share) for name, share in top)
                    )
            except (Late, ChildError) as error:
                status = LATE if isinstance(error, Late) else FAILURE
                rows_without_times = [
                    replace(row, status=row.status or status, note=row.note or str(error)) for row in rows_without_times
                ]
        rows: list[Row] = []
        for row, seconds, others, turns in zip(rows_without_times, times, bare, peer_answers, strict=True):
            for one in turns:
                if not one.claims:  # ours could not be run
                    self._ask(one)
            rows += rows_with_peers(add_times(row, seconds, others), turns, self.peers.seconds)
        return rows

    def _turns(self, child: Child, number: int, peer_answers: Sequence[PeerAnswers], seconds: list[float]) -> None:
        """Run a peer, ours, the next peer, ours, ...; ours alone where no peer is to be asked any more."""
        for one in [one for one in peer_answers if one.is_open] or [None]:
            if one is not None:
                self._ask(one)
            if sum(seconds) < ENOUGH_SECONDS:
                seconds += child.ask(OURS, do="run", at=number, least=TURN, most=OFTEN)["seconds"]

    def _begin(self, child: Child, cases: Sequence[Case], rows: list[Row]) -> list[int]:
        """Ask for first answers; return the places of the cases that have one."""
        alive = []
        for at, case in enumerate(cases):
            try:
                reply = child.ask(OURS, do="make", task=case.task, params=case.params)
            except Late as error:
                rest = [replace(row, status=LATE, note=str(error)) for row in rows[at:]]
                rows[at:] = rest
                return []
            except ChildError as error:
                rows[at] = replace(rows[at], status=FAILURE, note=str(error))
                continue
            alive.append(at)
            lower, upper = float(reply["lower"]), float(reply["upper"])
            width = relative(lower, upper)
            rows[at] = replace(rows[at], lower=lower, upper=upper, width=width, first=reply["seconds"])
        return alive

    def _ask(self, one: PeerAnswers) -> None:
        claim, point = self.peers.ask(one.question)
        one.claims.append(claim)
        if point is not None:
            one.adjacency = point.adjacency

    @staticmethod
    def _limit(child: Child, at: int, row: Row, seconds: list[float]) -> Row:
        reply = child.ask(OURS, do="bare", at=at)
        if not reply["of"]:
            return row
        seconds += reply["seconds"]
        return replace(row, limit_of=reply["of"], limit_count=reply["count"], limit_bytes=reply["bytes"])

    def _run_commands(self, cases: Sequence[Case]) -> list[Row]:
        rows = {case.name: Row(case.task, case.group, case.name, case.params) for case in cases}
        times: dict[str, list[float]] = {case.name: [] for case in cases}
        bare: dict[str, list[float]] = {case.name: [] for case in cases}
        rounds = 1 if self.quick else max(case.rounds for case in cases)
        for number in range(rounds):
            for case in cases:
                if number < case.rounds and not rows[case.name].status:
                    rows[case.name] = self._one(case, number, rows[case.name], times[case.name], bare[case.name])
        for case in cases:
            if case.bare:
                bare[case.name] = times[case.bare]
                rows[case.name] = replace(rows[case.name], limit_of=case.bare)
        return [add_times(rows[case.name], times[case.name], bare[case.name]) for case in cases]

    def _one(self, case: Case, number: int, row: Row, seconds: list[float], bare: list[float]) -> Row:
        """Run a command once, in a new folder; compiled kernels are kept within a round, by name."""
        folder = self.scratch / f"{case.task}-{number}"
        out, cache = folder / "out", folder / f"kernels-{case.cache or case.name}".replace(" ", "-")
        shutil.rmtree(out, ignore_errors=True)
        for one in (out, cache):
            one.mkdir(parents=True, exist_ok=True)
        words = [word.format(out=out) if "{out}" in word else word for word in case.command]
        try:
            if "rows" in case.params:
                with Child("worker") as child:
                    child.ask(OURS, do="prepare", task=case.task, params=case.params, folder=str(out))
            process = command(words, COMMAND, str(folder), NUMBA_CACHE_DIR=str(cache))
            if process["status"] != case.status:
                message = (process["errors"].strip().splitlines() or [f"exit status {process['status']}"])[-1]
                return replace(row, status=FAILURE, note=message[:200])
            seconds.append(process["seconds"])
            self.say(f"{case.task}: {case.name}: {process['seconds']:.3g} s")
            row = replace(row, megabytes=max(process["megabytes"], row.megabytes or 0.0))
            if "--json" in case.command:
                facts = json.loads(process["out"])
                lower, upper = float(facts["lower"]), float(facts["upper"])
                return replace(row, lower=lower, upper=upper, width=relative(lower, upper))
            if "{out}" in " ".join(case.command):
                with Child("worker") as child:
                    reply = child.ask(OURS, do="after", task=case.task, params=case.params, folder=str(out))
                row = replace(row, note=reply["note"])
                if reply["of"]:
                    bare += reply["seconds"]
                    row = replace(row, limit_of=reply["of"], limit_count=reply["count"], limit_bytes=reply["bytes"])
        except Late as error:
            return replace(row, status=LATE, note=str(error))
        except ChildError as error:
            return replace(row, status=FAILURE, note=str(error))
        return row


def add_times(row: Row, seconds: list[float], bare: list[float]) -> Row:
    """Return a row with its times."""
    if not seconds:
        return row
    row = replace(row, seconds=median(seconds), least=min(seconds), runs=len(seconds))
    if not bare:
        return row
    return replace(row, limit_seconds=median(bare), limit_ratio=median(seconds) / median(bare))


def rows_with_peers(row: Row, peer_answers: Sequence[PeerAnswers], limit: float) -> list[Row]:
    """Return the row once for each peer, or alone; ``limit``: seconds after which those were cut."""
    return [_row_with_peer(row, one, limit) for one in peer_answers] or [row]


def _row_with_peer(row: Row, one: PeerAnswers, limit: float) -> Row:
    last = one.claims[-1]
    claims = [claim for claim in one.claims if claim.status == ANSWERED]
    seconds = [claim.seconds for claim in claims if claim.seconds is not None]
    row = replace(row, peer=one.question.peer, peer_version=last.version or "", peer_note=last.note)
    row = replace(row, peer_runs=len(seconds), verdict=last.status)
    if last.status == TIME_LIMIT and row.seconds:
        return replace(row, ratio=limit / row.seconds)
    if not claims or not seconds:
        return row
    claim = claims[0]
    row = replace(
        row,
        peer_seconds=median(seconds),
        peer_least=min(seconds),
        peer_lower=claim.lower,
        peer_upper=claim.upper,
        peer_width=_width(claim, row),
        ratio=median(seconds) / row.seconds if row.seconds else None,
    )
    if row.lower is None or row.upper is None:
        return row
    claim_judged = replace(claim, lower=None) if one.question.peer.split()[0] in UPPER_ONLY else claim
    judgement = judge(claim_judged, Interval(row.lower, row.upper), one.adjacency)
    return replace(
        row, verdict=judgement.verdict, peer_note=": ".join(text for text in (judgement.why, claim.note) if text)
    )


def _width(claim: Claim, row: Row) -> float | None:
    """Return the width of both ends, or from its one end to the far certified one; None where that is on the wrong
    side.
    """
    lower = row.lower if claim.lower is None else claim.lower
    upper = row.upper if claim.upper is None else claim.upper
    return None if lower is None or upper is None or lower > upper else relative(lower, upper)


def line(row: Row) -> str:
    """Return a row in short, as progress."""
    our_time = f"{row.seconds:.3g} s" if row.seconds is not None else row.status
    width = f", width {table.share(row.width)}" if row.width is not None else ""
    limit = f", {row.limit_ratio:.3g} x limit" if row.limit_ratio else ""
    peer = ""
    if row.peer:
        their_time = (
            "" if row.peer_seconds is None else f" {row.peer_seconds:.3g} s, width {table.share(row.peer_width)},"
        )
        times = f" x{row.ratio:.3g}" if row.ratio else ""
        peer = f"; {row.peer}{their_time} {row.verdict}{times}"
    return f"{row.task}: {row.case}: {our_time}{width}{limit}{peer}"

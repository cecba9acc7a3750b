"""The known points asked again on this machine: what a peer answers now, and the certified interval beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ...core.interval import Interval
from ...core.outward_decimals import down, up
from .claim_judgement import UNSOUND, judge
from .known_points import KNOWN, KnownPoint
from .peer_processes import ANSWERED, MEMORY, NO_NUMBER, NOT_INSTALLED, SECONDS, Claim, ask_all
from .peer_table import PEERS, parse_peer

# The installed release gives the wrong answer.
CONFIRMED = "confirmed"
# The installed release does not give it; it may be repaired.
NOT_SEEN = "not seen"
# The peer gave no number.
NO_ANSWER = "no answer"


@dataclass(frozen=True)
class KnownPointResult:
    """The result of a known point on this machine.

    ``status`` is confirmed, not seen (the error may be repaired), no answer, or not installed; ``description`` says in
    words what the peer answered.  ``interval`` is the certified interval, or None if nothing is to be compared.
    """

    case: KnownPoint
    claim: Claim
    interval: Interval | None
    status: str
    description: str

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values that JSON can hold."""
        return {
            "id": self.case.id,
            "peer": self.case.peer,
            "version": self.claim.version,
            "libraries": self.claim.libraries,
            "seen_in": list(self.case.versions),
            "seen_beside": list(self.case.beside),
            "status": self.status,
            "wrong": self.case.wrong,
            "told": self.description,
            "asked": self.case.call,
            "source": self.case.source,
        }


def run_known_points(
    peers: Iterable[str] | None = None,
    *,
    seconds: float = SECONDS,
    memory: float = MEMORY,
    python: Mapping[str, str] | None = None,
) -> list[KnownPointResult]:
    """Return the results of all known points of some peers, computed on this machine.

    Parameters
    ----------
    peers : iterable of str, optional
        The names of the peers; the default is all of them.
    seconds, memory : float
        The limits of each question, in seconds and GiB.
    python : mapping of names to paths, optional
        The interpreters of peers that are not installed beside pldcheck.

    """
    names = list(PEERS) if peers is None else [parse_peer(name)[0].name for name in peers]
    results: list[KnownPointResult] = []
    for name in dict.fromkeys(names):
        points = [case for case in KNOWN if case.peer == name]
        questions = [case.question for case in points]
        path = (python or {}).get(name)
        claims = ask_all(PEERS[name], questions, python=path, seconds=seconds, memory=memory)
        results += [_result(case, claim) for case, claim in zip(points, claims, strict=True)]
    return results


def _result(case: KnownPoint, claim: Claim) -> KnownPointResult:
    if claim.status == NOT_INSTALLED:
        return KnownPointResult(case, claim, None, NOT_INSTALLED, claim.note)
    if claim.status == NO_NUMBER:
        return KnownPointResult(case, claim, None, CONFIRMED if case.at is None else NOT_SEEN, claim.note)
    if case.at is not None:  # the peer should refuse a text that is no number
        ends = [end for end in (claim.lower, claim.upper) if end is not None]
        description = f"{case.point.at_name} {case.at}: {case.point.quantity} {ends[0]!r}" if ends else claim.note
        return KnownPointResult(case, claim, None, CONFIRMED if claim.status == ANSWERED else NOT_SEEN, description)
    if claim.status != ANSWERED:
        return KnownPointResult(case, claim, None, NO_ANSWER, f"{claim.status}: {claim.note}")
    interval = case.point.interval()
    judgement = judge(claim, interval, case.point.adjacency)
    description = (
        f"claims {_ends(claim.lower, claim.upper)}, certified {_ends(*interval)}: {judgement.why or judgement.verdict}"
    )
    return KnownPointResult(case, claim, interval, CONFIRMED if judgement.verdict == UNSOUND else NOT_SEEN, description)


def _ends(lower: float | None, upper: float | None) -> str:
    if lower is None:
        assert upper is not None, "an answer has an end"
        return f"at most {up(upper, 10)}"
    if upper is None:
        return f"at least {down(lower, 10)}"
    return f"[{down(lower, 10)}, {up(upper, 10)}]"

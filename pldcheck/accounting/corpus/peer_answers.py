"""The answers of a peer to the points of a corpus, in the form that the judge of a corpus reads.

A claim about a record that is added or removed is one from above about each direction.  Samples that are used for
several releases are asked of peers that know samples of one release alone with the noise divided by the root of the
number of releases, to which they are equivalent; the rounding of that noise is forgiven by a judge's 1e-9.

**What was seen** in November 2026 at points of the corpus with seed 0, drawn at random, where an answer had 20 seconds
(60 for ``opacus:prv``) on a busy machine; ``python -m tests.adversarial.judged_peers`` in a checkout prints such a
table for any corpus.

===========================  =====  ========  ====  ======  =====  =========================================
accountant, version          asked  answered  late  failed  false  cause of what is false
===========================  =====  ========  ====  ======  =====  =========================================
dp_accounting, 0.6.0         280    111       55    0       20     18 ignored counts, 2 round-off of an FFT
dp_accounting:rdp, 0.6.0     600    361       0     0       0      none
prv, 0.2.0                   480    172       65    21      3      too small a domain for pure mechanisms
PLD_accounting, 2.0          520    140       71    9       1      round-off of dp_accounting's FFT
autodp, 0.2.3.1              600    361       0     0       0      none
opendp, 0.16.0               600    139       0     0       0      none
opacus, 1.6.0                600    183       0     0       0      none
opacus:prv, 1.6.0            80     18        4     2       0      none
opacus:gdp, 1.6.0            600    103       0     21      66     a central limit, which warns of it
===========================  =====  ========  ====  ======  =====  =========================================

An upper end below the truth by more than 1e-9, relatively, is false, as is a lower end above it; the questions that are
neither answered, late nor failed are none that the accountant takes, or about other neighbours.  autodp is below the
truth by round-off at 21 points, at most 4e-11; prv, ``opacus`` and ``opacus:prv`` gave a negative epsilon at 3, 6 and 1
where delta is large.  The causes have points of their own in :mod:`pldcheck.accounting.peers.known_points`, each with a
call of the accountant alone that shows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..peers.peer_point import point as peer_point
from ..peers.peer_processes import ANSWERED, MEMORY, NO_NUMBER, SECONDS, Claim, Question, ask_all
from ..peers.peer_table import parse_peer
from .certified_points import DIRECTIONS, CorpusQuestion


def question_of(point: Mapping[str, Any]) -> CorpusQuestion:
    """Return the question of a point as a corpus stores it."""
    parameters = tuple(
        (name, tuple(value) if isinstance(value, list) else value) for name, value in point["parameters"].items()
    )
    at = point["delta" if point["quantity"] == "epsilon" else "epsilon"]
    return CorpusQuestion(point["id"], point["protocol"], point["adjacency"], parameters, point["quantity"], at)


def peer_question(question: CorpusQuestion, way: str = "") -> Question:
    """Return a question of a corpus as peers take it, for one way to call them."""
    at = {"delta" if question.quantity == "epsilon" else "epsilon": float(question.at)}
    return Question(peer_point(question.both_ways, **at), way, adjacency=question.direction or None)


def peer_claims(
    points: Iterable[Mapping[str, Any]],
    peer: str,
    *,
    python: str | None = None,
    seconds: float = SECONDS,
    memory: float = MEMORY,
) -> dict[str, Claim]:
    """Return what a peer claims at each point of a corpus, by the point's id; the status says why there is no answer.

    The parameters and errors are those of :func:`peer_answers`.
    """
    entry, way = parse_peer(peer)
    asked = {question.id: peer_question(question, way) for question in map(question_of, points)}
    claims = ask_all(entry, list(asked.values()), python=python, seconds=seconds, memory=memory)
    return dict(zip(asked, claims, strict=True))


def answer_of(point: Mapping[str, Any], claim: Claim) -> dict[str, Any] | None:
    """Return a claim about a point as the judge of a corpus reads it, or None if it says nothing about that point.

    A claim about records that are added or removed is one from above about each direction alone.
    """
    if claim.status == NO_NUMBER:
        return {"id": point["id"], "upper": "nan", "lower": None}
    if claim.status != ANSWERED:
        return None
    if claim.adjacency == point["adjacency"] or "any" in (claim.adjacency, point["adjacency"]):
        return {"id": point["id"], "upper": claim.upper, "lower": claim.lower}
    if claim.adjacency == "add-remove" and point["adjacency"] in DIRECTIONS and claim.upper is not None:
        return {"id": point["id"], "upper": claim.upper, "lower": None}
    return None


def peer_answers(
    points: Iterable[Mapping[str, Any]],
    peer: str,
    *,
    python: str | None = None,
    seconds: float = SECONDS,
    memory: float = MEMORY,
) -> list[dict[str, Any]]:
    """Return what a peer answers to the points of a corpus; those that it does not take are left out.

    Parameters
    ----------
    points : iterable of mappings
        The points, as :func:`pldcheck.witness.judge_corpus.read_corpus` returns them.
    peer : str
        The peer's name, with a way after a colon: ``dp_accounting`` or ``dp_accounting:rdp``.
    python : str, optional
        The peer's own interpreter.
    seconds, memory : float
        The limits of each question in seconds and GiB.

    Returns
    -------
    list of dict
        Each has ``id``, ``upper`` and ``lower``; an end that is not claimed is None, and one that is no number, or
        negative, is the text "nan".

    Raises
    ------
    UnknownNameError
        For a peer or a way that there is not.

    """
    rows = list(points)
    claims = peer_claims(rows, peer, python=python, seconds=seconds, memory=memory)
    answers = (answer_of(point, claims[point["id"]]) for point in rows)
    return [answer for answer in answers if answer]

"""The answers of a peer to the points of a corpus, in the form that the judge of a corpus reads."""

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

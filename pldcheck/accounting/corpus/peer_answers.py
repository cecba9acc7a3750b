"""The answers of a peer to the points of a corpus, in the form that the judge of a corpus reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...protocols import Protocol
from ..peers.peer_point import point as peer_point
from ..peers.peer_processes import ANSWERED, MEMORY, NO_NUMBER, SECONDS, Question, ask_all
from ..peers.peer_table import parse_peer
from .certified_points import CorpusQuestion


def question_of(point: Mapping[str, Any]) -> CorpusQuestion:
    """Return the question of a point as a corpus stores it."""
    parameters = tuple(
        (name, tuple(value) if isinstance(value, list) else value) for name, value in point["parameters"].items()
    )
    at = point["delta" if point["quantity"] == "epsilon" else "epsilon"]
    return CorpusQuestion(point["id"], point["protocol"], point["adjacency"], parameters, point["quantity"], at)


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
    entry, way = parse_peer(peer)
    asked: list[tuple[str, Question]] = []
    for question in map(question_of, points):
        mechanism = question.mechanism
        if isinstance(mechanism, Protocol):  # no peer is asked about one direction alone
            at = {"delta" if question.quantity == "epsilon" else "epsilon": float(question.at)}
            asked.append((question.id, Question(peer_point(mechanism, **at), way)))
    claims = ask_all(entry, [one for _, one in asked], python=python, seconds=seconds, memory=memory)
    answers: list[dict[str, Any]] = []
    for (name, one), claim in zip(asked, claims, strict=True):
        if claim.status == NO_NUMBER:
            answers.append({"id": name, "upper": "nan", "lower": None})
        elif claim.status == ANSWERED and (
            claim.adjacency == one.point.adjacency or "any" in (claim.adjacency, one.point.adjacency)
        ):
            answers.append({"id": name, "upper": claim.upper, "lower": claim.lower})
    return answers

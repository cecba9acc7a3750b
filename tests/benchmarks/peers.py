"""Peers of a case: adapters of pldcheck.accounting.peers, and published codes in folders of their own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pldcheck.accounting.peers import Claim, Point, ask, point
from pldcheck.accounting.peers.peer_processes import ANSWERED, FAILED, NOT_INSTALLED, TIME_LIMIT
from pldcheck.accounting.peers.peer_table import parse_peer
from pldcheck.core.errors import PldcheckError
from pldcheck.protocols import PROTOCOLS

from . import codes, tasks_d
from .case import Question
from .process import Child, ChildError, Late

# A folder with checkouts under the names of the repositories; without it they are fetched.
FOLDER = "PLDCHECK_PEERS"
SECONDS = 60.0
# A way of asking that is ours: an upper and a lower estimate.
BOTH = "both"
# Added to the limit of an adapter, whose start and imports count there but not in its seconds.
START = 5.0


@dataclass
class Peers:
    """``python``: interpreters by name; ``seconds``: limit of an answer; ``scratch``: where checkouts are put."""

    python: Mapping[str, str]
    seconds: float
    scratch: Path
    _codes: Child | None = None
    _missing: dict[str, str] = field(default_factory=dict)

    def ask(self, question: Question) -> tuple[Claim, Point | None]:
        """Return the claim, and the point it is of where an adapter was asked."""
        if question.code:
            return self._ask_published_code(question), None
        point_of_question = about_point(question.arguments)
        name, _, way = question.peer.partition(":")
        if way != BOTH:
            return self._adapter(question.peer, point_of_question), point_of_question
        # Two one-sided estimates of one peer, which together claim an interval: the seconds of both count.
        upper = self._adapter(f"{name}:pessimistic", point_of_question)
        lower = self._adapter(f"{name}:optimistic", point_of_question) if upper.status == ANSWERED else upper
        if lower.status != ANSWERED:
            return replace(lower, way=way), point_of_question
        total_seconds = (upper.seconds or 0.0) + (lower.seconds or 0.0)
        return replace(
            upper, way=way, lower=lower.lower, seconds=total_seconds, note=f"{upper.note}; {lower.note}"
        ), point_of_question

    def _adapter(self, text: str, question_point: Point) -> Claim:
        peer, way = parse_peer(text)
        python = {parse_peer(name)[0].name: path for name, path in self.python.items()}.get(peer.name)
        try:
            return ask(peer, question_point, way=way, python=python, seconds=self.seconds + START)
        except PldcheckError as error:
            return Claim(peer.name, way, FAILED, note=str(error))

    def close(self) -> None:
        """End what still runs."""
        if self._codes is not None:
            self._codes.close()
            self._codes = None

    def _ask_published_code(self, question: Question) -> Claim:
        repository = codes.REPOSITORIES[question.peer.split()[0]]
        folder = Path(os.environ.get(FOLDER) or self.scratch)
        checkout = folder / repository.split("/")[1]
        missing = self._fetch(repository, checkout)
        if missing:
            return Claim(question.peer, "", NOT_INSTALLED, note=missing)
        version = _commit(checkout)
        if self._codes is None:
            self._codes = Child("codes")
        try:
            arguments = {name: value for name, value in question.arguments.items() if name in ("n", "eps0", "delta")}
            answer = self._codes.ask(self.seconds, peer=question.peer, folder=str(folder), **arguments)
        except Late as error:
            self.close()
            return Claim(question.peer, "", TIME_LIMIT, version=version, note=str(error))
        except ChildError as error:
            self.close()
            return Claim(question.peer, "", FAILED, version=version, note=str(error))
        ends = (answer["lower"], answer["upper"])
        return Claim(question.peer, "", ANSWERED, *ends, "replace", answer["seconds"], version, repository)

    def _fetch(self, repository: str, checkout: Path) -> str:
        """Return why a checkout is not there, once it was tried to get it."""
        if checkout.is_dir() or os.environ.get(FOLDER):
            return "" if checkout.is_dir() else f"no {repository} in the folder that {FOLDER} names"
        if repository not in self._missing:
            address = f"https://github.com/{repository}"
            words = ["git", "clone", "--quiet", "--depth", "1", address, str(checkout)]
            try:
                environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0"}
                process = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, env=environment)
                lines = process.stderr.strip().splitlines()
                self._missing[repository] = "" if process.returncode == 0 else (lines or ["git failed"])[-1]
            except (OSError, subprocess.TimeoutExpired) as error:
                self._missing[repository] = f"{address} cannot be had ({type(error).__name__})"
        return self._missing[repository]


def _commit(checkout: Path) -> str | None:
    """Return the first digits of the commit of a checkout, if it is one of its own."""
    if not (checkout / ".git").exists():
        return None
    process = subprocess.run(
        ["git", "-C", str(checkout), "rev-parse", "--short", "HEAD"], capture_output=True, text=True
    )
    return process.stdout.strip() or None


def about_point(arguments: Mapping[str, Any]) -> Point:
    """Return the point of a protocol, or that of as many responses, no two alike."""
    if "responses" in arguments:
        mechanisms = tuple(f"rr:{budget!r}" for budget in tasks_d.budgets(arguments["responses"]))
        return Point("composition", (("mechanism", mechanisms), ("steps", 1)), "epsilon", arguments["delta"])
    return point(PROTOCOLS[arguments["name"]](**arguments["params"]), arguments["delta"])

"""Certificates of upper ends of every kind: the choice among their programs, for a question and for a file.

:mod:`~pldcheck.witness.upper_slot` is about hidden slots of the worst randomizers and shuffling by one client fewer,
:mod:`~pldcheck.witness.upper_shuffle` about shuffling by stronger clones,
:mod:`~pldcheck.witness.upper_swap` about random swapping,
:mod:`~pldcheck.witness.upper_sum` about hidden slots of known ones and random allocation,
:mod:`~pldcheck.witness.upper_epochs` about their epochs and about several selected steps,
:mod:`~pldcheck.witness.upper_loss` about compositions, and :mod:`~pldcheck.witness.upper_rounds` about rounds of
what another program verifies.  Each is a program by itself: the page at its top says what it claims and which modules
beside it it needs, and the pages at the tops of all of these are the proof that what it accepts is true.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Context, Decimal
from functools import partial
from math import inf
from os import PathLike
from time import process_time
from types import MappingProxyType, ModuleType
from typing import Any

from ..core.errors import PldcheckError
from ..core.parameters import PARAMETERS
from ..hidden_slot.known_randomizer_slot import joined_upper_end
from ..protocols import (
    Averaged,
    BallsInBins,
    CheckIn,
    HiddenSlot,
    MatrixMechanism,
    Protocol,
    RandomAllocation,
    Shuffle,
    ShuffledBatches,
    SlidingWindow,
    Swap,
)
from ..protocols.composed import ComposedMechanism
from ..randomizers import Finite, Gaussian, Laplace, Response, Worst
from ..randomizers.finite import budget
from . import (
    certificate_file,
    epoch_certificates,
    loss_certificates,
    round_certificates,
    shuffle_certificates,
    slot_certificates,
    sum_certificates,
    swap_certificates,
    upper_epochs,
    upper_loss,
    upper_rounds,
    upper_shuffle,
    upper_slot,
    upper_sum,
    upper_swap,
)
from .loss_certificates import accepted, decimal_form, decimal_text

# The programs by the name that a file has under "pldcheck_certificate".
PROGRAMS: Mapping[str, ModuleType] = MappingProxyType(
    {
        "upper_slot": upper_slot,
        "upper_sum": upper_sum,
        "upper_epochs": upper_epochs,
        "upper_loss": upper_loss,
        "upper_shuffle": upper_shuffle,
        "upper_swap": upper_swap,
        "upper_rounds": upper_rounds,
    }
)
# The protocols of which some questions have certificates.
CERTIFIED: tuple[type[Protocol], ...] = (
    HiddenSlot,
    CheckIn,
    SlidingWindow,
    RandomAllocation,
    BallsInBins,
    Shuffle,
    ShuffledBatches,
    MatrixMechanism,
    Averaged,
    Swap,
    ComposedMechanism,
)
# The claim is the engine's upper end times this: 0.5 % of epsilon are several percent of delta.
EPSILON_MARGIN = 1.005
DELTA_MARGIN = 1.05
# Where no fineness verifies a claim, the excess of its margin grows by this factor.
LOOSER = 2.0
# The least excess that is made larger.
LEAST_EXCESS = 1e-3
# The largest margin that is tried.
LOOSEST = 4.0
# The digits of the number that is claimed.
DIGITS = 12


@dataclass(frozen=True)
class Kind:
    """The claim about a protocol, and the search for a file that proves it.

    ``about``: the claim but for its epsilon and delta.  ``search`` returns a file that its program accepts for a claim,
    or None where it finds none.  ``least``: about the least upper end of a quantity at an argument that the statements
    lead to, where that may be above the engine's.  ``wider``: whom the claim covers besides, if it is about more than
    was asked.
    """

    about: Mapping[str, Any]
    search: Callable[[dict[str, Any]], Mapping[str, Any] | None]
    least: Callable[[str, float], float] | None = None
    wider: str = ""

    def claim(self, epsilon: str, delta: str) -> dict[str, Any]:
        """Return the claim with these decimal texts."""
        return {**self.about, "epsilon": epsilon, "delta": delta}


@dataclass(frozen=True)
class Certificate:
    """The content of a file that its program accepts.

    ``sentence`` is what the program says of it, and ``seconds`` is its processor time.  ``asked`` and
    ``reached`` are the claim over the engine's upper end.  ``wider`` is whom it covers besides, if it says more than
    was asked.
    """

    facts: Mapping[str, Any]
    sentence: str
    seconds: float
    asked: float
    reached: float
    wider: str = ""

    def dumps(self) -> bytes:
        """Return the bytes of the file: a key a line, unless that is longer than programs read."""
        readable = (json.dumps(dict(self.facts), indent=1) + "\n").encode()
        if len(readable) <= certificate_file.MOST_BYTES:
            return readable
        return (json.dumps(dict(self.facts), separators=(",", ":")) + "\n").encode()


def certificate(
    protocol: Protocol, *, delta: float | None = None, epsilon: float | None = None, margin: float | None = None
) -> Certificate:
    """Return a certificate for the upper end of epsilon at ``delta``, or of delta at ``epsilon``.

    Parameters
    ----------
    protocol : Protocol
        A composition, random allocation, a hidden slot, a shuffle, swapping, averaging, check-in or window; several
        rounds or epochs of these.  Where no program knows a randomizer's own law, the claim is about all randomizers
        of its budget.
    delta, epsilon : float
        One of the two.
    margin : float, at least 1
        The claim over the engine's upper end; by default 1.005 for epsilon and 1.05 for delta.  Where no fineness
        verifies that, looser claims are tried, up to 4 times the upper end.

    Raises
    ------
    PldcheckError
        If there are no certificates for such a question, or if no claim was verified.

    Examples
    --------
    >>> from pldcheck.protocols import Gaussian
    >>> record = certificate(Gaussian(sigma=2.0, steps=10), delta=1e-6)
    >>> record.facts["claim"]["delta"], record.reached
    ('0.000001', 1.005)

    """
    kind = kind_of(protocol)  # refuses what has no certificates before anything is computed
    if delta is not None and epsilon is None:
        end, least = protocol.epsilon(delta).upper, kind.least and kind.least("epsilon", delta)
        asked, at, largest = EPSILON_MARGIN, decimal_text(delta), inf
    elif epsilon is not None and delta is None:
        end, least = protocol.delta(epsilon).upper, kind.least and kind.least("delta", epsilon)
        asked, at, largest = DELTA_MARGIN, decimal_text(epsilon), 1.0
    else:
        raise PldcheckError("a certificate is about one of delta and epsilon")
    asked = asked if margin is None else margin
    reached = asked
    while reached <= max(asked, LOOSEST):
        claim = _text_above(min(end * reached, largest))
        facts = file_for(protocol, claim, at) if delta is not None else file_for(protocol, at, claim)
        if facts is not None:
            began = process_time()
            verdict = PROGRAMS[facts["pldcheck_certificate"]].verify(facts)
            if verdict.status:
                raise PldcheckError(f"a certificate was written that its program does not accept: {verdict.sentence}")
            return Certificate(facts, verdict.sentence, process_time() - began, asked, reached, kind.wider)
        if end == 0.0:  # no margin makes the claim another one
            break
        reached = max(1.0 + LOOSER * max(reached - 1.0, LEAST_EXCESS), asked * (least or 0.0) / end)
    raise PldcheckError(f"no certificate was found for {protocol}, up to {LOOSEST:g} times its upper end")


def file_for(protocol: Protocol, epsilon: str, delta: str) -> Mapping[str, Any] | None:
    """Return a file that proves a protocol (epsilon, delta)-DP, both decimal texts; None if none was found."""
    kind = kind_of(protocol)
    try:
        return kind.search(kind.claim(epsilon, delta))
    except PldcheckError:
        raise
    except ValueError as error:  # the programs have narrower ranges than the engine
        raise PldcheckError(f"there are no certificates with such numbers: {error}") from None


def check(path: str | PathLike[str]) -> certificate_file.Verdict:
    """Return the verdict of its program on a file: a sentence, and 0 if accepted, 1 if not, 2 for no certificate.

    Parameters
    ----------
    path : path
        The file; it need not exist or be readable.

    """
    try:
        with open(path, "rb") as file:
            name = json.loads(file.read(certificate_file.MOST_BYTES + 1).decode("ascii"))["pldcheck_certificate"]
        program = PROGRAMS[name]
    except (LookupError, OSError, RecursionError, TypeError, ValueError):
        program = upper_slot  # it says what is wrong
    return certificate_file.examine(path, program.verify)


def kind_of(protocol: Protocol) -> Kind:
    """Return how claims about a protocol are written and verified; raise PldcheckError if it has no certificates."""
    worst = with_the_worst(protocol)
    if worst is not None:
        return _of_all_randomizers(worst)
    if isinstance(protocol, ComposedMechanism):
        about = loss_certificates.claim_of(loss_certificates.rounds_of(protocol))
        return Kind(about, lambda claim: accepted(loss_certificates.search(claim)))
    if isinstance(protocol, Shuffle | HiddenSlot | CheckIn | RandomAllocation) and runs_in_rounds(protocol):
        one, times = round_certificates.one_round(protocol)
        about = round_certificates.claim_of(one.claim, times)
        return Kind(about, lambda claim: round_certificates.search(claim, one), one.least)
    if (isinstance(protocol, RandomAllocation) and (protocol.epochs > 1 or protocol.selected > 1)) or (
        isinstance(protocol, HiddenSlot) and protocol.randomizer.known and protocol.epochs > 1
    ):
        about = epoch_certificates.claim_of(protocol)
        return Kind(about, lambda claim: accepted(epoch_certificates.search(claim)))
    if isinstance(protocol, HiddenSlot) and is_sum(protocol):
        return _of_known_slot(protocol)
    if isinstance(protocol, ShuffledBatches):
        kind = kind_of(protocol.with_known_order)
        return replace(kind, wider="every order of the batches, also a known one")
    if isinstance(protocol, MatrixMechanism):
        run = protocol.dominating_run
        return replace(kind_of(run), least=partial(_engine_end, run), wider=protocol.dominating_scope)
    if isinstance(protocol, RandomAllocation | BallsInBins):
        return Kind(sum_certificates.claim_of(protocol), lambda claim: accepted(sum_certificates.search(claim)))
    if isinstance(protocol, Swap):
        return Kind(swap_certificates.claim_of(protocol), swap_certificates.search)
    if isinstance(protocol, Shuffle | Averaged):
        randomizer = protocol.randomizer if isinstance(protocol, Shuffle) else shuffle_certificates.WORST
        search = partial(shuffle_certificates.search, randomizer=randomizer)
        return Kind(shuffle_certificates.claim_of(protocol), search)
    # What is verified of check-ins holds whatever the number of clients is.
    least = None
    if isinstance(protocol, CheckIn) and protocol.clients is not None:
        least = partial(_engine_end, protocol.alone)
    return Kind(slot_certificates.claim_of(protocol), slot_certificates.search, least)


def with_the_worst(protocol: Protocol) -> Protocol | None:
    """Return the protocol with any randomizers of the same budget, where no program knows the law of its own ones.

    Return None where one does, or where there is no budget.
    """
    if isinstance(protocol, HiddenSlot):
        unknown = isinstance(protocol.randomizer, Laplace) and protocol.adjacency == "replace"
        return replace(protocol, randomizer=Worst()) if unknown else None
    if isinstance(protocol, CheckIn):
        unknown = isinstance(protocol.randomizer, Laplace | Response)
        return replace(protocol, randomizer=Worst()) if unknown else None
    if not isinstance(protocol, Shuffle) or isinstance(protocol.randomizer, Worst | Gaussian):
        return None
    randomizer, eps0 = protocol.randomizer, protocol.eps0
    if protocol.rounds == 1 and slot_certificates.named(randomizer, eps0) is not None:
        return None
    if isinstance(randomizer, Finite):  # a table has its own budget, rounded up
        try:
            eps0 = budget(randomizer.rows())
        except OverflowError:
            return None
    allowed = PARAMETERS["eps0"].floor <= eps0 <= PARAMETERS["eps0"].high
    return replace(protocol, randomizer=Worst(), eps0=eps0) if allowed else None


def _of_all_randomizers(worst: Protocol) -> Kind:
    """Return the kind of the worst randomizers, which serves a known one of the same budget."""
    kind, end = kind_of(worst), partial(_engine_end, worst)

    def least(quantity: str, at: float) -> float:
        return max(end(quantity, at), kind.least(quantity, at) if kind.least else 0.0)

    def search(claim: dict[str, Any]) -> Mapping[str, Any] | None:
        delta = float(claim["delta"])
        if 0.0 < delta < 1.0 and float(claim["epsilon"]) < end("epsilon", delta):  # a claim that nothing would verify
            return None
        return kind.search(claim)

    return Kind(kind.about, search, least, wider="every randomizer of the same budget")


def is_sum(protocol: HiddenSlot) -> bool:
    """Return whether a hidden slot has a known randomizer other than binary response, a record replaced."""
    return protocol.randomizer.known and not slot_certificates.is_replaced_binary_response(protocol)


def runs_in_rounds(protocol: Shuffle | HiddenSlot | CheckIn | RandomAllocation) -> bool:
    """Return whether a protocol is rounds of one whose curve has certificates at points, and of no narrower kind."""
    if isinstance(protocol, Shuffle):
        return protocol.rounds > 1
    if isinstance(protocol, RandomAllocation):
        return protocol.epochs > 1 and protocol.adjacency == "replace" and protocol.selected == 1
    return protocol.epochs > 1 and (not protocol.randomizer.known or protocol.adjacency == "replace")


def _of_known_slot(protocol: HiddenSlot) -> Kind:
    """Return the kind of a hidden slot of a known randomizer: by one law for every slot, or by the best choice of laws.

    The first is quick, and enough where its end is not above the claim.
    """
    joined, least = sum_certificates.claim_of(protocol), partial(joined_upper_end, protocol.problem)
    known = slot_certificates.named(protocol.randomizer, protocol.eps0) if protocol.adjacency == "replace" else None
    own = slot_certificates.claim_of(protocol) if known else None

    def search(claim: dict[str, Any]) -> Mapping[str, Any] | None:
        ends = {name: claim[name] for name in ("epsilon", "delta")}
        if own is not None and least("epsilon", float(claim["delta"])) > float(claim["epsilon"]):
            return slot_certificates.search(own | ends)
        return accepted(sum_certificates.search(claim))

    return Kind(joined, search, least)


def _engine_end(protocol: Protocol, quantity: str, at: float) -> float:
    return float(getattr(protocol, quantity)(at).upper)


def _text_above(value: float) -> str:
    """Return a decimal text that is at least a number."""
    return decimal_form(Context(prec=DIGITS, rounding=ROUND_CEILING).create_decimal(Decimal(value)))

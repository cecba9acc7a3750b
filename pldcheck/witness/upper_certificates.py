"""Certificates of upper ends of every kind: a file for a question, and the verdict of its program on it.

The programs are those of :mod:`pldcheck.checkers` whose names begin with ``upper``: the page at the top of each says
what it claims, and the pages of all modules that it imports are the proof that what it accepts is true.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from math import inf
from os import PathLike
from typing import Any

from ..checkers import claim_files
from ..checkers.programs import CERTIFICATES, program_of
from ..core.errors import PldcheckError
from ..protocols import Protocol
from .certificate_checks import check_of, compact
from .claim_decimals import decimal_form, decimal_text
from .claim_kinds import Kind, kind_of

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
        if len(readable) <= claim_files.MOST_BYTES:
            return readable
        return compact(self.facts).encode()


def certificate(
    protocol: Protocol,
    *,
    delta: float | None = None,
    epsilon: float | None = None,
    margin: float | None = None,
    end: float | None = None,
) -> Certificate:
    """Return a certificate for the upper end of epsilon at ``delta``, or of delta at ``epsilon``.

    Parameters
    ----------
    protocol : Protocol
        A composition, also on batches, random allocation, a hidden slot, a shuffle, swapping, averaging, check-in or
        window; several rounds or epochs of these.  Where no program knows a randomizer's own law, the claim is about
        all randomizers of its budget.
    delta, epsilon : float
        One of the two.
    margin : float, at least 1
        The claim over the engine's upper end; by default 1.005 for epsilon and 1.05 for delta.  Where no fineness
        verifies that, looser claims are tried, up to 4 times the upper end.
    end : float
        The engine's upper end, if it was asked before.

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
        end = protocol.epsilon(delta).upper if end is None else end
        least = kind.least and kind.least("epsilon", delta)
        asked, at, largest = EPSILON_MARGIN, decimal_text(delta), inf
    elif epsilon is not None and delta is None:
        end = protocol.delta(epsilon).upper if end is None else end
        least = kind.least and kind.least("delta", epsilon)
        asked, at, largest = DELTA_MARGIN, decimal_text(epsilon), 1.0
    else:
        raise PldcheckError("a certificate is about one of delta and epsilon")
    asked = asked if margin is None else margin
    reached = asked
    while reached <= max(asked, LOOSEST):
        claim = _text_above(min(end * reached, largest))
        facts = _file_of(kind, claim, at) if delta is not None else _file_of(kind, at, claim)
        if facts is not None:
            verdict, seconds = check_of(CERTIFICATES[facts["pldcheck_certificate"]], facts)
            if verdict.status:
                raise PldcheckError(f"a certificate was written that its program does not accept: {verdict.sentence}")
            return Certificate(facts, verdict.sentence, seconds, asked, reached, kind.wider)
        if end == 0.0:  # no margin makes the claim another one
            break
        reached = max(1.0 + LOOSER * max(reached - 1.0, LEAST_EXCESS), asked * (least or 0.0) / end)
    raise PldcheckError(f"no certificate was found for {protocol}, up to {LOOSEST:g} times its upper end")


def file_for(protocol: Protocol, epsilon: str, delta: str) -> Mapping[str, Any] | None:
    """Return a file that proves a protocol (epsilon, delta)-DP, both decimal texts; None if none was found."""
    return _file_of(kind_of(protocol), epsilon, delta)


def _file_of(kind: Kind, epsilon: str, delta: str) -> Mapping[str, Any] | None:
    try:
        return kind.search(kind.claim(epsilon, delta))
    except PldcheckError:
        raise
    except ValueError as error:  # the programs have narrower ranges than the engine
        raise PldcheckError(f"there are no certificates with such numbers: {error}") from None


def check(path: str | PathLike[str]) -> claim_files.Verdict:
    """Return the verdict of its program on a file: a sentence, and 0 if accepted, 1 if not, 2 for no certificate.

    Parameters
    ----------
    path : path
        The file; it need not exist or be readable.

    """
    return claim_files.examine(path, lambda facts: program_of(facts, ("pldcheck_certificate",)).verify(facts))


def _text_above(value: float) -> str:
    """Return a decimal text that is at least a number."""
    return decimal_form(Context(prec=DIGITS, rounding=ROUND_CEILING).create_decimal(Decimal(value)))

"""Certificates of rows that hold: a file by which a stand-alone program proves a theorem's bound at one cell.

The claim is the theorem's own: at the row's parameters, the protocol is (epsilon, delta)-DP with the epsilon and delta
of the theorem.  The one that its formula computes is lowered by the error granted to the formula and rounded down to a
decimal, so that it is never above the theorem's; the other numbers are the decimals that the row shows.

A theorem far above the truth is the easier the nearer its claim comes to the truth: the fineness is sought for an
epsilon that is the theorem's over a power of two, and the theorem's own epsilon is put in its place.  Where the program
does not accept that, the file keeps the smaller epsilon, which says more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import floor, inf, log2
from time import process_time
from typing import Any

from ..checkers.programs import CERTIFICATES
from ..core.errors import PldcheckError
from ..protocols import JUDGEABLE, OwnMechanism, Protocol
from ..theorems import REGISTRY, Theorem
from ..verification import FORMULA_SLACK, Row, Verdict, problem_of_bound, subject
from .certificate_checks import accepts
from .claim_decimals import decimal_form, decimal_text
from .claim_kinds import kind_of
from .upper_certificates import file_for

# The digits of the number that a theorem computes.
DIGITS = 12
# The least epsilon over the certified upper end for which a fineness is sought: it takes milliseconds there, and some
# seconds at 1.005.
NEAR = 1.05
# The powers of two that are tried, from the one that comes nearest to the truth to larger claims.
TRIES = 3
# Seconds of processor time after which no further claim is tried: most rows take a tenth of a second.
SECONDS = 20.0
# A bound that is nearer to the certified upper end may be too near for any fineness that takes bounded work.
TOO_NEAR = 1.005
# Why there is no certificate of a row, where its own numbers are the reason.
NOT_AN_UPPER_BOUND = "the theorem does not claim an upper bound"
OTHER_QUANTITY = "the theorem is not about epsilon and delta"
INFINITE = "the theorem's bound is infinite"
NO_MARGIN = "the bound is less than 0.5 % above the certified upper end, too little to verify"
NO_FINENESS = "no fineness was found"


@dataclass(frozen=True)
class RowClaim:
    """The claim of a row's certificate: numbers are decimal texts, and the theorem computes ``quantity``."""

    protocol: Protocol
    quantity: str
    epsilon: str
    delta: str

    @property
    def facts(self) -> dict[str, Any]:
        """The claim as a file has it."""
        return kind_of(self.protocol).claim(self.epsilon, self.delta)

    def file_at(self, value: str) -> Mapping[str, Any] | None:
        """Return a file that claims this value in place of the theorem's, or None if none was found."""
        numbers = (value, self.delta) if self.quantity == "epsilon" else (self.epsilon, value)
        return file_for(self.protocol, *numbers)


def claim_of_row(row: Row, theorem: Theorem | None = None) -> RowClaim:
    """Return the claim of a row that holds; ``theorem`` is the row's, which is needed if it is not registered.

    Raise PldcheckError, with the reason, if no certificate can show it.
    """
    theorem = REGISTRY.get(row.theorem) if theorem is None else theorem
    if row.verdict is not Verdict.HOLDS or row.analytic is None or theorem is None:
        raise PldcheckError("only bounds of known theorems that hold have certificates")
    bound = theorem(**row.params)
    if bound.value != row.analytic:
        raise PldcheckError("the row's value is not that of its theorem")
    if theorem.relation != "<=":
        raise PldcheckError(NOT_AN_UPPER_BOUND)
    if bound.quantity not in ("epsilon", "delta"):
        raise PldcheckError(OTHER_QUANTITY)
    if row.analytic == inf:
        raise PldcheckError(INFINITE)
    value, at = _text_below(_least(row.analytic, bound.quantity)), decimal_text(float(bound.at))
    epsilon, delta = (value, at) if bound.quantity == "epsilon" else (at, value)
    protocol, own = problem_of_bound(theorem, bound).protocol, JUDGEABLE[theorem.protocol]
    if (
        not isinstance(protocol, own) and own is not OwnMechanism
    ):  # the program names the statement by which the theorem's protocol is another one
        protocol = own(**subject(theorem, bound.params))
    return RowClaim(protocol, bound.quantity, epsilon, delta)


def of_row(row: Row, theorem: Theorem | None = None) -> Mapping[str, Any]:
    """Return a file whose program proves what a row's theorem claims there, or more.

    ``theorem`` is needed if it is not registered.  Raise PldcheckError, with the reason, if there is no file.
    """
    claim = claim_of_row(row, theorem)
    own_claim, began = claim.facts, process_time()
    for value in _values(row, claim):
        if process_time() - began > SECONDS:
            break
        facts = claim.file_at(value)
        if facts is not None:
            own = {**facts, "claim": own_claim}
            return own if accepts(CERTIFICATES[own["pldcheck_certificate"]], own) else facts
    near = row.tightness_lower is not None and row.tightness_lower < TOO_NEAR
    raise PldcheckError(NO_MARGIN if near else NO_FINENESS)


def complaint(row: Row, claim: Mapping[str, Any], theorem: Theorem | None = None) -> str:
    """Return why an accepted claim is not that of a row, or a stronger one; empty if it is.

    Raise PldcheckError if the row has no claim.
    """
    wanted = claim_of_row(row, theorem)
    own, name = wanted.facts, wanted.quantity
    if {**claim, name: own[name]} != own:
        return "its claim is about another cell"
    if Fraction(claim[name]) > Fraction(own[name]):
        return f"its claim says less than the row: {name} {claim[name]} is above {own[name]}"
    return ""


def _least(claimed: float, quantity: str) -> Fraction:
    """Return a number that a theorem's value is at least, whatever the error of its formula; no delta is above 1."""
    value = Fraction(claimed) * (1 - Fraction(FORMULA_SLACK))
    return min(value, Fraction(1)) if quantity == "delta" else value


def _values(row: Row, claim: RowClaim) -> list[str]:
    """Return the numbers for which a fineness is sought in turn, none above the theorem's own."""
    own = _least(row.analytic or 0.0, claim.quantity)
    if claim.quantity == "delta":
        return [claim.delta]
    if row.tightness_lower is None:  # the truth is zero
        return ["0", claim.epsilon]
    exponent = max(floor(log2(row.tightness_lower / NEAR)), 0)
    return [_text_below(own / 2**power) for power in range(exponent, -1, -1)][:TRIES]


def _text_below(value: Fraction) -> str:
    """Return a decimal text that is at most a number."""
    number = Context(prec=DIGITS, rounding=ROUND_FLOOR).divide(Decimal(value.numerator), Decimal(value.denominator))
    return decimal_form(number)

"""Upper certificates of shuffles of few responses: ``upper_few`` has one way to compute, so that nothing is searched.

The program :mod:`~pldcheck.checkers.upper_few` says what a certificate is and why it proves its claim.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..checkers import upper_few
from ..protocols import PersonalShuffle, SampledShuffle
from .certificate_checks import accepts
from .claim_decimals import decimal_text


def claim_of(protocol: PersonalShuffle | SampledShuffle) -> dict[str, Any]:
    """Return the claim about a protocol but for its epsilon and delta."""
    claim = {"mechanism": protocol.name, "clients": protocol.clients, "eps0": decimal_text(protocol.eps0)}
    if isinstance(protocol, SampledShuffle):
        return {**claim, "batch": protocol.batch}
    last = protocol.eps0 if protocol.eps0_last is None else protocol.eps0_last
    return {**claim, "eps0_last": decimal_text(last), "delta0": decimal_text(protocol.delta0)}


def search(claim: dict[str, Any]) -> Mapping[str, Any] | None:
    """Return the file with a claim, or None if its program does not accept it."""
    facts: dict[str, Any] = {"pldcheck_certificate": "upper_few", "claim": claim, "fineness": {}}
    return facts if accepts(upper_few, facts) else None

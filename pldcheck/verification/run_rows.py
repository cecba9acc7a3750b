"""The rows of a run: one for each cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isinf
from types import MappingProxyType
from typing import Any

from ..core.interval import ErrorBudget
from .verdict import Verdict

# The verdicts by their texts.
_VERDICTS = {str(verdict): verdict for verdict in Verdict}


@dataclass(frozen=True)
class Row:
    """The outcome of one cell: a theorem, or a protocol without a theorem, at one choice of parameters.

    Parameters
    ----------
    theorem : str or None
        The id of the theorem; None if only the protocol is computed.
    params : mapping
        The parameters by name.
    verdict : Verdict
        The verdict on the theorem's claim.
    analytic : float or None
        The value that the theorem claims; None outside its conditions.
    lower, upper : float or None
        The certified ends: ``lower <= truth <= upper``.  They are None if they were not computed: outside the
        conditions, if only the claim was asked for, or after an error.
    budget : ErrorBudget or None
        The parts of the width ``upper - lower``.
    seconds : float
        The time for the interval, which other theorems may share.
    reason : str or None
        The reason why a verdict is UNDECIDED, UNJUDGEABLE or OUT-OF-CONDITIONS, or how narrow the interval of a
        CONSISTENT one is.
    witness : mapping or None
        The mechanism that attains ``lower``, if the claim is violated and the mechanism is known.
    protocol, quantity : str
        The protocol and the quantity of a row without a theorem.
    cell : str or None
        A hash of everything that the row depends on.

    """

    theorem: str | None
    params: Mapping[str, float] = field(hash=False)
    verdict: Verdict
    analytic: float | None = None
    lower: float | None = None
    upper: float | None = None
    budget: ErrorBudget | None = field(default=None, repr=False)
    seconds: float = 0.0
    reason: str | None = None
    witness: Mapping[str, Any] | None = field(default=None, repr=False, hash=False)
    protocol: str | None = None
    quantity: str = "epsilon"
    cell: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "params", MappingProxyType(dict(self.params)))

    def __reduce__(self):
        # A mapping proxy cannot be pickled; __post_init__ makes it again.
        return Row.from_dict, (self.to_dict(),)

    @property
    def subject(self) -> str:
        """The id of the theorem, or the name of the protocol in a row without a theorem."""
        return self.theorem or self.protocol or ""

    @property
    def tightness_lower(self) -> float | None:
        """A lower bound of claim over truth, ``analytic / upper``; None if it is 0, infinite or not computed."""
        return _ratio(self.analytic, self.upper)

    @property
    def tightness_upper(self) -> float | None:
        """An upper bound of claim over truth, ``analytic / lower``; None if it is 0, infinite or not computed."""
        return _ratio(self.analytic, self.lower)

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain values that JSON can hold."""
        return {
            "cell": self.cell,
            "theorem": self.theorem,
            "protocol": self.protocol,
            "quantity": self.quantity,
            "params": dict(self.params),
            "verdict": str(self.verdict),
            "analytic": _plain(self.analytic),
            "lower": _plain(self.lower),
            "upper": _plain(self.upper),
            "tightness_lower": self.tightness_lower,
            "tightness_upper": self.tightness_upper,
            "budget": {name: _plain(value) for name, value in self.budget.to_dict().items()} if self.budget else None,
            "seconds": self.seconds,
            "reason": self.reason,
        } | ({"witness": dict(self.witness)} if self.witness else {})

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Row:
        """Return the row that :meth:`to_dict` wrote; keys that are no fields are ignored."""
        witness, budget = values.get("witness"), values["budget"]
        if witness is not None and not isinstance(witness, Mapping):
            raise TypeError("a witness must be a mapping")
        analytic, lower, upper = values["analytic"], values["lower"], values["upper"]
        return cls(
            theorem=values["theorem"],
            params={name: _tuples(value) for name, value in values["params"].items()},  # JSON knows no tuples
            verdict=_VERDICTS[values["verdict"]],
            analytic=None if analytic is None else float(analytic),
            lower=None if lower is None else float(lower),
            upper=None if upper is None else float(upper),
            budget=ErrorBudget(**budget) if budget else None,
            seconds=values["seconds"],
            reason=values["reason"],
            witness=witness,
            protocol=values.get("protocol"),
            quantity=values.get("quantity", "epsilon"),
            cell=values.get("cell"),
        )


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _plain(value: float | None) -> float | str | None:
    """Return a value for JSON, in which infinite numbers are texts."""
    return str(value) if value is not None and isinf(value) else value


def _ratio(analytic: float | None, end: float | None) -> float | None:
    if not analytic or not end or isinf(analytic / end):
        return None
    return analytic / end

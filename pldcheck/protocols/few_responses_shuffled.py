"""Shuffles of few binary responses, computed exactly: with personal budgets, and of a sample of the clients."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from types import MappingProxyType
from typing import ClassVar

from .. import shuffling
from ..core.errors import ParameterError
from ..core.interval import ErrorBudget, Interval
from ..core.parameters import PARAMETERS, Parameter, parse
from .answers_at_each import delta_at_each
from .base import Protocol
from .capabilities import Examples

# The most clients: the sums take time in proportion to the third power of their number.
MOST_CLIENTS = 200
# The relative width of answers, which is that of a float.
WIDTH = 1e-12
_AT_AN_EPSILON = "its sums are taken at an epsilon, where they are exact"
_ONLY_DELTA = "only its curve is computed"
_ALL_DATA = "all data, which differ in a number of ones"


@dataclass(frozen=True)
class PersonalShuffle(Protocol):
    """Clients with budgets of their own answer one bit each by randomized response, and the answers are shuffled.

    The budgets are evenly spaced from ``eps0``, the first client's, to ``eps0_last``, the last one's; by default all
    are equal.  With probability ``delta0`` a client tells its bit outright, with a mark, so that each is
    (its budget, delta0)-DP.  The record of any one client is replaced; the budgets are known, who sent what is not.
    """

    clients: int
    eps0: float
    eps0_last: float | None = None
    delta0: float = 0.0
    name: ClassVar[str] = "personal-shuffle"
    adjacencies: ClassVar[tuple[str, ...]] = ("replace",)
    default_width: ClassVar[float] = WIDTH
    numbers: ClassVar[tuple[Parameter, ...]] = (
        replace(PARAMETERS["clients"], high=MOST_CLIENTS),
        replace(PARAMETERS["eps0_last"], help="budget of the last client; those between are evenly spaced"),
        replace(PARAMETERS["delta0"], help="probability with which a client tells its bit"),
    )
    lacks: ClassVar[Mapping[str, str]] = MappingProxyType({"epsilon": _AT_AN_EPSILON, "renyi": _ONLY_DELTA})
    bounds: ClassVar[tuple[str, str]] = (
        "the first or the last client's record is replaced, and all others are alike",
        "an adversary who learns which other clients answer by a fair coin, and what the rest answer",
    )
    examples: ClassVar[Examples] = Examples(options="--clients 50")

    @delta_at_each
    def delta(self, epsilon: float, width: float = WIDTH) -> Interval:
        """Return the smallest delta at an epsilon >= 0; both ends are sums over all outcomes, whatever the width."""
        values = parse(epsilon=epsilon, width=width)
        ends = shuffling.few_responses.personal_delta(self._budgets, self.delta0, values["epsilon"])
        return Interval(ends.lower, ends.upper, "delta", ErrorBudget(ends.rounding, 0.0, 0.0))

    @property
    def _budgets(self) -> list[Decimal]:
        with localcontext(shuffling.few_responses.exact_context()):
            first = Decimal(self.eps0)
            step = (Decimal(self.eps0_last) - first) if self.eps0_last is not None else Decimal(0)
            return [first + step * i / max(1, self.clients - 1) for i in range(self.clients)]


@dataclass(frozen=True)
class SampledShuffle(Protocol):
    """A sample of the clients, drawn without replacement, answers one bit each by randomized response, shuffled.

    ``batch`` clients are drawn of ``clients``, and each answers with the budget ``eps0``.  The record of one client is
    replaced; who was drawn is not seen.
    """

    clients: int
    batch: int
    eps0: float
    name: ClassVar[str] = "sampled-shuffle"
    adjacencies: ClassVar[tuple[str, ...]] = ("replace",)
    default_width: ClassVar[float] = WIDTH
    numbers: ClassVar[tuple[Parameter, ...]] = (
        replace(PARAMETERS["clients"], high=MOST_CLIENTS),
        replace(PARAMETERS["batch"], help="number of clients of a sample", high=MOST_CLIENTS),
    )
    lacks: ClassVar[Mapping[str, str]] = MappingProxyType({"epsilon": _AT_AN_EPSILON})
    bounds: ClassVar[tuple[str, str]] = (_ALL_DATA, _ALL_DATA)
    examples: ClassVar[Examples] = Examples(options="--clients 60 --batch 20")

    def _check(self) -> None:
        if self.batch > self.clients:
            raise ParameterError("batch", "at most clients", self.batch)

    @delta_at_each
    def delta(self, epsilon: float, width: float = WIDTH) -> Interval:
        """Return the smallest delta at an epsilon >= 0; both ends are sums over all outcomes, whatever the width."""
        values = parse(epsilon=epsilon, width=width)
        ends = shuffling.few_responses.sampled_delta(self.clients, self.batch, self.eps0, values["epsilon"])
        return Interval(*ends, "delta", ErrorBudget(ends[1] - ends[0], 0.0, 0.0))

    def renyi(self, order: float, width: float = WIDTH) -> Interval:
        """Return the Rényi divergence of an order, the larger of the two directions.

        Parameters
        ----------
        order : float above 1
        width : float in (0, 1)
            It has no effect: both ends are sums over all outcomes.

        Returns
        -------
        Interval

        Raises
        ------
        ParameterError
            If ``order`` is not above 1, or ``width`` is not in (0, 1).

        """
        values = parse(order=order, width=width)
        return Interval(
            *shuffling.few_responses.sampled_renyi(self.clients, self.batch, self.eps0, values["order"]), "renyi"
        )

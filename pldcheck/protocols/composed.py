"""Mechanisms composed: protocols whose privacy loss distribution is known, and asked for epsilon, delta and Renyi."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ..errors import ParameterError
from ..interval import Interval
from ..parameters import PARAMETERS, parse

if TYPE_CHECKING:
    from ..pld import PrivacyLossDistribution

# Relative width in delta asked of the Fourier inversion; exact losses reach it, cells of continuous ones come close.
WIDTH = 1e-6
SAMPLINGS = ("poisson", "fixed-size")


class Composed(ABC):
    """What the protocols of this module have in common: their answers come from ``loss``."""

    name: ClassVar[str]
    usual_width: ClassVar[float] = WIDTH

    @property
    @abstractmethod
    def loss(self) -> PrivacyLossDistribution:
        """The privacy loss distribution."""

    @property
    def reduced(self) -> Any:
        """Itself: it is reduced to no other protocol."""
        return self

    def params(self) -> dict[str, Any]:
        """The parameters by name."""
        return asdict(self)  # type: ignore[call-overload]

    def epsilon(self, delta: float, width: float = WIDTH) -> Interval:
        """As :meth:`pldcheck.pld.PrivacyLossDistribution.epsilon`."""
        return self.loss.epsilon(delta, width)

    def delta(self, epsilon: float, width: float = WIDTH) -> Interval:
        """As :meth:`pldcheck.pld.PrivacyLossDistribution.delta`."""
        return self.loss.delta(epsilon, width)

    def renyi(self, order: float, width: float = WIDTH) -> Interval:
        """As :meth:`pldcheck.pld.PrivacyLossDistribution.renyi`; as narrow as it can be, whatever the width."""
        return self.loss.renyi(order)

    def __post_init__(self) -> None:
        given = {key: value for key, value in self.params().items() if key in PARAMETERS and value is not None}
        for key, value in parse(**given).items():
            object.__setattr__(self, key, value)


@dataclass(frozen=True)
class RandomizedResponse(Composed):
    """Randomized response ``steps`` times, with budgets evenly spaced from ``eps0`` to ``eps0_last``.

    Each step is (budget, ``delta0``)-randomized response, which dominates every such mechanism.
    """

    steps: int
    eps0: float
    eps0_last: float | None = None
    delta0: float = 0.0
    name: ClassVar[str] = "randomized-response"
    adjacency: ClassVar[str] = "replace"

    @property
    def loss(self) -> PrivacyLossDistribution:
        """The privacy loss distribution."""
        import numpy as np

        from .. import pld

        last = self.eps0 if self.eps0_last is None else self.eps0_last
        if last == self.eps0 or self.steps == 1:
            return pld.randomized_response(self.eps0, self.delta0).compose(self.steps)
        _few(self.steps)
        budgets = self.eps0 + (last - self.eps0) * np.arange(self.steps) / (self.steps - 1)
        if self.delta0 == 0.0:
            return pld.randomized_responses(budgets)
        return pld.compose_all(pld.randomized_response(budget, self.delta0) for budget in budgets.tolist())


@dataclass(frozen=True)
class DecayingBudgets(Composed):
    """Randomized responses of which the i-th is log(1 + first/(steps - decay (i - 1)))-DP, as in Lemma A.2."""

    steps: int
    first: float
    decay: float
    name: ClassVar[str] = "decaying-budgets"
    adjacency: ClassVar[str] = "replace"

    @property
    def loss(self) -> PrivacyLossDistribution:
        """The privacy loss distribution."""
        import numpy as np

        from .. import pld

        _few(self.steps)
        return pld.randomized_responses(np.log1p(self.first / (self.steps - self.decay * np.arange(self.steps))))


def _few(steps: int) -> None:
    if steps > 10**6:
        raise ParameterError("steps", "at most 1e+06 where every step has a budget of its own", steps)


@dataclass(frozen=True)
class Gaussian(Composed):
    """The Gaussian mechanism ``steps`` times; ``sigma`` is its standard deviation over the sensitivity."""

    sigma: float
    steps: int = 1
    name: ClassVar[str] = "gaussian"
    adjacency: ClassVar[str] = "any"

    @property
    def loss(self) -> PrivacyLossDistribution:
        """The privacy loss distribution."""
        from .. import pld

        return pld.gaussian(self.sigma).compose(self.steps)


@dataclass(frozen=True)
class Laplace(Composed):
    """The Laplace mechanism ``steps`` times; ``scale`` is its scale over the sensitivity."""

    scale: float
    steps: int = 1
    name: ClassVar[str] = "laplace"
    adjacency: ClassVar[str] = "any"

    @property
    def loss(self) -> PrivacyLossDistribution:
        """The privacy loss distribution."""
        from .. import pld

        return pld.laplace(self.scale).compose(self.steps)


@dataclass(frozen=True)
class SubsampledGaussian(Composed):
    """The Gaussian mechanism on a random sample of the records, ``steps`` times.

    ``sampling``: ``"poisson"`` (each record with probability ``rate``; a record added or removed) or ``"fixed-size"``
    (a share ``rate`` of the records, without replacement; a record replaced, ``sigma`` relative to what replacing one
    sampled record changes).  The worse of both directions.
    """

    sigma: float
    rate: float
    steps: int = 1
    sampling: str = "poisson"
    name: ClassVar[str] = "subsampled-gaussian"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sampling not in SAMPLINGS:
            raise ParameterError("sampling", f"one of {', '.join(SAMPLINGS)}", self.sampling)

    @property
    def adjacency(self) -> str:
        """Which records differ."""
        return "add-remove" if self.sampling == "poisson" else "replace"

    @property
    def loss(self) -> PrivacyLossDistribution:
        """The privacy loss distribution."""
        from .. import pld

        one = pld.subsampled_gaussian if self.sampling == "poisson" else pld.fixed_size_gaussian
        return one(self.sigma, self.rate).compose(self.steps)


@dataclass(frozen=True)
class SubsampledRandomizedResponse(Composed):
    """Randomized response (``eps0``, ``delta0``) on a Poisson sample of the records, ``steps`` times; add or remove."""

    eps0: float
    rate: float
    delta0: float = 0.0
    steps: int = 1
    name: ClassVar[str] = "subsampled-randomized-response"
    adjacency: ClassVar[str] = "add-remove"

    @property
    def loss(self) -> PrivacyLossDistribution:
        """The privacy loss distribution."""
        from .. import pld

        return pld.subsampled_randomized_response(self.eps0, self.rate, self.delta0).compose(self.steps)


@dataclass(frozen=True)
class MixedPair(Composed):
    """A coin Q against the mixture ``rate`` P + (1 - ``rate``) Q, in this direction only."""

    heads_p: float
    heads_q: float
    rate: float
    name: ClassVar[str] = "mixed-pair"
    adjacency: ClassVar[str] = "any"

    @property
    def loss(self) -> PrivacyLossDistribution:
        """The privacy loss distribution."""
        from .. import pld

        p, q = (self.heads_p, 1.0 - self.heads_p), (self.heads_q, 1.0 - self.heads_q)
        return pld.subsampled_pmf(p, q, self.rate).reversed.one_way


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ParameterError("mechanism", "a name and numbers such as gaussian:2 or rr:0.1*50", text) from None


@dataclass(frozen=True)
class Composition(Composed):
    """Different mechanisms run on the same records, the whole list ``steps`` times.

    ``mechanism`` lists them as ``NAME:NUMBER[:NUMBER][*COUNT]`` with ``rr:EPS0[:DELTA0]``, ``gaussian:SIGMA``,
    ``laplace:SCALE``, ``discrete-laplace:SCALE``, ``discrete-gaussian:SIGMA``, ``subsampled-gaussian:SIGMA:RATE``,
    ``fixed-size-gaussian:SIGMA:RATE``, ``subsampled-rr:EPS0:RATE[:DELTA0]``.
    """

    mechanism: tuple[str, ...]
    steps: int = 1
    name: ClassVar[str] = "composition"
    adjacency: ClassVar[str] = "any"

    def __post_init__(self) -> None:
        super().__post_init__()
        given = (self.mechanism,) if isinstance(self.mechanism, str) else tuple(self.mechanism)
        object.__setattr__(self, "mechanism", given)
        if not given:
            raise ParameterError("mechanism", "at least one, such as gaussian:2", "none")
        for text in given:
            self._one(text)

    @property
    def loss(self) -> PrivacyLossDistribution:
        """The privacy loss distribution."""
        from .. import pld

        return pld.compose_all(self._one(text) for text in self.mechanism).compose(self.steps)

    @staticmethod
    def _one(text: str) -> PrivacyLossDistribution:
        from .. import pld

        makers = {
            "rr": (pld.randomized_response, (1, 2)),
            "gaussian": (pld.gaussian, (1,)),
            "laplace": (pld.laplace, (1,)),
            "discrete-laplace": (pld.discrete_laplace, (1,)),
            "discrete-gaussian": (pld.discrete_gaussian, (1,)),
            "subsampled-gaussian": (pld.subsampled_gaussian, (2,)),
            "fixed-size-gaussian": (pld.fixed_size_gaussian, (2,)),
            "subsampled-rr": (pld.subsampled_randomized_response, (2, 3)),
        }
        kind, _, rest = text.partition(":")
        numbers, star, count = rest.partition("*")
        if kind not in makers:
            raise ParameterError("mechanism", f"one of {', '.join(makers)} with its numbers", text)
        make, arity = makers[kind]
        values = [_number(part) for part in numbers.split(":") if part]
        if len(values) not in arity:
            wanted = " or ".join(map(str, arity))
            raise ParameterError("mechanism", f"{kind} with {wanted} numbers after colons", text)
        made = make(*values)  # type: ignore[operator]
        return made.compose(PARAMETERS["steps"].parse(count)) if star else made

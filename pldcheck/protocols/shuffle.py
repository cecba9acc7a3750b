"""Shuffling: n clients send one message each through local randomizers, and the messages arrive in random order."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ..errors import ParameterError
from ..interval import Interval
from ..parameters import PARAMETERS, parse

if TYPE_CHECKING:
    from ..shuffle.known import Shuffled

MOST_CLIENTS = 10**12
RANDOMIZERS = "worst, rr, krr:K, tv:T, table:FILE, laplace or gaussian:S"
# Kinds of randomizers, and the parameter that each has after a colon.
_ARGUMENTS = {
    "worst": None,
    "rr": None,
    "krr": "categories",
    "tv": "tv",
    "table": "file",
    "laplace": None,
    "gaussian": "sigma",
}
WIDTH = 1e-6
# Relative width at which the cheapest bounds are enough.
ROUGH = 0.3
# What is so much smaller than delta does not show.
OUT_OF_SIGHT = 1e-6


@dataclass(frozen=True)
class Shuffle:
    """Each of ``clients`` records goes through a randomizer once, in uniformly random order; all outputs are seen.

    ``randomizer``: ``worst`` (any eps0-DP randomizers, each of which may depend on all earlier outputs), ``rr``,
    ``krr:K`` (K-ary randomized response), ``tv:T`` (any whose outputs on the record and on its replacement are within T
    in total variation),
    ``table:FILE`` (a line of output probabilities for each input), ``laplace`` (of scale 1/eps0 on [0, 1]), or
    ``gaussian:S`` (of deviation S on [0, 1], whatever eps0 is).  ``rounds``: so often, each shuffled anew.
    """

    clients: int
    eps0: float
    randomizer: str = "worst"
    rounds: int = 1
    name: ClassVar[str] = "shuffle"
    usual_width: ClassVar[float] = WIDTH
    rough_width: ClassVar[float] = ROUGH
    adjacency: ClassVar[str] = "replace"

    def __post_init__(self) -> None:
        for key, value in parse(clients=self.clients, eps0=self.eps0, rounds=self.rounds).items():
            object.__setattr__(self, key, value)
        limited(self.clients)
        kind, _, text = str(self.randomizer).partition(":")
        if kind not in _ARGUMENTS or bool(text) != bool(_ARGUMENTS[kind]):
            raise ParameterError("randomizer", RANDOMIZERS, self.randomizer)
        argument = _ARGUMENTS[kind] or ""
        if argument in PARAMETERS:
            PARAMETERS[argument].parse(text)

    @property
    def reduced(self) -> Shuffle:
        """Itself: it is reduced to no other protocol."""
        return self

    def params(self) -> dict[str, Any]:
        """The parameters by name."""
        return asdict(self)

    def epsilon(self, delta: float, width: float = WIDTH) -> Interval:
        """The smallest epsilon such that the outputs are (epsilon, delta)-DP.

        Parameters
        ----------
        delta : float in (0, 1)
        width : float in (0, 1)
            Relative width that is enough: better bounds are tried until it is reached or there are no more.  Fourier
            inversions, in compositions and for known randomizers, add no more than this, nor 1e-6, to delta.

        Returns
        -------
        Interval
            From the best of the certified bounds; ``sources`` names them, ``witness`` attains the lower end.

        Raises
        ------
        ParameterError
            If ``delta`` or ``width`` is not in (0, 1), or the randomizer cannot be read.

        """
        given = parse(delta=delta, width=width)
        found = self._found(given["width"], given["delta"] / self.rounds)
        once = found.candidates.epsilon(given["delta"], given["width"])
        if self.rounds == 1:
            return once
        from ..shuffle import rounds

        return rounds.answer(found, self.rounds, lambda loss: loss.epsilon(given["delta"], given["width"]), once)

    def delta(self, epsilon: float, width: float = WIDTH) -> Interval:
        """The smallest delta such that the outputs are (epsilon, delta)-DP; as :meth:`epsilon`."""
        given = parse(epsilon=epsilon, width=width)
        found = self._found(given["width"], 1.0)
        once = found.candidates.delta(given["epsilon"], given["width"])
        if once.upper < 1.0 and self.randomizer.startswith("gaussian"):  # again, now that its size is known
            found = self._found(given["width"], once.upper / self.rounds)
            once = found.candidates.delta(given["epsilon"], given["width"])
        if self.rounds == 1:
            return once
        from ..shuffle import rounds

        return rounds.answer(found, self.rounds, lambda loss: loss.delta(given["epsilon"], given["width"]), once)

    def renyi(self, order: float, width: float = WIDTH) -> Interval:
        """The Renyi divergence of this order > 1: those of the dominating pair and of the attained ones."""
        from ..shuffle import rounds

        given = parse(order=order, width=width)
        found = self._found(given["width"], 1.0)
        if not (found.above and found.below):
            raise ParameterError("randomizer", "worst, rr or krr:K for Renyi divergences", self.randomizer)
        return rounds.answer(found, self.rounds, lambda loss: loss.renyi(given["order"]))

    def _found(self, width: float, delta: float) -> Shuffled:
        """What is known, for answers at about this delta."""
        from ..shuffle.known import shuffled

        return shuffled(self.clients, self.eps0, self.randomizer, min(width, WIDTH), OUT_OF_SIGHT * delta)


def limited(clients: int) -> None:
    """Raises ParameterError for more clients than can be computed."""
    if clients > MOST_CLIENTS:
        raise ParameterError("clients", f"{PARAMETERS['clients'].allowed}, at most {MOST_CLIENTS:g} here", clients)

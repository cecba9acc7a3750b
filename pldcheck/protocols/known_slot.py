"""One hidden slot whose randomizer is known: which engine answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ParameterError
from ..interval import Interval
from ..parameters import PARAMETERS
from .random_allocation import LEAST_SIGMA

if TYPE_CHECKING:
    from ..pld import PrivacyLossDistribution
    from .hidden_slot import HiddenSlot

RANDOMIZERS = "worst, rr, krr:K, table:FILE, laplace, gaussian:S or discrete-gaussian:S"
# Kinds, and the parameter that each has after a colon.
ARGUMENTS = {
    "worst": None,
    "rr": None,
    "krr": "categories",
    "table": "file",
    "laplace": None,
    "gaussian": "sigma",
    "discrete-gaussian": "sigma",
}
# Kinds that have no use for eps0.
FREE = ("table", "gaussian", "discrete-gaussian")
LARGEST_DISCRETE = 1000.0


def checked(randomizer: str, eps0: object, epochs: int, delta0: float) -> None:
    """Raises ParameterError for what is not among them, and for parameters that they do not go with."""
    kind, _, text = str(randomizer).partition(":")
    if kind not in ARGUMENTS or bool(text) != bool(ARGUMENTS[kind]):
        raise ParameterError("randomizer", RANDOMIZERS, randomizer)
    argument = ARGUMENTS[kind] or ""
    if argument in PARAMETERS:
        number = PARAMETERS[argument].parse(text)
        if argument == "sigma" and number < LEAST_SIGMA:
            raise ParameterError("randomizer", f"{kind}:S with S at least {LEAST_SIGMA:g}", randomizer)
        if kind == "discrete-gaussian" and number > LARGEST_DISCRETE:
            raise ParameterError("randomizer", f"discrete-gaussian:S with S at most {LARGEST_DISCRETE:g}", randomizer)
    if eps0 is None and kind not in FREE:
        raise ParameterError("eps0", PARAMETERS["eps0"].allowed, "nothing")
    if kind != "worst" and delta0 > 0.0:
        raise ParameterError("delta0", "0 with a known randomizer", delta0)
    if epochs > 1 and kind not in ("worst", "gaussian", "discrete-gaussian"):
        raise ParameterError("epochs", f"1 with randomizer {kind}", epochs)


def epsilon(slot: HiddenSlot, delta: float, width: float) -> Interval:
    """epsilon(delta) of a slot with a known randomizer."""
    if slot.randomizer.partition(":")[0] in ("gaussian", "discrete-gaussian"):
        from ..allocation import answer

        return answer.epsilon(_slots(slot), ((slot.steps, slot.epochs),), slot.epochs, delta, width)
    return _candidates(slot, width).epsilon(delta, width)


def delta(slot: HiddenSlot, epsilon: float, width: float) -> Interval:
    """delta(epsilon) of a slot with a known randomizer."""
    if slot.randomizer.partition(":")[0] in ("gaussian", "discrete-gaussian"):
        from ..allocation import answer

        return answer.delta(_slots(slot), ((slot.steps, slot.epochs),), slot.epochs, epsilon, width)
    return _candidates(slot, width).delta(epsilon, width)


def losses(slot: HiddenSlot, delta: float) -> tuple[PrivacyLossDistribution, ...]:
    """One epoch of a slot with Gaussian noise, to be composed."""
    if slot.randomizer.partition(":")[0] not in ("gaussian", "discrete-gaussian"):
        raise ParameterError("randomizer", "worst, gaussian:S or discrete-gaussian:S to be composed", slot.randomizer)
    from ..allocation import epochs

    return (epochs.one_epoch(_slots(slot), delta),)


def _slots(slot: HiddenSlot):
    from ..allocation.pairs import Slots
    from ..allocation.randomizers import DiscreteGaussianNoise, GaussianInBall

    kind, _, text = slot.randomizer.partition(":")
    noise = GaussianInBall(1.0 / float(text)) if kind == "gaussian" else DiscreteGaussianNoise(float(text))
    adjacency = "both" if slot.adjacency == "zero-out" else "in-ball"
    if adjacency == "in-ball" and kind == "discrete-gaussian":
        raise ParameterError("adjacency", "zero-out with discrete Gaussian noise", slot.adjacency)
    return Slots(noise, slot.steps, slot.weight, adjacency)


def _candidates(slot: HiddenSlot, width: float):
    from ..allocation import known

    return known.candidates(slot.steps, slot.eps0, slot.weight, slot.randomizer, slot.adjacency, width)

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
LEAST_DISCRETE, LARGEST_DISCRETE = 0.5, 1000.0
# Of a delta that is not known yet.
ROUGH = 1e-9


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
        if kind == "discrete-gaussian" and not LEAST_DISCRETE <= number <= LARGEST_DISCRETE:
            allowed = f"discrete-gaussian:S with S from {LEAST_DISCRETE:g} to {LARGEST_DISCRETE:g}"
            raise ParameterError("randomizer", allowed, randomizer)
    if eps0 is None and kind not in FREE:
        raise ParameterError("eps0", PARAMETERS["eps0"].allowed, "nothing")
    if kind != "worst" and delta0 > 0.0:
        raise ParameterError("delta0", "0 with a known randomizer", delta0)


def epsilon(slot: HiddenSlot, delta: float, width: float) -> Interval:
    """epsilon(delta) of a slot with a known randomizer."""
    if _noisy(slot):
        from ..allocation import answer

        return answer.epsilon(_slots(slot), ((slot.steps, slot.epochs),), slot.epochs, delta, width)
    if slot.epochs == 1:
        return _candidates(slot, width).epsilon(delta, width)
    from ..allocation import epochs, known_epochs

    return known_epochs.epsilon(losses(slot, epochs.least_of(delta, slot.epochs)), slot.epochs, delta)


def delta(slot: HiddenSlot, epsilon: float, width: float) -> Interval:
    """delta(epsilon) of a slot with a known randomizer."""
    if _noisy(slot):
        from ..allocation import answer

        return answer.delta(_slots(slot), ((slot.steps, slot.epochs),), slot.epochs, epsilon, width)
    if slot.epochs == 1:
        return _candidates(slot, width).delta(epsilon, width)
    from ..allocation import epochs, known_epochs

    rough = known_epochs.delta(losses(slot, epochs.least_of(ROUGH, slot.epochs)), slot.epochs, epsilon)
    least = epochs.least_of(max(rough.lower, epochs.LEAST), slot.epochs)
    return known_epochs.delta(losses(slot, least), slot.epochs, epsilon)


def losses(slot: HiddenSlot, least: float) -> tuple[PrivacyLossDistribution, ...]:
    """One epoch, to be composed; below ``least`` its curve is known coarsely."""
    if _noisy(slot):
        from ..allocation import epochs

        return (epochs.one_epoch(_slots(slot), least),)
    from ..allocation import known_epochs

    return known_epochs.losses(slot.steps, slot.eps0, slot.weight, slot.randomizer, slot.adjacency, least)


def _noisy(slot: HiddenSlot) -> bool:
    """Whether the likelihood ratio of a slot is that of one additive noise."""
    kind = slot.randomizer.partition(":")[0]
    return kind in ("gaussian", "discrete-gaussian") or kind == "laplace" and slot.adjacency == "zero-out"


def _slots(slot: HiddenSlot):
    from ..allocation.laplace import LaplaceNoise
    from ..allocation.pairs import Slots
    from ..allocation.randomizers import DiscreteGaussianNoise, GaussianInBall

    kind, _, text = slot.randomizer.partition(":")
    if kind == "laplace":
        assert slot.eps0 is not None  # checked
        return Slots(LaplaceNoise(slot.eps0), slot.steps, slot.weight, "both")
    noise = GaussianInBall(1.0 / float(text)) if kind == "gaussian" else DiscreteGaussianNoise(float(text))
    adjacency = "both" if slot.adjacency == "zero-out" else "in-ball"
    return Slots(noise, slot.steps, slot.weight, adjacency)


def _candidates(slot: HiddenSlot, width: float):
    from ..allocation import known

    return known.candidates(slot.steps, slot.eps0, slot.weight, slot.randomizer, slot.adjacency, width)

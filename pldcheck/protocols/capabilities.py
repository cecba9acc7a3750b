"""Facts on protocols that other rooms need beyond answers: directions, mechanisms as peers know them, examples."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..core.parameters import PARAMETERS, Parameter
from ..core.usual_names import PER_EPOCH


@dataclass(frozen=True)
class Direction:
    """The direction in which epsilon moves with a parameter, the reason, and where a search for a value takes place.

    The search begins at ``start``; ``least`` and ``most`` are the ends of its range, each a number or the name of
    another parameter.  ``unproved_with``: a parameter that must not be given, because with it no proof is known;
    ``unproved_at``: a parameter and a value that it must not have.
    """

    rises: bool
    why: str
    start: float
    least: float | str | None = None
    most: float | str | None = None
    unproved_with: str | None = None
    unproved_at: tuple[str, str] | None = None


def rises(
    why: str,
    start: float,
    *,
    most: float | str | None = None,
    unproved_with: str | None = None,
    unproved_at: tuple[str, str] | None = None,
) -> Direction:
    """Return the direction of a parameter with which epsilon rises."""
    return Direction(True, why, start, None, most, unproved_with, unproved_at)


def falls(
    why: str,
    start: float,
    *,
    least: float | str | None = None,
    most: float | str | None = None,
    unproved_with: str | None = None,
) -> Direction:
    """Return the direction of a parameter with which epsilon falls."""
    return Direction(False, why, start, least, most, unproved_with)


# Reasons for the direction in which epsilon moves, where several protocols share them.
MORE_SLOTS = "revealing a slot without the record leaves one slot fewer, and to reveal less is no worse"
LARGER_BUDGET = "an eps0-DP randomizer is one of any larger budget"
MIXTURE = "at a smaller value both laws are mixtures of those at a larger one and a law without the record"
MORE_RELEASES = "a larger value releases all that a smaller one does, and more"
MORE_SELECTED = (
    "sums over sets of k steps are sums over pairs of a set and one more step: by Kahane's inequality that step makes "
    "their mean larger in convex order if it is added to the set, as any two sets keep what they have in common"
)
MORE_NOISE = "larger noise is smaller noise with further noise added to the output"
RESPONSE_BUDGETS = "every budget rises with it, and a response with a smaller budget is a post-processing"
ONE_OF_ITS_BUDGET = "the known randomizer is one of those of its budget"
MORE_MESSAGES = "one client more adds a message of known content, and its place is not revealed"

# The relative width from which on the answer for any randomizer of the budget is asked for, too: it limits the effort,
# and any number is right.
WORTH_ANY_RANDOMIZER = 0.05

# The number of steps of mechanisms that run repeatedly.
REPETITIONS = replace(PARAMETERS["steps"], help="number of repetitions")


def steps_of_epoch(meaning: str) -> Parameter:
    """Return the number of steps of a protocol with epochs; its option cannot be taken for the steps of all epochs."""
    return replace(PARAMETERS["steps"], help=meaning, option=PER_EPOCH)


# The number of slots among which a record is hidden anew in every epoch.
SLOTS = steps_of_epoch("number of slots m of one epoch, which are its steps of training")

# The sources of the bounds of hidden slots for the worst-case randomizer, in words.
WORST_BOUNDS = (
    "an explicit randomizer that attains it",
    "no randomizer exceeds it, not even an adaptive one; rounding included",
)
# The sources of the bounds of samples of fixed size, in words: no data set is known to be the worst one.
FIXED_SIZE_BOUNDS = (
    "data whose other records all equal one of the two that differ",
    "Zhu, Dong, Wang (2022), Proposition 30, which covers all data",
)
# The two ways in which records are sampled, as an answer names them.
POISSON_SAMPLES = "Poisson sampling"
FIXED_SIZE_SAMPLES = "sampling of fixed size, without replacement"
# The reason why a protocol with continuous or unbounded noise has no witness files.
NOISE_HAS_NO_TABLE = "noise has no finite table of exact probabilities"


@dataclass(frozen=True)
class MechanismKind:
    """A mechanism that other accountants know: its numbers in the order of a composition, and whose records differ."""

    numbers: tuple[str, ...]
    adjacency: str


KINDS = {
    "rr": MechanismKind(("eps0", "delta0"), "replace"),
    "gaussian": MechanismKind(("sigma",), "any"),
    "laplace": MechanismKind(("scale",), "any"),
    "discrete-gaussian": MechanismKind(("sigma",), "any"),
    "discrete-laplace": MechanismKind(("scale",), "any"),
    "subsampled-gaussian": MechanismKind(("sigma", "rate"), "add-remove"),
    "replaced-subsampled-gaussian": MechanismKind(("sigma", "rate"), "replace"),
    "fixed-size-gaussian": MechanismKind(("sigma", "rate"), "replace"),
    "subsampled-rr": MechanismKind(("eps0", "rate", "delta0"), "add-remove"),
}


# Those of Gaussian noise, discrete or not: a loss above every bound is possible, whatever else runs.
UNBOUNDED_KINDS = frozenset(kind for kind in KINDS if "gaussian" in kind)


@dataclass(frozen=True)
class Part:
    """One mechanism, ``count`` times; ``numbers`` are its parameters by name."""

    kind: str
    numbers: tuple[tuple[str, Any], ...]
    count: int = 1


def part(kind: str, numbers: dict[str, Any], count: int) -> Part:
    """Return the part of a kind, its numbers picked from some by name."""
    return Part(kind, tuple((name, numbers[name]) for name in KINDS[kind].numbers), count)


# The most steps with different budgets that a peer is asked about one by one.
MOST_PARTS = 10**4


@dataclass(frozen=True)
class Examples:
    """The options of a protocol in the examples of ``--help``, where sample values do not suffice.

    ``options``: options without sample values.  ``calibrate``: the parameter solved for, and the target; the default is
    the first parameter that can be solved for, and 1.  ``coarse``: whether that example asks for little precision.
    ``compare``, ``witness``: all options.
    """

    options: str = ""
    calibrate: tuple[str, float] | None = None
    coarse: bool = False
    compare: str = ""
    witness: str = ""

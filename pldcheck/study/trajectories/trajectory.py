r"""The posterior of a hidden slot before each output, when every slot uses binary randomized response.

With slot I uniform on 1..m, the record used there with probability w, and :math:`a_j` the likelihood ratio of output j
under the record against the reference, Bayes' rule gives

.. math:: q_i = P(I = i \mid y_{<i}) = \frac{1}{\sum_{j<i} (1 - w + w a_j) + m - i + 1},

since :math:`P(y_{<i} \mid I = j) = (1 - w + w a_j) Q_0(y_{<i})` for j < i and :math:`Q_0(y_{<i})` for j >= i.  The mean
of these over I is :math:`P(y_{<i})/Q_0(y_{<i}) = 1/(m q_i)`.

The reference is the record's opposite (the law CF): each output has ratio x with probability 1/(x + 1) under Q0, and
1/x else.  With N outputs of ratio x, :math:`1/(m q_i) = b + c N`.  Under the record's own law P each N has its
probability under Q0 times that, and N times a binomial probability is that of one trial fewer:

.. math:: P(N \le k) = b F_{i-1}(k) + c (i-1) p F_{i-2}(k - 1), \qquad F_n \text{ the binomial law at } p = 1/(x + 1).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import exp, expm1
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from ... import drawing
from ...core.arrays import Array
from ...core.directed import UNIT
from ...core.errors import ParameterError
from ...core.parameters import Parameter, parse

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The default levels of the quantiles.
LEVELS = (0.5, 0.9, 0.99, 0.999, 1 - 1e-6)
# Most slots of a trajectory.
MOST_SLOTS = 10**9
# Factor by which posteriors are rounded up.  1/(m q) is a sum of two positive terms with five roundings each, among
# them an exponential; its inverse adds one rounding.
OUTWARD = 1.0 + 16 * UNIT
# Share of a tail that is left for the round-off of binomial probabilities.
ROOM = 1e-9
# The range of a level.
_LEVEL = Parameter("levels", "probabilities of the quantiles", 0, 1, low_open=True, high_open=True)
# The range of the number of indices.
_POINTS = Parameter("points", "number of indices", 2, 10**5, integer=True)


@dataclass(frozen=True, eq=False)
class Trajectory:
    r"""The distribution of the posteriors :math:`q_i` at some indices, under the record's own law.

    Parameters
    ----------
    protocol, params, slots
        The name and the parameters of the algorithm, and its number of steps.
    indices, levels
        The indices i, which count from 1 to ``slots``, and the levels of the quantiles.
    quantile_upper
        Upper bounds of the quantiles, float64[levels, indices]: the smallest q with P(q_i <= q) >= level or a little
        more (by 1e-9 of 1 - level; one atom if the level is that near to a jump).
    envelope, envelope_improved
        The bound of q_i in the paper, and a sharper one.

    """

    protocol: str
    params: Mapping[str, Any]
    slots: int = field(repr=False)
    indices: NDArray[np.int64] = field(repr=False)
    levels: Array
    quantile_upper: Array = field(repr=False)
    envelope: Array = field(repr=False)
    envelope_improved: Array = field(repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "params", MappingProxyType(dict(self.params)))
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    def step_epsilon(self, posterior: Array) -> Array:
        r"""Return the epsilon of a step at a posterior, :math:`\log(1 + w q (x-1))`.

        It is the epsilon of a step, conditionally on the past, if the posterior of this record is the larger one (proof
        of Theorem A.4).  The probability of a level holds for each index, and not for all indices together.
        """
        growth = self.params["weight"] * np.expm1(self.params["eps0"])
        return np.asarray(np.log1p(growth * posterior) * OUTWARD)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON, with one list of quantiles for each level."""
        arrays = {name: value.tolist() for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        return {"protocol": self.protocol, "params": dict(self.params), "slots": self.slots, **arrays}

    def plot(self, ax: Axes | None = None) -> Axes:
        """Plot m q_i against i/m: bands between the quantiles, and both envelopes; 1 means that nothing was learned.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            The axes to draw on; by default those of a new pyplot figure.

        Returns
        -------
        matplotlib Axes
            The axes, with a legend beside them.

        Examples
        --------
        >>> from pldcheck.study import trajectories
        >>> trajectories.random_replacement(steps=100, eps0=1.0).plot().get_ylabel()
        'm qᵢ'

        """
        envelopes = {"envelope (paper)": self.envelope, "envelope (improved)": self.envelope_improved}
        with drawing.styled_axes.axes_or_new(ax, 6.4, 3.4) as axes:
            drawing.quantile_fan.draw(
                axes,
                self.indices / self.slots,
                self.levels,
                self.slots * self.quantile_upper,
                {name: self.slots * envelope for name, envelope in envelopes.items()},
            )
            axes.set(xlabel="i / m", ylabel="m qᵢ")
            axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
        return axes


def random_replacement(
    steps: int,
    eps0: float,
    weight: float = 1.0,
    *,
    levels: Iterable[float] = LEVELS,
    points: int = 200,
    indices: Iterable[int] | None = None,
) -> Trajectory:
    r"""Return the posteriors of A_rep (Balle et al. 2020, Algorithm 3): one record in a random slot, one law in all.

    The envelope of the paper is :math:`x/(i-1+x(m-i+1))` (proof of Theorem A.4).  The improved one keeps the weight,
    :math:`1/((i-1)(1-w+w/x) + m-i+1)`; it is attained when every output so far was the least likely one.

    Parameters
    ----------
    steps, eps0, weight
        The number of slots, the budget of the randomizer, and the probability that the record is used in its slot.
    levels
        The levels of the quantiles.
    points, indices
        The indices, which count from 1, or else the number of evenly spaced ones.

    Raises
    ------
    ParameterError
        If a value is outside its range.

    """
    values = parse(steps=steps, eps0=eps0, weight=weight)
    slots, least, w = int(values["steps"]), exp(-values["eps0"]), float(values["weight"])
    if slots > MOST_SLOTS:
        raise ParameterError("steps", f"at most {MOST_SLOTS:g} for trajectories", slots)
    given = np.array(_parse_all(_LEVEL, levels), dtype=np.float64)
    places = _places(slots, points, indices)
    past: Array = places.astype(np.float64) - 1.0
    rest = slots - past
    paper = OUTWARD / (past * least + rest)
    sharper = np.minimum(OUTWARD / (past * ((1.0 - w) + w * least) + rest), paper)
    base = (rest + past * ((1.0 - w) + w * least)) / slots
    slope = w * expm1(values["eps0"]) * (1.0 + least) / slots
    counts = _counts(past, base, slope, least / (1.0 + least), (1.0 - given)[:, None] * (1.0 - ROOM))
    # No posterior is above its envelope, which therefore bounds quantiles that round-off has increased.
    quantiles = np.minimum(OUTWARD / slots / (base + slope * counts), sharper)
    params = {**values, "law": "CF", "record": "d"}
    return Trajectory("random-replacement", params, slots, places, given, quantiles, paper, sharper)


def _counts(past: Array, base: Array, slope: float, chance: float, tails: Array) -> Array:
    """Return the largest counts k of ratios x for which P(N < k) is at most each tail, by halving."""
    low, high = np.broadcast_arrays(np.zeros_like(tails), past + 1.0)
    while np.any(high - low > 1.0):
        middle = np.floor(0.5 * (low + high))
        fewer = _at_most(middle - 2.0, past - 1.0, chance)
        below = base * _at_most(middle - 1.0, past, chance) + slope * past * chance * fewer
        low, high = np.where(below <= tails, middle, low), np.where(below <= tails, high, middle)
    return np.asarray(low)


def _at_most(count: Array, trials: Array, chance: float) -> Array:
    """Return the probability that a binomial number is at most ``count``."""
    inside = betainc(np.maximum(trials - count, 1.0), np.maximum(count + 1.0, 1.0), 1.0 - chance)
    return np.where(count < 0.0, 0.0, np.where(count < trials, inside, 1.0))


def _places(slots: int, points: int, indices: Iterable[int] | None) -> NDArray[np.int64]:
    if indices is None:
        return np.unique(np.rint(np.linspace(1, slots, int(_POINTS.parse(points)))).astype(np.int64))
    given = _parse_all(Parameter("indices", "indices", 1, slots, integer=True), indices)
    return np.unique(np.array(given, dtype=np.int64))


def _parse_all(parameter: Parameter, values: Iterable[Any]) -> list[float]:
    entries = list(values) if isinstance(values, Iterable) else []
    if not entries:
        raise ParameterError(parameter.name, "a sequence with at least one entry", values)
    return [parameter.parse(value) for value in entries]

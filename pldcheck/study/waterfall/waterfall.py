r"""The losses of a proof: one epsilon at levels that undo its steps, from the printed formula to the true value.

For Theorem 3.2, with x = e^eps0, w the weight, and q_i the envelope of the posterior of slot i, the levels are

* L0, the formula;
* L1, the budgets eps_i = log(1 + w (x - 1) q_i) in the composition bound of the paper (Kairouz, Oh, Viswanath);
* L2, the optimal composition of these budgets;
* L3, each step an overlapping mixture at the envelope instead of an eps_i-DP mechanism;
* L4, the true epsilon of all adaptive randomizers, without an envelope.

For Theorem 5.1 the levels L0 to L2 are the same, and

* L3 is the random swap to which the proof reduces shuffling, which is the true value for Theorem A.7;
* L4, the stronger clones (Feldman, McMillan, Talwar 2022), which need no swap;
* L5, the true epsilon.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from math import exp, expm1, log, log1p, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import drawing, pld
from ...core.directed import UNIT
from ...core.errors import ParameterError, UnknownNameError
from ...core.interval import Interval
from ...core.outward_decimals import down, up
from ...hidden_slot.worst.step_laws import VERTICES
from ...pld import PrivacyLossDistribution
from ...pld.step_losses import Array
from ...protocols import HiddenSlot, Shuffle, Swap
from ...shuffling.three_symbol_pair import stronger_clones
from ...theorems import REGISTRY

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Most steps of randomized response that are treated one by one.  More steps are grouped, each group at its largest
# budget, which gives an upper bound.
MOST_STEPS_RESPONSE = 50_000
# Most steps with mixtures that are treated one by one; their composition takes longer.
MOST_STEPS_MIXTURE = 500
# Most steps of the sum in the paper's composition bound, whose terms are held in memory.
MOST_STEPS = 10**7
# Points of the privacy profile of a mixture in addition to its kinks.
POINTS = 33
# The five extreme laws: every convex payoff of one step is largest for one of them.
EXTREME_LAWS = ("AD", "BE", "CF", "ACE", "BDF")
# Relative error of one rounding, twice over: numpy's and libm's functions err by at most one unit in the last place.
TWICE = 2.0 * UNIT
# The likelihood ratios at each vertex as powers of x.
_POWERS = {**VERTICES, "D": (1, 1)}


@dataclass(frozen=True)
class Level:
    """One level of a waterfall: an interval of its epsilon, or an upper bound where steps are grouped."""

    name: str
    title: str
    interval: Interval

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values, ready for JSON."""
        return {"name": self.name, "title": self.title, "lower": self.interval.lower, "upper": self.interval.upper}


@dataclass(frozen=True)
class Waterfall:
    """The levels of one theorem at one choice of its parameters, from the loosest to the tightest."""

    theorem: str
    params: dict[str, float] = field(hash=False)
    levels: tuple[Level, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values, ready for JSON."""
        return {
            "theorem": self.theorem,
            "params": dict(self.params),
            "levels": [level.to_dict() for level in self.levels],
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Plot a bar for each level, from the printed formula to the true value, on a logarithmic axis.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            The axes to draw on; by default those of a new pyplot figure.

        Returns
        -------
        matplotlib Axes
            The axes.  A bar ends at its level's upper end, which is printed beside it, rounded up, with the factor that
            the next step gains; a black line marks the lower end of the last level.

        Examples
        --------
        >>> axes = waterfall("thm-A.7", clients=100, eps0=1.0, delta=1e-6).plot()
        >>> axes.get_xlabel()
        'ε'

        """
        names = [f"{level.name}  {level.title}" for level in self.levels]
        with drawing.styled_axes.axes_or_new(ax, 6.8, 0.8 + 0.5 * len(names)) as axes:
            drawing.level_bars.draw(axes, names, [level.interval for level in self.levels])
        return axes

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{level.name}</td><td>{escape(level.title)}</td>"
            f"<td>{down(level.interval.lower)}</td><td>{up(level.interval.upper)}</td></tr>"
            for level in self.levels
        )
        head = "<tr><th></th><th>epsilon of</th><th>lower</th><th>upper</th></tr>"
        return f"<table><caption>where {escape(self.theorem)} loses</caption>{head}{rows}</table>"


@dataclass(frozen=True)
class _Chain:
    """The budget of slot i in the proof of a theorem, and the names of the parameters for slots and weight."""

    count: str
    weight: str | None
    # This function maps (x - 1, x, w, n, i - 1) to e^eps_i - 1, which grows with i.
    growth: Callable[[float, float, float, int, Array], Array]


def _replacement(x_1: float, x: float, w: float, n: int, past: Array) -> Array:
    """Return w (x - 1) q_i with q_i = x/(i - 1 + x (n - i + 1)), the envelope of Theorem A.4."""
    return w * x_1 * x / (past + x * (n - past))


def _swap(x_1: float, x: float, w: float, n: int, past: Array) -> Array:
    """Return (x - 1) q_i with q_i = x^2/(x^2 + i - 1 + (n - i) x), the envelope of Theorem A.7."""
    return x_1 * x * x / (x * x + past + (n - 1 - past) * x)


_CHAINS = {
    "thm-3.2": _Chain("steps", "check_in_prob", _replacement),
    "thm-A.4": _Chain("steps", "weight", _replacement),
    "thm-4.3": _Chain("window", None, _replacement),
    "thm-A.7": _Chain("clients", None, _swap),
    "thm-5.1": _Chain("clients", None, _swap),
}


def waterfall(theorem: str, /, **params: object) -> Waterfall:
    """Return the waterfall of a theorem: one epsilon at levels from the printed formula to the true value.

    Parameters
    ----------
    theorem
        The id of one of ``THEOREMS``.
    **params
        The parameters of the theorem, as in its own call.

    Returns
    -------
    Waterfall
        The levels, each with an interval of its epsilon.

    Raises
    ------
    UnknownNameError
        If the theorem has no waterfall.
    ParameterError
        If a parameter is outside its range, or there are too many steps to add up.
    ConditionError
        If a condition of the theorem fails.

    """
    if theorem not in _CHAINS:
        raise UnknownNameError("theorem with a waterfall", theorem, _CHAINS)
    chain, bound = _CHAINS[theorem], REGISTRY[theorem](**params)
    values = dict(bound.params)
    n, eps0, delta = int(values[chain.count]), float(values["eps0"]), float(values["delta"])
    w = float(values[chain.weight]) if chain.weight else 1.0
    if n > MOST_STEPS:
        raise ParameterError(chain.count, f"at most {MOST_STEPS:g} for waterfalls, which add up all steps", n)

    def growths(most: int) -> tuple[Array, Array]:
        """Return e^eps_i - 1 of each group of steps, and the number of steps in it."""
        last = np.unique(np.ceil(np.arange(1, min(n, most) + 1) * (n / min(n, most))).astype(np.int64)) - 1
        return chain.growth(expm1(eps0), 1.0 + expm1(eps0), w, n, last.astype(float)), np.diff(last, prepend=-1)

    levels = [
        Level("L0", f"the formula of {theorem}", _exactly(bound.value)),
        Level("L1", "the paper's composition bound, term by term", _exactly(_advanced_composition(*growths(n), delta))),
        Level("L2", "the optimal composition of the same budgets", _responses(*growths(MOST_STEPS_RESPONSE), delta)),
    ]
    if chain.growth is _replacement:
        levels.append(
            Level(
                "L3",
                "each step as a mixture, not only by its budget",
                _mixtures(*growths(MOST_STEPS_MIXTURE), eps0, delta),
            )
        )
        levels.append(Level("L4", "the true epsilon", HiddenSlot(n, eps0, w).epsilon(delta)))
    else:
        levels += _shuffle_levels(n, eps0, delta, swap_only=theorem == "thm-A.7")
    return Waterfall(theorem, values, tuple(levels))


# The theorems that have a waterfall.
THEOREMS = tuple(_CHAINS)


def _shuffle_levels(n: int, eps0: float, delta: float, *, swap_only: bool) -> list[Level]:
    """Return the levels of the random swap, to which the proof reduces shuffling, and of shuffling itself."""
    swap = Swap(n, eps0).epsilon(delta)
    if swap_only:
        return [Level("L3", "the true epsilon", swap)]
    low, high, _ = stronger_clones(n, eps0).epsilon(delta)
    return [
        Level("L3", "the random swap to which the proof reduces it", swap),
        Level("L4", "the stronger clones, which need no swap", Interval(low, high)),
        Level("L5", "the true epsilon", Shuffle(n, eps0).epsilon(delta)),
    ]


def _exactly(value: float) -> Interval:
    """Return an interval that contains the value of a formula, with its round-off."""
    return Interval(value * (1.0 - 1e-12), value * (1.0 + 1e-12))


def _advanced_composition(growth: Array, counts: Array, delta: float) -> float:
    r"""Return :math:`\sum \epsilon_i \tanh(\epsilon_i/2) + \sqrt{2 \log(1/\delta) \sum \epsilon_i^2}`."""
    budgets = np.log1p(growth)
    drift = float(np.sum(counts * budgets * growth / (growth + 2.0)))
    return drift + sqrt(-2.0 * log(delta) * float(np.sum(counts * budgets**2)))


def _responses(growth: Array, counts: Array, delta: float) -> Interval:
    """Return epsilon of the composition of randomized responses with these budgets."""
    steps = [
        pld.randomized_response(log1p(value)).compose(int(count))
        for value, count in zip(growth.tolist(), counts.tolist(), strict=True)
    ]
    return pld.compose_all(steps).epsilon(delta)


def _mixtures(growth: Array, counts: Array, eps0: float, delta: float) -> Interval:
    """Return epsilon of the composition of overlapping mixtures with weights w q_i = growth/(x - 1); an upper bound."""
    steps = [
        mixture(eps0, value / expm1(eps0)).compose(int(count))
        for value, count in zip(growth.tolist(), counts.tolist(), strict=True)
    ]
    return pld.compose_all(steps).epsilon(delta)


def mixture(eps0: float, weight: float) -> PrivacyLossDistribution:
    r"""Return the losses of one slot that uses the record with probability ``weight``, for the worst-case randomizer.

    At every epsilon the privacy profile is that of the worst eps0-DP randomizer,

    .. math:: \delta(\kappa) = \max_{laws} E[(1 - \kappa) + \omega (a - 1 - \kappa (a' - 1))]_+

    over the five extreme laws of the ratios (a, a').  It is bounded by the polygon through its kinks and more points.
    """
    x_1 = expm1(eps0)
    changes = np.array([expm1(-eps0), 0.0, x_1])  # x^j - 1 for j = -1, 0, 1
    outcomes, kinks, largest = [], {0.0}, 0.0
    for law in EXTREME_LAWS:
        powers = np.array([_POWERS[vertex] for vertex in law])
        a, b = weight * changes[powers[:, 0] + 1], weight * changes[powers[:, 1] + 1]
        outcomes.append((_chances(law, eps0), a, b))
        one, other = np.log1p(a), np.log1p(b)
        losses = np.abs(one - other)
        kinks |= set(losses.tolist())
        # Each logarithm errs by two units of its own and by those of its argument, whose derivative is at most x.
        largest = max(largest, float(np.max(losses + 8 * TWICE * (abs(one) + abs(other) + abs(a) + x_1 * abs(b)))))
    points = np.unique([*kinks, *np.linspace(0.0, largest, POINTS)])
    kappa_1 = np.expm1(points)[:, None]
    deltas = np.max([_mean_upper(p, a, b, kappa_1) for p, a, b in outcomes], axis=0)
    # The last point is rounded up, so that no loss reaches it and delta is 0 there.
    deltas = np.where(points >= largest, 0.0, np.minimum(deltas, 1.0))
    return pld.from_curve(points, deltas, symmetric=True)


def _mean_upper(p: Array, a: Array, b: Array, kappa_1: Array) -> Array:
    """Return an upper bound of the mean of (a - b - kappa_1 (1 + b))_+; terms that cancel are charged in full."""
    gains = a - b - kappa_1 * (1.0 + b)
    # Round-off: a and b have three units each (a power minus one, a product); 1 + b, kappa_1 and their product have
    # two, two and one, and those of b once more; the two subtractions act on at most the parts.
    parts = abs(a) + abs(b) + kappa_1 * (1.0 + 2.0 * abs(b))
    return np.maximum(gains + 8 * TWICE * parts, 0.0) @ p * (1.0 + 16 * TWICE)


def _chances(law: str, eps0: float) -> Array:
    """Return the probabilities of the outcomes of an extreme law, each within four units; both mean ratios are 1."""
    x = exp(eps0)
    if len(law) == 2:
        return np.array([x, 1.0] if law in ("AD", "BE") else [1.0, x]) / (x + 1.0)
    return np.array([x, 1.0, 1.0]) / (x + 2.0) if law == "ACE" else np.array([x, 1.0, x]) / (2.0 * x + 1.0)

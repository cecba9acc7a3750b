"""The two algorithms whose posteriors the proofs bound, each with the paper's envelope and a sharper one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Array
from ...core.errors import ParameterError, UnknownNameError
from ...core.parameters import Parameter, parse
from ...hidden_slot.worst.step_laws import LAWS, StepLaw
from .slot_posterior import OUTWARD, RECORDS, Posterior
from .trajectory import Trajectory

# The default levels of the quantiles.
LEVELS = (0.5, 0.9, 0.99, 0.999, 1 - 1e-6)
# Most slots of a trajectory.
MOST_SLOTS = 10**9
# Largest number of quantiles times the root of the slots for the law of three outputs: about half a minute.
MOST_WORK = 2.5e6
# The range of a level.
_LEVEL = Parameter("levels", "probabilities of the quantiles", 0, 1, low_open=True, high_open=True)
# The range of the number of indices.
_POINTS = Parameter("points", "number of indices", 2, 10**5, integer=True)


def random_replacement(
    steps: int,
    eps0: float,
    weight: float = 1.0,
    *,
    law: str = "CF",
    record: str = "d",
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
    law
        The law of all slots: BE, CF or ACE.
    record
        The record whose posterior is computed: ``"d"`` (ratios a) or ``"d'"`` (ratios a').  All ratios of BE under d
        and of CF under d' are 1, so that q_i = 1/m.
    levels
        The levels of the quantiles.
    points, indices
        The indices, which count from 1, or else the number of evenly spaced ones.

    Raises
    ------
    ParameterError, UnknownNameError
        If a value is outside its range, or there is no such law.

    """
    values = parse(steps=steps, eps0=eps0, weight=weight)
    slots = _slot_count("steps", values["steps"])
    posterior = Posterior(slots, values["eps0"], values["weight"], _law(law), _record(record))
    places = _places(slots, points, indices)
    past, rest = places - 1.0, slots - places + 1.0
    least = np.exp(-posterior.eps0)
    paper = 1.0 / (past * least + rest)
    sharper = 1.0 / (past * ((1.0 - posterior.weight) + posterior.weight * least) + rest)
    params = {**values, "law": law, "record": record}
    return _trajectory("random-replacement", params, posterior, _levels(levels), places, paper, sharper)


def random_swap(
    clients: int,
    eps0: float,
    *,
    law: str = "CF",
    record: str = "d",
    levels: Iterable[float] = LEVELS,
    points: int = 200,
    indices: Iterable[int] | None = None,
) -> Trajectory:
    r"""Return the posteriors of A_swap (Balle et al. 2020, Algorithm 6) for the case that all other records are equal.

    Then the record that position 1 receives carries no information, and q_i is that of one record among n slots, as in
    :func:`random_replacement` with w = 1, whose parameters are the same.  The envelopes hold for any other records: the
    paper's :math:`x^2/(x^2+(i-1)+(n-i)x)` (proof of Theorem A.7), which this configuration does not attain, and

    .. math:: q_1 = 1/n, \qquad q_i \le \frac{x^2}{x^2 + x + (i-2) + (n-i)x} \quad (i \ge 2),

    which is sharper since the datasets swapped at 1 and at i differ, before i, in position 1 only, so that the
    likelihood ratio is x and not x^2.  It is attained by a first output that is x times as likely under d_i as under
    all others, and least likely outputs after it.
    """
    values = parse(clients=clients, eps0=eps0)
    slots = _slot_count("clients", values["clients"])
    posterior = Posterior(slots, values["eps0"], 1.0, _law(law), _record(record))
    places = _places(slots, points, indices)
    past, after = places - 1.0, slots - places
    least = np.exp(-posterior.eps0)
    paper = 1.0 / (1.0 + past * least**2 + after * least)
    sharp = 1.0 / (1.0 + least + (past - 1.0) * least**2 + after * least)
    sharper = np.where(places == 1, 1.0 / slots, sharp)
    params = {**values, "law": law, "record": record}
    return _trajectory("random-swap", params, posterior, _levels(levels), places, paper, sharper)


def _trajectory(
    protocol: str,
    params: dict[str, Any],
    posterior: Posterior,
    levels: Array,
    places: NDArray[np.int64],
    paper: Array,
    sharper: Array,
) -> Trajectory:
    _refuse_long_work(posterior, levels, places)
    paper = paper * OUTWARD
    sharper = np.minimum(sharper * OUTWARD, paper)
    # No posterior is above its envelope, which therefore bounds quantiles that round-off has increased.
    reference, own = np.minimum(posterior.quantile_upper(levels, places), sharper)
    mean = posterior.mean_reference(places)
    return Trajectory(protocol, params, posterior.slots, places, levels, own, reference, mean, paper, sharper)


def _refuse_long_work(posterior: Posterior, levels: Array, places: NDArray[np.int64]) -> None:
    """Raise ParameterError where the quantiles of sums of three-valued outputs would take minutes."""
    most = int(MOST_WORK / (levels.size * posterior.slots**0.5))
    if len(posterior.powers) == 3 and places.size > max(most, 2):
        raise ParameterError("points", f"at most {max(most, 2)} with law ACE over {posterior.slots} slots", places.size)


def _slot_count(name: str, slots: float) -> int:
    if slots > MOST_SLOTS:
        raise ParameterError(name, f"at most {MOST_SLOTS:g} for trajectories", slots)
    return int(slots)


def _law(name: str) -> StepLaw:
    laws = {law.name: law for law in LAWS}
    if str(name) not in laws:
        raise UnknownNameError("law", str(name), laws)
    return laws[str(name)]


def _record(name: str) -> str:
    if name not in RECORDS:
        raise ParameterError("record", f"one of {', '.join(RECORDS)}", name)
    return name


def _levels(levels: Iterable[float]) -> Array:
    return np.array(_parse_all(_LEVEL, levels), dtype=np.float64)


def _places(slots: int, points: int, indices: Iterable[int] | None) -> NDArray[np.int64]:
    if indices is None:
        return np.unique(np.rint(np.linspace(1, slots, int(_POINTS.parse(points)))).astype(np.int64))
    return np.unique(
        np.array(_parse_all(Parameter("indices", "indices", 1, slots, integer=True), indices), dtype=np.int64)
    )


def _parse_all(parameter: Parameter, values: Iterable[Any]) -> list[float]:
    try:
        entries = list(values)
    except TypeError:
        entries = []
    if not entries:
        raise ParameterError(parameter.name, "a sequence with at least one entry", values)
    return [parameter.parse(value) for value in entries]

r"""Vadhan (2017): groups of records, from the guarantee for one record, for Gaussian noise.

k is ``group``; :math:`G_\sigma` is the curve of Gaussian noise.  The relative error is below 1e-12.
"""

from __future__ import annotations

from math import exp
from typing import Any

from ..recalled import AS_RECALLED
from ..steinke22.gaussian_noise import gaussian
from ..theorem import Source, Theorem

VADHAN = "Vadhan, The Complexity of Differential Privacy, Tutorials on the Foundations of Cryptography 2017"
URL = "https://doi.org/10.1007/978-3-319-57048-8_7"


def group_delta(*, sigma: float, group: int, epsilon: float) -> float:
    r"""Return :math:`k e^{k\epsilon} G_\sigma(\epsilon)`, at most 1, claimed at :math:`k \epsilon`."""
    return min(1.0, group * exp(group * epsilon) * gaussian(sigma=sigma, epsilon=epsilon))


def linear_delta(*, sigma: float, group: int, epsilon: float) -> float:
    r"""Return :math:`k G_\sigma(\epsilon)`, at most 1, claimed at :math:`k \epsilon`."""
    return min(1.0, group * gaussian(sigma=sigma, epsilon=epsilon))


def group_epsilon(*, sigma: float, group: int, epsilon: float) -> float:
    r"""Return :math:`k \epsilon`."""
    return group * epsilon


def of_group(*, sigma: float, group: int, epsilon: float) -> dict[str, Any]:
    """Return the fields of Gaussian noise on what k records change, which is k times as much as one does."""
    return {"sigma": sigma / group}


THEOREMS = (
    Theorem(
        id="vadhan17-group",
        title="Group privacy, for Gaussian noise",
        statement=r"\delta = k e^{k\epsilon} G_\sigma(\epsilon) \text{ at } k \epsilon",
        adjacency="any",
        protocol="gaussian",
        parameters=("sigma", "group", "epsilon"),
        conditions=(),
        source=Source("Vadhan17", VADHAN, "the lemma on group privacy", URL),
        formula=group_delta,
        notes=f"{AS_RECALLED} It is stated for any mechanism with that curve.",
        quantity="delta",
        at=group_epsilon,
        subject=of_group,
        example={"sigma": 4, "group": 3, "epsilon": 1},
    ),
    Theorem(
        id="group-linear",
        title="Group privacy with k delta, a misquotation (false)",
        misread=True,
        statement=r"\delta = k G_\sigma(\epsilon) \text{ at } k \epsilon",
        adjacency="any",
        protocol="gaussian",
        parameters=("sigma", "group", "epsilon"),
        conditions=(),
        source=Source("Vadhan17", VADHAN, "the lemma on group privacy without its factor", URL),
        formula=linear_delta,
        notes=f"{AS_RECALLED} The author does not claim it: the lemma has a factor that grows with epsilon.",
        quantity="delta",
        at=group_epsilon,
        subject=of_group,
        example={"sigma": 4, "group": 3, "epsilon": 1},
    ),
)

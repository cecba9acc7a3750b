r"""Balle, Barthe, Gaboardi (2018): batches with replacement, where a record may be drawn several times.

m records, ``batch``, are drawn each of all n = ``records`` + 1, so that a given one is drawn with probability
:math:`\gamma = 1 - (1 - 1/n)^m`.  The curves are those of one step.  The relative error is below 1e-12.
"""

from __future__ import annotations

from math import exp, expm1, fsum, log1p
from typing import Any

from ..recalled import AS_RECALLED
from ..steinke22.gaussian_noise import gaussian
from ..theorem import Source, Theorem
from .drawn_samples import BBG, URL

# Numbers of draws beyond which a binomial probability is not summed: it is below 1e-30 of the largest one.
NEGLIGIBLE = 1e-30


def drawn(records: int, batch: int) -> float:
    r"""Return :math:`\gamma`, the probability that a given record is drawn."""
    return -expm1(batch * log1p(-1 / (records + 1)))


def times_drawn(records: int, batch: int) -> list[float]:
    """Return the probabilities that a given record is drawn once, twice and so on, by their ratios."""
    mass, masses = batch / (records + 1) * exp((batch - 1) * log1p(-1 / (records + 1))), []
    for k in range(1, batch + 1):
        masses.append(mass)
        if mass < NEGLIGIBLE * max(masses):
            break
        mass *= (batch - k) / ((k + 1) * records)
    return masses


def present_delta(*, eps0: float, records: int, batch: int, epsilon: float) -> float:
    r"""Return :math:`\sum_{k \ge 1} \binom mk n^{-k} (1 - 1/n)^{m-k} \delta_k(\epsilon)` for a response on presence.

    The mechanism tells whether a given record is in the batch, by randomized response: for any number k of places its
    curve is :math:`\delta_k(\epsilon) = (e^{\epsilon_0} - e^\epsilon)_+ / (e^{\epsilon_0} + 1)`.
    """
    if epsilon >= eps0:
        return 0.0
    once = exp(epsilon) * expm1(eps0 - epsilon) / (exp(eps0) + 1)
    return fsum(mass * once for mass in times_drawn(records, batch))


def present_epsilon(*, eps0: float, records: int, batch: int, epsilon: float) -> float:
    r"""Return :math:`\log(1 + \gamma (e^\epsilon - 1))`."""
    return log1p(drawn(records, batch) * expm1(epsilon))


def with_presence(*, eps0: float, records: int, batch: int, epsilon: float) -> dict[str, Any]:
    """Return the fields of randomized response on a sample that has the record with probability gamma."""
    return {"eps0": eps0, "delta0": 0.0, "rate": drawn(records, batch)}


def single_delta(*, sigma: float, records: int, batch: int, epsilon: float) -> float:
    r"""Return :math:`\gamma G_\sigma(\epsilon)`, claimed at :math:`\log(1 + \gamma (e^\epsilon - 1))`."""
    return drawn(records, batch) * gaussian(sigma=sigma, epsilon=epsilon)


def single_epsilon(*, sigma: float, records: int, batch: int, epsilon: float) -> float:
    r"""Return :math:`\log(1 + \gamma (e^\epsilon - 1))`."""
    return log1p(drawn(records, batch) * expm1(epsilon))


def with_replacement(*, sigma: float, records: int, batch: int, epsilon: float) -> dict[str, Any]:
    """Return the fields of batches whose records are drawn each of all."""
    return {"sigma": sigma, "records": records, "batch": batch, "sampling": "with-replacement"}


PLACE = (
    r"\text{ at } \log\left(1 + \gamma (e^\epsilon - 1)\right),"
    r" \quad \gamma = 1 - \left(1 - \frac1n\right)^m"
)

THEOREMS = (
    Theorem(
        id="bbg18-10",
        title="Amplification by batches with replacement, for a response on presence",
        statement=(
            r"\delta = \sum_{k=1}^m \binom mk \frac1{n^k} \left(1 - \frac1n\right)^{m-k}"
            r" \frac{(e^{\epsilon_0} - e^\epsilon)_+}{e^{\epsilon_0} + 1}" + PLACE
        ),
        adjacency="any",
        protocol="subsampled-randomized-response",
        parameters=("eps0", "records", "batch", "epsilon"),
        conditions=(),
        source=Source("BBG18", BBG, "Theorem 10", URL),
        formula=present_delta,
        notes=(
            f"{AS_RECALLED} It is an upper bound for any mechanism, by its curves for groups of k records, and judged "
            "for a mechanism that tells by randomized response whether the record is in the batch, however often: "
            "there it is exact. For Gaussian noise the certified upper end of fixed-batches is this bound itself, "
            "rounded up, so that no cell would be decided."
        ),
        quantity="delta",
        relation="=",
        at=present_epsilon,
        zero=True,
        subject=with_presence,
        example={"eps0": 1, "records": 99, "batch": 10, "epsilon": 0.5},
    ),
    Theorem(
        id="bbg18-10-single",
        title="Batches with replacement by the curve of one record, for Gaussian noise (false)",
        misread=True,
        statement=r"\delta = \gamma G_\sigma(\epsilon)" + PLACE,
        adjacency="replace",
        protocol="fixed-batches",
        parameters=("sigma", "records", "batch", "epsilon"),
        conditions=(),
        source=Source("BBG18", BBG, "Theorem 10 with the curve of one record in the place of those of groups", URL),
        formula=single_delta,
        notes=(
            f"{AS_RECALLED} The authors do not claim it: a record may be in several places, and each moves the sum. It "
            "is what Theorem 9 says, with the probability of being drawn in the place of the share. sigma is the noise "
            "over what the replaced record changes in one place. With batches of one record it is true."
        ),
        quantity="delta",
        at=single_epsilon,
        subject=with_replacement,
        example={"sigma": 1, "records": 99, "batch": 10, "epsilon": 1},
    ),
)

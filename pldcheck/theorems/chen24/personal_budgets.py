r"""Chen, Cao, Ge (2024): shuffling of clients with personal budgets as Gaussian noise.

n is ``clients``; their budgets :math:`\epsilon_i` are evenly spaced from ``eps0`` to ``eps0_last``, and all
:math:`\delta_i` are ``delta0``.  The formula is evaluated with a relative error below 5e-13.
"""

from __future__ import annotations

from math import exp, fsum, sqrt

from ..recalled import AS_RECALLED
from ..steinke22.gaussian_noise import CURVE, gaussian
from ..theorem import Condition, Source, Theorem

GENERALIZED = (
    "Chen, Cao, Ge, A Generalized Shuffle Framework for Privacy Amplification: Strengthening Privacy Guarantees and "
    "Enhancing Utility, AAAI 2024"
)
# The protocol is computed for so many clients.
MOST_CLIENTS = 200


def shares(clients: int, eps0: float, eps0_last: float) -> list[float]:
    r"""Return :math:`1/(1 + e^{\epsilon_i})` of all clients, in order of size."""
    step = (eps0_last - eps0) / (clients - 1)
    return sorted(1 / (1 + exp(eps0 + step * i)) for i in range(int(clients)))


def personal_limit(*, clients: int, eps0: float, eps0_last: float, epsilon: float) -> float:
    r"""Return the delta of Gaussian noise at the limit's :math:`\mu`, for randomizers that are purely private.

    .. math:: \mu = \sqrt{\frac2{\sum_i s_i - \max_i s_i}}, \quad s_i = \frac{1 - \delta_i}{1 + e^{\epsilon_i}}
    """
    return gaussian(sigma=sqrt(fsum(shares(clients, eps0, eps0_last)[:-1]) / 2), epsilon=epsilon)


def approximate_limit(*, clients: int, eps0: float, eps0_last: float, delta0: float, epsilon: float) -> float:
    r"""Return the same where all :math:`\delta_i` are ``delta0``."""
    kept = (1 - delta0) * fsum(shares(clients, eps0, eps0_last)[:-1])
    return gaussian(sigma=sqrt(kept / 2), epsilon=epsilon)


CLIENTS = (
    Condition("clients >= 2", "clients", lambda params: 2 - params["clients"]),
    Condition(
        f"clients <= {MOST_CLIENTS}, up to which it is computed",
        "clients",
        lambda params: params["clients"] - MOST_CLIENTS,
    ),
)
SOURCE = Source("CCG24", GENERALIZED, "the abstract", "https://arxiv.org/abs/2312.14388")
READ = (
    'The abstract says "approximately preserves": it is a limit for many clients, which is read as a bound here. It is '
    "judged for randomized responses with such budgets"
)

THEOREMS = (
    Theorem(
        id="ccg24-personal",
        title="Shuffling with personal budgets as Gaussian noise",
        statement=(
            CURVE + r", \quad \mu = \sqrt{\frac2{\sum_i s_i - \max_i s_i}}, \quad s_i = \frac1{1 + e^{\epsilon_i}}"
        ),
        adjacency="replace",
        protocol="personal-shuffle",
        parameters=("clients", "eps0", "eps0_last", "epsilon"),
        conditions=CLIENTS,
        source=SOURCE,
        formula=personal_limit,
        notes=f"{AS_RECALLED} {READ}, evenly spaced, where it holds in all cells of the suite.",
        quantity="delta",
        example={"clients": 100, "epsilon": 0.5, "eps0_last": 2},
    ),
    Theorem(
        id="ccg24-personal-approximate",
        title="Shuffling with approximate personal budgets as Gaussian noise, taken for a bound (false)",
        misread=True,
        statement=(
            CURVE + r", \quad \mu = \sqrt{\frac2{\sum_i s_i - \max_i s_i}}, \quad"
            r" s_i = \frac{1 - \delta_i}{1 + e^{\epsilon_i}}"
        ),
        adjacency="replace",
        protocol="personal-shuffle",
        parameters=("clients", "eps0", "eps0_last", "delta0", "epsilon"),
        conditions=(*CLIENTS, Condition("delta0 > 0", "delta0", lambda params: -params["delta0"], strict=True)),
        source=SOURCE,
        formula=approximate_limit,
        notes=(
            f"{AS_RECALLED} The authors do not claim it. {READ}, each of which tells the bit with probability delta0. "
            "Every delta is then at least delta0, so that no curve that tends to 0 bounds it."
        ),
        quantity="delta",
        example={"clients": 100, "delta0": 1e-6, "epsilon": 0.5, "eps0_last": 2},
    ),
)

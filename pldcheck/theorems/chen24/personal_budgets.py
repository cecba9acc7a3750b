r"""Chen, Cao, Ge (2024): shuffling of clients with personal budgets as Gaussian noise.

n is ``clients``; their budgets :math:`\epsilon_i` are evenly spaced from ``eps0`` to ``eps0_last``, and all
:math:`\delta_i` are ``delta0``.  The formula is evaluated with a relative error below 5e-13.
"""

from __future__ import annotations

from math import exp, fsum, sqrt

from ..recalled import AS_RECALLED
from ..registry import Condition, Source, Theorem
from ..steinke22.gaussian_noise import CURVE, gaussian

GENERALIZED = (
    "Chen, Cao, Ge, A Generalized Shuffle Framework for Privacy Amplification: Strengthening Privacy Guarantees and "
    "Enhancing Utility, AAAI 2024"
)
# The protocol is computed for so many clients.
MOST_CLIENTS = 200


def personal_limit(*, clients: int, eps0: float, eps0_last: float, delta0: float, epsilon: float) -> float:
    r"""Return the delta of Gaussian noise at the limit's :math:`\mu`.

    .. math:: \mu = \sqrt{\frac2{\sum_i s_i - \max_i s_i}}, \quad s_i = \frac{1 - \delta_i}{1 + e^{\epsilon_i}}
    """
    step = (eps0_last - eps0) / (clients - 1)
    shares = sorted((1 - delta0) / (1 + exp(eps0 + step * i)) for i in range(int(clients)))
    return gaussian(sigma=sqrt(fsum(shares[:-1]) / 2), epsilon=epsilon)


THEOREMS = (
    Theorem(
        id="ccg24-personal",
        title="Shuffling with personal budgets as Gaussian noise",
        statement=(
            CURVE + r", \quad \mu = \sqrt{\frac2{\sum_i s_i - \max_i s_i}}, \quad"
            r" s_i = \frac{1 - \delta_i}{1 + e^{\epsilon_i}}"
        ),
        adjacency="replacement",
        protocol="personal-shuffle",
        parameters=("clients", "eps0", "eps0_last", "delta0", "epsilon"),
        conditions=(
            Condition("clients >= 2", "clients", lambda params: 2 - params["clients"]),
            Condition(
                f"clients <= {MOST_CLIENTS}, up to which it is computed",
                "clients",
                lambda params: params["clients"] - MOST_CLIENTS,
            ),
        ),
        source=Source("CCG24", GENERALIZED, "the abstract", "https://arxiv.org/abs/2312.14388"),
        formula=personal_limit,
        notes=(
            f'{AS_RECALLED} The abstract says "approximately preserves": it is a limit for many clients, which is read '
            "as a bound here. It is judged for randomized responses with such budgets, each of which tells the bit "
            "with probability delta0. Since every delta is then at least delta0, no curve that tends to 0 bounds it "
            "where delta0 is positive; without delta0 it holds in all cells of the suite."
        ),
        quantity="delta",
        example={"clients": 100, "delta0": 1e-6, "epsilon": 0.5, "eps0_last": 2},
    ),
)

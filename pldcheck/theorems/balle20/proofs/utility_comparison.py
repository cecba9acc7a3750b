r"""The utility of check-ins beside that of averaged updates, in Section 4.1 of Balle et al. (2020).

n is ``clients``, m is ``steps``, n/m is ``mean``; :math:`p/\epsilon^2` is ``noise`` and :math:`L^2` is ``lipschitz``.
Constants, logarithms and the factor of empty slots are left out, as the section does.
"""

from __future__ import annotations

from typing import Any

from ...proof_step import Axis, Chain, Step
from ...shared_steps import COUNT
from .last_iterate import SIZE

PLACE = "Section 4.1, comparison of the utility of Algorithm 2 to that of Algorithm 1"
BOX = {"clients": COUNT, "steps": COUNT, "noise": SIZE, "lipschitz": SIZE}


def fixed(clients: Any, steps: Any, noise: Any, lipschitz: Any) -> Any:
    r"""Return the risk of check-ins: :math:`\sqrt{p/(\epsilon n)^2 + L^2/m}`."""
    return (noise / clients**2 + lipschitz / steps).sqrt()


def averaged(clients: Any, steps: Any, noise: Any, lipschitz: Any) -> Any:
    r"""Return the risk of averaged updates: :math:`\sqrt{p/(\epsilon^2 n m) + L^2/m}`."""
    return (noise / (clients * steps) + lipschitz / steps).sqrt()


STEPS = (
    Step(
        id="sec-4.1-utility/fixed",
        name="the risk of check-ins",
        statement=r"\sqrt{\frac{p\sigma^2 + L^2}m} = \sqrt{\frac p{\epsilon^2 n^2} + \frac{L^2}m},"
        r" \quad \sigma = \frac{p_0}{\epsilon \sqrt m}, \quad p_0 = \frac mn",
        source=PLACE,
        left=lambda clients, steps, noise, lipschitz: (
            (noise * (steps / clients) ** 2 / steps + lipschitz) / steps
        ).sqrt(),
        right=fixed,
        box=BOX,
        equal=True,
        notes="It is the rate of Theorem 3.5 with that noise; p/epsilon^2 is the parameter noise, L^2 is lipschitz.",
    ),
    Step(
        id="sec-4.1-utility/averaged",
        name="the risk of averaged updates",
        statement=r"\sqrt{\frac{m p\sigma^2 + n L^2}{n m}} = \sqrt{\frac p{\epsilon^2 n m} + \frac{L^2}m},"
        r" \quad \sigma = \frac1{\epsilon \sqrt m}",
        source=PLACE,
        left=lambda clients, steps, noise, lipschitz: (
            (steps * noise / steps + clients * lipschitz) / (clients * steps)
        ).sqrt(),
        right=averaged,
        box=BOX,
        equal=True,
        notes="It is the rate of Theorem 4.2; p/epsilon^2 is the parameter noise, L^2 is lipschitz.",
    ),
    Step(
        id="sec-4.1-utility/smooth",
        name="the risk of averaged updates, smooth losses",
        statement=r"\sqrt{\frac{L^2 + p\sigma^2}n} = \sqrt{\frac{L^2}n + \frac p{\epsilon^2 n m}},"
        r" \quad \sigma = \frac1{\epsilon \sqrt m}",
        source=PLACE,
        left=lambda clients, steps, noise, lipschitz: ((lipschitz + noise / steps) / clients).sqrt(),
        right=lambda clients, steps, noise, lipschitz: (lipschitz / clients + noise / (clients * steps)).sqrt(),
        box=BOX,
        equal=True,
        notes="The term of smoothness, 1/m, is added to both sides. p/epsilon^2 is noise, L^2 is lipschitz.",
    ),
    Step(
        id="sec-4.1-utility/order",
        name="check-ins have the better trade-off for fewer slots than clients",
        statement=r"\sqrt{\frac p{\epsilon^2 n^2} + \frac{L^2}m} \le \sqrt{\frac p{\epsilon^2 n m} + \frac{L^2}m},"
        r" \quad m \le n",
        source=PLACE,
        left=lambda steps, mean, noise, lipschitz: fixed(mean * steps, steps, noise, lipschitz),
        right=lambda steps, mean, noise, lipschitz: averaged(mean * steps, steps, noise, lipschitz),
        box={"steps": COUNT, "mean": Axis(1.0, 1e6, "log"), "noise": SIZE, "lipschitz": SIZE},
        # The squares differ by noise (n/m - 1)/n^2; at m = n both are the optimal rate.
        margin=lambda steps, mean, noise, lipschitz: mean - 1,
        notes="n/m is the parameter mean, p/epsilon^2 is noise, L^2 is lipschitz.",
    ),
)

CHAINS = (Chain("sec-4.1-utility", STEPS, "The utility of check-ins beside that of averaged updates"),)

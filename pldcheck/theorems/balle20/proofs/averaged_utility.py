r"""Utility of averaged updates: Theorem 4.2 of Balle et al. (2020).

n is ``clients``, m is ``steps``, S is the load of a slot.  R is ``diameter``; the noise :math:`p \sigma^2` of an answer
is ``noise``, the square of the Lipschitz constant is ``lipschitz``.
"""

from __future__ import annotations

from typing import Any

from ...proof_step import Chain, Measured, Step
from ...shared_steps import COUNT, at_most_clients
from .dummy_updates import SLOTS
from .last_iterate import LAST_ITERATE, SIZE, bracket


def least_risk(clients: Any) -> Any:
    r"""Return the least excess risk that any algorithm has, in units of LR, with t = 1/(2 sqrt n).

    .. math:: \frac t2 \left(1 - \sqrt{\frac{n t}2 \log \frac{1+t}{1-t}}\right)
    """
    t = 1 / (2 * clients.sqrt())
    return t / 2 * (1 - (clients * t * (t.log1p() - (-t).log1p()) / 2).sqrt())


def _last_iterate(clients: Any, steps: Any) -> Any:
    r"""Return the bracket at its best and :math:`G^2 = L^2`, in units of LR: :math:`2 (2 + \log m)/\sqrt m`."""
    return 2 * (2 + steps.log()) / steps.sqrt()


def _updates(clients: Any, steps: Any) -> Any:
    """Return the expected number of slots with clients in them."""
    return -steps * (clients * (-1 / steps).log1p()).expm1()


AT_LOADS = tuple(
    {"clients": n, "steps": m}
    for n, m in (
        (1, 1), (1, 2), (2, 1), (2, 2), (3, 2), (4, 2), (3, 3), (5, 2), (4, 3), (9, 3), (30, 10), (300, 100), (1000, 10)
    )
)  # fmt: skip

SKIPPING_STEPS = (
    Measured(
        id="4.2/second-moment",
        name="noise of an averaged update",
        statement=r"\mathbb{E}\left[\tfrac1S \mid S > 0\right] \le \frac mn, \quad S \sim \mathrm{Bin}(n, 1/m)",
        source="Theorem 4.2, proof, E|h|^2 <= m p sigma^2/n + L^2, at p sigma^2 = 1, L = 0",
        points=AT_LOADS,
        why="its left side is a sum over the loads, rational",
        notes="Given S > 0, Jensen's inequality gives the opposite: the mean of 1/S is at least 1 over the mean of S.",
    ),
    Measured(
        id="4.2/poisson",
        name="noise of an averaged update, many clients",
        statement=r"\mathbb{E}\left[\tfrac1S \mid S > 0\right] \le \frac1\lambda,"
        r" \quad S \sim \mathrm{Poisson}(\lambda)",
        source="4.2/second-moment as n grows, at n/m = lambda",
        points=tuple({"mean": mean} for mean in (0.01, 0.5, 1.0, 1.5, 2.0, 3.0, 3.75, 4.0, 5.0, 10.0, 100.0)),
        why="its left side is an exponential integral",
    ),
    Step(
        id="4.2/inverse",
        name="one over a load, against one over one more",
        statement=r"\frac1s \le \frac2{s + 1}",
        source="repair of 4.2/second-moment; not in the paper",
        left=lambda load: 1 / load,
        right=lambda load: 2 / (load + 1),
        box={"load": COUNT},
        margin=lambda load: load - 1,
    ),
    Measured(
        id="4.2/reciprocal",
        name="mean of one over one more than a load",
        statement=r"\mathbb{E}\left[\tfrac1{S + 1}\right] = \frac{m (1 - (1 - 1/m)^{n+1})}{n + 1}",
        source="repair of 4.2/second-moment; not in the paper",
        points=tuple(at for at in AT_LOADS if at["steps"] > 1),
        why="its left side is a sum over the loads, rational",
        notes="The number is the absolute difference, which is 0. Given S > 0, the mean is smaller.",
    ),
    Step(
        id="4.2/twice",
        name="the bound with a factor of 2",
        statement=r"\frac{2 m (1 - (1 - 1/m)^{n+1})}{n + 1} \le \frac{2m}n",
        source="repair of 4.2/second-moment; not in the paper",
        left=lambda clients, steps: -2 * steps * ((clients + 1) * (-1 / steps).log1p()).expm1() / (clients + 1),
        right=lambda clients, steps: 2 * steps / clients,
        box={"clients": COUNT, "steps": SLOTS},
        # The difference over 2m is at least 1/n - 1/(n+1).
        margin=lambda clients, steps: 1 / clients,
        notes="Hence E|h|^2 <= 2 m p sigma^2/n + L^2, and kappa^2 = O((m/n)(L^2 + p sigma^2)) as claimed.",
    ),
    Step(
        id="4.2/updates",
        name="the number of updates",
        statement=r"m \le m \left(1 - \left(1 - \frac1m\right)^n\right)",
        source="Theorem 4.2, proof, second sentence and the display",
        left=lambda clients, steps: steps,
        right=_updates,
        box={"clients": COUNT, "steps": SLOTS},
        notes=(
            "Slots without clients are skipped, but the bound is that of m updates. For m <= n at least half of them "
            "take place (4.2/updates-repaired); it is not audited that the rate then loses no more than a constant."
        ),
    ),
    Step(
        id="4.2/updates-repaired",
        name="the number of updates, with no more slots than clients",
        statement=r"\frac m2 \le m \left(1 - \left(1 - \frac1m\right)^n\right), \quad m \le n",
        source="repair of 4.2/updates; not in the paper",
        left=lambda clients, steps: steps / 2,
        right=_updates,
        box={"clients": COUNT, "steps": SLOTS},
        premises=(at_most_clients("steps"),),
        # (1 - 1/m)^n <= e^(-n/m) <= 1/2.
        margin=lambda clients, steps: clients / steps - (clients**0 * 2).log(),
        notes="The share of slots with an update is at least 1 - 1/e.",
    ),
    *LAST_ITERATE,
    Step(
        id="4.2/rate",
        name="the bracket at the step size of the theorem",
        statement=r"\frac{R^2}c + c V = 2 R \sqrt V, \quad c = \frac{R \sqrt n}{\sqrt{m p\sigma^2 + n L^2}},"
        r" \quad V = \frac{m p\sigma^2}n + L^2",
        source="Theorem 4.2, proof, end of the first paragraph",
        left=lambda clients, steps, diameter, noise, lipschitz: bracket(
            diameter,
            diameter * clients.sqrt() / (steps * noise + clients * lipschitz).sqrt(),
            steps * noise / clients + lipschitz,
        ),
        right=lambda clients, steps, diameter, noise, lipschitz: (
            2 * diameter * (steps * noise / clients + lipschitz).sqrt()
        ),
        box={"clients": COUNT, "steps": COUNT, "diameter": SIZE, "noise": SIZE, "lipschitz": SIZE},
        equal=True,
    ),
    Step(
        id="4.2/smooth",
        name="smooth losses",
        statement=r"R \kappa \sqrt{\frac2m} = 2 R \sqrt{\frac{L^2 + p\sigma^2}n},"
        r" \quad \kappa^2 = \frac{2m}n (L^2 + p\sigma^2)",
        source="Theorem 4.2, proof, second paragraph, with the factor of 4.2/twice",
        left=lambda clients, steps, diameter, noise, lipschitz: (
            diameter * (2 * steps / clients * (noise + lipschitz)).sqrt() * (2 / steps).sqrt()
        ),
        right=lambda clients, steps, diameter, noise, lipschitz: 2 * diameter * ((noise + lipschitz) / clients).sqrt(),
        box={"clients": COUNT, "steps": COUNT, "diameter": SIZE, "noise": SIZE, "lipschitz": SIZE},
        notes="The other term is beta R^2/m. Bubeck 2015, Theorem 6.3, on which it rests, is not audited.",
        equal=True,
    ),
    Step(
        id="4.2/linear",
        name="the claim, for a linear loss and equal records",
        statement=r"1 - \frac{2n}{\sqrt m} \le \frac{2 (2 + \log m)}{\sqrt m}",
        source="Theorem 4.2 at sigma = 0",
        left=lambda clients, steps: 1 - 2 * clients / steps.sqrt(),
        right=_last_iterate,
        box={"clients": COUNT, "steps": COUNT},
        notes=(
            "The unit is LR. The loss is L(R - theta) with theta in [0, R], which starts at 0: slot i moves theta by "
            "R/sqrt i if it has a client, on average by at most 2 n R/sqrt m in all. So the rate is wrong for many "
            "more slots than clients. The theorem names no condition; Section 2 sets m to n/b, for b clients in a "
            "slot on average, where this step holds."
        ),
    ),
    Step(
        id="4.2/information",
        name="the claim, against the information in n records, with no more slots than clients",
        statement=r"\frac t2 \left(1 - \sqrt{\frac{n t}2 \log \frac{1+t}{1-t}}\right)"
        r" \le \frac{2 (2 + \log m)}{\sqrt m}, \quad t = \frac1{2 \sqrt n}, \quad m \le n",
        source="Theorem 4.2 at sigma = 0; the condition is not in the theorem, but see Section 2 (m by n/b)",
        left=lambda clients, steps: least_risk(clients),
        right=_last_iterate,
        box={"clients": COUNT, "steps": COUNT},
        premises=(at_most_clients("steps"),),
        notes=(
            "The unit is LR. The loss is L(R - d theta) with theta in [0, R] and d = 1 or -1 with mean t or -t: no "
            "algorithm that sees n records has an excess risk below the left side for both (Le Cam 1973, two points; "
            "Pinsker). Without the condition no algorithm achieves the claim of Theorem 4.2; with it, this step "
            "refutes nothing and proves nothing about the algorithm."
        ),
    ),
)

CHAINS = (
    Chain(
        theorem="thm-4.2",
        title="Utility of random check-ins with averaged updates",
        steps=SKIPPING_STEPS,
    ),
)

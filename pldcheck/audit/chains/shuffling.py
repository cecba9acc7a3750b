r"""Shuffling: Theorem 5.1 of Balle et al. (2020), and its form for approximate randomizers."""

from __future__ import annotations

from ...interval import Interval
from ...protocols import Shuffle
from ..spans import exactly
from ..step import Chain, Measured
from . import exact
from .exact import BITS, ENUMERATED, RATIO, enclosed
from .parts import moved, union
from .swapping import approximate, claim


def _same_law(clients: int, ones: int) -> tuple[Interval, Interval]:
    records = (1,) + (1,) * ones + (0,) * (clients - 1 - ones)
    shuffled = exact.mixed(exact.responses(order, RATIO) for order in exact.orders(records))
    swaps = exact.mixed(
        exact.responses(exact.swapped((records[0], *rest), place), RATIO)
        for rest in exact.orders(records[1:])
        for place in range(clients)
    )
    return enclosed(exact.distance(shuffled, swaps), "total variation"), enclosed(0, "total variation")


def _convex(clients: int, ones: int, epsilon: float) -> tuple[Interval, Interval]:
    from flint import arb, ctx

    others = (1,) * ones + (0,) * (clients - 1 - ones)
    with ctx.workprec(BITS):
        kappa = exactly(epsilon).exp()

        def shuffled(first: int) -> exact.Law:
            return exact.mixed(exact.responses(order, RATIO) for order in exact.orders((first, *others)))

        def swaps(first: int, rest: exact.Records) -> exact.Law:
            return exact.mixed(exact.responses(exact.swapped((first, *rest), place), RATIO) for place in range(clients))

        whole = exact.hockey_stick(shuffled(1), shuffled(0), kappa)
        worst = arb(0)
        for rest in set(exact.orders(others)):
            worst = worst.max(exact.hockey_stick(swaps(1, rest), swaps(0, rest), kappa))
        return enclosed(whole, "delta"), enclosed(worst, "delta")


REDUCTION = (
    Measured(
        id="5.1/reduction",
        name="a permutation is a swap after a random order of the others",
        statement=r"\mathrm{Law}(A_{sl}(D)) = \mathbb{E}_{\pi^*} \mathrm{Law}(A_{swap}(\pi^*(D)))",
        source="Theorem 5.1, proof, first paragraph",
        points=tuple({"clients": n, "ones": ones} for n in (2, 3, 4, 5) for ones in range(n)),
        check=_same_law,
        why=ENUMERATED,
        notes="The total variation distance of the two, which is 0: binary randomized response, e^eps0 = 3.",
    ),
    Measured(
        id="5.1/convexity",
        name="joint convexity over the orders of the others",
        statement=r"\delta_{A_{sl}}(\epsilon) \le \max_{\pi^*} \delta_{A_{swap} \circ \pi^*}(\epsilon)",
        source="Theorem 5.1, proof, second paragraph",
        points=tuple({"clients": n, "ones": ones, "epsilon": 0.25} for n in (3, 4, 5) for ones in range(1, n - 1)),
        check=_convex,
        why=ENUMERATED,
        notes=(
            "Binary randomized response, e^eps0 = 3. With two clients, or all others alike, nothing is lost. From here "
            "on the proof is that of Theorem A.7."
        ),
    ),
)

CHAINS = (
    Chain(theorem="thm-5.1", steps=(*REDUCTION, claim("5.1", Shuffle, "Theorem 5.1"))),
    Chain(
        theorem="thm-5.1-approx",
        steps=(
            union("5.1-approx", "Theorem A.4, proof, (12), to which Theorem 5.1's refers"),
            approximate("5.1-approx", "Theorem 5.1, second sentence"),
            moved("5.1-approx", "Theorem 5.1, second sentence"),
        ),
    ),
)

"""Shuffling: Theorem 5.1 of Balle et al. (2020), and its form for approximate randomizers."""

from __future__ import annotations

from ...proof_step import Chain, Measured
from ...shared_steps import ENUMERATION_NOTE, return_to_original, union
from .swapping_chain import approximate, claim

REDUCTION = (
    Measured(
        id="5.1/reduction",
        name="a permutation is a swap after a random order of the others",
        statement=r"\mathrm{Law}(A_{sl}(D)) = \mathbb{E}_{\pi^*} \mathrm{Law}(A_{swap}(\pi^*(D)))",
        source="Theorem 5.1, proof, first paragraph",
        points=tuple({"clients": n, "ones": ones} for n in (2, 3, 4, 5) for ones in range(n)),
        why=ENUMERATION_NOTE,
        notes="The number is the total variation distance, which is 0; binary randomized response with e^eps0 = 3.",
    ),
    Measured(
        id="5.1/convexity",
        name="joint convexity over the orders of the others",
        statement=r"\delta_{A_{sl}}(\epsilon) \le \max_{\pi^*} \delta_{A_{swap} \circ \pi^*}(\epsilon)",
        source="Theorem 5.1, proof, second paragraph",
        points=tuple({"clients": n, "ones": ones, "epsilon": 0.25} for n in (3, 4, 5) for ones in range(1, n - 1)),
        why=ENUMERATION_NOTE,
        notes=(
            "The case is binary randomized response with e^eps0 = 3. With two clients, or equal other records, nothing "
            "is lost. The rest of the proof is that of Theorem A.7."
        ),
    ),
)

CHAINS = (
    Chain(theorem="thm-5.1", steps=(*REDUCTION, claim("5.1", "Theorem 5.1"))),
    Chain(
        theorem="thm-5.1-approx",
        steps=(
            union("5.1-approx", "Theorem A.4, proof, (12), to which Theorem 5.1's refers"),
            approximate("5.1-approx", "Theorem 5.1, second sentence"),
            return_to_original("5.1-approx", "Theorem 5.1, second sentence"),
        ),
    ),
)

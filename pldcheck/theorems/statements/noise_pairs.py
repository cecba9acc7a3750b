"""Statements on noise that is added to a number or a vector: the pair that dominates all neighbours."""

from __future__ import annotations

from ..statement import Statement
from ..theorem import Source

STEINKE = "Steinke, Composition of Differential Privacy & Privacy Amplification by Subsampling, 2022"
STEINKE_URL = "https://arxiv.org/abs/2210.00597"

STATEMENTS = (
    Statement(
        id="gaussian-noise",
        sentence=(
            "Gaussian noise on vectors at most 1 apart is dominated by that on two numbers 1 apart, and the "
            "variances of its losses add up."
        ),
        statement=(
            "Let u be a vector of length at most 1. The pair of N(1, σ²) and N(0, σ²) dominates that of N(f + u, "
            "σ²I) and N(f, σ²I), and the exchanged one. Its loss is normal with the variance v = 1/σ² and the mean "
            "v/2, and -L under Q has the law that L has under P. Independent losses of this form add up to one with "
            "the sum of their variances."
        ),
        conditions=("f and u may depend on the outputs of earlier runs.",),
        proof=(
            "Subtract f and rotate so that u is along the first axis: the other coordinates have one law on both "
            "sides, independent of the first. So the pair is as good as that of N(r, σ²) and N(0, σ²), r = |u|.",
            "The map z ↦ rz + √(1-r²) σG with an independent standard normal G takes N(1, σ²) to N(r, σ²) and N(0, "
            "σ²) to itself: curves (c).",
            "At z the loss is (2z - 1)/(2σ²): normal with the variance 1/σ², and with the mean 1/(2σ²) under P, "
            "-1/(2σ²) under Q. Reflection, z ↦ 1 - z, exchanges P and Q, hence the pair dominates in both orders.",
            "Sums of independent normal variables are normal; means and variances add up, so that the mean is still "
            "half of the variance.",
        ),
        uses=("curves",),
        source=Source("Steinke22", STEINKE, "Corollaries 8 and 10", STEINKE_URL),
    ),
    Statement(
        id="laplace-noise",
        sentence="Laplace noise on numbers at most 1 apart is dominated by that on two numbers 1 apart.",
        statement=(
            "Let Lap(a) be the law of a plus Laplace noise of scale s. For |a - b| ≤ 1 the pair of Lap(1) and "
            "Lap(0) dominates that of Lap(a) and Lap(b). With t = |a - b|/s the curve of the latter at κ = e^ε is 1 "
            "- e^((ε-t)/2) for |ε| ≤ t, 0 for ε ≥ t and 1 - κ for ε ≤ -t."
        ),
        conditions=("a and b may depend on the outputs of earlier runs.",),
        proof=(
            "By reflection let a > b, so that P, the law of Lap(a), is on the right. The loss at z is (|z - b| - |z "
            "- a|)/s: it is -t left of b, t right of a, and rises linearly in between. For -t ≤ ε < t it is above ε "
            "right of c = (a + b + sε)/2, where P has the mass 1 - e^((ε-t)/2)/2 and Q has e^(-(ε+t)/2)/2. So the "
            "curve is, by curves (a), 1 - e^((ε-t)/2)/2 - e^(ε-(ε+t)/2)/2 = 1 - e^((ε-t)/2). For ε ≥ t no loss is "
            "above ε; for ε < -t all are.",
            "For a fixed ε the curve is (1 - κ)₊ as long as t ≤ |ε|, continuous in t, and rises from there on. So "
            "it rises in t, which is at most 1/s. Reflection exchanges P and Q.",
        ),
        uses=("curves",),
        source=Source("Steinke22", STEINKE, "on Laplace noise", STEINKE_URL),
    ),
    Statement(
        id="discrete-noise",
        sentence="Discrete noise on whole numbers at most 1 apart has the losses of that on 1 and 0.",
        statement=(
            "A whole number a or b with |a - b| ≤ 1 is released with noise k whose probability is proportional to "
            "e^(-|k|/s), or to e^(-k²/(2σ²)). The pair of a = 1 and b = 0 dominates all others. For the first noise "
            "its loss is that of randomized response of the budget 1/s; for the second the loss is (1 - 2k)/(2σ²), "
            "where k has the law of the noise under P. In both, -L under Q has the law that L has under P."
        ),
        conditions=("a and b may depend on the outputs of earlier runs.",),
        proof=(
            "If a = b the curve is (1 - κ)₊, the least of all by curves (e). Otherwise a shift and possibly a "
            "reflection of the outputs leads to a = 1, b = 0; and z ↦ 1 - z exchanges the two laws.",
            "The first noise: at the output z the loss is (|z| - |z - 1|)/s, which is 1/s for z ≥ 1 and -1/s for z "
            "≤ 0. With q = e^(-1/s) the noise is k with probability q^|k| (1-q)/(1+q), so that z ≥ 1, that is, k = "
            "z - 1 ≥ 0, has the P-mass 1/(1+q).",
            "The second noise: with z = 1 - k, where -k has the law of k, the loss is (z² - (z - 1)²)/(2σ²) = (2z - "
            "1)/(2σ²) = (1 - 2k)/(2σ²).",
        ),
        uses=("curves",),
        source=Source("pldcheck", "a calculation", "the laws as they are defined", "https://arxiv.org/abs/2004.00010"),
    ),
)

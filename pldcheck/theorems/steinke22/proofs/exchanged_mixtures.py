r"""Steinke (2022), Theorem 35 with Lemmas 36 and 37: one direction of a subsampled divergence bounds the other.

A is :math:`1-p+px` and B is :math:`1-p+p/x`; p is ``share``, x is ``ratio``, :math:`\alpha` is ``order``.  What Lemma
37 says, and the weights, are derived from what can be read of the proofs.
"""

from __future__ import annotations

from typing import Any

from ...proof_step import Axis, Chain, Step
from .power_means import ORDER, RATIO, SHARE

LEMMA_37 = "Lemma 37, proof"
# Ratios whose 128th powers have not too many digits.
MILD = Axis(1e-3, 1e3, "log")


def one(share: Any, ratio: Any) -> Any:
    r"""Return :math:`A = 1 - p + p x`."""
    return 1 - share + share * ratio


def other(share: Any, ratio: Any) -> Any:
    r"""Return :math:`B = 1 - p + p/x`."""
    return 1 - share + share / ratio


def weight(share: Any, order: Any) -> Any:
    r"""Return :math:`\lambda = (2\alpha-1) p / ((2\alpha-1) p + 3 (1-p))`."""
    return (2 * order - 1) * share / ((2 * order - 1) * share + 3 * (1 - share))


def _power(base: Any, power: Any) -> Any:
    return (power * base.log()).exp()


def _curvature(share: Any, ratio: Any, order: Any) -> Any:
    r = 2 * order - 1
    inner = share + (1 - share) / ratio
    first = r * (r - 1) * share**2 * _power(one(share, ratio), r - 2)
    second = 6 * inner * ((1 - share) / ratio**2) ** 2 + 6 * inner**2 * (1 - share) / ratio**3
    return (1 - weight(share, order)) * first + weight(share, order) * second


def _together(share: Any, ratio: Any, order: Any) -> Any:
    inner = share + (1 - share) / ratio
    part = weight(share, order)
    return (1 - part) * _power(one(share, ratio), 2 * order - 1) + part * inner**3


def _kernel(share: Any, ratio: Any, order: Any) -> Any:
    part = weight(share, order)
    first = _power(one(share, ratio), order - 2)
    return (1 - part) * first + part * _power(other(share, ratio), order - 2) / ratio**3


CHAINS = (
    Chain(
        theorem="means-36",
        title="A weighted harmonic mean is at most the arithmetic mean",
        steps=(
            Step(
                id="36/product",
                name="the product of both averages",
                statement=r"1 \le (1 - p + p x) \left(1 - p + \frac px\right)",
                source="Lemma 36, proof",
                left=lambda share, ratio: 1 + 0 * share * ratio,
                right=lambda share, ratio: one(share, ratio) * other(share, ratio),
                box={"share": SHARE, "ratio": RATIO},
                # The difference is this over x.
                margin=lambda share, ratio: share * (1 - share) * (ratio - 1) ** 2,
            ),
            Step(
                id="36/claim",
                name="the reciprocal of one average",
                statement=r"\frac1{1 - p + p/x} \le 1 - p + p x",
                source="Lemma 36",
                left=lambda share, ratio: 1 / other(share, ratio),
                right=one,
                box={"share": SHARE, "ratio": RATIO},
                # The difference is this over x B.
                margin=lambda share, ratio: share * (1 - share) * (ratio - 1) ** 2,
            ),
        ),
    ),
    Chain(
        theorem="convex-37",
        title="A weighted sum of powers that is least at 1",
        steps=(
            Step(
                id="37/flat",
                name="the slope at 1 is zero",
                statement=r"(1 - \lambda) (2\alpha - 1) p = 3 \lambda (1 - p)",
                source=f"{LEMMA_37}, first derivative",
                left=lambda share, order: (1 - weight(share, order)) * (2 * order - 1) * share,
                right=lambda share, order: 3 * weight(share, order) * (1 - share),
                box={"share": SHARE, "order": ORDER},
                equal=True,
            ),
            Step(
                id="37/convex",
                name="the second derivative is positive",
                statement=(
                    r"0 \le (1-\lambda) (2\alpha-1)(2\alpha-2) p^2 A^{2\alpha-3}"
                    r" + 6 \lambda \left(C \frac{(1-p)^2}{x^4} + C^2 \frac{1-p}{x^3}\right), \quad C = p + \frac{1-p}x"
                ),
                source=f"{LEMMA_37}, second derivative",
                left=lambda share, ratio, order: 0 * share * ratio * order,
                right=_curvature,
                box={"share": SHARE, "ratio": MILD, "order": ORDER},
                # All terms are positive, but for p = 0 and p = 1.
                margin=lambda share, ratio, order: share * (1 - share),
            ),
            Step(
                id="37/claim",
                name="the sum is least at 1",
                statement=r"1 \le (1-\lambda) (1 - p + p x)^{2\alpha-1} + \lambda \left(p + \frac{1-p}x\right)^3",
                source="Lemma 37, reconstructed",
                left=lambda share, ratio, order: 1 + 0 * share * ratio * order,
                right=_together,
                box={"share": SHARE, "ratio": MILD, "order": ORDER},
                # A convex function with slope 0 and value 1 at x = 1, strictly convex but for p = 0 and p = 1.
                margin=lambda share, ratio, order: share * (1 - share) * (ratio - 1) ** 2,
            ),
        ),
    ),
    Chain(
        theorem="rdp-35-weighted",
        steps=(
            Step(
                id="35/kernel",
                name="the second derivative of the difference of moments",
                statement=r"A^{-\alpha-1} \le (1-\lambda) A^{\alpha-2} + \lambda x^{-3} B^{\alpha-2}",
                source="Theorem 35, proof, convexity",
                left=lambda share, ratio, order: _power(one(share, ratio), -order - 1),
                right=_kernel,
                box={"share": SHARE, "ratio": MILD, "order": ORDER},
                # Times A^(alpha+1) it is 37/claim with the second term times (A B)^(alpha-2), which is at least 1 by
                # Lemma 36 from order 2 on; below, that term is a product of two falling convex powers of C and x B.
                margin=lambda share, ratio, order: share * (1 - share) * (ratio - 1) ** 2,
                notes=(
                    "Times order (order - 1) p^2 it is the second derivative, in the likelihood ratio x, of the right "
                    "side of the theorem minus the left; the mean of a convex function of x that is 0 at 1 is at least "
                    "that of its tangent there, 0."
                ),
            ),
            Step(
                id="35/share",
                name="the weight is a share",
                statement=r"\lambda \le 1",
                source="Theorem 35, last sentence",
                left=weight,
                right=lambda share, order: 1 + 0 * share * order,
                box={"share": SHARE, "order": ORDER},
                # The difference is 3 (1-p) over the positive denominator.
                margin=lambda share, order: 1 - share,
                notes="So the larger of the two moments bounds their weighted sum, which is rdp-35.",
            ),
        ),
    ),
)

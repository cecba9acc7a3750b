r"""Steps that several of the chapter's proofs share: Jensen's inequality for powers, at two outcomes.

A sum over outcomes is built from these: outcomes are merged two at a time, at a share s of the first and a ratio r.
"""

from __future__ import annotations

from dataclasses import replace

from ...proof_step import Axis, Step

SHARE = Axis(0.0, 1.0)
# Likelihood ratios e^z from z = -14 to 14.
RATIO = Axis(1e-6, 1e6, "log")
# Orders of divergences; powers of ratios with larger ones have too many digits to evaluate.
ORDER = Axis(1.0, 64.0)


def convex_power(prefix: str, source: str, notes: str) -> Step:
    """Return the step that a power of an average is at most the average of powers."""
    return Step(
        id=f"{prefix}/convex",
        name="a power of an average",
        statement=r"(1 - s + s r)^\alpha \le 1 - s + s r^\alpha",
        source=source,
        left=lambda share, ratio, order: (order * (share * (ratio - 1)).log1p()).exp(),
        right=lambda share, ratio, order: 1 - share + share * (order * ratio.log()).exp(),
        box={"share": replace(SHARE, high=0.999), "ratio": RATIO, "order": ORDER},
        # The difference is s (1-s) (alpha-1) (r-1)^2 times a positive divided difference of the power.
        margin=lambda share, ratio, order: share * (1 - share) * (order - 1) * (ratio - 1) ** 2,
        notes=f"s is share and r is ratio. {notes}",
    )


def concave_power(prefix: str, source: str) -> Step:
    """Return the step that the average of powers below 1 is at most the power of the average."""
    return Step(
        id=f"{prefix}/concave",
        name="an average of powers below 1",
        statement=r"1 - s + s r^\gamma \le (1 - s + s r)^\gamma, \quad \gamma = \frac{\alpha - 1}{\beta - 1} \le 1",
        source=source,
        left=lambda share, ratio, power: 1 - share + share * (power * ratio.log()).exp(),
        right=lambda share, ratio, power: (power * (share * (ratio - 1)).log1p()).exp(),
        box={"share": replace(SHARE, high=0.999), "ratio": RATIO, "power": SHARE},
        # The difference is s (1-s) gamma (1-gamma) (r-1)^2 times a positive divided difference of the power.
        margin=lambda share, ratio, power: share * (1 - share) * power * (1 - power) * (ratio - 1) ** 2,
        notes="s is share, r is ratio, and gamma is power.",
    )

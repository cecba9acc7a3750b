r"""Steinke (2022): definitions and remarks, which state no bound of a protocol.

Z is the privacy loss: :math:`Z = \log(P(Y)/Q(Y))` for Y drawn from P.  The mathematics of the text that was read is
damaged; the notes say what is recalled or derived.
"""

from __future__ import annotations

from ..remark import Remark
from .composition_bounds import source_at

REMARKS = (
    Remark(
        id="loss-2",
        kind="definition",
        title="Privacy loss distribution",
        statement=r"Z = f(Y), \quad f(y) = \log\frac{P(y)}{Q(y)}, \quad Y \text{ from } P",
        source=source_at("Definition 2"),
        theorems=("pld-7", "pld-9"),
    ),
    Remark(
        id="zcdp-11",
        kind="definition",
        title="Concentrated differential privacy",
        statement=r"\mathbb{E}[e^{tZ}] \le e^{t(t+1)\rho} \text{ for every } t > 0",
        source=source_at("Definition 11"),
        theorems=("zcdp-13", "zcdp-14", "zcdp-16"),
        notes="At order t + 1 it says that the Rényi divergence is at most (t + 1) rho.",
    ),
    Remark(
        id="robust-28",
        kind="remark",
        title="The negative result holds for other definitions of privacy",
        statement=r"\text{Theorem 25 uses privacy in Lemma 27 only}",
        source=source_at("Remark 28"),
        why="it speaks of the proof of Theorem 25 and states no formula",
    ),
    Remark(
        id="rdp-30",
        kind="definition",
        title="Rényi differential privacy",
        statement=r"\mathbb{E}[e^{(\alpha-1)Z}] \le e^{(\alpha-1)\epsilon}",
        source=source_at("Definition 30"),
        theorems=("rdp-34", "rdp-38"),
    ),
    Remark(
        id="rdp-32",
        kind="definition",
        title="Rényi divergences",
        statement=(
            r"D_\alpha(P \| Q) = \frac1{\alpha-1} \log \mathbb{E}[e^{(\alpha-1)Z}],"
            r" \quad D_1 = \mathbb{E}[Z], \quad \sup Z \text{ at } \infty"
        ),
        source=source_at("Definition 32"),
        theorems=("zcdp-13", "rdp-34", "rdp-35"),
    ),
)

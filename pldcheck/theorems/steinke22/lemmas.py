r"""Steinke (2022): lemmas and remarks that bound no quantity of a protocol, each with its id.

Z is the privacy loss of (P, Q), :math:`f = \log(P/Q)`.  Most are judged by the steps of a proof chain of the same
id, in ``proofs``.  "Recalled" and "reconstructed" say that the printed mathematics cannot be read.
"""

from __future__ import annotations

from ..remark import Remark
from .composition_bounds import source_at

REMARKS = (
    Remark(
        id="neyman-pearson-4",
        kind="lemma",
        title="Neyman-Pearson lemma",
        statement=(
            r"\text{For every test } T \text{ there is a } t: \quad P(T = P) \le P(f \ge t), \quad"
            r" Q(T = Q) \le Q(f \le t)"
        ),
        source=source_at("Lemma 4"),
    ),
    Remark(
        id="inverse-5",
        kind="remark",
        title="The privacy loss of the exchanged pair",
        statement=r"-Z \text{ for the pair } (Q, P) \text{ has the law of } f(Y), \quad Y \text{ from } Q",
        source=source_at("Remark 5"),
    ),
    Remark(
        id="change-6",
        kind="lemma",
        title="Change of distribution for the privacy loss",
        statement=r"\mathbb{E}_Q[g(f(Y))] = \mathbb{E}[g(Z) e^{-Z}]",
        source=source_at("Lemma 6"),
        theorems=("pld-7-expectation",),
    ),
    Remark(
        id="hoeffding-17",
        kind="lemma",
        title="Hoeffding's lemma",
        statement=r"\mathbb{E}[e^{t X}] \le e^{t \mathbb{E}[X] + t^2 (b - a)^2 / 8}, \quad a \le X \le b",
        source=source_at("Lemma 17"),
    ),
    Remark(
        id="postprocessing-20",
        kind="lemma",
        title="Postprocessing for concentrated differential privacy",
        statement=r"\mathbb{E}[e^{t Z'}] \le \mathbb{E}[e^{t Z}], \quad t \ge 0, \quad Z' \text{ of } (g(P), g(Q))",
        source=source_at("Lemma 20"),
        theorems=("zcdp-21",),
    ),
    Remark(
        id="decomposition-23",
        kind="lemma",
        title="An approximate pair is a mixture of a pure pair and a rest",
        statement=(
            r"P = (1-\delta) P' + \delta P'', \quad Q = (1-\delta) Q' + \delta Q'', \quad"
            r" e^{-\epsilon} Q' \le P' \le e^\epsilon Q'"
        ),
        source=source_at("Lemma 23"),
        theorems=("rr-24", "rr-24-approx"),
    ),
    Remark(
        id="correlation-26",
        kind="lemma",
        title="An accurate function is correlated with its inputs",
        statement=(
            r"\mathbb{E}\left[(f(X) - P)^2 + (f(X) - P) \sum_i (X_i - P)\right] \ge \frac1{12}, \quad"
            r" P \text{ uniform on } [0, 1], \quad X_i = 1 \text{ with probability } P"
        ),
        source=source_at("Lemma 26"),
        notes="Recalled. The constant is that of the text's two examples: 1/6 for the mean, and 1/12 for f = 1/2.",
    ),
    Remark(
        id="expectations-27",
        kind="lemma",
        title="Expected values under approximate differential privacy",
        statement=(
            r"|\mathbb{E}[X] - \mathbb{E}[Y]| \le (e^\epsilon - 1) \mathbb{E}[|Y|] + 2\delta\Delta, \quad"
            r" |X|, |Y| \le \Delta"
        ),
        source=source_at("Lemma 27"),
        notes="Recalled.",
    ),
    Remark(
        id="renyi-33",
        kind="lemma",
        title="Properties of Rényi divergences",
        statement=(
            r"D_\alpha(g(P) \| g(Q)) \le D_\alpha(P \| Q), \quad D_\alpha \le D_\beta \text{ for } \alpha \le \beta,"
            r" \quad D_\alpha(P_s \| Q_s) \le \max_i D_\alpha(P_i \| Q_i)"
        ),
        source=source_at("Lemma 33"),
        theorems=(
            *("zcdp-12", "zcdp-16", "rdp-31", "rdp-33-infinity", "rdp-33-one", "rdp-33-convex", "rdp-33-group"),
            *("rdp-33-delta", "rdp-6.7-replaced"),
        ),
        notes=(
            "Part 1 is postprocessing, 2 composition (rdp-31), 3 monotonicity, 4 Gaussian noise (zcdp-12), 5 pure "
            "privacy (zcdp-16), 6 quasi-convexity, 7 the triangle-like inequality (rdp-33-group), 8 conversion "
            "(rdp-33-delta)."
        ),
    ),
    Remark(
        id="means-36",
        kind="lemma",
        title="A weighted harmonic mean is at most the arithmetic mean",
        statement=r"\frac1{1 - p + p/x} \le 1 - p + p x",
        source=source_at("Lemma 36"),
        notes="Recalled; the proof's function, its values at 0 and 1 and its concavity are those of the text.",
    ),
    Remark(
        id="convex-37",
        kind="lemma",
        title="A weighted sum of powers that is least at 1",
        statement=(
            r"1 \le (1-\lambda) (1 - p + p x)^{2\alpha-1} + \lambda \left(p + \frac{1-p}x\right)^3, \quad"
            r" \lambda = \frac{(2\alpha-1) p}{(2\alpha-1) p + 3 (1-p)}"
        ),
        source=source_at("Lemma 37"),
        theorems=("rdp-35-weighted",),
        notes="Reconstructed from its proof and its use in Theorem 35.",
    ),
    Remark(
        id="taylor-39",
        kind="lemma",
        title="A power near 1, to second order",
        statement=(
            r"(1 - p + p x)^\alpha \le 1 + \alpha p (x-1) + \frac e2 \alpha (\alpha-1) p^2 (x-1)^2, \quad"
            r" (\alpha - 2) p (x - 1) \le 1"
        ),
        source=source_at("Lemma 39"),
        theorems=("rdp-41",),
        notes="Reconstructed: both cases are those of the text, the constant e/2 is derived. The order is at least 2.",
    ),
    Remark(
        id="large-40",
        kind="lemma",
        title="A power anywhere, to second order and a power",
        statement=(
            r"(1 - p + p x)^\alpha \le 1 + \alpha p (x-1) + \frac e2 \alpha (\alpha-1) p^2 (x-1)^2"
            r" + (\alpha p x)^\alpha"
        ),
        source=source_at("Lemma 40"),
        theorems=("rdp-41",),
        notes="Reconstructed: the split into two cases is that of the text, the last term is derived.",
    ),
)

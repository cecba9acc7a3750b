r"""Balle, Kairouz, McMahan, Thakkar, Thakurta (2020): numbered items and claims that bound no quantity of a protocol.

Letters of the paper: n clients, m slots, :math:`p_0` the probability of a check-in; :math:`\sigma`, p, L and R are the
deviation of the noise, the dimension, the Lipschitz constant and the diameter.  What is asymptotic is judged in the
reading that its notes name.
"""

from __future__ import annotations

from ..remark import Remark
from .check_ins import source_at

UTILITY = r"\mathbb{E} \mathcal{L}(\theta_m) - \mathcal{L}(\theta^*) \le "
LOGARITHM = r" \frac{2 + \log m}{\sqrt m}"
UTILITY_NOTES = (
    "The theorem has a soft O; the explicit form is that of its proof. It is about excess risk, which depends on the "
    "loss and is no number of a protocol: pldcheck simulate with --utility measures it."
)

DEFINITIONS = (
    Remark(
        id="def-2.1",
        kind="definition",
        title="Differential privacy of neighbours that differ in one record",
        statement=r"\Pr[A(D) \in S] \le e^\epsilon \Pr[A(D') \in S] + \delta",
        source=source_at("Definition 2.1"),
        theorems=("thm-3.2", "thm-4.1", "thm-4.3", "thm-5.1"),
        notes="One record is replaced. At n = 1 this is a local randomizer's (eps0, delta0)-DP.",
    ),
    Remark(
        id="def-3.1",
        kind="definition",
        title="Random check-in",
        statement=r"\Pr[I_j = i] = \frac{p_j}{|R_j|} \text{ for } i \in R_j",
        source=source_at("Definition 3.1"),
        theorems=("thm-3.2", "thm-4.1", "thm-4.3", "prop-3.4", "prop-4.4"),
        notes="With probability 1 - p_j client j abstains.",
    ),
    Remark(
        id="alg-1",
        kind="algorithm",
        title="Random check-ins into a fixed window",
        statement=r"R_j = \{1, \dots, m\}, \quad p_j = p_0",
        source=source_at("Algorithm 1; Figure 1"),
        theorems=("thm-3.2", "cor-3.3", "prop-3.4", "thm-3.5"),
        notes="Of the clients in a slot one answers; an empty slot has a dummy update.",
    ),
    Remark(
        id="alg-2",
        kind="algorithm",
        title="Random check-ins with averaged updates",
        statement=r"R_j = \{1, \dots, m\}, \quad p_j = 1",
        source=source_at("Algorithm 2"),
        theorems=("thm-4.1", "thm-4.2"),
        notes="All clients in a slot answer; an empty slot is skipped.",
    ),
    Remark(
        id="alg-3",
        kind="algorithm",
        title="One random replacement",
        statement=r"z_I = d_1 \text{ with probability } w_I, \quad I \text{ uniform in } \{1, \dots, m\}",
        source=source_at("Algorithm 3"),
        theorems=("thm-A.4",),
        notes="It is the hidden slot.",
    ),
    Remark(
        id="alg-4",
        kind="algorithm",
        title="Bins that are averaged",
        statement=r"\sum_i \ell_i = n",
        source=source_at("Algorithm 4"),
        theorems=("thm-A.5",),
        notes="The records have a fixed order; the random swap stands before it.",
    ),
    Remark(
        id="alg-5",
        kind="algorithm",
        title="Shuffled records",
        statement=r"s_i = A_i(s_1, \dots, s_{i-1}; d_{\pi(i)})",
        source=source_at("Algorithm 5"),
        theorems=("thm-5.1",),
    ),
    Remark(
        id="alg-6",
        kind="algorithm",
        title="One random swap",
        statement=r"\sigma_I(D) = (d_I, d_2, \dots, d_{I-1}, d_1, d_{I+1}, \dots, d_n)",
        source=source_at("Algorithm 6"),
        theorems=("thm-A.7",),
        notes="The algorithm runs to c, which is n.",
    ),
    Remark(
        id="fig-1",
        kind="figure",
        title="Schematic of random check-ins",
        statement=r"\text{clients check in, the server asks one client a slot}",
        source=source_at("Figure 1"),
        why="it is a drawing of Algorithm 1",
    ),
)

CLAIMS = (
    Remark(
        id="rem-1",
        kind="remark",
        title="Fewer check-ins, more privacy and more dummy updates",
        statement=r"\frac{p_0}{\sqrt m} = \frac{\sqrt m}n \text{ at } p_0 = \frac mn",
        source=source_at("Remark 1"),
        theorems=("thm-3.2", "prop-3.4"),
        notes="That no exact n is needed is seen in thm-3.2, whose formula has none.",
    ),
    Remark(
        id="rem-2",
        kind="remark",
        title="The amplification of one window and of one epoch",
        statement=r"\frac{\sqrt m}n \le \frac1{\sqrt n}, \quad \frac{\sqrt m}n \sqrt{\frac nm} = \frac1{\sqrt n}",
        source=source_at("Remark 2"),
        theorems=("thm-3.2", "cor-3.3"),
    ),
    Remark(
        id="rem-3",
        kind="remark",
        title="The utility of random check-ins as m tends to n",
        statement=r"\frac{R}{\sqrt n} \sqrt{\frac{p}{\epsilon^2 n} + L^2} = O\left(R \left(\frac{\sqrt p}{\epsilon n}"
        r" + \frac{L}{\sqrt n}\right)\right)",
        source=source_at("Remark 3"),
        theorems=("thm-3.5",),
        notes=(
            "It is read at m = n, sigma = p0/(epsilon sqrt m), without logarithms, and holds for p0 at least m/n. For "
            "p0 = c m/n with c below log 2, which Omega(m/n) allows, Theorem 3.5 says nothing: its factor is negative."
        ),
    ),
    Remark(
        id="rem-4",
        kind="remark",
        title="Longer sliding windows, more privacy and less accuracy",
        statement=r"\epsilon(m+1) \le \epsilon(m), \quad (n - m + 1) \left(1 - \frac1m\right)^m"
        r" \le (n - m) \left(1 - \frac1{m+1}\right)^{m+1}",
        source=source_at("Remark 4"),
        theorems=("thm-4.3", "prop-4.4"),
        notes=(
            "Privacy and the number of clients that take no part grow with m, as claimed. The number of dummy updates "
            "need not: it falls from 1/2 to 8/27 between m = 2 and m = 3 at n = 3. Their share of the updates grows."
        ),
    ),
    Remark(
        id="sec-3.2-noise",
        kind="section",
        title="A factor of e more noise",
        statement=r"\frac1{(1 - (1 - 1/n)^n)^2} \approx e",
        source=source_at("Section 3.2, comparison of amplification techniques"),
        theorems=("prop-3.4",),
        notes=(
            "The sentence is about linear optimization and names no quantity. It is read as the variance of the noise "
            "in one epoch at p0 = m/n, the sum of the updates being scaled to that without dummies: that is at most e "
            "times as large, and tends to 2.503 times; the deviation to 1.582 times. No reading gives e itself."
        ),
    ),
    Remark(
        id="sec-4.1",
        kind="section",
        title="The factor of averaged updates",
        statement=r"x^{3/2} \epsilon_1 \sqrt m, \quad x = e^{\epsilon_0}",
        source=source_at("Section 4.1, before Theorem 4.1"),
        theorems=("thm-3.2", "thm-4.1", "thm-4.1-simple"),
        notes=(
            "The paper has an additional factor O(e^(3 eps0/2)): true for at most as many slots as clients. Beyond "
            "that the factor grows with m/n (thm-4.1-simple-printed)."
        ),
    ),
    Remark(
        id="sec-4.1-utility",
        kind="section",
        title="The utility of check-ins beside that of averaged updates",
        statement=r"\sqrt{\frac p{\epsilon^2 n^2} + \frac{L^2}m} \le \sqrt{\frac p{\epsilon^2 n m} + \frac{L^2}m},"
        r" \quad m \le n",
        source=source_at("Section 4.1, comparison after Theorem 4.2"),
        theorems=("thm-3.5", "thm-4.2"),
        notes=(
            "Both sides are the rates of the theorems with the noise that the section names for a small epsilon, "
            "without constants and logarithms. The formulas are damaged in the text that was read; they are derived "
            "again."
        ),
    ),
    Remark(
        id="tab-1",
        kind="table",
        title="Orders of epsilon after one epoch",
        statement=r"\epsilon_0, \quad \frac{x}{\sqrt n}, \quad \frac{x^3}{\sqrt n}, \quad \frac{x^{5/2}}{\sqrt n},"
        r" \quad \frac{x^{3/2}}{\sqrt n}, \quad x = e^{\epsilon_0}",
        source=source_at("Table 1"),
        theorems=("sub-29", "efmrtt-7", "thm-5.1", "cor-3.3"),
        notes=(
            "The rows are: no amplification, uniform subsampling, shuffling by Erlingsson et al., shuffling by Theorem "
            "5.1, random check-ins. pldcheck compare table-1 fits the exponents of the bounds and of the truth."
        ),
    ),
    Remark(
        id="fig-2",
        kind="figure",
        title="Theorem 5.1 beside the earlier bound with ten times as many clients",
        statement=r"\epsilon_{5.1}(n) \approx \epsilon_7(10 n), \quad n = 10^3, 10^4, \quad \delta = 10^{-6}",
        source=source_at("Figure 2, caption"),
        theorems=("thm-5.1", "efmrtt-7"),
        notes=(
            "The caption says similar, for eps0 from 0.2 to 1: true within a factor from 0.9 to 1.5. That as good a "
            "bound needs one order of magnitude fewer clients fails for eps0 below 0.88 and is true of a quarter."
        ),
    ),
)

LEMMAS = (
    Remark(
        id="prop-3.4",
        kind="proposition",
        title="Dummy updates of a fixed window",
        statement=r"m \left(1 - \frac{p_0}m\right)^n \le m e^{-c} \text{ at } p_0 = \frac{cm}n",
        source=source_at("Proposition 3.4"),
        notes="The paper says at most; the left side is the expected number exactly.",
    ),
    Remark(
        id="prop-4.4",
        kind="proposition",
        title="Dummy updates of sliding windows",
        statement=r"(n - m + 1) \left(1 - \frac1m\right)^m \le \frac{n - m + 1}e",
        source=source_at("Proposition 4.4"),
        notes="The left side is the expected number exactly. The proof's index set should be that of slots m to n.",
    ),
    Remark(
        id="thm-3.5",
        kind="theorem",
        title="Utility of random check-ins into a fixed window",
        statement=UTILITY + r"\frac{2 R \sqrt{p\sigma^2 + L^2}}{1 - 2e^{-n p_0/m}}" + LOGARITHM,
        source=source_at("Theorem 3.5, explicit form in its proof"),
        notes=(
            f"{UTILITY_NOTES} It says nothing unless 2 e^(-n p0/m) < 1. The factor 2 is not needed for the probability "
            "of an empty slot (thm-3.5-sharp), but covers the noise of dummy updates, which the proof takes to be 0."
        ),
    ),
    Remark(
        id="thm-3.5-sharp",
        kind="theorem",
        title="Utility of random check-ins into a fixed window, without the factor 2",
        statement=UTILITY + r"\frac{2 R \sqrt{p\sigma^2 + L^2}}{1 - e^{-n p_0/m}}" + LOGARITHM,
        source=source_at("Theorem 3.5, with a sharper first display of its proof; not in the paper"),
        notes=(
            f"{UTILITY_NOTES} Its proof holds if dummy updates are 0. With dummy updates that are noise, as in "
            "Algorithm 1, a step of the proof fails."
        ),
    ),
    Remark(
        id="thm-4.2",
        kind="theorem",
        title="Utility of random check-ins with averaged updates",
        statement=UTILITY + r"2 R \sqrt{\frac{m p\sigma^2}n + L^2}" + LOGARITHM,
        source=source_at("Theorem 4.2, explicit form in its proof"),
        notes=(
            f"{UTILITY_NOTES} The noise of an average is understated by a factor of at most 2, and for many more slots "
            "than clients the claim is false."
        ),
    ),
    Remark(
        id="thm-4.2-smooth",
        kind="theorem",
        title="Utility of averaged updates, for smooth losses",
        statement=(
            r"\mathbb{E} \mathcal{L}(\bar\theta) - \mathcal{L}(\theta^*) \le"
            r" R G \sqrt{\frac2m} + \frac{\beta R^2}m, \quad G^2 = O\left(\frac mn (L^2 + p\sigma^2)\right)"
        ),
        source=source_at("Theorem 4.2, second sentence, explicit form in its proof"),
        theorems=("thm-4.2",),
        notes=(
            "The average of the iterates is taken; the paper writes kappa for G. With the factor 2 of 4.2/twice, G^2 "
            "is 2 m (L^2 + p sigma^2)/n."
        ),
    ),
    Remark(
        id="lem-A.1",
        kind="lemma",
        title="Biased sampling hides one record",
        statement=r"\frac{\Pr[A(d_k) \in S]}{\Pr[A(\text{Biased}_q(D, k)) \in S]} \le"
        r" \frac{e^{\epsilon_0}}{1 + q (e^{\epsilon_0} - 1)}",
        source=source_at("Lemma A.1"),
    ),
    Remark(
        id="lem-A.3-printed",
        kind="lemma",
        title="Approximate randomizers are near pure ones, with the printed number of trials",
        statement=r"T = \frac{\log(2/\delta_1)}{\log(1/(1 - e^{5\epsilon_0}))}",
        source=source_at("Lemma A.3, last sentence of its proof"),
        theorems=("lem-A.3",),
        notes=(
            "As printed T is no number: 1 - e^(5 eps0) is negative for every eps0 above 0. The statement of the lemma "
            "has e^(-5 eps0), which is meant, and T must be rounded up."
        ),
    ),
    Remark(
        id="lem-A.6",
        kind="lemma",
        title="Norm of the loads when clients choose slots",
        statement=r"\Pr\left[\|L\|_2 > \sqrt{n + \frac{n^2}m} + \sqrt{n \log(1/\delta)}\right] \le \delta",
        source=source_at("Lemma A.6"),
        notes="It refers to the protocol of Algorithm 2 as Figure 2.",
    ),
)

REMARKS = (*DEFINITIONS, *CLAIMS, *LEMMAS)

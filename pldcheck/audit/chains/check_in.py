r"""Check-ins into a fixed window and a sliding one: Lemmas A.1 and A.2, Theorems A.4, 3.2 and 4.3, and ours.

x stands for :math:`e^{\epsilon_0}`, t = ``past`` for the share :math:`(i-1)/m` of slots before slot i, so that m
cancels; b is the likelihood ratio of an earlier output, :math:`x^{-s}` with s = ``tilt``, or ``decay`` in Lemma A.2.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...interval import Interval
from ..balls import expm1_over
from ..spans import POINT_BITS, exactly
from ..step import Axis, Chain, Measured, Premise, Step
from .parts import COUNT, EPS0, LOG_INVERSE, SHARE, drift, drift_and_root, overlapping, square, weighted

TILT = Axis(-1.0, 1.0)
A4 = "Theorem A.4, proof"
# b of Lemma A.2 is below 1, as 1 - 1/x is.
DECAY = Axis(0.0, 1 - 1e-9)


def replacement(eps0: Any, steps: Any, weight: Any, log_inverse_delta: Any) -> Any:
    """The formula of Theorem A.4."""
    a = weight * eps0.expm1()
    return a**2 * eps0.exp() / (2 * steps) + a * (2 * eps0.exp() * log_inverse_delta / steps).sqrt()


def improved(eps0: Any, steps: Any, weight: Any, log_inverse_delta: Any) -> Any:
    """The formula of thm-3.2-improved."""
    spread = eps0.exp() / (1 + (1 - weight) * eps0.expm1())
    a = weight * eps0.expm1()
    return a**2 * spread / (2 * steps) + a * (2 * spread * log_inverse_delta / steps).sqrt()


def reduced(eps0: Any, steps: Any, weight: Any, log_inverse_delta: Any) -> Any:
    r"""The formula of Theorem A.4 divided by :math:`w \epsilon_0 / \sqrt m`."""
    quotient = expm1_over(eps0)
    drift = weight * eps0.exp() * eps0 * quotient**2 / (2 * steps.sqrt())
    return drift + quotient * (2 * eps0.exp() * log_inverse_delta).sqrt()


# Lemma A.1

BIASED = Step(
    id="A.1/ratio",
    name="biased sampling",
    statement=r"\frac{1}{q + (1 - q) b} \le \frac{x}{1 + q (x - 1)}, \quad b = x^{-s}, \quad -1 \le s \le 1",
    source="Lemma A.1, proof, the inequality after the third equality",
    left=lambda eps0, share, tilt: 1 / (share + (1 - share) * (-tilt * eps0).exp()),
    right=lambda eps0, share, tilt: eps0.exp() / (1 + share * eps0.expm1()),
    box={"eps0": EPS0, "share": SHARE, "tilt": TILT},
    # The difference of the inverses is (1 - q)(b - 1/x), and b - 1/x has the sign of 1 - s.
    margin=lambda eps0, share, tilt: (1 - share) * (1 - tilt) * eps0,
    notes="share is q; b is the mean ratio of the other records' densities to that of record k.",
)

# Lemma A.2: k is steps, a is first, b is decay, past is i/k

INTEGRAL = Step(
    id="A.2/integral",
    name="sum to integral, term by term",
    statement=r"\frac{1}{(k - ib)^2} \le \int_i^{i+1} \frac{dz}{(k - zb)^2} = \frac{1}{(k - ib)(k - (i+1)b)}",
    source="Lemma A.2, proof, inequality (4)",
    left=lambda steps, past, decay: 1 / (steps * (1 - past * decay)) ** 2,
    right=lambda steps, past, decay: 1 / (steps * (1 - past * decay)) / (steps * (1 - past * decay - decay / steps)),
    box={"steps": COUNT, "past": SHARE, "decay": DECAY},
    premises=(Premise("i + 1 <= k", lambda steps, past, decay: steps * past + 1 - steps),),
    # Both denominators share k - ib; the other factors differ by b.
    margin=lambda steps, past, decay: decay,
    conditional=True,
    notes="past is i/k, i from 0; steps is k, decay is b.",
)
TELESCOPE = Step(
    id="A.2/telescope",
    name="the integral",
    statement=r"\frac1b \left(\frac{1}{k - kb} - \frac1k\right) = \frac{1}{k (1 - b)}",
    source="Lemma A.2, proof, (4), last equality",
    left=lambda steps, decay: (1 / (steps - steps * decay) - 1 / steps) / decay,
    right=lambda steps, decay: 1 / (steps * (1 - decay)),
    box={"steps": COUNT, "decay": replace(DECAY, low=1e-6)},
    equal=True,
)
JOINED = Step(
    id="A.2/joined",
    name="both sums in the composition bound",
    statement=r"\frac S2 + \sqrt{2 L S} = \frac{a^2}{2k(1-b)} + \sqrt{\frac{2 a^2 L}{k (1-b)}}, \quad"
    r" S = \frac{a^2}{k(1-b)}",
    source="Lemma A.2, proof, last sentence",
    left=lambda steps, first, decay, log_inverse_delta: drift_and_root(
        first**2 / (steps * (1 - decay)), log_inverse_delta
    ),
    right=lambda steps, first, decay, log_inverse_delta: (
        first**2 / (2 * steps * (1 - decay)) + (2 * first**2 * log_inverse_delta / (steps * (1 - decay))).sqrt()
    ),
    box={"steps": COUNT, "first": Axis(1e-6, 1e6, "log"), "decay": DECAY, "log_inverse_delta": LOG_INVERSE},
    equal=True,
)


def _whole_sum(steps: float, decay: float) -> tuple[Interval, Interval]:
    r""":math:`k b^{-2} (\zeta(2, c + 1) - \zeta(2, c + k + 1))` at c = k/b - k, which is the sum; and its bound."""
    from flint import arb, ctx

    with ctx.workprec(POINT_BITS):
        k, b = exactly(steps), exactly(decay)
        start = k / b - k + 1
        total = k * (arb(2).zeta(start) - arb(2).zeta(start + k)) / b**2
        return enclosure(total), enclosure(1 / (1 - b))


def enclosure(value: Any) -> Interval:
    """A ball as an interval of floats, rounded outward."""
    low, high = float(value.lower()), float(value.upper())
    return Interval(low - abs(low) * 1e-15, high + abs(high) * 1e-15)


WHOLE_SUM = Measured(
    id="A.2/sum",
    name="the whole sum against the integral",
    statement=r"k \sum_{i=0}^{k-1} \frac{1}{(k - ib)^2} \le \frac{1}{1 - b}",
    source="Lemma A.2, proof, inequality (4)",
    points=tuple(
        {"steps": steps, "decay": decay}
        for steps in (1.0, 2.0, 10.0, 1000.0, 1e6, 1e9)
        for decay in (0.01, 0.5, 0.6321, 0.99)
    ),
    check=_whole_sum,
    why="a sum of any number of terms; each term is proved above, the sum is from the Hurwitz zeta function",
)


def _optimal(steps: float, eps0: float, weight: float, delta: float) -> tuple[Interval, Interval]:
    """The steps' budgets composed optimally, and in the bound of Kairouz, Oh and Viswanath."""
    from flint import ctx

    from ... import pld

    with ctx.workprec(POINT_BITS):
        count, budget, log_inverse_delta = int(steps), exactly(eps0), -exactly(delta).log()
        growths = [
            exactly(weight) * budget.expm1() * _envelope(budget, exactly(i) / count) / count for i in range(count)
        ]
        total = sum(y * y.log1p() / (2 + y) for y in growths)
        bound = total + (2 * log_inverse_delta * sum(y.log1p() ** 2 for y in growths)).sqrt()
        # Rounded up, a budget only grows.
        budgets = [float(y.log1p().upper()) * (1 + 1e-15) for y in growths]
    return pld.compose_all([pld.randomized_response(each) for each in budgets]).epsilon(delta), enclosure(bound)


def _truth(steps: float, eps0: float, weight: float, delta: float) -> tuple[Interval, Interval]:
    """The certified epsilon of the hidden slot, and the formula."""
    from ...protocols import HiddenSlot
    from ...theorems import REGISTRY

    bound = REGISTRY["thm-A.4"](steps=int(steps), eps0=eps0, weight=weight, delta=delta).value
    return HiddenSlot(int(steps), eps0, weight).epsilon(delta), Interval(bound * (1 - 1e-13), bound * (1 + 1e-13))


POINTS = tuple(
    {"steps": steps, "eps0": eps0, "weight": weight, "delta": delta}
    for steps, eps0, weight, delta in (
        (1.0, 1.0, 1.0, 0.01),
        (10.0, 0.1, 1.0, 1e-6),
        (100.0, 1.0, 1.0, 1e-6),
        (100.0, 1.0, 0.1, 1e-6),
        (200.0, 2.0, 1.0, 1e-10),
    )
)
COMPOSITION = Measured(
    id="A.4/composition",
    name="heterogeneous composition",
    statement=r"\epsilon^*(\epsilon_1, \dots, \epsilon_m; \delta) \le"
    r" \sum_i \frac{(e^{\epsilon_i} - 1) \epsilon_i}{e^{\epsilon_i} + 1} + \sqrt{2 L \sum_i \epsilon_i^2}",
    source="Kairouz, Oh, Viswanath (2015), used in Lemma A.2, equation (2)",
    points=POINTS,
    check=_optimal,
    why="the left side is the optimal composition of the steps, a sum over 2^m outcomes, by certified convolution",
)
ENDS = Measured(
    id="A.4/ends",
    name="from the truth to the formula",
    statement=r"\epsilon^*(m, \epsilon_0, w; \delta) \le"
    r" \frac{w^2 x (x-1)^2}{2m} + w (x-1) \sqrt{\frac{2 x L}{m}}",
    source="Theorem A.4, statement",
    points=POINTS,
    check=_truth,
    why="the left side is the worst case over all adaptive randomizers, by certified recursion",
)

# Theorem A.4: the posterior of slot i, times m; w is the weight

SLOT = {"eps0": EPS0, "weight": SHARE, "tilt": SHARE, "past": SHARE}


def _posterior(eps0: Any, weight: Any, tilt: Any, past: Any) -> Any:
    """When every earlier output has ratio b: 1/(t (1 - w + w b) + 1 - t)."""
    return 1 / (1 + past * weight * (-tilt * eps0).expm1())


def _envelope(eps0: Any, past: Any) -> Any:
    return eps0.exp() / (past + (1 - past) * eps0.exp())


def _kept(eps0: Any, weight: Any, past: Any) -> Any:
    return 1 / (1 + past * weight * (-eps0).expm1())


POSTERIOR = Step(
    id="A.4/posterior",
    name="posterior envelope",
    statement=r"m q_i = \frac{m}{(i-1)(1 - w + w b) + m-i+1} \le \frac{m x}{i-1 + x (m-i+1)}, \quad b = x^{-s}",
    source=f"{A4}, inequality (11) and the claim before it",
    left=_posterior,
    right=lambda eps0, weight, tilt, past: _envelope(eps0, past),
    box=SLOT,
    # The inverses differ by t (w b + 1 - w - 1/x), which is t ((1 - w)(1 - 1/x) + w (b - 1/x)); per eps0.
    margin=lambda eps0, weight, tilt, past: (
        past * ((1 - weight) * expm1_over(-eps0) + weight * (-eps0).exp() * (1 - tilt) * expm1_over((1 - tilt) * eps0))
    ),
    notes=(
        "All earlier outputs are taken to be alike; Lemma A.1 with q = 1 - t. Conditioned on slot j < i the output at "
        "j is from the record with probability w only, which the right side forgets."
    ),
)
KEPT = Step(
    id="A.4/posterior-kept",
    name="posterior envelope that keeps the weight",
    statement=r"m q_i = \frac{m}{(i-1)(1 - w + w b) + m-i+1} \le \frac{m}{(i-1)(1 - w + w/x) + m-i+1}",
    source="improved here",
    left=_posterior,
    right=lambda eps0, weight, tilt, past: _kept(eps0, weight, past),
    box=SLOT,
    margin=lambda eps0, weight, tilt, past: past * weight * (1 - tilt) * expm1_over((1 - tilt) * eps0),
)
BUDGET = Step(
    id="A.4/budget",
    name="budget of a step, in the form of Lemma A.2",
    statement=r"\frac{w x (x-1)}{i-1 + x (m-i+1)} = \frac{w (x-1)}{m - (i-1) \frac{x-1}{x}}",
    source=f"{A4}, the sentence before Lemma A.2 is used",
    left=lambda eps0, weight, past: weight * eps0.expm1() * _envelope(eps0, past),
    right=lambda eps0, weight, past: weight * eps0.expm1() / (1 - past * eps0.expm1() / eps0.exp()),
    box={"eps0": EPS0, "weight": SHARE, "past": SHARE},
    equal=True,
)
FORMULA = Step(
    id="A.4/formula",
    name="Lemma A.2 at a = w(x-1), b = 1 - 1/x",
    statement=r"\frac{a^2}{2m(1-b)} + \sqrt{\frac{2 a^2 L}{m (1-b)}} ="
    r" \frac{w^2 x (x-1)^2}{2m} + w (x-1) \sqrt{\frac{2 x L}{m}}",
    source=f"{A4}, end of the pure case",
    left=lambda eps0, steps, weight, log_inverse_delta: drift_and_root(
        (weight * eps0.expm1()) ** 2 / (steps * (1 + (-eps0).expm1())), log_inverse_delta
    ),
    right=replacement,
    box={"eps0": EPS0, "steps": COUNT, "weight": SHARE, "log_inverse_delta": LOG_INVERSE},
    equal=True,
)

# The simple form

FORMULA_BOX = {
    "eps0": Axis(0.0, 4.0),
    "steps": COUNT,
    "weight": SHARE,
    "log_inverse_delta": Axis(0.01, 700.0, "log"),
}


def _at_most(limit: int) -> Premise:
    """Delta <= 1/limit, in terms of L."""
    from flint import arb

    return Premise(f"delta <= 1/{limit}", lambda log_inverse_delta, **_: arb(limit).log() - log_inverse_delta)


SMALL = Premise("eps0 <= 1", lambda eps0, **_: eps0 - 1)
RARE = _at_most(100)
QUARTER = _at_most(4)

LINEAR = Step(
    id="A.4/linear",
    name="exponentials to a line",
    statement=r"e^{\epsilon_0/2} (e^{\epsilon_0} - 1) \le 3 \epsilon_0",
    source=f"{A4}, simple form, first inequality",
    left=lambda eps0: (eps0 / 2).exp() * eps0.expm1(),
    right=lambda eps0: 3 * eps0,
    box={"eps0": Axis(0.0, 4.0)},
    premises=(SMALL,),
    margin=lambda eps0: 3 - (eps0 / 2).exp() * expm1_over(eps0),
)


def _absorbed(premise: Premise, which: str, where: str) -> Step:
    return Step(
        id=f"A.4/absorbed-{which}",
        name=f"drift absorbed in the root, {premise.text}",
        statement=r"\frac{3 w \epsilon_0}{2 \sqrt m} \le \sqrt{\frac{L}{2}}",
        source=f"{A4}, simple form, second inequality, {where}",
        left=lambda eps0, steps, weight, log_inverse_delta: 3 * weight * eps0 / (2 * steps.sqrt()),
        right=lambda eps0, steps, weight, log_inverse_delta: (log_inverse_delta / 2).sqrt(),
        box=FORMULA_BOX,
        premises=(SMALL, premise),
    )


ABSORBED = _absorbed(RARE, "100", "as its reason says")
ABSORBED_QUARTER = _absorbed(QUARTER, "4", "as the sentence before it says")
ROUNDED = Step(
    id="A.4/rounded",
    name="the constant rounded up",
    statement=r"3 \left(\sqrt 2 + \sqrt{1/2}\right) \sqrt L \le 7 \sqrt L",
    source=f"{A4}, simple form, last inequality",
    left=lambda log_inverse_delta: 3 * ((0 * log_inverse_delta + 2).sqrt() * 3 / 2) * log_inverse_delta.sqrt(),
    right=lambda log_inverse_delta: 7 * log_inverse_delta.sqrt(),
    box={"log_inverse_delta": LOG_INVERSE},
    # 7 - 9/sqrt(2) has the sign of 98 - 81.
    margin=lambda log_inverse_delta: 0 * log_inverse_delta + (2 * 7**2 - 9**2),
)


def _simple(premise: Premise, which: str, where: str) -> Step:
    return Step(
        id=f"A.4/simple-{which}",
        name=f"the simple form, {premise.text}",
        statement=r"\frac{w^2 x (x-1)^2}{2m} + w (x-1) \sqrt{\frac{2 x L}{m}} \le 7 w \epsilon_0 \sqrt{\frac Lm}",
        source=f"Theorem A.4, second sentence, {where}",
        left=replacement,
        right=lambda eps0, steps, weight, log_inverse_delta: 7 * weight * eps0 * (log_inverse_delta / steps).sqrt(),
        box=FORMULA_BOX,
        premises=(SMALL, premise),
        margin=lambda eps0, steps, weight, log_inverse_delta: (
            7 * log_inverse_delta.sqrt() - reduced(eps0, steps, weight, log_inverse_delta)
        ),
        notes="The margin is divided by w eps0 / sqrt(m): where that is 0 it is the limit that is compared.",
    )


SIMPLE = _simple(RARE, "100", "statement")
SIMPLE_QUARTER = _simple(QUARTER, "4", "as one place of its proof has it")

# Theorems 3.2, 4.3 and the improved one

SHARED = Step(
    id="3.2/weight",
    name="the slot's weight by its largest",
    statement=r"\epsilon(w_{max} / c) \le \epsilon(w_{max}), \quad c \ge 1 \text{ clients in the slot}",
    source="Theorem 3.2, proof, where w_max is set to p0; Theorem 4.3 with 1",
    left=lambda eps0, steps, weight, log_inverse_delta, clients: replacement(
        eps0, steps, weight / clients, log_inverse_delta
    ),
    right=lambda eps0, steps, weight, log_inverse_delta, clients: replacement(eps0, steps, weight, log_inverse_delta),
    box={"eps0": EPS0, "steps": COUNT, "weight": SHARE, "log_inverse_delta": LOG_INVERSE, "clients": COUNT},
    # Both terms grow with the weight, and it is divided by c.
    margin=lambda eps0, steps, weight, log_inverse_delta, clients: clients - 1,
    notes="clients is c, the number that checked in to the slot; the bound does not use the population.",
)
KEPT_FORMULA = Step(
    id="3.2-improved/formula",
    name="Lemma A.2 at a = w(x-1), b = w(1 - 1/x)",
    statement=r"\frac{a^2}{2m(1-b)} + \sqrt{\frac{2 a^2 L}{m (1-b)}} ="
    r" \frac{w^2 s (x-1)^2}{2m} + w (x-1) \sqrt{\frac{2 s L}{m}}, \quad s = \frac{1}{1 - w (1 - 1/x)}",
    source="improved here",
    left=lambda eps0, steps, weight, log_inverse_delta: drift_and_root(
        (weight * eps0.expm1()) ** 2 / (steps * (1 + weight * (-eps0).expm1())), log_inverse_delta
    ),
    right=improved,
    box={"eps0": EPS0, "steps": COUNT, "weight": SHARE, "log_inverse_delta": LOG_INVERSE},
    equal=True,
)
NO_WORSE = Step(
    id="3.2-improved/no-worse",
    name="at most Theorem 3.2",
    statement=r"\epsilon_{improved} \le \frac{w^2 x (x-1)^2}{2m} + w (x-1) \sqrt{\frac{2 x L}{m}}",
    source="improved here",
    left=improved,
    right=replacement,
    box={"eps0": EPS0, "steps": COUNT, "weight": SHARE, "log_inverse_delta": LOG_INVERSE},
    # The two differ in s and x only, and 1/s - 1/x = (1 - w)(1 - 1/x).
    margin=lambda eps0, steps, weight, log_inverse_delta: (1 - weight) * eps0,
)

A2_STEPS = (
    drift("A.2", "Lemma A.2, proof, inequality (5)"),
    square("A.2", "Lemma A.2, proof, inequality (3)"),
    INTEGRAL,
    TELESCOPE,
    WHOLE_SUM,
    JOINED,
)
SIMPLIFIED = (LINEAR, ABSORBED, ROUNDED, SIMPLE)
MIXTURE = overlapping("A.4", f"{A4}, inequality (10), from Balle, Barthe, Gaboardi (2018), Theorem 2")
WEIGHTS = weighted("A.4", f"{A4}, inequality (10), without loss of generality there")
PURE = (MIXTURE, WEIGHTS, BIASED, POSTERIOR, BUDGET, COMPOSITION, *A2_STEPS, FORMULA)

CHAINS = (
    Chain("lem-A.1", (BIASED,), "Biased sampling hides one record"),
    Chain("lem-A.2", A2_STEPS),
    Chain("thm-A.4", (*PURE, ENDS, *SIMPLIFIED, ABSORBED_QUARTER, SIMPLE_QUARTER)),
    Chain("thm-3.2", (SHARED, *PURE, ENDS)),
    Chain("thm-3.2-simple", (*SIMPLIFIED, ABSORBED_QUARTER, SIMPLE_QUARTER)),
    Chain("thm-3.2-improved", (MIXTURE, WEIGHTS, KEPT, *A2_STEPS, KEPT_FORMULA, NO_WORSE)),
    Chain("thm-4.3", (SHARED, *PURE, ENDS)),
    Chain("thm-4.3-simple", SIMPLIFIED),
)

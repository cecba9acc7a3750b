r"""Steps that several proofs share, and the ranges of their parameters.

x stands for :math:`e^{\epsilon_0}`, L for :math:`\log(1/\delta)`, which is the axis ``log_inverse_delta``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .proof_step import Axis, Function, Premise, Step
from .removable_quotients import expm1_over, log1p_over, log1p_remainder

# The reason why a step about laws is measured.
ENUMERATION_NOTE = "it is about the places of records, or about laws; small cases are enumerated"
# The domain of eps0 in the theorems, with 0.
EPS0 = Axis(0.0, 20.0)
# The domain of numbers of slots or clients.
COUNT = Axis(1.0, 1e12, "log", whole=True)
# The range of log(1/delta): delta is from 1e-304 to 1.
LOG_INVERSE = Axis(0.0, 700.0)
# The range of a probability.
SHARE = Axis(0.0, 1.0)
# The range of e^epsilon - 1.
GROWTH = Axis(1e-15, 1e30, "log")


def x(eps0: Any) -> Any:
    r"""Return :math:`x = e^{\epsilon_0}`."""
    return eps0.exp()


def drift_and_root(square: Any, log_inverse_delta: Any) -> Any:
    r"""Return Kairouz, Oh and Viswanath's bound :math:`S/2 + \sqrt{2 L S}`, where S is the sum of squares."""
    return square / 2 + (2 * log_inverse_delta * square).sqrt()


def overlapping_mixtures(prefix: str, source: str) -> Step:
    """Return the step of advanced joint convexity of overlapping mixtures, at each likelihood ratio of the randomizers.

    With b = :math:`x^{-t}` the ratio of the second component's density on the neighbour to the common one's, that of
    the first component is at most xb: so every ratio of the two mixtures is at most the left side.
    """

    def left(eps0, weight, tilt):
        b = (-tilt * eps0).exp()
        return 1 + weight * b * eps0.expm1() / (1 - weight + weight * b)

    return Step(
        id=f"{prefix}/mixture",
        name="overlapping mixtures",
        statement=r"\frac{1 - q + q x b}{1 - q + q b} \le 1 + q (x - 1), \quad b = x^{-t}, \quad 0 \le t \le 1",
        source=source,
        left=left,
        right=lambda eps0, weight, tilt: 1 + weight * eps0.expm1(),
        box={"eps0": EPS0, "weight": SHARE, "tilt": SHARE},
        # The right side minus the left is q (x - 1) (1 - q) (1 - b) over a positive denominator.
        margin=lambda eps0, weight, tilt: 1 - weight,
        notes=(
            "q is the weight and t the parameter tilt; both components "
            "have densities, with respect to each other, in [1/x, x]."
        ),
    )


def weighted_mixtures(prefix: str, source: str) -> Step:
    """Return the step of overlapping mixtures in which the two neighbours have weights of their own, both at most q.

    The posterior of the slot depends on the record; the proofs take the larger weight for both without loss.
    """

    def left(eps0, weight, tilt, one, other):
        b = (-tilt * eps0).exp()
        return (1 + one * weight * (b * x(eps0) - 1)) / (1 + other * weight * (b - 1))

    def margin(eps0, weight, tilt, one, other):
        # The right side minus the left is q eps0 times this, over the positive denominator of the left.
        falls = tilt * expm1_over(-tilt * eps0)
        rises = (1 - one) * (1 - tilt) * expm1_over((1 - tilt) * eps0)
        more = (1 - other) * (1 + weight * eps0.expm1()) + (1 - weight) * eps0.expm1()
        return rises + falls * more

    return Step(
        id=f"{prefix}/weights",
        name="overlapping mixtures with weights of their own",
        statement=r"\frac{1 - q_1 + q_1 x b}{1 - q_2 + q_2 b} \le 1 + q (x - 1),"
        r" \quad q_1, q_2 \le q, \quad b = x^{-t}",
        source=source,
        left=left,
        right=lambda eps0, weight, tilt, one, other: 1 + weight * eps0.expm1(),
        box={"eps0": EPS0, "weight": SHARE, "tilt": SHARE, "one": SHARE, "other": SHARE},
        margin=margin,
        notes=(
            "q is the weight, t is tilt, q_1 = one q and q_2 = other q, where one and other are parameters from 0 to 1."
        ),
    )


def drift(prefix: str, source: str) -> Step:
    """Return the step that bounds one term of the first sum of the composition bound."""
    return Step(
        id=f"{prefix}/drift",
        name="drift of one step",
        statement=r"\frac{(e^{\epsilon_i} - 1) \epsilon_i}{e^{\epsilon_i} + 1} = \frac{y \log(1 + y)}{2 + y}"
        r" \le \frac{y^2}{2}, \quad y = e^{\epsilon_i} - 1",
        source=source,
        left=lambda growth: growth * growth.log1p() / (2 + growth),
        right=lambda growth: growth**2 / 2,
        box={"growth": GROWTH},
        # The difference over y^2 is 1/2 - (log(1+y)/y)/(2+y), and the second term is at most 1/2.
        margin=lambda growth: growth + 2 - 2 * log1p_over(growth),
        notes="y is the parameter growth.",
    )


def square(prefix: str, source: str) -> Step:
    """Return the step that bounds one term of the second sum of the composition bound."""
    return Step(
        id=f"{prefix}/square",
        name="square of one step",
        statement=r"\epsilon_i^2 = \log(1 + y)^2 \le y^2",
        source=source,
        left=lambda growth: growth.log1p() ** 2,
        right=lambda growth: growth**2,
        box={"growth": GROWTH},
        margin=lambda growth: 1 - log1p_over(growth),
        notes="y is the parameter growth.",
    )


def union(prefix: str, source: str, readings: Mapping[str, Function] | None = None) -> Step:
    """Return the step for the distance of the whole when each of n randomizers is moved by at most delta1."""
    box = {"clients": replace(COUNT, low=2.0), "tv": Axis(0.0, 0.99)}
    return Step(
        id=f"{prefix}/union",
        name="replacement of every call of a randomizer",
        statement=r"1 - (1 - \delta_1)^n \le \tau = n \delta_1",
        source=source,
        left=lambda clients, tv, **_: -(clients * (-tv / clients).log1p()).expm1(),
        right=lambda clients, tv, **_: tv,
        box={**box, "steps": COUNT} if readings else box,
        # The claim is n log(1 - t/n) >= log(1 - t), with log(1 + z) = z - z^2 R(z), divided by t^2/n.
        margin=lambda clients, tv, **_: clients * log1p_remainder(-tv) - log1p_remainder(-tv / clients),
        notes=(
            "n delta1 is the parameter tv; nothing is claimed from 1 on. Calls that each differ on an event of their "
            "own attain the left side. A client is one call: several in a slot are more calls than slots."
        ),
        readings=readings or {},
    )


def return_to_original(prefix: str, source: str, readings: Mapping[str, Function] | None = None) -> Step:
    """Return the step from a nearby mechanism's (epsilon, delta) to the mechanism's own.

    It is Proposition 3 of Wang, Lei, Fienberg 2016.
    """
    box = {"clients": COUNT, "delta1": Axis(1e-300, 0.5, "log"), "epsilon": Axis(0.0, 700.0), "delta": SHARE}

    def left(clients, delta1, epsilon, delta, **_):
        tv = clients * delta1
        return delta + tv + epsilon.exp() * tv

    return Step(
        id=f"{prefix}/moved",
        name="return to the original randomizers",
        statement=r"\delta + \tau + e^{\epsilon'} \tau \le \delta + n (e^{\epsilon'} + 1) \delta_1,"
        r" \quad \tau = n \delta_1",
        source=source,
        left=left,
        right=lambda clients, delta1, epsilon, delta, **_: delta + clients * (epsilon.exp() + 1) * delta1,
        box={**box, "steps": COUNT} if readings else box,
        margin=lambda delta, **_: 0 * delta,  # both sides are the same sum, in another order
        notes="P(S) <= P~(S) + tau <= e^epsilon P~'(S) + delta + tau <= e^epsilon (P'(S) + tau) + delta + tau.",
        readings=readings or {},
    )


def printed_delta(prefix: str, source: str, back: Step) -> Step:
    """Return the step from the delta that the proof gives, the right side of ``back``, to the delta that is printed."""
    return Step(
        id=f"{prefix}/printed",
        name="the delta as printed",
        statement=r"\delta + n (e^{\epsilon'} + 1) \delta_1 \le \delta + m (e^{\epsilon'} + 1) \delta_1",
        source=source,
        left=lambda steps, **at: back.right(**at),
        right=lambda clients, steps, delta1, epsilon, delta: delta + steps * (epsilon.exp() + 1) * delta1,
        box={**back.box, "steps": COUNT},
        premises=(
            Premise(
                "delta + clients (e^epsilon + 1) delta1 <= 1",
                lambda clients, steps, delta1, epsilon, delta: delta + clients * (epsilon.exp() + 1) * delta1 - 1,
            ),
        ),
        notes=(
            "The argument is that of Theorem A.4, which has one call a slot; here n calls are replaced. The printed "
            "delta is not refuted; it is not proved."
        ),
    )


def at_most_clients(name: str) -> Premise:
    """Return the premise that a number of places is at most the number of clients."""
    return Premise(f"{name} <= clients", lambda **values: values[name] / values["clients"] - 1)

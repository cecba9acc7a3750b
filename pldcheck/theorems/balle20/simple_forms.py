r"""Balle, Kairouz, McMahan, Thakkar, Thakurta (2020): simple and asymptotic forms, in the readings that can be judged.

Letters as in :mod:`pldcheck.theorems.balle20.check_ins`.  A form with an O is read with the constant that the theorem's
own formula gives.
"""

from __future__ import annotations

from math import e, log, sqrt

from ..theorem import Condition, Theorem
from .check_ins import (
    CLIENTS_ARE_A_MULTIPLE,
    FEW_SLOTS,
    MANY_CLIENTS,
    TOTAL_BELOW_ONE,
    repeated_window,
    repeated_window_delta,
    repetition,
    sliding_window_simple,
    source_at,
)
from .shuffling_and_swaps import averaged_delta, below_one


def random_replacement_simple(*, steps: int, eps0: float, weight: float, delta: float) -> float:
    r"""Return the epsilon of the simple form of Theorem A.4: :math:`7 w \epsilon_0 \sqrt{\log(1/\delta)/m}`."""
    return weight * sliding_window_simple(window=steps, eps0=eps0, delta=delta)


def averaged_simple(*, clients: int, steps: int, eps0: float, delta2: float, delta: float) -> float:
    r"""Return the epsilon of the simple form of Theorem 4.1, with the constant of its formula.

    .. math:: \left(\frac{c^2}2 + c \sqrt{2 \log(1/\delta)}\right) \frac{\epsilon_0}{\sqrt m},
        \quad c = e^2 (e - 1) \left(\sqrt2 + \sqrt{\log(1/\delta_2)}\right)

    For m at most n the loads' norm is at most :math:`(\sqrt2 + \sqrt{\log(1/\delta_2)})/\sqrt m`, and for
    :math:`\epsilon_0 \le 1` the exponentials are at most :math:`e^2 (e-1) \epsilon_0`.
    """
    c = e**2 * (e - 1) * (sqrt(2) + sqrt(-log(delta2)))
    return (c * c / 2 + c * sqrt(-2 * log(delta))) * eps0 / sqrt(steps)


EPS0_AT_MOST_ONE = Condition("eps0 <= 1", "eps0", lambda params: params["eps0"] - 1)
SIMPLE_STATEMENT = r"\epsilon = 7 w_{\max} \epsilon_0 \sqrt{\frac{\log(1/\delta)}{m}}"
AVERAGED_STATEMENT = (
    r"\epsilon = \left(\frac{c^2}2 + c \sqrt{2 \log(1/\delta)}\right) \frac{\epsilon_0}{\sqrt m}"
    r" \text{ at } \delta + \delta_2, \quad c = e^2 (e - 1) \left(\sqrt2 + \sqrt{\log(1/\delta_2)}\right)"
)
AVERAGED_NOTES = (
    "The paper has epsilon = O(eps0/sqrt m) and names no constant; this one is that of the theorem's formula."
)

THEOREMS = (
    Theorem(
        id="thm-A.4-simple",
        title="Amplification via random replacement, simple form",
        statement=SIMPLE_STATEMENT,
        adjacency="replace",
        protocol="hidden-slot",
        parameters=("steps", "eps0", "weight", "delta"),
        conditions=(
            EPS0_AT_MOST_ONE,
            Condition("delta <= 1/100", "delta", lambda params: params["delta"] - 0.01),
        ),
        source=source_at("Theorem A.4, second sentence"),
        formula=random_replacement_simple,
        notes="The weight is the largest of the slots' weights. One place of the proof has thm-A.4-simple-quarter.",
    ),
    Theorem(
        id="thm-A.4-simple-quarter",
        title="Amplification via random replacement, simple form, for larger delta",
        statement=SIMPLE_STATEMENT,
        adjacency="replace",
        protocol="hidden-slot",
        parameters=("steps", "eps0", "weight", "delta"),
        conditions=(
            EPS0_AT_MOST_ONE,
            Condition("delta <= 1/4", "delta", lambda params: params["delta"] - 0.25),
        ),
        source=source_at("Theorem A.4, proof, the sentence before its simple form"),
        formula=random_replacement_simple,
        notes=(
            "This is a reading of one place of the proof, where it does not follow: the main form is 1.059 times this "
            "one at eps0 = steps = weight = 1, delta = 1/4. As a claim about the mechanism it is not refuted."
        ),
    ),
    Theorem(
        id="cor-3.3-printed",
        title="One epoch of random check-ins, by repetition of a fixed window, under the printed conditions",
        statement=(
            r"\epsilon = 4 (e^{\epsilon_0} - 1) \sqrt{\frac{e^{\epsilon_0} \log(1/\beta) \log(1/\delta)}{n}}"
            r" + \frac{12 (e^{\epsilon_0} - 1)^2 e^{\epsilon_0} \log(1/\beta)}{n}"
            r" \text{ at } \frac nm \beta + \delta"
        ),
        adjacency="replace",
        protocol="check-in",
        parameters=("steps", "clients", "eps0", "beta", "delta"),
        conditions=(CLIENTS_ARE_A_MULTIPLE, FEW_SLOTS, MANY_CLIENTS, TOTAL_BELOW_ONE),
        source=source_at("Corollary 3.3"),
        formula=repeated_window,
        notes=(
            "The corollary has the order of epsilon, e^(1.5 eps0)/sqrt n but for logarithms, with the two conditions "
            "on eps0 and on clients; the explicit form is that of its proof. Where log(1/beta) < 1/512 the proof does "
            "not give it (cor-3.3 has that condition). Nothing is claimed unless the total delta is below 1."
        ),
        at=repeated_window_delta,
        subject=repetition,
        dominated=True,
    ),
    Theorem(
        id="thm-4.1-simple",
        title="Random check-ins with averaged updates, simple form for at most as many slots as clients",
        statement=AVERAGED_STATEMENT + r", \quad m \le n",
        adjacency="replace",
        protocol="averaged",
        parameters=("clients", "steps", "eps0", "delta2", "delta"),
        conditions=(
            EPS0_AT_MOST_ONE,
            Condition("steps <= clients", "steps", lambda params: params["steps"] - params["clients"]),
            below_one("delta + delta2 < 1", averaged_delta),
        ),
        source=source_at("Theorem 4.1, second sentence, with no more slots than clients"),
        formula=averaged_simple,
        notes=AVERAGED_NOTES,
        at=averaged_delta,
        example={"steps": 100},
    ),
    Theorem(
        id="thm-4.1-simple-printed",
        title="Random check-ins with averaged updates, simple form for any number of slots (false)",
        statement=AVERAGED_STATEMENT,
        adjacency="replace",
        protocol="averaged",
        parameters=("clients", "steps", "eps0", "delta2", "delta"),
        conditions=(EPS0_AT_MOST_ONE, below_one("delta + delta2 < 1", averaged_delta)),
        source=source_at("Theorem 4.1, second sentence"),
        formula=averaged_simple,
        notes=(
            f"{AVERAGED_NOTES} No constant makes it true: slots without clients are skipped, so that one client in "
            "ever more slots keeps its epsilon near eps0, while eps0/sqrt m tends to 0. Theorem 4.1 itself has 1/n "
            "beside 1/m, and holds. Section 2 speaks of as many slots as clients at most (thm-4.1-simple)."
        ),
        at=averaged_delta,
        approximation=(
            "The paper has an order, O(eps0/sqrt m), without a constant, and elsewhere at most as many slots as "
            "clients. Here it is judged for any number of slots, with the constant of the theorem's formula."
        ),
    ),
)

r"""Balle, Kairouz, McMahan, Thakkar, Thakurta (2020): the deltas of averaging and swapping, as printed and as proved.

Letters as in :mod:`pldcheck.theorems.balle20.shuffling_and_swaps`.  The proofs replace n calls of a randomizer by pure
ones, each within :math:`\delta_1`; the paper multiplies by m in three places.
"""

from __future__ import annotations

from math import sqrt

from ..theorem import Condition, Theorem
from .check_ins import source_at
from .shuffling_and_swaps import (
    AVERAGING_EPSILON_APPROXIMATE,
    DELTA0_NOTES,
    LARGEST_DELTA0,
    LOADS,
    SWAP_EPSILON_APPROXIMATE,
    WHOLE_BINS,
    averaged,
    averaged_approximate,
    below_one,
    random_swap,
    replaced_delta,
    swap_into_bins,
)


def printed_swap_approximate(
    *, clients: int, steps: int, eps0: float, delta0: float, delta1: float, delta: float
) -> float:
    r"""Return the epsilon of Theorem A.7 for approximate randomizers: the pure form at :math:`8 \epsilon_0`."""
    return random_swap(clients=clients, eps0=8 * eps0, delta=delta)


def printed_swap_delta(*, clients: int, steps: int, eps0: float, delta0: float, delta1: float, delta: float) -> float:
    r"""Return the delta that Theorem A.7 prints: :math:`\delta + m (e^{\epsilon'} + 1) \delta_1`."""
    return delta + replaced_delta(random_swap(clients=clients, eps0=8 * eps0, delta=delta), steps, delta1)


def swap_into_bins_approximate(
    *, clients: int, bin_norm: float, eps0: float, delta0: float, delta1: float, delta: float
) -> float:
    r"""Return the epsilon of Theorem A.5 for approximate randomizers: the pure form at :math:`8 \epsilon_0`."""
    return swap_into_bins(clients=clients, bin_norm=bin_norm, eps0=8 * eps0, delta=delta)


def swap_into_bins_delta(
    *, clients: int, bin_norm: float, eps0: float, delta0: float, delta1: float, delta: float
) -> float:
    r"""Return the delta that the proof of Theorem A.5 gives: :math:`\delta + n (e^{\epsilon'} + 1) \delta_1`."""
    epsilon = swap_into_bins(clients=clients, bin_norm=bin_norm, eps0=8 * eps0, delta=delta)
    return delta + replaced_delta(epsilon, clients, delta1)


def printed_bins_approximate(
    *, clients: int, steps: int, bin_norm: float, eps0: float, delta0: float, delta1: float, delta: float
) -> float:
    r"""Return the epsilon of Theorem A.5 for approximate randomizers: the pure form at :math:`8 \epsilon_0`."""
    return swap_into_bins(clients=clients, bin_norm=bin_norm, eps0=8 * eps0, delta=delta)


def printed_bins_delta(
    *, clients: int, steps: int, bin_norm: float, eps0: float, delta0: float, delta1: float, delta: float
) -> float:
    r"""Return the delta that Theorem A.5 prints: :math:`\delta + m (e^{\epsilon'} + 1) \delta_1`."""
    epsilon = swap_into_bins(clients=clients, bin_norm=bin_norm, eps0=8 * eps0, delta=delta)
    return delta + replaced_delta(epsilon, steps, delta1)


def averaged_proved_delta(
    *, clients: int, steps: int, eps0: float, delta0: float, delta1: float, delta2: float, delta: float
) -> float:
    r"""Return the delta of the proof of Theorem 4.1: :math:`\delta + \delta_2 + n (e^{\epsilon'} + 1) \delta_1`."""
    epsilon = averaged(clients=clients, steps=steps, eps0=8 * eps0, delta2=delta2, delta=delta)
    return delta + delta2 + replaced_delta(epsilon, clients, delta1)


BINS_EPSILON_APPROXIMATE = (
    r"\epsilon' = \frac{\|\ell\|_2^2 e^{32\epsilon_0} (e^{8\epsilon_0} - 1)^2}{2n^2}"
    r" + \frac{\|\ell\|_2 e^{16\epsilon_0} (e^{8\epsilon_0} - 1)}{n} \sqrt{2 \log(1/\delta)}"
)
NO_ANSWER = "It is not judged: neither swapping nor averaging is computed for approximate randomizers."

THEOREMS = (
    Theorem(
        id="thm-A.7-approx-printed",
        title="Amplification via swapping, for approximate randomizers, with the printed delta",
        statement=SWAP_EPSILON_APPROXIMATE + r" \text{ at } \delta + m (e^{\epsilon'} + 1) \delta_1",
        adjacency="replace",
        protocol="swap",
        parameters=("clients", "steps", "eps0", "delta0", "delta1", "delta"),
        conditions=(
            LARGEST_DELTA0,
            Condition("steps <= clients", "steps", lambda params: params["steps"] - params["clients"]),
            below_one("delta + steps (e^epsilon + 1) delta1 < 1", printed_swap_delta),
        ),
        source=source_at("Theorem A.7, second sentence"),
        formula=printed_swap_approximate,
        notes=(
            "The theorem has no m; here it is any number up to n, the parameter steps. At steps = clients it is "
            f"thm-A.7-approx, which is proved. {NO_ANSWER}"
        ),
        at=printed_swap_delta,
        example={"clients": 1000000, "eps0": 0.2, "delta0": 1e-17},
    ),
    Theorem(
        id="thm-A.5-approx",
        title="Amplification via swapping into bins that are averaged, for approximate randomizers",
        statement=BINS_EPSILON_APPROXIMATE + r" \text{ at } \delta + n (e^{\epsilon'} + 1) \delta_1",
        adjacency="replace",
        protocol="swap",
        parameters=("clients", "bin_norm", "eps0", "delta0", "delta1", "delta"),
        conditions=(
            *WHOLE_BINS,
            LARGEST_DELTA0,
            below_one("delta + clients (e^epsilon + 1) delta1 < 1", swap_into_bins_delta),
        ),
        source=source_at("Theorem A.5, second sentence, with n calls of the randomizer"),
        formula=swap_into_bins_approximate,
        dominated=True,
        notes=f"The paper prints m for n (thm-A.5-approx-printed). {DELTA0_NOTES} {NO_ANSWER}",
        at=swap_into_bins_delta,
        example={"clients": 1000000, "bin_norm": 1000, "eps0": 0.1, "delta0": 1e-17},
    ),
    Theorem(
        id="thm-A.5-approx-printed",
        title="Amplification via swapping into bins, for approximate randomizers, with the printed delta",
        statement=BINS_EPSILON_APPROXIMATE + r" \text{ at } \delta + m (e^{\epsilon'} + 1) \delta_1",
        adjacency="replace",
        protocol="swap",
        parameters=("clients", "steps", "bin_norm", "eps0", "delta0", "delta1", "delta"),
        conditions=(
            *WHOLE_BINS,
            Condition(
                "bin_norm >= clients / sqrt(steps)",
                "bin_norm",
                lambda params: params["clients"] / sqrt(params["steps"]) - params["bin_norm"],
            ),
            LARGEST_DELTA0,
            below_one("delta + steps (e^epsilon + 1) delta1 < 1", printed_bins_delta),
        ),
        source=source_at("Theorem A.5, second sentence"),
        formula=printed_bins_approximate,
        dominated=True,
        notes=(
            "m is steps, the number of bins, of which none can be smaller in norm than equal ones. n calls are "
            f"replaced, so for n > m the printed claim is stronger than what the proof gives. {NO_ANSWER}"
        ),
        at=printed_bins_delta,
        example={"clients": 1000000, "steps": 1000000, "bin_norm": 1000, "eps0": 0.1, "delta0": 1e-17},
    ),
    Theorem(
        id="thm-4.1-approx-proof",
        title="Random check-ins with averaged updates, for approximate randomizers, with the delta of the proof",
        statement=(
            AVERAGING_EPSILON_APPROXIMATE + r" \text{ at } \delta + \delta_2 + n (e^{\epsilon'} + 1) \delta_1" + LOADS
        ),
        adjacency="replace",
        protocol="averaged",
        parameters=("clients", "steps", "eps0", "delta0", "delta1", "delta2", "delta"),
        conditions=(
            LARGEST_DELTA0,
            below_one("delta + delta2 + clients (e^epsilon + 1) delta1 < 1", averaged_proved_delta),
        ),
        source=source_at("Theorem 4.1, last sentence, with n calls of the randomizer"),
        formula=averaged_approximate,
        notes=f"The paper prints m for n (thm-4.1-approx). {DELTA0_NOTES} {NO_ANSWER}",
        at=averaged_proved_delta,
        example={"clients": 1000000, "eps0": 0.05, "delta0": 1e-17},
    ),
)

r"""Balle, Kairouz, McMahan, Thakkar, Thakurta (2020): shuffling, swapping, and check-ins with averaged updates.

n is ``clients``, m is ``steps``, :math:`\|\ell\|_2` is ``bin_norm``, x stands for :math:`e^{\epsilon_0}`.  The
approximate forms are the pure ones at :math:`8\epsilon_0`, with a larger delta.  Each formula is evaluated with a
relative error below 1e-14.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import exp, expm1, inf, log, log1p, sqrt

from ..theorem import Condition, Theorem
from .check_ins import composed, source_at


def random_swap(*, clients: int, eps0: float, delta: float) -> float:
    r"""Return the epsilon of Theorem A.7.

    .. math:: \frac{x^3 (x-1)^2}{2n} + x^{3/2} (x-1) \sqrt{\frac{2 \log(1/\delta)}n}

    It is Lemma A.2 with :math:`a = x(x-1)` and :math:`b = 1 - 1/x`, since :math:`q_i \le x/(n - (1 - 1/x)(i - 1))`.
    """
    return composed(clients, exp(eps0) * expm1(eps0), exp(eps0), delta)


def random_swap_approximate(*, clients: int, eps0: float, delta0: float, delta1: float, delta: float) -> float:
    r"""Return the epsilon of Theorem A.7 for approximate randomizers: the pure form at :math:`8 \epsilon_0`."""
    return random_swap(clients=clients, eps0=8 * eps0, delta=delta)


def _binned(share: float, eps0: float, delta: float) -> float:
    r"""Return :math:`s^2/2 + s \sqrt{2 \log(1/\delta)}`, where s is ``share`` times :math:`x^2 (x-1)`."""
    step = share * exp(2 * eps0) * expm1(eps0)
    return step * step / 2 + step * sqrt(-2 * log(delta))


def swap_into_bins(*, clients: int, bin_norm: float, eps0: float, delta: float) -> float:
    r"""Return the epsilon of Theorem A.5.

    .. math:: \frac{\|\ell\|^2 x^4 (x-1)^2}{2n^2} + \frac{\|\ell\| x^2 (x-1)}n \sqrt{2\log(1/\delta)}

    Each bin is :math:`\log(1 + x^2 (x-1) \ell_i / n)`-DP.
    """
    return _binned(bin_norm / clients, eps0, delta)


def averaged(*, clients: int, steps: int, eps0: float, delta2: float, delta: float) -> float:
    r"""Return the epsilon of Theorem 4.1: Theorem A.5 with the norm of the loads from Lemma A.6.

    .. math:: \frac{\|\ell\|}n = \sqrt{\frac1n + \frac1m} + \sqrt{\frac{\log(1/\delta_2)}n}
    """
    return _binned(sqrt(1 / clients + 1 / steps) + sqrt(-log(delta2) / clients), eps0, delta)


def averaged_delta(*, clients: int, steps: int, eps0: float, delta2: float, delta: float) -> float:
    """Return the delta of Theorem 4.1: the slack of the composition plus the probability of larger bins."""
    return delta + delta2


def averaged_approximate(
    *, clients: int, steps: int, eps0: float, delta0: float, delta1: float, delta2: float, delta: float
) -> float:
    r"""Return the epsilon of Theorem 4.1 for approximate randomizers: the pure form at :math:`8 \epsilon_0`."""
    return averaged(clients=clients, steps=steps, eps0=8 * eps0, delta2=delta2, delta=delta)


def replaced_delta(epsilon: float, count: int, delta1: float) -> float:
    r"""Return the cost in delta of making ``count`` randomizers pure: :math:`k (e^\epsilon + 1) \delta_1`."""
    return count * (exp(epsilon) + 1) * delta1 if epsilon < 700 else inf


def random_swap_approximate_delta(*, clients: int, eps0: float, delta0: float, delta1: float, delta: float) -> float:
    r"""Return the delta of Theorem A.7: :math:`\delta + n (e^{\epsilon'} + 1) \delta_1`."""
    epsilon = random_swap(clients=clients, eps0=8 * eps0, delta=delta)
    return delta + replaced_delta(epsilon, clients, delta1)


def averaged_approximate_delta(
    *, clients: int, steps: int, eps0: float, delta0: float, delta1: float, delta2: float, delta: float
) -> float:
    r"""Return the delta of Theorem 4.1: :math:`\delta + \delta_2 + m (e^{\epsilon'} + 1) \delta_1`."""
    epsilon = averaged(clients=clients, steps=steps, eps0=8 * eps0, delta2=delta2, delta=delta)
    return delta + delta2 + replaced_delta(epsilon, steps, delta1)


def tolerated(eps0: float, delta1: float) -> float:
    r"""Return the largest :math:`\delta_0` for which Lemma A.3 finds pure randomizers within :math:`\delta_1`."""
    # log(1 / (1 - e^-5eps0)), by whichever of the two forms does not cancel.
    rate = -log1p(-exp(-5 * eps0)) if eps0 > 0.14 else -log(-expm1(-5 * eps0))
    return -expm1(-eps0) * exp(-eps0) * delta1 / (4 * (2 + (log(2) - log(delta1)) / rate))


def below_one(text: str, total: Callable[..., float]) -> Condition:
    """Return the condition that the delta of a claim is below 1."""

    def excess(params: Mapping[str, float]) -> float:
        return total(**params) - 1

    return Condition(text, "delta", excess, strict=True)


LARGEST_DELTA0 = Condition(
    "delta0 <= (1 - e^-eps0) delta1 / (4 e^eps0 (2 + log(2/delta1) / log(1 / (1 - e^(-5 eps0)))))",
    "delta0",
    lambda params: params["delta0"] - tolerated(params["eps0"], params["delta1"]),
)
DELTA0_NOTES = (
    "delta1 is free: the randomizers are replaced by 8 eps0-DP ones within that distance (Lemma A.3). The condition "
    "that the delta is below 1 is not in the paper."
)
# What holds of the loads of all bins of whole sizes that sum to n.
WHOLE_BINS = (
    Condition("bin_norm <= clients", "bin_norm", lambda params: params["bin_norm"] - params["clients"]),
    Condition("bin_norm >= sqrt(clients)", "bin_norm", lambda params: sqrt(params["clients"]) - params["bin_norm"]),
)
SWAP_FORMULA = (
    r"\frac{e^{3\epsilon_0} (e^{\epsilon_0} - 1)^2}{2n} + e^{3\epsilon_0/2} (e^{\epsilon_0} - 1)"
    r" \sqrt{\frac{2 \log(1/\delta)}{n}}"
)
SWAP_EPSILON_APPROXIMATE = (
    r"\epsilon' = \frac{e^{24\epsilon_0} (e^{8\epsilon_0} - 1)^2}{2n} + e^{12\epsilon_0} (e^{8\epsilon_0} - 1)"
    r" \sqrt{\frac{2 \log(1/\delta)}{n}}"
)
SWAP_FORMULA_APPROXIMATE = SWAP_EPSILON_APPROXIMATE + r" \text{ at } \delta + n (e^{\epsilon'} + 1) \delta_1"
AVERAGING_FORMULA = (
    r"\epsilon = \frac{e^{4\epsilon_0} (e^{\epsilon_0} - 1)^2 \epsilon_1^2}{2}"
    r" + e^{2\epsilon_0} (e^{\epsilon_0} - 1) \epsilon_1 \sqrt{2 \log(1/\delta)} \text{ at } \delta + \delta_2"
)
AVERAGING_EPSILON_APPROXIMATE = (
    r"\epsilon' = \frac{e^{32\epsilon_0} (e^{8\epsilon_0} - 1)^2 \epsilon_1^2}{2}"
    r" + e^{16\epsilon_0} (e^{8\epsilon_0} - 1) \epsilon_1 \sqrt{2 \log(1/\delta)}"
)
AVERAGING_FORMULA_APPROXIMATE = (
    AVERAGING_EPSILON_APPROXIMATE + r" \text{ at } \delta + \delta_2 + m (e^{\epsilon'} + 1) \delta_1"
)
LOADS = r", \quad \epsilon_1 = \sqrt{\frac1n + \frac1m} + \sqrt{\frac{\log(1/\delta_2)}n}"

THEOREMS = (
    Theorem(
        id="thm-A.7",
        title="Amplification via swapping",
        statement=r"\epsilon = " + SWAP_FORMULA,
        adjacency="replace",
        protocol="swap",
        parameters=("clients", "eps0", "delta"),
        conditions=(),
        source=source_at("Theorem A.7"),
        formula=random_swap,
        notes="The theorem holds for adaptive randomizers. `pldcheck waterfall` shows where its proof loses.",
    ),
    Theorem(
        id="thm-A.7-approx",
        title="Amplification via swapping, for approximate randomizers",
        statement=SWAP_FORMULA_APPROXIMATE,
        adjacency="replace",
        protocol="swap",
        parameters=("clients", "eps0", "delta0", "delta1", "delta"),
        conditions=(
            LARGEST_DELTA0,
            below_one("delta + clients (e^epsilon + 1) delta1 < 1", random_swap_approximate_delta),
        ),
        source=source_at("Theorem A.7, second sentence"),
        formula=random_swap_approximate,
        notes=f"The paper prints m for n in the delta; Theorem 5.1 has n. {DELTA0_NOTES}",
        at=random_swap_approximate_delta,
        example={"clients": 1000000, "eps0": 0.2, "delta0": 1e-17},
    ),
    Theorem(
        id="thm-5.1",
        title="Amplification via shuffling",
        statement=r"\epsilon = " + SWAP_FORMULA,
        adjacency="replace",
        protocol="shuffle",
        parameters=("clients", "eps0", "delta"),
        conditions=(),
        source=source_at("Theorem 5.1"),
        formula=random_swap,
        notes="The theorem holds for adaptive randomizers. `pldcheck waterfall` shows where its proof loses.",
    ),
    Theorem(
        id="thm-5.1-approx",
        title="Amplification via shuffling, for approximate randomizers",
        statement=SWAP_FORMULA_APPROXIMATE,
        adjacency="replace",
        protocol="shuffle",
        parameters=("clients", "eps0", "delta0", "delta1", "delta"),
        conditions=(
            LARGEST_DELTA0,
            below_one("delta + clients (e^epsilon + 1) delta1 < 1", random_swap_approximate_delta),
        ),
        source=source_at("Theorem 5.1, second sentence"),
        formula=random_swap_approximate,
        notes=DELTA0_NOTES,
        at=random_swap_approximate_delta,
        example={"clients": 1000000, "eps0": 0.2, "delta0": 1e-17},
    ),
    Theorem(
        id="thm-A.5",
        title="Amplification via swapping into bins that are averaged",
        statement=(
            r"\epsilon = \frac{\|\ell\|_2^2 e^{4\epsilon_0} (e^{\epsilon_0} - 1)^2}{2n^2}"
            r" + \frac{\|\ell\|_2 e^{2\epsilon_0} (e^{\epsilon_0} - 1)}{n} \sqrt{2 \log(1/\delta)}"
        ),
        adjacency="replace",
        protocol="swap",
        parameters=("clients", "bin_norm", "eps0", "delta"),
        conditions=WHOLE_BINS,
        source=source_at("Theorem A.5"),
        formula=swap_into_bins,
        dominated=True,
        notes=(
            "Both conditions hold for all bins of whole sizes that sum to n. With bins of one client, where bin_norm "
            "is sqrt(clients), this is swapping itself. Larger bins release less: a bound that holds for swapping "
            "holds for them, and one that fails for swapping may still hold for them."
        ),
    ),
    Theorem(
        id="thm-4.1",
        title="Amplification via random check-ins with averaged updates",
        statement=AVERAGING_FORMULA + LOADS,
        adjacency="replace",
        protocol="averaged",
        parameters=("clients", "steps", "eps0", "delta2", "delta"),
        conditions=(below_one("delta + delta2 < 1", averaged_delta),),
        source=source_at("Theorem 4.1"),
        formula=averaged,
        notes=(
            "Every client checks in. delta2 is the probability that the bins are larger than Lemma A.6 says, delta is "
            "the slack of the composition. The condition that their sum is below 1 is not in the paper."
        ),
        at=averaged_delta,
    ),
    Theorem(
        id="thm-4.1-approx",
        title="Amplification via random check-ins with averaged updates, for approximate randomizers",
        statement=AVERAGING_FORMULA_APPROXIMATE + LOADS,
        adjacency="replace",
        protocol="averaged",
        parameters=("clients", "steps", "eps0", "delta0", "delta1", "delta2", "delta"),
        conditions=(
            LARGEST_DELTA0,
            below_one("delta + delta2 + steps (e^epsilon + 1) delta1 < 1", averaged_approximate_delta),
        ),
        source=source_at("Theorem 4.1, last sentence"),
        formula=averaged_approximate,
        notes=(
            "This is the claim as printed, with m in the delta. As n randomizers are replaced, the proof gives n: for "
            f"n > m the printed claim is stronger. {DELTA0_NOTES}"
        ),
        at=averaged_approximate_delta,
        example={"clients": 1000000, "eps0": 0.05, "delta0": 1e-17},
    ),
)

"""PLD_accounting: both ends for random allocation of Gaussian noise, a record added or removed.

Epsilon is asked until its ends are 10 % apart, delta with the default fineness.  For Poisson samples its transform of a
PLD of dp_accounting is composed, from above.
"""

from __future__ import annotations

from dp_accounting.pld import privacy_loss_distribution as losses
from PLD_accounting import (
    AllocationSchemeConfig,
    BoundType,
    PrivacyParams,
    gaussian_allocation_delta_configurable,
    gaussian_allocation_epsilon_range,
    subsample_pld,
)

# The default discretization interval of dp_accounting.
STEP = 1e-4


def warm_up():
    """Make a first call, which compiles the peer's functions if numba is installed."""
    gaussian_allocation_epsilon_range(delta=1e-5, sigma=3.0, num_steps=5)


def claim(question):
    """Return the claim of both ends, or for Poisson samples of an upper one."""
    if len(question["parts"]) > 1:
        raise NotImplementedError("compositions")
    (part,) = question["parts"]
    numbers = part["numbers"]
    at, quantity = float(question["at"]), question["quantity"]
    if part["kind"] == "subsampled-gaussian":
        return _samples(numbers, part["count"], quantity, at)
    if question["adjacency"] == "replace":
        raise NotImplementedError("a record that is replaced")
    if numbers["check_in_prob"] != 1.0:
        raise NotImplementedError("check_in_prob below 1")
    if quantity == "delta":
        if at <= 0.0:
            raise NotImplementedError("an epsilon of 0")
        params = PrivacyParams(
            sigma=numbers["sigma"],
            num_steps=numbers["steps"],
            num_selected=numbers["selected"],
            num_epochs=numbers["epochs"],
            epsilon=at,
        )
        lower, upper = (
            gaussian_allocation_delta_configurable(params=params, config=AllocationSchemeConfig(), bound_type=bound)
            for bound in (BoundType.IS_DOMINATED, BoundType.DOMINATES)
        )
        how = "gaussian_allocation_delta_configurable"
        return {"lower": lower, "upper": upper, "adjacency": "add-remove", "how": how}
    upper, lower = gaussian_allocation_epsilon_range(
        delta=at,
        sigma=numbers["sigma"],
        num_steps=numbers["steps"],
        num_selected=numbers["selected"],
        num_epochs=numbers["epochs"],
    )
    how = "gaussian_allocation_epsilon_range"
    return {"lower": lower, "upper": upper, "adjacency": "add-remove", "how": how}


def _samples(numbers, count, quantity, at):
    plain = losses.from_gaussian_mechanism(numbers["sigma"], value_discretization_interval=STEP)
    loss = subsample_pld(pld=plain, sampling_probability=numbers["rate"])
    loss = loss if count == 1 else loss.self_compose(count)
    end = loss.get_epsilon_for_delta(at) if quantity == "epsilon" else loss.get_delta_for_epsilon(at)
    return {"lower": None, "upper": end, "adjacency": "add-remove", "how": f"subsample_pld, interval {STEP:g}"}

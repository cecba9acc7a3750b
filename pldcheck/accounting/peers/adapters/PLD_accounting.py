"""PLD_accounting: both ends for random allocation of Gaussian noise, a record added or removed; 10 % apart at most."""

from __future__ import annotations

from PLD_accounting import gaussian_allocation_epsilon_range


def warm_up():
    """Make a first call, which compiles the peer's functions if numba is installed."""
    gaussian_allocation_epsilon_range(delta=1e-5, sigma=3.0, num_steps=5)


def claim(question):
    """Return the claim of both ends."""
    (part,) = question["parts"]
    numbers = part["numbers"]
    if question["quantity"] != "epsilon":
        raise NotImplementedError("a range of delta")
    if numbers["check_in_prob"] != 1.0:
        raise NotImplementedError("check_in_prob below 1")
    upper, lower = gaussian_allocation_epsilon_range(
        delta=float(question["at"]),
        sigma=numbers["sigma"],
        num_steps=numbers["steps"],
        num_selected=numbers["selected"],
        num_epochs=numbers["epochs"],
    )
    how = "gaussian_allocation_epsilon_range"
    return {"lower": lower, "upper": upper, "adjacency": "add-remove", "how": how}

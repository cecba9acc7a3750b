"""prv_accountant: both ends, within ``eps_error`` in epsilon and a thousandth of delta, as its documentation advises.

For Poisson samples it uses the pair for removing a record, and claims the result for adding one as well.  A sample that
is used for several releases is asked as one release with the noise divided by the root of their number, to which it is
equivalent.
"""

from __future__ import annotations

from math import sqrt

from prv_accountant import (
    ApproximateDPMechanism,
    GaussianMechanism,
    LaplaceMechanism,
    PoissonSubsampledGaussianMechanism,
    PRVAccountant,
    PureDPMechanism,
)

# The default of eps_error.
ERROR = 0.01
# The value of delta_error at a given delta, as a share of it.
SHARE = 1e-3
# The value of delta_error at a given epsilon.
DELTA_ERROR = 1e-10


def claim(question):
    """Return the claim of both ends."""
    at, quantity = float(question["at"]), question["quantity"]
    error = float(question["options"].get("eps_error", ERROR))
    parts = [_one_release(part) for part in question["parts"]]
    counts = [part["count"] for part in parts]
    mechanisms = [_mechanism(part["kind"], part["numbers"]) for part in parts]
    slack = SHARE * at if quantity == "epsilon" else DELTA_ERROR
    accountant = PRVAccountant(mechanisms, eps_error=error, delta_error=slack, max_self_compositions=counts)
    compute = accountant.compute_epsilon if quantity == "epsilon" else accountant.compute_delta
    lower, _, upper = compute(at, counts)
    how = f"PRVAccountant, eps_error {error:g}, delta_error {slack:g}"
    adjacency = "add-remove" if question["adjacency"] == "add" else question["adjacency"]
    return {"lower": lower, "upper": upper, "adjacency": adjacency, "how": how}


def _one_release(part):
    """Return a part, or for samples that are used several times each the same with samples of one release."""
    numbers = part["numbers"]
    if part["kind"] != "reused-sample":
        return part
    if numbers["sampling"] != "poisson":
        raise NotImplementedError(f"samples of {numbers['sampling']}")
    sample = {"sigma": numbers["sigma"] / sqrt(numbers["releases"]), "rate": numbers["rate"]}
    return {"kind": "subsampled-gaussian", "numbers": sample, "count": numbers["steps"]}


def _mechanism(kind, numbers):
    if kind == "rr" and numbers["delta0"] > 0.0:
        return ApproximateDPMechanism(numbers["eps0"], numbers["delta0"])
    if kind == "rr":
        return PureDPMechanism(numbers["eps0"])
    if kind == "gaussian":
        return GaussianMechanism(numbers["sigma"])
    if kind == "laplace":
        return LaplaceMechanism(1.0 / numbers["scale"])
    if kind == "subsampled-gaussian":
        return PoissonSubsampledGaussianMechanism(numbers["rate"], numbers["sigma"])
    raise NotImplementedError(kind)

"""autodp: its Rényi composition, exact for Gaussian noise alone; ``fourier``: its analytical Fourier accountant."""

from __future__ import annotations

from math import exp

from autodp import mechanism_zoo, transformer_zoo

# The kinds of mechanisms that autodp states for replacement; plain noise is for either adjacency.
_REPLACE = {"rr", "fixed-size-gaussian"}


def claim(question):
    """Return the claim of an upper end."""
    parts, fourier = question["parts"], question["way"] == "fourier"
    mechanisms = [_mechanism(part["kind"], part["numbers"], fourier) for part in parts]
    counts, kinds = [part["count"] for part in parts], {part["kind"] for part in parts}
    if fourier:
        compose, how = transformer_zoo.ComposeAFA(), "ComposeAFA"
    elif kinds == {"gaussian"}:
        compose, how = transformer_zoo.ComposeGaussian(), "ComposeGaussian"
    else:
        compose, how = transformer_zoo.Composition(), "Composition (Renyi)"
    composition = compose(mechanisms, counts)
    at = float(question["at"])
    if question["quantity"] == "delta":
        raise NotImplementedError("delta of a composition")
    adjacency = "replace" if kinds & _REPLACE else "add-remove"
    return {"lower": None, "upper": composition.get_approxDP(at), "adjacency": adjacency, "how": how}


def _mechanism(kind, numbers, fourier):
    off = {"phi_off": not fourier}
    if kind == "rr" and numbers["delta0"] == 0.0:
        return mechanism_zoo.RandresponseMechanism(1.0 / (1.0 + exp(-numbers["eps0"])), **off)
    if kind == "gaussian":
        return mechanism_zoo.GaussianMechanism(numbers["sigma"], **off)
    if kind == "laplace":
        return mechanism_zoo.LaplaceMechanism(numbers["scale"], **off)
    if kind in ("subsampled-gaussian", "fixed-size-gaussian"):
        poisson = kind == "subsampled-gaussian"
        noise = mechanism_zoo.GaussianMechanism(numbers["sigma"])
        noise.neighboring = "add_remove" if poisson else "replace_one"
        sample = transformer_zoo.AmplificationBySampling(PoissonSampling=poisson)
        return sample(noise, numbers["rate"], improved_bound_flag=True)
    raise NotImplementedError("(eps0, delta0)-randomized response" if kind == "rr" else kind)

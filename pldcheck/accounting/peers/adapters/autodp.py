"""autodp: its Rényi composition, exact for Gaussian noise alone; ``fourier``: its analytical Fourier accountant."""

from __future__ import annotations

from math import exp

from autodp import mechanism_zoo, transformer_zoo

# The kinds of mechanisms that autodp states for replacement.
_REPLACE = {"rr", "fixed-size-gaussian"}
# Plain noise is for either adjacency.
_NOISE = {"gaussian", "laplace"}


def claim(question):
    """Return the claim of an upper end."""
    parts, fourier = [_samples(part) for part in question["parts"]], question["way"] == "fourier"
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
    end = composition.get_approxDP(at) if question["quantity"] == "epsilon" else composition.get_approx_delta(at)
    adjacency = "replace" if kinds & _REPLACE else "any" if kinds <= _NOISE else "add-remove"
    return {"lower": None, "upper": end, "adjacency": adjacency, "how": how}


def _samples(part):
    """Return a part with the number of its releases for each sample."""
    numbers = part["numbers"]
    if part["kind"] != "reused-sample":
        return {**part, "numbers": {"releases": 1, **numbers}}
    if numbers["sampling"] == "poisson-replaced":
        raise NotImplementedError("Poisson samples of a record that is replaced")
    kind = "subsampled-gaussian" if numbers["sampling"] == "poisson" else "fixed-size-gaussian"
    return {"kind": kind, "numbers": numbers, "count": numbers["steps"]}


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
        if numbers["releases"] > 1:
            noise = transformer_zoo.ComposeGaussian()([noise], [numbers["releases"]])
        noise.neighboring = "add_remove" if poisson else "replace_one"
        sample = transformer_zoo.AmplificationBySampling(PoissonSampling=poisson)
        return sample(noise, numbers["rate"], improved_bound_flag=True)
    raise NotImplementedError("(eps0, delta0)-randomized response" if kind == "rr" else kind)

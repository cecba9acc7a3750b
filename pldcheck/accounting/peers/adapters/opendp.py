"""opendp: its measurements, composed in zero-concentrated privacy, or in pure privacy if that gives less."""

from __future__ import annotations

from math import exp

import opendp.prelude as dp

dp.enable_features("contrib")
# The largest number of mechanisms: opendp composes a list with one entry for each.
MOST = 10**5


def claim(question):
    """Return the claim of an upper end; distances are between two numbers, so that noise is for either adjacency."""
    if sum(part["count"] for part in question["parts"]) > MOST:
        raise NotImplementedError(f"more than {MOST} mechanisms")
    pure = all(part["kind"] in ("rr", "laplace", "discrete-laplace") for part in question["parts"])
    measurements = [(_measurement(part["kind"], part["numbers"]), part["count"]) for part in question["parts"]]
    if len({str(one.input_metric) for (one, _), _ in measurements}) > 1:
        raise NotImplementedError("mechanisms on different inputs")
    distance = measurements[0][0][1]
    zcdp_measurements = [_to_zcdp(one) for (one, _), count in measurements for _ in range(count)]
    profile = dp.c.make_zCDP_to_approxDP(_composition(zcdp_measurements)).map(distance)
    at, quantity = float(question["at"]), question["quantity"]
    end, how = (profile.epsilon(at) if quantity == "epsilon" else profile.delta(at)), "composition in zCDP"
    if pure:
        budget = _composition([one for (one, _), count in measurements for _ in range(count)]).map(distance)
        other = budget if quantity == "epsilon" else 0.0 if budget <= at else 1.0
        end, how = min((end, how), (other, "composition of pure privacy"))
    return {"lower": None, "upper": end, "adjacency": question["adjacency"], "how": how}


def _composition(measurements):
    return measurements[0] if len(measurements) == 1 else dp.c.make_composition(measurements)


def _to_zcdp(measurement):
    if "MaxDivergence" in str(measurement.output_measure):
        return dp.c.make_pureDP_to_zCDP(measurement)
    return measurement


def _measurement(kind, numbers):
    """Return the measurement and the distance of its inputs."""
    real = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    if kind == "rr" and numbers["delta0"] == 0.0:
        return dp.m.make_randomized_response_bool(prob=1.0 / (1.0 + exp(-numbers["eps0"]))), 1
    if kind == "gaussian":
        return dp.m.make_gaussian(*real, scale=numbers["sigma"]), 1.0
    if kind == "laplace":
        return dp.m.make_laplace(*real, scale=numbers["scale"]), 1.0
    whole = dp.atom_domain(T=int)
    if kind == "discrete-gaussian":
        return dp.m.make_gaussian(whole, dp.absolute_distance(T=float), scale=numbers["sigma"]), 1.0
    if kind == "discrete-laplace":
        return dp.m.make_laplace(whole, dp.absolute_distance(T=int), scale=numbers["scale"]), 1
    raise NotImplementedError("(eps0, delta0)-randomized response" if kind == "rr" else kind)

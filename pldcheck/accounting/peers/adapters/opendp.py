"""opendp: its measurements, composed in zero-concentrated privacy, or in pure privacy if that gives less.

A sample of fixed size that is used for several releases is amplified after their composition; ``apart`` amplifies each
release and composes then, which opendp allows, and which is false.
"""

from __future__ import annotations

from fractions import Fraction
from math import exp

import opendp.prelude as dp

dp.enable_features("contrib", "honest-but-curious")
# The largest number of mechanisms: opendp composes a list with one entry for each.
MOST = 10**5


def claim(question):
    """Return the claim of an upper end; distances are between two numbers, so that noise is for either adjacency."""
    if question["parts"][0]["kind"] in ("fixed-size-gaussian", "reused-sample"):
        return _amplified(question)
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


def _amplified(question):
    """Return the claim for one sample of fixed size, with Gaussian noise on a sum of which one record is replaced."""
    if len(question["parts"]) > 1:
        raise NotImplementedError("compositions of samples")
    (part,) = question["parts"]
    numbers = part["numbers"]
    releases, steps = numbers.get("releases", 1), numbers.get("steps", part["count"])
    if numbers.get("sampling", "fixed-size") != "fixed-size":
        raise NotImplementedError(f"samples of {numbers['sampling']}")
    if steps > 1 or question["quantity"] == "delta" or releases > MOST:
        raise NotImplementedError("several samples, or delta of one")
    # The decimal of the rate; both numbers of records are whole.
    rate = Fraction(repr(numbers["rate"]))
    sample = dp.vector_domain(dp.atom_domain(T=int, bounds=(0, 1)), size=rate.numerator), dp.symmetric_distance()
    release = dp.t.make_sum(*sample) >> dp.m.then_gaussian(scale=numbers["sigma"])
    # Amplification multiplies delta by the rate.
    delta = min(1.0, float(question["at"]) / numbers["rate"])
    if question["way"] == "apart":
        one = dp.c.make_population_amplification(_at_delta(release, delta / releases), rate.denominator)
        measurement, how = _composition([one] * releases), "amplified releases of one sample, composed"
    else:
        together = _at_delta(_composition([release] * releases), delta)
        measurement = dp.c.make_population_amplification(together, rate.denominator)
        how = "releases of one sample, composed and amplified"
    # Two data sets of the same size that differ in one record are at the distance 2.
    return {"lower": None, "upper": measurement.map(2)[0], "adjacency": "replace", "how": how}


def _at_delta(measurement, delta):
    return dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(measurement), delta)


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

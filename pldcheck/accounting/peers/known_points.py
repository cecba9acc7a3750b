"""Points at which some releases of peers are known to give wrong answers.

This file holds the questions and a sentence about each error; ``known_point_results`` computes the numbers again, those
of the peer and the certified ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Any

from ...protocols import PROTOCOLS
from .peer_point import Point, point
from .peer_processes import Question


@dataclass(frozen=True)
class KnownPoint:
    """One point at which a peer is known to be wrong.

    ``versions`` are those with the error, ``beside`` the versions of numpy and scipy with which it was seen, on which
    round-off depends; none are named where they were not recorded.  ``wrong`` describes the error, ``call`` is the call
    in the peer's own language, and ``source`` names its cause.  ``at`` replaces delta or epsilon by a text that is no
    number, which the peer should refuse.
    """

    id: str
    peer: str
    versions: tuple[str, ...]
    wrong: str
    call: str
    source: str
    protocol: str
    params: tuple[tuple[str, Any], ...]
    delta: float | None = None
    epsilon: float | None = None
    way: str = ""
    options: tuple[tuple[str, Any], ...] = ()
    at: str | None = None
    beside: tuple[str, ...] = ()

    @property
    def point(self) -> Point:
        """The point as peers take it."""
        return point(PROTOCOLS[self.protocol](**dict(self.params)), self.delta, self.epsilon)

    @property
    def question(self) -> Question:
        """The question for the peer's adapter."""
        return Question(self.point, self.way, self.options, self.at)


# With what points of dp_accounting were asked on 28 November 2026: one error is seen with the newer versions only.
NEWER = ("numpy 2.4.6, scipy 1.17.1", "numpy 2.3.5, scipy 1.16.3")
MEASURED = (*NEWER, "numpy 2.2.6, scipy 1.15.3")
# With what points of prv_accountant, autodp and opendp were asked that day.
OTHERS_MEASURED = ("numpy 2.4.6, scipy 1.17.1", "numpy 2.2.6, scipy 1.15.3")
_SAMPLE = (("sigma", 10.0), ("steps", 16))

KNOWN: tuple[KnownPoint, ...] = (
    KnownPoint(
        "dp_accounting-count",
        "dp_accounting",
        ("0.6.0",),
        "PLDAccountant ignores how often randomized response is repeated",
        "PLDAccountant(REPLACE_ONE).compose(SelfComposedDpEvent(RandomizedResponseDpEvent(0.5, 2), 100))",
        "pld_privacy_accountant.py: the branch for RandomizedResponseDpEvent in _maybe_compose does not use count",
        "randomized-response",
        (("steps", 100), ("eps0", log(3.0))),
        delta=1e-6,
        beside=MEASURED,
    ),
    KnownPoint(
        "dp_accounting-fft-response",
        "dp_accounting",
        ("0.6.0",),
        "a pessimistic PLD falls below the truth after self_compose: round-off of the FFT",
        "from_privacy_parameters((0.1, 0), 1e-4).self_compose(1024).get_epsilon_for_delta(1e-12)",
        "self_compose in pld_pmf.py convolves in double precision and bounds no round-off",
        "randomized-response",
        (("steps", 1024), ("eps0", 0.1)),
        delta=1e-12,
        way="pessimistic",
        beside=MEASURED,
    ),
    KnownPoint(
        "dp_accounting-fft-gaussian",
        "dp_accounting",
        ("0.6.0",),
        "a pessimistic PLD falls below the truth after self_compose: round-off of the FFT",
        "from_gaussian_mechanism(3, value_discretization_interval=1e-2).self_compose(1000)"
        ".get_epsilon_for_delta(1e-14)",
        "self_compose in pld_pmf.py convolves in double precision and bounds no round-off",
        "gaussian",
        (("sigma", 3.0), ("steps", 1000)),
        delta=1e-14,
        way="pessimistic",
        options=(("discretization", 1e-2),),
        beside=NEWER,
    ),
    KnownPoint(
        "dp_accounting-optimistic",
        "dp_accounting",
        ("0.6.0",),
        "an optimistic PLD exceeds the truth after self_compose: truncated tails are added to the infinite losses",
        "from_gaussian_mechanism(10, pessimistic_estimate=False).self_compose(16).get_epsilon_for_delta(1e-15)",
        "DensePLDPmf.self_compose in pld_pmf.py, whose docstring says so",
        "gaussian",
        _SAMPLE,
        delta=1e-15,
        way="optimistic",
        beside=MEASURED,
    ),
    KnownPoint(
        "dp_accounting-fft-laplace",
        "dp_accounting",
        ("0.6.0",),
        "PLDAccountant falls below the truth at an ordinary delta: round-off of the FFT",
        "PLDAccountant(ADD_OR_REMOVE_ONE).compose(SelfComposedDpEvent(LaplaceDpEvent(3), 64)).get_epsilon(1e-11)",
        "self_compose in pld_pmf.py convolves in double precision and bounds no round-off",
        "laplace",
        (("scale", 3.0), ("steps", 64)),
        delta=1e-11,
        beside=MEASURED,
    ),
    KnownPoint(
        "dp_accounting-fft-replaced",
        "dp_accounting",
        ("0.6.0",),
        "PLDAccountant falls below the truth for a record replaced in Poisson samples: round-off of the FFT",
        "PLDAccountant(REPLACE_ONE).compose(PoissonSampledDpEvent(0.00274, GaussianDpEvent(0.964)), 127)"
        ".get_epsilon(1.45e-11)",
        "self_compose in pld_pmf.py convolves in double precision and bounds no round-off; 127 compose are above",
        "subsampled-gaussian",
        (("sigma", 0.964), ("rate", 0.00274), ("steps", 127), ("sampling", "poisson-replaced")),
        delta=1.45e-11,
        beside=MEASURED,
    ),
    KnownPoint(
        "dp_accounting-dots-gaussian",
        "dp_accounting",
        ("0.6.0",),
        "PLDAccountant falls below the truth at a large delta, the further the finer its grid is",
        "PLDAccountant(ADD_OR_REMOVE_ONE).compose(SelfComposedDpEvent(GaussianDpEvent(0.511), 12)).get_epsilon(0.249)",
        "create_pmf_pessimistic_connect_dots in pld_pmf.py divides differences of nearly equal deltas by the interval",
        "gaussian",
        (("sigma", 0.511), ("steps", 12)),
        delta=0.249,
        beside=MEASURED,
    ),
    KnownPoint(
        "dp_accounting-integer-grid",
        "dp_accounting",
        ("0.6.0",),
        "a pessimistic PLD of a mixture of Gaussians is below the truth where the grid's interval is the integer 1",
        "from_mixture_gaussian_mechanism(1, [1], [1], value_discretization_interval=1).get_delta_for_epsilon(0)",
        "privacy_loss_mechanism.py: thresholds of mixtures are stored with the type of the losses, integers here",
        "gaussian-mixture",
        (("sigma", 1.0), ("lengths", "1:1")),
        epsilon=0.0,
        way="pessimistic",
        options=(("discretization", 1),),
        beside=MEASURED,
    ),
    KnownPoint(
        "dp_accounting-nan-rdp",
        "dp_accounting",
        ("0.6.0",),
        "RdpAccountant takes nan for a delta and finds an epsilon",
        "RdpAccountant().compose(GaussianDpEvent(1)).get_epsilon(nan)",
        "comparisons with nan are all false",
        "gaussian",
        (("sigma", 1.0),),
        delta=1e-6,
        way="rdp",
        at="nan",
        beside=MEASURED,
    ),
    KnownPoint(
        "dp_accounting-nan-pld",
        "dp_accounting",
        ("0.6.0",),
        "a PLD takes nan for an epsilon and finds a tiny delta",
        "from_gaussian_mechanism(10).get_delta_for_epsilon(nan)",
        "comparisons with nan are all false",
        "gaussian",
        (("sigma", 10.0),),
        epsilon=1.0,
        way="pessimistic",
        at="nan",
        beside=MEASURED,
    ),
    KnownPoint(
        "prv-response",
        "prv",
        ("0.2.0",),
        "the upper end for repeated pure mechanisms falls below the truth: too small a domain",
        "PRVAccountant([PureDPMechanism(log 3)], 0.01, 1e-9, [100]).compute_epsilon(1e-6, [100])",
        "pure_dp_mechanism.py: rdp returns (alpha - 1) eps/alpha, which is no Renyi divergence and sizes the domain",
        "randomized-response",
        (("steps", 100), ("eps0", log(3.0))),
        delta=1e-6,
        beside=OTHERS_MEASURED,
    ),
    KnownPoint(
        "prv-response-large",
        "prv",
        ("0.2.0",),
        "the upper end for a few pure mechanisms of a large epsilon is a sixteenth of the truth: too small a domain",
        "PRVAccountant([PureDPMechanism(8.49)], 0.01, 3.93e-8, [30]).compute_epsilon(3.93e-5, [30])",
        "pure_dp_mechanism.py, as for prv-response; nearly all losses are 254.7, and those above 15.2 are cut off",
        "randomized-response",
        (("steps", 30), ("eps0", 8.49)),
        delta=3.93e-5,
        beside=OTHERS_MEASURED,
    ),
    KnownPoint(
        "prv-fft",
        "prv",
        ("0.2.0",),
        "the lower end exceeds the truth: round-off of the FFT",
        "PRVAccountant([GaussianMechanism(50)], 0.01, 1e-15, [10000]).compute_epsilon(1e-12, [10000])",
        "its bounds are for exact arithmetic; the check in discrete_privacy_random_variable.py lets this pass",
        "gaussian",
        (("sigma", 50.0), ("steps", 10**4)),
        delta=1e-12,
        beside=OTHERS_MEASURED,
    ),
    KnownPoint(
        "prv-negative",
        "prv",
        ("0.2.0",),
        "epsilon is negative at a large delta",
        "PRVAccountant([GaussianMechanism(1)], 0.01, 9e-4, [1]).compute_epsilon(0.9, [1])",
        "compute_epsilon takes any point of its domain",
        "gaussian",
        (("sigma", 1.0),),
        delta=0.9,
        beside=OTHERS_MEASURED,
    ),
    KnownPoint(
        "autodp-fourier",
        "autodp",
        ("0.2.3.1",),
        "the Fourier accountant finds a negative epsilon for any composition",
        "ComposeAFA()([GaussianMechanism(10, phi_off=False)], [100]).get_approxDP(1e-6)",
        "converter.numerical_inverse searches exp(epsilon) in [0, 1], and scipy keeps to it: bounds select a method",
        "gaussian",
        (("sigma", 10.0), ("steps", 100)),
        delta=1e-6,
        way="fourier",
        beside=OTHERS_MEASURED,
    ),
    KnownPoint(
        "opendp-reused-sample",
        "opendp",
        ("0.16.0",),
        "amplified measurements on one sample are composed as if each had a sample of its own",
        "make_composition([make_population_amplification(gaussian, 1000)] * 10).map(2), on a sample of 1 of 1000",
        "make_population_amplification has the budget of one use of the sample: github.com/opendp/opendp/issues/2933",
        "reused-sample",
        (("sigma", 1.0), ("rate", 0.001), ("releases", 10), ("sampling", "fixed-size")),
        delta=1e-6,
        way="apart",
        beside=OTHERS_MEASURED,
    ),
    KnownPoint(
        "opacus-negative",
        "opacus",
        ("1.6.0",),
        "epsilon is negative at a large delta",
        "RDPAccountant with history [(10, 1, 1)].get_epsilon(0.1)",
        "get_privacy_spent in analysis/rdp.py returns the smallest value of the conversion and does not stop at 0",
        "gaussian",
        (("sigma", 10.0),),
        delta=0.1,
    ),
    KnownPoint(
        "opacus-gdp",
        "opacus",
        ("1.6.0",),
        "the central limit of GaussianAccountant is below the truth, which it warns of",
        "GaussianAccountant with history [(1, 0.01, 1000)].get_epsilon(1e-6)",
        "analysis/gdp.py: the limit of Bu, Dong, Long, Su (2020) is no bound at any finite number of steps",
        "subsampled-gaussian",
        (("sigma", 1.0), ("rate", 0.01), ("steps", 1000)),
        delta=1e-6,
        way="gdp",
    ),
)

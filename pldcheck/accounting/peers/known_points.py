"""Points at which some releases of peers are known to give wrong answers.

This file holds the questions and a sentence about each error; :func:`run_known_points` computes the numbers again,
those of the peer and the certified ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import log
from typing import Any

from ...core.interval import Interval
from ...core.outward_decimals import down, up
from ...protocols import PROTOCOLS
from .claim_judgement import UNSOUND, judge
from .peer_point import Point, point
from .peer_processes import ANSWERED, MEMORY, NO_NUMBER, NOT_INSTALLED, SECONDS, Claim, Question, ask_all
from .peer_table import PEERS, parse_peer

# The installed release gives the wrong answer.
CONFIRMED = "confirmed"
# The installed release does not give it; it may be repaired.
NOT_SEEN = "not seen"
# The peer gave no number.
NO_ANSWER = "no answer"


@dataclass(frozen=True)
class KnownPoint:
    """One point at which a peer is known to be wrong.

    ``versions`` are those with the error, ``wrong`` describes the error, ``call`` is the call in the peer's own
    language, and ``source`` names its cause.  ``at`` replaces delta or epsilon by a text that is no number, which the
    peer should refuse.
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

    @property
    def point(self) -> Point:
        """The point as peers take it."""
        return point(PROTOCOLS[self.protocol](**dict(self.params)), self.delta, self.epsilon)

    @property
    def question(self) -> Question:
        """The question for the peer's adapter."""
        return Question(self.point, self.way, self.options, self.at)


@dataclass(frozen=True)
class KnownPointResult:
    """The result of a known point on this machine.

    ``status`` is confirmed, not seen (the error may be repaired), no answer, or not installed; ``description`` says in
    words what the peer answered.  ``interval`` is the certified interval, or None if nothing is to be compared.
    """

    case: KnownPoint
    claim: Claim
    interval: Interval | None
    status: str
    description: str

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values that JSON can hold."""
        return {
            "id": self.case.id,
            "peer": self.case.peer,
            "version": self.claim.version,
            "seen_in": list(self.case.versions),
            "status": self.status,
            "wrong": self.case.wrong,
            "told": self.description,
            "asked": self.case.call,
            "source": self.case.source,
        }


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
    ),
    KnownPoint(
        "dp_accounting-fft-laplace",
        "dp_accounting",
        ("0.6.0",),
        "PLDAccountant falls below the truth at an ordinary delta: round-off of the FFT",
        "PLDAccountant(ADD_OR_REMOVE_ONE).compose(SelfComposedDpEvent(LaplaceDpEvent(11.1), 206))"
        ".get_epsilon(5.67e-11)",
        "self_compose in pld_pmf.py convolves in double precision and bounds no round-off",
        "laplace",
        (("scale", 11.1), ("steps", 206)),
        delta=5.67e-11,
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
    ),
)


def run_known_points(
    peers: Iterable[str] | None = None,
    *,
    seconds: float = SECONDS,
    memory: float = MEMORY,
    python: Mapping[str, str] | None = None,
) -> list[KnownPointResult]:
    """Return the results of all known points of some peers, computed on this machine.

    Parameters
    ----------
    peers : iterable of str, optional
        The names of the peers; the default is all of them.
    seconds, memory : float
        The limits of each question, in seconds and GiB.
    python : mapping of names to paths, optional
        The interpreters of peers that are not installed beside pldcheck.

    """
    names = list(PEERS) if peers is None else [parse_peer(name)[0].name for name in peers]
    results: list[KnownPointResult] = []
    for name in dict.fromkeys(names):
        points = [case for case in KNOWN if case.peer == name]
        questions = [case.question for case in points]
        path = (python or {}).get(name)
        claims = ask_all(PEERS[name], questions, python=path, seconds=seconds, memory=memory)
        results += [_result(case, claim) for case, claim in zip(points, claims, strict=True)]
    return results


def _result(case: KnownPoint, claim: Claim) -> KnownPointResult:
    if claim.status == NOT_INSTALLED:
        return KnownPointResult(case, claim, None, NOT_INSTALLED, claim.note)
    if claim.status == NO_NUMBER:
        return KnownPointResult(case, claim, None, CONFIRMED if case.at is None else NOT_SEEN, claim.note)
    if case.at is not None:  # the peer should refuse a text that is no number
        ends = [end for end in (claim.lower, claim.upper) if end is not None]
        description = f"{case.point.at_name} {case.at}: {case.point.quantity} {ends[0]!r}" if ends else claim.note
        return KnownPointResult(case, claim, None, CONFIRMED if claim.status == ANSWERED else NOT_SEEN, description)
    if claim.status != ANSWERED:
        return KnownPointResult(case, claim, None, NO_ANSWER, f"{claim.status}: {claim.note}")
    interval = case.point.interval()
    judgement = judge(claim, interval, case.point.adjacency)
    description = (
        f"claims {_ends(claim.lower, claim.upper)}, certified {_ends(*interval)}: {judgement.why or judgement.verdict}"
    )
    return KnownPointResult(case, claim, interval, CONFIRMED if judgement.verdict == UNSOUND else NOT_SEEN, description)


def _ends(lower: float | None, upper: float | None) -> str:
    if lower is None:
        assert upper is not None, "an answer has an end"
        return f"at most {up(upper, 10)}"
    if upper is None:
        return f"at least {down(lower, 10)}"
    return f"[{down(lower, 10)}, {up(upper, 10)}]"

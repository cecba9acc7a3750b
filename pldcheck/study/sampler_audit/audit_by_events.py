"""The audit of two samplers by counts of events, from outputs to the verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import methodcaller
from typing import Any

import numpy as np

from ...core.directed import LARGEST
from ...core.errors import ParameterError
from ...core.parameters import Parameter
from ...protocols import Protocol
from ..attack.confidence_limits import FAILURE
from ..attack.event_limits import Limits, Scores
from ..attack.run_attack import SEED
from .output_scores import Score, given_score, scores, table
from .sampler_audit_result import CountedEvent, SamplerAudit
from .sampler_claims import Claim, read_claim

# A function of a generator of random numbers and a number of outputs, which returns so many independent outputs.
Sampler = Callable[[np.random.Generator, int], Any]
# The range of the number of outputs of each sampler.
SAMPLES = Parameter("samples", "number of outputs of each sampler", 100, 10**9, integer=True)
# The range of the probability of failure: limits are tested down to this over the number of events.
BETA = Parameter("beta", "probability that a limit is wrong", 1e-12, 1, high_open=True)


def audit_sampler(
    sample_p: Sampler,
    sample_q: Sampler,
    claim: Protocol | Sequence[float],
    *,
    delta: float | None = None,
    samples: int = 10**5,
    beta: float = FAILURE,
    score: Callable[[Any], Any] | None = None,
    seed: int = 0,
) -> SamplerAudit:
    r"""Return an empirical lower bound of epsilon from the outputs of a mechanism on two neighbouring inputs.

    *Proof.*  For every event E, :math:`(\epsilon, \delta)`-DP says that :math:`P(E) \le e^\epsilon Q(E) + \delta` and
    the same with P and Q exchanged.  A half of the outputs, drawn first, fixes K events: of every score up to three
    thresholds for either direction.  On the other half, which is independent of the first, the number of outputs in an
    event is binomial, and the limits :math:`\underline P(E), \overline Q(E)` of Clopper and Pearson (1934) fail with
    probability :math:`\beta/(2K)` each, given the first half.  By a union bound all 2K limits hold together except with
    probability :math:`\beta`; then :math:`\epsilon \ge \log((\underline P(E) - \delta)/\overline Q(E))` for every E, so
    that the largest of these bounds holds, and :math:`\delta(\epsilon) \ge \underline P(E) - e^\epsilon \overline Q(E)`
    holds at all epsilon together.  Limits are moved outward by 1e-6 of themselves, far above the round-off of their
    computation.

    What must be true is that a sampler's outputs are independent and have one law.  How good the events are does not
    matter: a lower bound that is far too low is consistent with any claim.

    Parameters
    ----------
    sample_p, sample_q : callable
        The mechanism on either input: a function of a ``numpy.random.Generator`` and a number of outputs, which returns
        an array with so many outputs.  Unless ``score`` is given, an output is a number or an array of them.
    claim : (epsilon, delta) or a protocol
        What the mechanism claims to be on these inputs and all others; of a protocol, they must be its neighbours.
    delta : float, optional
        The delta at which epsilon is bounded; needed with a protocol.
    samples : int
        The number of outputs of each sampler, half of which choose the events.
    beta : float in [1e-12, 1)
        The probability that the bound is wrong; 1e-6 by default.
    score : callable, optional
        A function of an array of outputs that returns a number for each, larger where P is likelier; the best one is
        the likelihood ratio.  By default scores are single coordinates and a logistic regression that is fitted to the
        first half.
    seed : int
        The seed of the generators that samplers are given.

    Returns
    -------
    SamplerAudit
        The bound and its confidence, labelled as empirical, beside the claim, and the verdict: "contradicts the claim"
        or "consistent with the claim".

    Raises
    ------
    ParameterError
        If a number is out of its range, a sampler or the score returns something else, or the claim is none.

    Examples
    --------
    Noise that claims a standard deviation of 2 and has 1:

    >>> from pldcheck import Gaussian
    >>> noise = lambda mean: lambda rng, count: mean + rng.standard_normal(count)
    >>> answer = audit_sampler(noise(1.0), noise(0.0), Gaussian(sigma=2.0), delta=1e-3, samples=20_000)
    >>> answer.verdict
    'contradicts the claim'
    >>> audit_sampler(noise(1.0), noise(0.0), Gaussian(sigma=1.0), delta=1e-3, samples=20_000).verdict
    'consistent with the claim'

    """
    statement = read_claim(claim, delta)
    count, failure, start = int(SAMPLES.parse(samples)), float(BETA.parse(beta)), int(SEED.parse(seed))
    half = count // 2
    streams = np.random.SeedSequence(start).spawn(4)
    draw = partial(_draw, as_given=score is not None)
    choice_p, choice_q = draw("sample_p", sample_p, streams[0], half), draw("sample_q", sample_q, streams[1], half)
    tried = [given_score(score)] if score is not None else scores(choice_p, choice_q)
    events = [
        (one, forward, threshold)
        for one in tried
        for forward in (True, False)
        for threshold in _thresholds(_scores(one, forward, choice_p, choice_q), statement, failure / (4 * len(tried)))
    ]
    each = failure / (2 * len(events))
    trial_p = draw("sample_p", sample_p, streams[2], count - half)
    trial_q = draw("sample_q", sample_q, streams[3], count - half)
    return SamplerAudit(
        claim=statement,
        events=tuple(
            _count(one, forward, threshold, _scores(one, forward, trial_p, trial_q), each)
            for one, forward, threshold in events
        ),
        samples=count - half,
        seed=start,
        beta=failure,
    )


def _thresholds(both: Scores, claim: Claim, failure: float) -> list[float]:
    """Return the thresholds that show most in the first half: for epsilon at delta, and for delta at two epsilons."""

    def worth(limits: Limits) -> float:
        # Where no threshold shows an epsilon, the one that comes nearest to it.
        return limits.epsilon(claim.delta) or limits.record - limits.replacement - claim.delta

    places = [0.0, 0.5 * claim.epsilon] if claim.epsilon < LARGEST else [0.0]
    worths: list[Callable[[Limits], float]] = [worth, *(methodcaller("delta", place) for place in places)]
    candidates = both.candidates(failure)
    return sorted({max(candidates, key=lambda one: value(one[1]))[0] for value in worths})


def _draw(name: str, sampler: Sampler, stream: np.random.SeedSequence, count: int, *, as_given: bool) -> Any:
    outputs = sampler(np.random.default_rng(stream), count)
    if not as_given:
        return table(name, outputs, count)
    if not hasattr(outputs, "__len__") or len(outputs) != count:
        raise ParameterError(name, f"a function that returns {count} outputs when asked for {count}", outputs)
    return outputs


def _scores(one: Score, forward: bool, outputs_p: Any, outputs_q: Any) -> Scores:
    """Return the scores of outputs as event_limits takes them: the likelier law first, with its scores the larger."""
    first, second = one.values(outputs_p), one.values(outputs_q)
    return Scores(first, second) if forward else Scores(-second, -first)


def _count(one: Score, forward: bool, threshold: float, both: Scores, failure: float) -> CountedEvent:
    """Return an event with its counts and limits among new outputs."""
    hits, other_hits = (int((values > threshold).sum()) for values in both)
    side = f"above {threshold:.6g}" if forward else f"below {-threshold:.6g}"
    return CountedEvent(f"{one.words} {side}", forward, hits, other_hits, both.limits(threshold, failure))

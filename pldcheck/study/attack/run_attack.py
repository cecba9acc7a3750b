"""The attack on a protocol, from its parameters to the verdict."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from ...core.parameters import Parameter, parse
from ...protocols import Protocol
from . import event_limits, weighted_limits
from .attack_result import Attack
from .attack_targets import require_attackable, target
from .confidence_limits import FAILURE

# The probability of failure of each limit: two intervals with two ends, and two counts for epsilon and for delta.
PART = FAILURE / 8.0
# The range of the number of transcripts.
TRANSCRIPTS = Parameter("transcripts", "number of transcripts of each kind", 1_000, 10**9, integer=True)
# The range of the seed.
SEED = Parameter("seed", "seed of the random numbers", 0, 2**63, integer=True)

# A function that is called with the number of finished stages and the number of all stages.
Progress = Callable[[int, int], None]


def attack(
    protocol: Protocol, *, delta: float, transcripts: int = 10**5, seed: int = 0, progress: Progress | None = None
) -> Attack:
    r"""Return empirical lower bounds on epsilon and delta from the optimal test between a record and its replacement.

    The randomizer attains the lower end of the protocol's certified interval, of random swapping that with equal other
    records; the test is the likelihood-ratio test.  Transcripts are drawn on the record and on its replacement (counts
    of events; Clopper and Pearson 1934), and from a tilted law with known weights (a bet on bounded values), which
    reaches any delta.

    Parameters
    ----------
    protocol : HiddenSlot, CheckIn, SlidingWindow, Shuffle, Swap, Averaged or RandomAllocation
        The protocol, with one epoch, round or selected step.
    delta : float in (0, 1)
        The delta at which epsilon is bounded.
    transcripts : int
        The number of transcripts of each kind.
    seed : int
        The seed of the random numbers: the same seed gives the same bits, on any number of threads.
    progress : callable, optional
        A function that is called with the number of finished stages and the number of all stages.

    Returns
    -------
    Attack
        The empirical limits, which hold together except with probability 1e-6, beside the certified intervals.

    Raises
    ------
    ParameterError
        If a value is outside its range, or the parameters of the protocol allow no attack.
    Unsupported
        If there is no attack on the protocol.

    """
    begin = perf_counter()
    delta = parse(delta=delta)["delta"]
    count, start = int(TRANSCRIPTS.parse(transcripts)), int(SEED.parse(seed))
    notify = progress or (lambda stage, stages: None)
    require_attackable(protocol)
    interval = protocol.epsilon(delta)
    notify(1, 4)
    mechanism = target(protocol, interval, delta)
    attained, attained_delta, epsilon = weighted_limits.limits(mechanism, delta, interval.lower, start, count, PART)
    notify(2, 4)
    choice, trial = event_limits.run(mechanism, start, count)
    by_epsilon = choice.best(lambda limits: limits.epsilon(delta), PART)
    by_delta = choice.best(lambda limits: limits.delta(epsilon), PART)
    by_events = trial.limits(by_epsilon, PART).epsilon(delta)
    delta_by_events = trial.limits(by_delta, PART).delta(epsilon)
    notify(3, 4)
    delta_interval = protocol.delta(epsilon)
    notify(4, 4)
    return Attack(
        protocol=protocol.name,
        params=protocol.params(),
        randomizer=mechanism.name,
        transcripts=count,
        seed=start,
        delta=delta,
        epsilon=epsilon,
        epsilon_lower=max(by_events, attained.lower),
        delta_lower=max(delta_by_events, attained_delta.lower),
        by_events=by_events,
        attained=attained,
        attained_delta=attained_delta,
        certified=interval,
        certified_delta=delta_interval,
        seconds=perf_counter() - begin,
    )

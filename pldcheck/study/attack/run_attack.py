"""The attack on a protocol, from its parameters to the verdict."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from ...core.parameters import Parameter, parse
from ...protocols import Protocol
from . import event_limits, weighted_limits
from .attack_result import Attack
from .attack_targets import require_attackable, target
from .attacked_mechanism import Mechanism, Target
from .confidence_limits import FAILURE, Confidence
from .proposal_tilt import largest
from .transcript_blocks import key

# The probability of failure of each limit: two intervals with two ends, and two counts for epsilon and for delta.
PART = FAILURE / 8.0
# The range of the number of transcripts.
TRANSCRIPTS = Parameter("transcripts", "number of transcripts of each kind", 1_000, 10**9, integer=True)
# The range of the seed.
SEED = Parameter("seed", "seed of the random numbers", 0, 2**63, integer=True)
# The words for a mechanism that the caller supplies.
RUN = "runs of the mechanism itself"

# A function that is called with the number of finished stages and the number of all stages.
Progress = Callable[[int, int], None]


def attack(
    protocol: Protocol,
    *,
    delta: float,
    transcripts: int = 10**5,
    seed: int = 0,
    view: str = "all",
    mechanism: Mechanism | None = None,
    progress: Progress | None = None,
) -> Attack:
    r"""Return empirical lower bounds on epsilon and delta from the optimal test between a record and its replacement.

    The randomizer attains the lower end of the protocol's certified interval; the test is the likelihood-ratio test.
    Transcripts are drawn on the record and on its replacement (counts of events; Clopper and Pearson 1934), and from a
    tilted law with known weights (a bet on bounded values), which reaches any delta.

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
    view : str
        The observation: ``all`` models, or the ``last`` one, which is the sum of all updates.
    mechanism : Mechanism, optional
        A mechanism that claims to be the protocol and is run in its place; it is judged by counts of events alone.
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
    target_delta = parse(delta=delta)["delta"]
    count, start = int(TRANSCRIPTS.parse(transcripts)), int(SEED.parse(seed))
    notify = progress or (lambda stage, stages: None)
    require_attackable(protocol, view)
    interval = protocol.epsilon(target_delta)
    notify(1, 4)
    known_target = target(protocol, interval, target_delta, view) if mechanism is None else None
    tilt_limits = _weighted_limits(known_target, target_delta, start, count) if known_target else None
    notify(2, 4)
    target_epsilon = tilt_limits[2] if tilt_limits else interval.upper
    choice, trial = event_limits.run(known_target or mechanism, start, count)  # type: ignore[arg-type]
    by_epsilon = choice.best(lambda limits: limits.epsilon(target_delta), PART)
    by_delta = choice.best(lambda limits: limits.delta(target_epsilon), PART)
    epsilon_by_events = trial.limits(by_epsilon, PART).epsilon(target_delta)
    delta_by_events = trial.limits(by_delta, PART).delta(target_epsilon)
    notify(3, 4)
    delta_interval = protocol.delta(target_epsilon)
    notify(4, 4)
    run = known_target or mechanism
    assert run is not None
    return Attack(
        protocol=protocol.name,
        params=protocol.params(),
        randomizer=run.name,
        observation=run.observation,
        drawing=known_target.drawing(count) if known_target else RUN,
        transcripts=count,
        seed=start,
        delta=target_delta,
        epsilon=target_epsilon,
        epsilon_lower=max(epsilon_by_events, tilt_limits[0].lower if tilt_limits else 0.0),
        delta_lower=max(delta_by_events, tilt_limits[1].lower if tilt_limits else 0.0),
        by_events=epsilon_by_events,
        attained=tilt_limits[0] if tilt_limits else None,
        attained_delta=tilt_limits[1] if tilt_limits else None,
        certified=interval,
        certified_delta=delta_interval,
        seconds=perf_counter() - begin,
    )


def _weighted_limits(known_target: Target, delta: float, seed: int, count: int) -> tuple[Confidence, Confidence, float]:
    """Return limits of epsilon(delta), limits of delta at a nearby epsilon, and that epsilon."""
    plan = weighted_limits.plan(known_target, delta, seed, count, PART)
    transcripts = known_target.draw_tilted(plan.tilt, key(seed, weighted_limits.MAIN), count)
    # The plan comes from separate trials, so that it does not depend on these transcripts.
    limits = weighted_limits.epsilon_limits(transcripts, plan, delta, largest(known_target), PART)
    return limits, weighted_limits.delta_limits(transcripts, plan, plan.at, PART), plan.at

"""The attack on a protocol, from its parameters to the verdict."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from ...core.parameters import Parameter, parse
from ...protocols import Protocol
from . import event_limits, weighted_limits
from .attack_result import Attack
from .attack_targets import checked, target
from .attacked_mechanism import Attacked, Mechanism
from .confidence_limits import FAILURE, Confidence
from .proposal_tilt import largest
from .transcript_blocks import key

# Each end of the two intervals, and each of the two counts for epsilon and for delta.
PART = FAILURE / 8.0
TRANSCRIPTS = Parameter("transcripts", "number of transcripts of each kind", 1_000, 10**9, integer=True)
SEED = Parameter("seed", "seed of the random numbers", 0, 2**63, integer=True)
RUN = "run as it is"

# Called with the number of stages done and of all.
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
    r"""Return distinguish the record from its replacement as well as can be, and say how much that shows: empirical.

    The randomizer attains the lower end of the protocol's answer, the test is that of the likelihood ratio.
    Transcripts are drawn on the record and on its replacement (events, counted: Clopper and Pearson) and from a tilted
    law with known weights (a bet on bounded values), which reaches any delta.

    Parameters
    ----------
    protocol : HiddenSlot, CheckIn, SlidingWindow, Shuffle, Swap, Averaged or RandomAllocation
        With one epoch, round or selected step.
    delta : float in (0, 1)
    transcripts : int
        Of each kind.
    seed : int
        The same one gives the same bits, on any number of threads.
    view : str
        What is seen: ``all`` models, or the ``last`` one, which is the sum of all updates.
    mechanism : Mechanism, optional
        What runs in the protocol's place and claims to be it: judged by events alone, nothing is known of it.
    progress : callable, optional
        Called with the number of stages done and of all.

    Returns
    -------
    Attack
        Whose limits are wrong with probability 1e-6 at most, all together.

    Raises
    ------
    ParameterError
        For a value out of its range, or a protocol that cannot be attacked.

    """
    begin = perf_counter()
    given = parse(delta=delta)["delta"]
    count, start = int(TRANSCRIPTS.parse(transcripts)), int(SEED.parse(seed))
    tell = progress or (lambda done, stages: None)
    checked(protocol, view)
    certified = protocol.epsilon(given)
    tell(1, 4)
    attacked = target(protocol, certified, given, view) if mechanism is None else None
    found = _weighed(attacked, given, start, count) if attacked else None
    tell(2, 4)
    at = found[2] if found else certified.upper
    chosen, tried = event_limits.run(attacked or mechanism, start, count)  # type: ignore[arg-type]
    by_epsilon = chosen.best(lambda limits: limits.epsilon(given), PART)
    by_delta = chosen.best(lambda limits: limits.delta(at), PART)
    counted = tried.limits(by_epsilon, PART).epsilon(given)
    shown = tried.limits(by_delta, PART).delta(at)
    tell(3, 4)
    certified_delta = protocol.delta(at)
    tell(4, 4)
    run = attacked or mechanism
    assert run is not None
    return Attack(
        protocol=protocol.name,
        params=protocol.params(),
        randomizer=run.name,
        seen=run.seen,
        drawing=attacked.drawing(count) if attacked else RUN,
        transcripts=count,
        seed=start,
        delta=given,
        epsilon=at,
        epsilon_lower=max(counted, found[0].lower if found else 0.0),
        delta_lower=max(shown, found[1].lower if found else 0.0),
        by_events=counted,
        attained=found[0] if found else None,
        attained_delta=found[1] if found else None,
        certified=certified,
        certified_delta=certified_delta,
        seconds=perf_counter() - begin,
    )


def _weighed(attacked: Attacked, delta: float, seed: int, count: int) -> tuple[Confidence, Confidence, float]:
    """Return limits of epsilon(delta), and of delta at an epsilon near to it."""
    plan = weighted_limits.plan(attacked, delta, seed, count, PART)
    drawn = attacked.tilted(plan.tilt, key(seed, weighted_limits.MAIN), count)
    # Chosen from the trials: the transcripts that are to show something have no say in it.
    limits = weighted_limits.epsilon_limits(drawn, plan, delta, largest(attacked), PART)
    return limits, weighted_limits.delta_limits(drawn, plan, plan.at, PART), plan.at

"""Verify the engine's upper ends by certificates: ``python -m tests.adversarial.certified_questions --questions 500``.

Draws so many questions of each kind of protocol that has certificates, asks the engine for the upper end of epsilon (of
delta where it has no other), and has a certificate written and checked that claims 1.005 times it.  Prints a line for
each question for which that was not verified, which repeats it, and a table; ends with status 1 if a question ended in
an error, or if less than the share ``--least`` of all questions was verified.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import ceil, inf
from statistics import median
from time import process_time

from pldcheck.core.errors import PldcheckError
from pldcheck.protocols import (
    BallsInBins,
    CheckIn,
    Composition,
    FixedBatches,
    GaussianMixture,
    HiddenSlot,
    PersonalShuffle,
    Protocol,
    RandomAllocation,
    ReusedSample,
    SampledShuffle,
    Shuffle,
    ShuffledBatches,
    SlidingWindow,
    Swap,
    TruncatedPoisson,
)
from pldcheck.witness.upper_certificates import EPSILON_MARGIN, certificate

from .cells import log_uniform

# Seconds of processor time for one question: the engine, the search and the check.
LIMIT = 120.0
# The share of questions that must be verified.
LEAST = 0.9

Draw = random.Random


def whole(draw: Draw, low: float, high: float) -> int:
    """Return a whole number whose logarithm is uniform."""
    return round(log_uniform(draw, low, high))


def digits(number: float) -> float:
    """Return a number with four digits."""
    return float(f"{number:.3e}")


def spread(draw: Draw, low: float, high: float) -> float:
    """Return a number of four digits whose logarithm is uniform."""
    return digits(log_uniform(draw, low, high))


def hidden_slot(draw: Draw, _: float) -> Protocol:
    weight = draw.choice([1.0, spread(draw, 0.01, 1.0)])
    adjacency = draw.choice(["replace", "zero-out"])
    return HiddenSlot(whole(draw, 1, 1e12), spread(draw, 0.1, 6), weight=weight, adjacency=adjacency)


def approximate_slot(draw: Draw, delta: float) -> Protocol:
    return HiddenSlot(whole(draw, 1, 1e12), spread(draw, 0.1, 6), delta0=delta * spread(draw, 1e-6, 0.03))


def check_in(draw: Draw, _: float) -> Protocol:
    return CheckIn(whole(draw, 1, 1e12), spread(draw, 0.1, 6), spread(draw, 0.01, 1.0))


def sliding_window(draw: Draw, _: float) -> Protocol:
    window = whole(draw, 1, 1e6)
    return SlidingWindow(window, whole(draw, window, 4 * window), spread(draw, 0.1, 6))


def known_slot(draw: Draw, _: float) -> Protocol:
    kind = draw.choice(["rr", f"krr:{whole(draw, 2, 1000)}", "laplace"])
    # Where a record is replaced in continuous noise, what is verified is looser than what is asked here.
    adjacency = draw.choice(["replace", "zero-out"]) if kind != "laplace" else "zero-out"
    weight = draw.choice([1.0, spread(draw, 0.01, 1.0)])
    eps0 = spread(draw, 0.1, 6)
    return HiddenSlot(whole(draw, 1, 1e6), eps0, weight=weight, adjacency=adjacency, randomizer=kind)


def noisy_slot(draw: Draw, _: float) -> Protocol:
    kind = draw.choice([f"gaussian:{spread(draw, 0.5, 8)}", f"discrete-gaussian:{spread(draw, 0.5, 100)}"])
    weight = draw.choice([1.0, spread(draw, 0.01, 1.0)])
    # Where a record is replaced in continuous noise, what is verified is looser than what is asked here.
    adjacency = draw.choice(["zero-out", "replace"]) if "discrete" in kind else "zero-out"
    return HiddenSlot(whole(draw, 1, 1e6), weight=weight, adjacency=adjacency, randomizer=kind)


def random_allocation(draw: Draw, _: float) -> Protocol:
    share = draw.choice([1.0, spread(draw, 0.01, 1.0)])
    adjacency = draw.choice(["remove", "add", "replace"])
    return RandomAllocation(whole(draw, 1, 1e6), spread(draw, 0.5, 8), check_in_prob=share, adjacency=adjacency)


def balls_in_bins(draw: Draw, _: float) -> Protocol:
    bins, epochs = whole(draw, 1, 1e6), whole(draw, 1, 1e3)
    sigma = spread(draw, 0.5, 8) * epochs**0.5
    return BallsInBins(bins, sigma, epochs, draw.choice(["remove", "add", "replace"]))


def reused_sample(draw: Draw, _: float) -> Protocol:
    releases, rate = whole(draw, 1, 100), spread(draw, 1e-4, 0.9)
    sampling = draw.choice(["poisson", "poisson-replaced", "fixed-size"])
    return ReusedSample(spread(draw, 0.5, 30) * releases**0.5, rate, releases, whole(draw, 1, 1e6), sampling)


def random_lengths(draw: Draw, _: float) -> Protocol:
    left, pairs = 1.0, []
    for _ in range(draw.randint(1, 5)):
        chance = digits(left * spread(draw, 1e-4, 0.5))
        left -= chance
        pairs.append(f"{spread(draw, 0.1, 5):f}:{chance:.12f}")
    return GaussianMixture(spread(draw, 0.7, 30), ",".join(pairs), whole(draw, 1, 1e5))


def fixed_batches(draw: Draw, _: float) -> Protocol:
    records = whole(draw, 20, 1e6)
    batch, group = max(1, round(records * spread(draw, 1e-4, 0.3))), draw.choice([1, 1, 2, 3, 5])
    sampling = draw.choice(["without-replacement", "with-replacement"])
    return FixedBatches(spread(draw, 0.5, 30), records, batch, whole(draw, 1, 1e5), group, sampling)


def truncated_poisson(draw: Draw, _: float) -> Protocol:
    records, rate = whole(draw, 20, 1e6), spread(draw, 1e-4, 0.5)
    largest = ceil(records * rate + spread(draw, 0.1, 12) * (records * rate + 1.0) ** 0.5)
    return TruncatedPoisson(spread(draw, 0.5, 30), rate, records, largest, whole(draw, 1, 1e5))


def shuffled_batches(draw: Draw, _: float) -> Protocol:
    sigma, adjacency = spread(draw, 0.5, 8), draw.choice(["zero-out", "replace"])
    return ShuffledBatches(whole(draw, 1, 1e4), sigma, whole(draw, 1, 30), adjacency)


def shuffle(draw: Draw, _: float) -> Protocol:
    return Shuffle(whole(draw, 2, 1e6), spread(draw, 0.1, 6))


def swap(draw: Draw, _: float) -> Protocol:
    return Swap(whole(draw, 2, 1e6), spread(draw, 0.1, 6))


def sampled_shuffle(draw: Draw, _: float) -> Protocol:
    clients = whole(draw, 1, 200)
    return SampledShuffle(clients, draw.randint(1, clients), spread(draw, 0.1, 6))


def personal_shuffle(draw: Draw, delta: float) -> Protocol:
    told = draw.choice([0.0, delta])
    return PersonalShuffle(whole(draw, 1, 200), spread(draw, 0.1, 6), draw.choice([None, spread(draw, 0.1, 6)]), told)


def shuffle_rounds(draw: Draw, _: float) -> Protocol:
    return Shuffle(whole(draw, 2, 1e4), spread(draw, 0.1, 4), rounds=whole(draw, 2, 1e3))


def slot_epochs(draw: Draw, _: float) -> Protocol:
    epochs, eps0 = whole(draw, 2, 100), spread(draw, 0.1, 4)
    if draw.random() < 0.5:
        return CheckIn(whole(draw, 1, 1e4), eps0, spread(draw, 0.01, 1.0), epochs=epochs)
    return HiddenSlot(whole(draw, 1, 1e4), eps0, randomizer=draw.choice(["worst", "rr", "krr:5"]), epochs=epochs)


def response(draw: Draw, most: float) -> str:
    delta0 = f":{digits(most * spread(draw, 1e-6, 0.3))}" if draw.random() < 0.3 else ""
    return f"rr:{spread(draw, 1e-3, 3)}{delta0}"


def noise(draw: Draw, _: float) -> str:
    return draw.choice(["gaussian", "laplace", "discrete-laplace", "discrete-gaussian"]) + f":{spread(draw, 0.7, 300)}"


def sampled(draw: Draw, _: float) -> str:
    name = draw.choice([f"subsampled-gaussian:{spread(draw, 0.5, 30)}", f"subsampled-rr:{spread(draw, 0.01, 4)}"])
    return f"{name}:{spread(draw, 1e-4, 0.9)}"


def replaced(draw: Draw, _: float) -> str:
    return f"replaced-subsampled-gaussian:{spread(draw, 0.5, 30)}:{spread(draw, 1e-4, 0.9)}"


def fixed_size(draw: Draw, _: float) -> str:
    return f"fixed-size-gaussian:{spread(draw, 0.5, 30)}:{spread(draw, 1e-4, 0.9)}"


def composition(*parts: Callable[[Draw, float], str]) -> Callable[[Draw, float], Protocol]:
    """Return what draws a composition of some of these mechanisms, each run up to a million times."""

    def drawn(draw: Draw, delta: float) -> Protocol:
        few = [part for part in parts if len(parts) == 1 or draw.random() < 0.7] or [parts[0]]
        counts = [whole(draw, 1, 1e6) for _ in few]
        return Composition(tuple(f"{part(draw, delta / n)}*{n}" for part, n in zip(few, counts, strict=True)))

    return drawn


# The kinds of questions by name.
KINDS: dict[str, Callable[[Draw, float], Protocol]] = {
    "hidden-slot": hidden_slot,
    "approximate-slot": approximate_slot,
    "check-in": check_in,
    "sliding-window": sliding_window,
    "known-slot": known_slot,
    "noisy-slot": noisy_slot,
    "random-allocation": random_allocation,
    "balls-in-bins": balls_in_bins,
    "random-lengths": random_lengths,
    "fixed-batches": fixed_batches,
    "truncated-poisson": truncated_poisson,
    "shuffled-batches": shuffled_batches,
    "shuffle": shuffle,
    "swap": swap,
    "sampled-shuffle": sampled_shuffle,
    "personal-shuffle": personal_shuffle,
    "shuffle-rounds": shuffle_rounds,
    "slot-epochs": slot_epochs,
    "responses": composition(response),
    "noise": composition(noise),
    "sampled": composition(sampled),
    "fixed-size": composition(fixed_size),
    "replaced": composition(replaced),
    "reused-sample": reused_sample,
    "mixed": composition(response, noise, sampled),
}


class OutOfTimeError(BaseException):
    """The processor time of a question is used up; no handler of errors in the package takes this for one of them."""


@dataclass(frozen=True)
class Outcome:
    """What became of a question: ``verified``, ``looser``, ``not found``, ``slow``, ``no answer``, or ``error``.

    ``factor`` is what the claim is of the upper end; seconds are processor time.
    """

    kind: str
    text: str = ""
    factor: float = 0.0
    write: float = 0.0
    check: float = 0.0
    size: int = 0


def question(kind: str, seed: int, index: int) -> tuple[Protocol, float]:
    """Return a protocol and delta, or epsilon where only delta is computed."""
    draw = random.Random(f"{seed} {kind} {index}")
    delta = spread(draw, 1e-30, 1e-3)
    protocol = KINDS[kind](draw, delta)
    return protocol, (spread(draw, 1e-2, 1) if "epsilon" in protocol.lacks else delta)


def ask(protocol: Protocol, at: float, limit: float) -> Outcome:
    """Return what becomes of a question; it is given up after so many seconds of processor time."""

    def stop(*_: object) -> None:
        raise OutOfTimeError

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, limit)
    began, stage = process_time(), "the engine"
    asked, given = ("delta", "epsilon") if "epsilon" in protocol.lacks else ("epsilon", "delta")
    try:
        upper = getattr(protocol, asked)(at).upper
        if upper == inf:
            return Outcome("no answer", "epsilon is infinite")
        engine, stage = process_time() - began, f"a certificate above {asked} {upper!r}"
        record = certificate(protocol, margin=EPSILON_MARGIN, end=upper, **{given: at})
        written = process_time() - began - engine - record.seconds
    except OutOfTimeError:
        return Outcome("slow", f"{stage} took more than {limit:g} s")
    except PldcheckError as error:
        return Outcome("no answer" if stage == "the engine" else "not found", str(error))
    except Exception as error:  # whatever it is, it is none that a user should see
        if isinstance(error.__cause__, OutOfTimeError):  # the time was up within a compiled kernel
            return Outcome("slow", f"{stage} took more than {limit:g} s")
        return Outcome("error", f"{stage}: {error!r}")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
    kind = "verified" if record.reached <= EPSILON_MARGIN else "looser"
    return Outcome(kind, "", record.reached, written, record.seconds, len(record.dumps()))


def asked(kinds: list[str], seed: int, indices: range, limit: float) -> Iterator[tuple[str, Outcome]]:
    """Yield the kinds and outcomes of questions, one of each kind in turn; print how those that fail are repeated."""
    for index in indices:
        for kind in kinds:
            protocol, at = question(kind, seed, index)
            outcome = ask(protocol, at, limit)
            if outcome.kind != "verified":
                again = f"--only {kind} --seed {seed} --first {index} --questions 1"
                reached = f"verified at {outcome.factor:.4f}" if outcome.factor else outcome.text
                print(f"{outcome.kind}: {again}: {protocol}, at {at:g}: {reached}", flush=True)
            yield kind, outcome


def print_table(outcomes: dict[str, list[Outcome]]) -> None:
    """Print for each kind how many were verified, the others, and seconds and bytes of files."""
    names = ("verified", "looser", "not found", "slow", "no answer", "error")
    print(
        f"{'':18}" + "".join(f"{name:>10}" for name in names),
        f"{'factors':>17}{'check s':>14}{'write s':>14}{'bytes':>7}",
    )
    for kind, ones in outcomes.items():
        counts = Counter(one.kind for one in ones)
        looser = [one.factor for one in ones if one.kind == "looser"]
        factors = f"{min(looser):.3f}-{max(looser):.3f}" if looser else ""
        files = [one for one in ones if one.size]
        checks, writes = ([getattr(one, name) for one in files] or [0.0] for name in ("check", "write"))
        print(
            f"{kind:18}" + "".join(f"{counts[name]:>10}" for name in names),
            f"{factors:>17}"
            + "".join(f"{median(times):>7.2f}{max(times):>7.1f}" for times in (checks, writes))
            + f"{max((one.size for one in files), default=0):>7}",
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=20, help="of each kind")
    parser.add_argument("--first", type=int, default=0, help="number of the first question")
    parser.add_argument("--seed", type=int, default=None, help="as printed; a fresh one if left out")
    parser.add_argument("--only", default="", choices=["", *KINDS], help="one kind of questions")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds of processor time of one question")
    parser.add_argument("--least", type=float, default=LEAST, help="the share of answers that must be verified")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(10**9)
    kinds = [options.only] if options.only else list(KINDS)
    print(f"seed {seed}: {options.questions} questions of {len(kinds)} kinds", flush=True)
    outcomes: dict[str, list[Outcome]] = defaultdict(list)
    try:
        for kind, outcome in asked(kinds, seed, range(options.first, options.first + options.questions), options.limit):
            outcomes[kind].append(outcome)
    except KeyboardInterrupt:  # what was found is told
        print("interrupted")
    print_table(outcomes)
    counts = Counter(one.kind for ones in outcomes.values() for one in ones)
    answers = sum(counts.values()) - counts["no answer"]
    return int(counts["error"] > 0 or counts["verified"] < options.least * answers)


if __name__ == "__main__":
    sys.exit(main())

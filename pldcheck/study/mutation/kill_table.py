"""The kill table: every mutant of every theorem, and the guards that notice it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...core import sealed_files
from ...core.errors import PldcheckError
from ...theorems import REGISTRY, Theorem
from ...verification.runs import results_tree
from . import guards
from .comparison_points import VALUE, Outcome, Outcomes, Params, draw_points, outcome, pin, read_pin, same
from .guards import Evidence, evidence
from .mutants import ARGUMENTS, CONDITION, STRICT, Mutant, mutants

# At least one guard notices the mutant.
CAUGHT = "caught"
# The mutant has the outcomes of the theorem at all points, and some of them reach the change.
EQUIVALENT = "equivalent"
# The mutant differs from the theorem at some point, and no guard notices it.
SURVIVED = "survived"
# The mutant has no value at any point inside the conditions.
STILLBORN = "stillborn"
# The mutant has the outcomes of the theorem because no point reaches the change: nothing is known of it.
UNREACHED = "unreached"
# All fates, in the order of the table.
FATES = (CAUGHT, EQUIVALENT, SURVIVED, UNREACHED, STILLBORN)
# The count of mutants that a guard other than stored values of the formula notices.
INDEPENDENT = "independent"
# The count of mutants that only stored values of the formula notice.
PINNED = "pinned only"
# The file in a folder of results in which points are pinned.
FILE = "mutation.json"


@dataclass(frozen=True)
class Fate:
    """The fate of one mutant.

    Parameters
    ----------
    mutant, fate
        The mutant, and one of ``FATES``.
    noticed
        For each guard that notices the mutant, a sentence on what it notices.
    why
        The reason why the mutant is equivalent, unreached or stillborn.
    difference
        A point at which a survivor differs from the theorem.

    """

    mutant: Mutant
    fate: str
    noticed: Mapping[str, str] = field(hash=False)
    why: str = ""
    difference: Params | None = field(default=None, hash=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values, ready for JSON."""
        facts = {**self.mutant.to_dict(), "fate": self.fate, "noticed": list(self.noticed)}
        return facts | ({"why": self.why} if self.why else {})


@dataclass(frozen=True)
class Mutation:
    """The fates of all mutants, and the pins of every theorem: its relation, and its outcomes at points.

    ``wide`` is the number of stored intervals that are too wide to judge a mutant by.
    """

    fates: tuple[Fate, ...] = field(repr=False)
    pins: Mapping[str, dict[str, Any]] = field(repr=False, hash=False)
    wide: int = 0

    @property
    def survivors(self) -> tuple[Fate, ...]:
        """The mutants that no guard notices although they differ from their theorem at some point."""
        return self.having(SURVIVED)

    def having(self, fate: str) -> tuple[Fate, ...]:
        """Return the mutants with one fate."""
        return tuple(one for one in self.fates if one.fate == fate)

    def counts(self) -> dict[str, dict[str, dict[str, int]]]:
        """Return the number of mutants of each fate, and that each guard notices, by theorem and kind of change."""
        counters: dict[str, dict[str, Counter[str]]] = {}
        for one in self.fates:
            counter = counters.setdefault(one.mutant.theorem, {}).setdefault(one.mutant.kind, Counter())
            counter.update([one.fate, *one.noticed])
        return {
            theorem: {kind: dict(counter) for kind, counter in kinds.items()} for theorem, kinds in counters.items()
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values, ready for JSON."""
        return {
            "counts": self.counts(),
            "total": dict(Counter(name for one in self.fates for name in (one.fate, *one.noticed, *_by(one)))),
            "pins": dict(self.pins),
            "wide": self.wide,
            "mutants": [one.to_dict() for one in self.fates],
        }

    def __repr__(self) -> str:
        counts = Counter(one.fate for one in self.fates)
        return f"<Mutation: {', '.join(f'{counts[fate]} {fate}' for fate in FATES)}>"


def _by(one: Fate) -> tuple[str, ...]:
    """Return whether a caught mutant is noticed independently of the formula; an empty tuple for other fates."""
    if one.fate != CAUGHT:
        return ()
    return (INDEPENDENT,) if {*one.noticed} & {*guards.INDEPENDENT} else (PINNED,)


def mutate(
    theorems: Iterable[str | Theorem] | None = None,
    stored: str | Path = "results",
    progress: Callable[[int, int], None] | None = None,
) -> Mutation:
    """Change every formula in one place at a time, in every way, and record which guards notice.

    The true value does not depend on a formula: certified intervals come from stored runs.  A point at which a survivor
    differs from its theorem is pinned in the answer, so that the next run notices that mutant.

    Parameters
    ----------
    theorems
        The theorems or their ids; by default all registered theorems.
    stored
        The folder with the runs of the suites and with mutation.json, whose pinned points are used again.  Runs that
        are missing are computed, and points that are missing are drawn.
    progress
        A function that is called with the number of finished theorems and the number of all theorems.

    Returns
    -------
    Mutation
        The fate of every mutant, and the pinned points.

    Raises
    ------
    UnknownNameError
        If an id is not registered.
    PldcheckError
        If a stored file cannot be read, or a formula has another value than a pinned point.

    """
    selection = [REGISTRY[one] if isinstance(one, str) else one for one in theorems or REGISTRY]
    pins_by_theorem = _read(results_tree.locate(Path(stored), FILE))
    fates: list[Fate] = []
    pins: dict[str, dict[str, Any]] = {}
    wide = 0
    for number, theorem in enumerate(selection):
        if progress:
            progress(number, len(selection))
        facts = evidence(theorem, stored, _points(theorem, pins_by_theorem.get(theorem.id)))
        results = [fate_of(mutant, facts) for mutant in mutants(theorem)]
        fates += results
        wide += facts.wide
        more = {tuple(one.difference.items()): one.difference for one in results if one.difference}
        points = [*facts.points, *((params, outcome(theorem, params)) for params in more.values())]
        pins[theorem.id] = {"relation": theorem.relation, "points": [pin(*point) for point in points]}
    return Mutation(tuple(fates), pins, wide)


def _read(path: Path) -> Mapping[str, Any]:
    """Return the pinned points of a file by theorem; an empty mapping if there is no file."""
    if not path.is_file():
        return {}
    try:
        content = sealed_files.unseal(sealed_files.load(path))["pins"]
        return {name: [read_pin(point) for point in pins["points"]] for name, pins in content.items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise PldcheckError(f"{path} is not a table of mutants ({type(error).__name__})") from None


def _points(theorem: Theorem, points: list[tuple[Params, Outcome]] | None) -> list[tuple[Params, Outcome]]:
    """Return the pinned points, after a check that the formula still has these outcomes, or new points."""
    if points is None:
        return [(params, outcome(theorem, params)) for params in draw_points(theorem, "pinned")]
    for params, stored_outcome in points:
        if not same(outcome(theorem, params), stored_outcome, guards.GOLDEN):
            where = ", ".join(f"{name}={value:g}" for name, value in params.items())
            raise PldcheckError(
                f"{theorem.id} differs from the value that {FILE} pins at {where}; if intended, remove the file"
            )
    return points


def fate_of(mutant: Mutant, facts: Evidence) -> Fate:
    """Return the fate of a mutant: every guard examines it, and more points decide if none notices it."""
    outcomes = Outcomes(mutant.changed_theorem)
    if _is_stillborn(facts, outcomes):
        return Fate(mutant, STILLBORN, {}, "it has no value at any point")
    answers = {name: getattr(guards, name)(mutant, facts, outcomes) for name in guards.GUARDS}
    kills = {name: how for name, how in answers.items() if how}
    if kills:
        return Fate(mutant, CAUGHT, kills)
    difference = next(differences(facts, outcomes), None)
    if difference is None:
        points = _comparison_points(facts, mutant.theorem)
        if not _is_reached(mutant, points):
            return Fate(mutant, UNREACHED, {}, f"none of {len(points)} points reaches the change")
        return Fate(mutant, EQUIVALENT, {}, f"{_why(mutant)} ({len(points)} points)")
    return Fate(mutant, SURVIVED, {}, difference=difference)


def _is_reached(mutant: Mutant, points: Iterable[Params]) -> bool:
    """Return whether the evaluation at any of these points reaches the place of the change."""
    if mutant.watch is None:
        return True
    visits: list[bool] = []

    def record(value: Any) -> Any:
        visits.append(True)
        return value

    theorem = mutant.watch(record)
    for params in points:
        outcome(theorem, params)
        if visits:
            return True
    return False


def differences(facts: Evidence, outcomes: Outcomes) -> Iterator[Params]:
    """Yield the points at which the outcome of a mutant differs from that of its theorem."""
    theorem = REGISTRY[outcomes.theorem.id]
    for params in _comparison_points(facts, theorem.id):
        if not same(outcome(theorem, params), outcomes.at(params)):
            yield params


def _comparison_points(facts: Evidence, theorem: str) -> list[Params]:
    more = draw_points(REGISTRY[theorem], "compared")
    return [*(row.params for row in facts.rows), *(params for params, _ in facts.points), *more]


def _is_stillborn(facts: Evidence, outcomes: Outcomes) -> bool:
    inside = [params for params, stored_outcome in facts.points if stored_outcome[0] == VALUE]
    return bool(inside) and all(outcomes.at(params)[0] != VALUE for params in inside)


def _why(mutant: Mutant) -> str:
    if mutant.kind == STRICT:
        return "no point meets the limit of the condition exactly"
    if mutant.kind == CONDITION:
        return "wherever the condition fails, another one fails or the formula has no value"
    if mutant.kind == ARGUMENTS:
        return "both arguments enter in the same way, or neither enters"
    if mutant.within == "test":
        return "the test chooses between two forms of one value"
    if mutant.within in ("loop", "While", "For"):
        return "the difference is below rounding"
    return "the value is the same"

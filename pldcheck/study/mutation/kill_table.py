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
from .comparison_points import VALUE, Outcome, Params, Said, drawn, outcome, pin, same, unpinned
from .guards import Evidence, evidence
from .mutants import ARGUMENTS, CONDITION, STRICT, Mutant, mutants

CAUGHT = "caught"
EQUIVALENT = "equivalent"
SURVIVED = "survived"
STILLBORN = "stillborn"
# Of a mutant that says the same everywhere since no point comes to what is changed: nothing is known of it.
UNREACHED = "unreached"
FATES = (CAUGHT, EQUIVALENT, SURVIVED, UNREACHED, STILLBORN)
# Caught by a guard that is not made of the formula's own values.
INDEPENDENT = "independent"
# Caught by guards made of the formula's own values alone.
PINNED = "pinned only"
# Where points are pinned.
STORED = "mutation.json"


@dataclass(frozen=True)
class Fate:
    """What became of a mutant.  ``noticed``: by which guards, and how; ``why`` it is equivalent or stillborn.

    ``telling``: of a survivor, a point at which it says something else.
    """

    mutant: Mutant
    fate: str
    noticed: Mapping[str, str] = field(hash=False)
    why: str = ""
    telling: Params | None = field(default=None, hash=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        facts = {**self.mutant.to_dict(), "fate": self.fate, "noticed": list(self.noticed)}
        return facts | ({"why": self.why} if self.why else {})


@dataclass(frozen=True)
class Mutation:
    """All fates, with what was pinned: of every theorem its relation, and points with what it says there."""

    fates: tuple[Fate, ...] = field(repr=False)
    pins: Mapping[str, dict[str, Any]] = field(repr=False, hash=False)
    wide: int = 0

    @property
    def survivors(self) -> tuple[Fate, ...]:
        """Those that no guard notices though they differ somewhere."""
        return self.having(SURVIVED)

    def having(self, fate: str) -> tuple[Fate, ...]:
        """Return those with that fate."""
        return tuple(one for one in self.fates if one.fate == fate)

    def counts(self) -> dict[str, dict[str, dict[str, int]]]:
        """By theorem and kind: how many there are of each fate, and how many each guard notices."""
        found: dict[str, dict[str, Counter[str]]] = {}
        for one in self.fates:
            counter = found.setdefault(one.mutant.theorem, {}).setdefault(one.mutant.kind, Counter())
            counter.update([one.fate, *one.noticed])
        return {theorem: {kind: dict(counter) for kind, counter in kinds.items()} for theorem, kinds in found.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
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
    """Return whether a caught mutant is noticed by what does not come from the formula."""
    if one.fate != CAUGHT:
        return ()
    return (INDEPENDENT,) if {*one.noticed} & {*guards.INDEPENDENT} else (PINNED,)


def mutate(
    theorems: Iterable[str | Theorem] | None = None,
    stored: str | Path = "results",
    progress: Callable[[int, int], None] | None = None,
) -> Mutation:
    """Return change every formula in every way there is, and ask each guard.

    The truth does not change with a formula: certified intervals are taken from the runs in ``stored``, or computed
    where it has none.  Points are those that mutation.json has there, or drawn; a point that tells a survivor apart is
    pinned in the answer, so that what is stored next notices it.  ``progress`` is called with the theorems
    done and their number.

    Raises
    ------
    UnknownNameError, PldcheckError
        For an id that is not registered, and for a run that cannot be read.

    """
    chosen = [REGISTRY[one] if isinstance(one, str) else one for one in theorems or REGISTRY]
    known_pins = _read(results_tree.locate(Path(stored), STORED))
    fates: list[Fate] = []
    pins: dict[str, dict[str, Any]] = {}
    wide = 0
    for done, theorem in enumerate(chosen):
        if progress:
            progress(done, len(chosen))
        known = evidence(theorem, stored, _points(theorem, known_pins.get(theorem.id)))
        found = [fate_of(mutant, known) for mutant in mutants(theorem)]
        fates += found
        wide += known.wide
        more = {tuple(one.telling.items()): one.telling for one in found if one.telling}
        points = [*known.points, *((params, outcome(theorem, params)) for params in more.values())]
        pins[theorem.id] = {"relation": theorem.relation, "points": [pin(*point) for point in points]}
    return Mutation(tuple(fates), pins, wide)


def _read(path: Path) -> Mapping[str, Any]:
    """Return what is pinned in a file; nothing where there is none."""
    if not path.is_file():
        return {}
    try:
        found = sealed_files.unseal(sealed_files.load(path))["pins"]
        return {name: [unpinned(point) for point in pins["points"]] for name, pins in found.items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise PldcheckError(f"{path} is no table of mutants ({type(error).__name__})") from None


def _points(theorem: Theorem, pinned: list[tuple[Params, Outcome]] | None) -> list[tuple[Params, Outcome]]:
    """Return those that are pinned, where the formula must say what it said, or freshly drawn ones."""
    if pinned is None:
        return [(params, outcome(theorem, params)) for params in drawn(theorem, "pinned")]
    for params, wanted in pinned:
        if not same(outcome(theorem, params), wanted, guards.GOLDEN):
            where = ", ".join(f"{name}={value:g}" for name, value in params.items())
            raise PldcheckError(
                f"{theorem.id} no longer says what {STORED} pins at {where}; if that is meant, remove it"
            )
    return pinned


def fate_of(mutant: Mutant, known: Evidence) -> Fate:
    """Ask every guard; what none notices is compared with the theorem at more points."""
    said = Said(mutant.changed)
    if _stillborn(known, said):
        return Fate(mutant, STILLBORN, {}, "no value anywhere: it could not be released")
    asked = {name: getattr(guards, name)(mutant, known, said) for name in guards.GUARDS}
    noticed = {name: how for name, how in asked.items() if how}
    if noticed:
        return Fate(mutant, CAUGHT, noticed)
    tells = next(telling(known, said), None)
    if tells is None:
        compared = _compared(known, mutant.theorem)
        if not _reached(mutant, compared):
            return Fate(mutant, UNREACHED, {}, f"none of {len(compared)} points comes there")
        return Fate(mutant, EQUIVALENT, {}, f"{_why(mutant)} ({len(compared)} points)")
    return Fate(mutant, SURVIVED, {}, telling=tells)


def _reached(mutant: Mutant, points: Iterable[Params]) -> bool:
    """Return whether the theorem comes to what is changed at any of these points."""
    if mutant.watched is None:
        return True
    met: list[bool] = []

    def seen(value: Any) -> Any:
        met.append(True)
        return value

    theorem = mutant.watched(seen)
    for params in points:
        outcome(theorem, params)
        if met:
            return True
    return False


def telling(known: Evidence, said: Said) -> Iterator[Params]:
    """Yield the points at which a mutant says what the theorem does not."""
    theorem = REGISTRY[said.theorem.id]
    for params in _compared(known, theorem.id):
        if not same(outcome(theorem, params), said.at(params)):
            yield params


def _compared(known: Evidence, theorem: str) -> list[Params]:
    drawn_too = drawn(REGISTRY[theorem], "compared")
    return [*(row.params for row in known.rows), *(params for params, _ in known.points), *drawn_too]


def _stillborn(known: Evidence, said: Said) -> bool:
    inside = [params for params, wanted in known.points if wanted[0] == VALUE]
    return bool(inside) and all(said.at(params)[0] != VALUE for params in inside)


def _why(mutant: Mutant) -> str:
    if mutant.kind == STRICT:
        return "at no point tried is the condition's limit met exactly"
    if mutant.kind == CONDITION:
        return "wherever it fails, another condition fails or the formula has no value"
    if mutant.kind == ARGUMENTS:
        return "both enter alike, or not at all"
    if mutant.within == "test":
        return "it chooses between two forms of one value"
    if mutant.within in ("loop", "While", "For"):
        return "what it adds or leaves out is below rounding"
    return "the same value"

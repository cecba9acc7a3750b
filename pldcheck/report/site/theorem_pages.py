"""A theorem's page: what it says, under which conditions, what was computed of it, and the state of its proof."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure

from ...core.outward_decimals import down, up
from ...core.parameters import PARAMETERS
from ...theorems import Theorem
from ...theorems.papers import chains
from ...theorems.proof_step import Step
from ...verification import Report, Summary, Verdict
from ...verification.problem import unjudgeable
from ...verification.suites import SUITES
from ..folder_figures import Picture, draw_picture, of_run
from ..report_tables import SIGNS
from .formula_svg import display_html
from .reference_results import Reference

# Classes of verdicts and of steps of proofs, which give them their colours.
COLOURS = {
    Verdict.HOLDS: "good",
    Verdict.CONSISTENT: "good",
    Verdict.VIOLATED: "bad",
    Verdict.UNDECIDED: "open",
    Verdict.UNJUDGEABLE: "open",
    Verdict.OUT_OF_CONDITIONS: "aside",
    Verdict.NOT_JUDGED: "aside",
}
STEP_COLOURS = {"proved": "good", "equal": "good", "measured": "open", "fails": "bad"}

# The words for the relation of a statement and for its quantity.
RELATION_WORDS = {"<=": "an upper bound on", "=": "the exact value of", ">=": "a lower bound on"}
QUANTITY_WORDS = {"epsilon": "ε", "delta": "δ", "renyi": "the Rényi divergence", "error": "the error"}
# Digits of a tightness: it is read as a factor.
DIGITS = 4
# The figures of a run that a page shows, the first of each group that there is, with what is to be seen.
HEAT = (
    "heat",
    "Claim over certified upper end, the median over all other parameters, in digits and as shades. Tiles with a "
    "violated cell are framed and say “false”, those with an undecided one “?”.",
)
SPREAD = ("spread", "Claim over certified upper end, a dot for each cell. An upper bound left of 1 is not certified.")
AGAINST = "The claim dashed, the certified range as a band; all other parameters are fixed at what the panel says."
FIGURES = ((HEAT, SPREAD), (("size", AGAINST), ("privacy", AGAINST)))
# The words after the verdict on a step whose proof uses a simplification by hand.
GIVEN_BY_HAND = "given a simplification by hand"
# The words that follow the number of steps with each verdict.
STEP_WORDS = {
    "proved": ("step is proved", "steps are proved"),
    "equal": ("step is an identity", "steps are identities"),
    "measured": ("step is measured", "steps are measured"),
    "fails": ("step fails", "steps fail"),
}


@dataclass(frozen=True)
class Chip:
    """A few words with a colour: ``tone`` is good, bad, open or aside."""

    text: str
    tone: str


@dataclass(frozen=True)
class SuiteResult:
    """The results on a theorem in one stored run: counts of verdicts, tightness and figures."""

    title: str
    cells: int
    counts: tuple[tuple[Chip, int], ...]
    tightness: tuple[str, str, str] | None
    pictures: tuple[Picture, ...]


@dataclass(frozen=True)
class ProofStep:
    """A step of a proof, as the stored audit has it."""

    id: str
    name: str
    formula: str
    source: str
    chip: Chip
    lines: tuple[str, ...]


def relation_words(theorem: Theorem) -> str:
    """Return the kind of the statement in words: an upper bound on ε, the exact value of δ, and so on."""
    return f"{RELATION_WORDS[theorem.relation]} {QUANTITY_WORDS[theorem.quantity]}"


def verdict_chip(theorem: str, reference: Reference) -> Chip:
    """Return the verdict over all stored runs in a few words, and their names; a cell of several runs counts once."""
    rows = [row.verdict for row in reference.distinct_rows(theorem)]
    names = [name for name, _ in reference.of_theorem(theorem)]
    where = f"({'runs' if len(names) > 1 else 'run'} {', '.join(names)})"
    decisive_count = sum(verdict in (Verdict.HOLDS, Verdict.CONSISTENT, Verdict.VIOLATED) for verdict in rows)
    for verdict, words in ((Verdict.VIOLATED, "violated"), (Verdict.UNDECIDED, "undecided")):
        if count := rows.count(verdict):
            return Chip(f"{SIGNS[verdict]} {words} at {count} of {decisive_count} cells {where}", COLOURS[verdict])
    if not decisive_count:
        return Chip("cannot be judged" if theorem in unjudgeable() else "in no stored run", "aside")
    kind = Verdict.HOLDS if Verdict.HOLDS in rows else Verdict.CONSISTENT
    words = "holds" if kind is Verdict.HOLDS else "consistent"
    return Chip(f"{SIGNS[kind]} {words} at all {decisive_count} decided cells {where}", COLOURS[kind])


def suite_results(theorem: str, reference: Reference) -> list[SuiteResult]:
    """Return the results on a theorem in each stored run, with figures of that part of the run."""
    return [_suite_result(suite, part, part.summary()[0]) for suite, part in reference.of_theorem(theorem)]


def _suite_result(suite: str, part: Report, summary: Summary) -> SuiteResult:
    counts = [
        (Chip(f"{SIGNS[verdict]} {verdict}", COLOURS[verdict]), count)
        for verdict, count in summary.counts.items()
        if count
    ]
    # A ratio to an upper end is rounded down: it is at least so much.
    tightness = summary.tightness and tuple(down(value, DIGITS) for value in summary.tightness)
    title = f"{'Suite' if suite in SUITES else 'Run'} {suite}"
    return SuiteResult(title, summary.cells, tuple(counts), tightness, tuple(_pictures(suite, part)))  # type: ignore[arg-type]


def _pictures(suite: str, part: Report) -> Iterator[Picture]:
    ways = {name: draw for name, _, _, draw in of_run(part)}
    for group in FIGURES:
        pictures = (
            draw_picture(suite, f"{suite}-{name}", name, words, _without_title(ways[name]))
            for name, words in group
            if name in ways
        )
        # The page shows one panel, so the room around a figure of many panels is cut off.
        with rc_context({"savefig.bbox": "tight"}):
            yield from islice((picture for picture in pictures if picture), 1)


def _without_title(draw: Callable[[], Figure | None]) -> Callable[[], Figure | None]:
    """Return how a figure is drawn without the title above all its panels, which the page says in words."""

    def draw_without_title() -> Figure | None:
        figure = draw()
        if figure:
            figure.suptitle("")
        return figure

    return draw_without_title


def parameter_rows(theorem: Theorem) -> list[tuple[str, str, str]]:
    """Return the name, the meaning and the domain of every parameter."""
    entries = [PARAMETERS[name] for name in theorem.parameters]
    return [(entry.name, entry.help, entry.domain) for entry in entries]


@cache
def steps_by_hand() -> frozenset[str]:
    """Return the ids of the steps whose proofs use a simplification that was derived by hand."""
    steps = (step for chain in chains().values() for step in chain.steps)
    return frozenset(step.id for step in steps if isinstance(step, Step) and step.margin is not None)


def _is_by_hand(step: Mapping[str, Any]) -> bool:
    return step["verdict"] == "proved" and step["id"] in steps_by_hand()


def proof_steps(audit: Mapping[str, Any]) -> list[ProofStep]:
    """Return the steps of a proof, in the order in which the proof takes them."""
    return [
        ProofStep(
            step["id"],
            step["name"],
            display_html(step["statement"]),
            step["source"],
            Chip(
                f"{step['verdict']}, {GIVEN_BY_HAND}" if _is_by_hand(step) else step["verdict"],
                STEP_COLOURS.get(step["verdict"], "aside"),
            ),
            tuple(_step_lines(step)),
        )
        for step in audit["steps"]
    ]


def proof_chips(audit: Mapping[str, Any]) -> list[Chip]:
    """Return how many steps have each verdict, in words; proofs that use a simplification by hand are counted apart."""
    by_hand = sum(map(_is_by_hand, audit["steps"]))
    chips = []
    for name, total in audit["counts"].items():
        count = total - by_hand if name == "proved" else total
        words, tone = STEP_WORDS.get(name, (name, name)), STEP_COLOURS.get(name, "aside")
        chips += [Chip(f"{count} {words[count != 1]}", tone)] if count else []
        if name == "proved" and by_hand:
            chips.append(Chip(f"{by_hand} {words[by_hand != 1]}, {GIVEN_BY_HAND}", tone))
    return chips


def _step_lines(step: Mapping[str, Any]) -> Iterator[str]:
    if step["notes"]:
        yield step["notes"]
    if step["box"]:
        axes = ", ".join(f"{name} in [{axis['low']:.12g}, {axis['high']:.12g}]" for name, axis in step["box"].items())
        premises = "".join(f", {text}" for text in step["premises"])
        is_proved = (step["proof"] or {}).get("kind") == "Proved"
        yield f"The step is {'proved' if is_proved else 'examined'} for {axes}{premises}."
    if step["why_not_proved"]:
        yield f"It is not proved on a box: {step['why_not_proved']}."
    if counterexample := step["counterexample"]:
        point = _point(counterexample["point"])
        left, right = down(counterexample["left"]["lower"]), up(counterexample["right"]["upper"])
        yield f"It fails at {point}: the left side is at least {left}, the right side at most {right}."


def _point(point: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {value:.12g}" for name, value in point.items())


def command_lines(theorem: Theorem, example: str, reference: Reference) -> list[tuple[str, str]]:
    """Return the commands that repeat what the page says, each with what it does.

    ``example`` is a command line that evaluates the formula.
    """
    lines = [(example, "evaluates the formula; nothing is verified")]
    for name, part in reference.of_theorem(theorem.id):
        if name in SUITES:
            line = f"pldcheck verify --suite {name} --theorem {theorem.id} --out checked"
            lines.append((line, f"judges it at every cell of the suite {name}"))
        elif command := part.header.get("command"):
            lines.append((command, f"repeats the run {name}"))
    if theorem.id in reference.audits:
        lines.append((f"pldcheck audit {theorem.id}", "checks its proof step by step"))
    return lines

"""The tables of a report, as text; certified ends are printed outward."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf, isinf
from typing import Any

from ..core.parameters import number_text
from ..theorems import REGISTRY
from ..theorems.recalled import STANDINGS
from ..verification import Row, Verdict
from ..verification.verdict import NOTABLE
from .claim_curves import SYMBOLS, quantity
from .decimal_ends import down, near, up
from .page_fold import Entry, PageFold, standing
from .page_table import NOTHING, Table, make_table, page_number
from .results_folder import Folder

# Lines of the table of answers without a theorem.
ANSWERS = 300
# Lines of the table of all rows.
ROWS = 4000
# Signs beside the words of verdicts, so that colour is not the only mark.
SIGNS = {
    Verdict.HOLDS: "✓",
    Verdict.CONSISTENT: "≈",
    Verdict.VIOLATED: "✗",
    Verdict.UNDECIDED: "?",
    Verdict.UNJUDGEABLE: "—",
    Verdict.OUT_OF_CONDITIONS: "∅",
    Verdict.NOT_JUDGED: "·",
}
SHOWN = {"<=": "≤", "=": "=", ">=": "≥"}
# Verdicts from the one that a reader must see first.
SEVERITY = (
    *(Verdict.VIOLATED, Verdict.UNDECIDED, Verdict.UNJUDGEABLE, Verdict.HOLDS, Verdict.CONSISTENT),
    *(Verdict.OUT_OF_CONDITIONS, Verdict.NOT_JUDGED),
)
# The caption of the table with what studies say of theorems.
STUDIES = "What findings, proofs and other theorems say of each theorem"
# Integers above this have no nearest double.
LARGEST = 1e300
# The most characters of an error's text, which may have any length.
LONGEST = 300


def symbol(quantity_name: str) -> str:
    """Return the symbol of a quantity, or its name if it has none."""
    return SYMBOLS.get(quantity_name, quantity_name)


def parameters(row: Row) -> str:
    """Return all parameters of a row on one line."""
    return ", ".join(f"{name}={_plain(value)}" for name, value in row.params.items() if value is not None)


def _plain(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > LARGEST:
        return str(value)
    return number_text(float(f"{value:.12g}") if isinstance(value, float) else value)


def row_ends(row: Row) -> tuple[str, str]:
    """Return both ends rounded outward, so that the printed interval encloses the truth as well."""
    lower = NOTHING if row.lower is None else down(row.lower) if abs(row.lower) < inf else "inf"
    upper = NOTHING if row.upper is None else up(row.upper) if abs(row.upper) < inf else "inf"
    return lower, upper


def row_claim(row: Row) -> str:
    """Return the claim to six digits, rounded to the nearest: it is no end of an interval."""
    return NOTHING if row.analytic is None else near(row.analytic)


def row_remark(row: Row) -> str:
    """Return why a row is as it is, and its witness in words."""
    witness = row.witness.get("summary") or row.witness.get("kind") if isinstance(row.witness, Mapping) else None
    parts = [row.reason or "", f"witness: {witness}" if witness else ""]
    text = " ".join("; ".join(part for part in parts if part).split()) or NOTHING
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def rank(theorem: str) -> int:
    """Return the place of a theorem's standing in the order of a report: published ones first."""
    return STANDINGS.index(name) if (name := standing(theorem)) else 0


def judgement(row: Row) -> str:
    """Return the verdict with its sign."""
    return judgement_text(row.verdict)


def judgement_text(verdict: Verdict) -> str:
    """Return the verdict with its sign, so that colour is not its only mark."""
    return f"{SIGNS[verdict]} {verdict}"


def _width(row: Row) -> str:
    if row.upper is None or row.lower is None or isinf(row.upper):
        return NOTHING
    if row.lower > 0.0:
        return f"{up(100.0 * (row.upper / row.lower - 1.0), 2)} %"
    return "0 %" if row.upper == 0.0 else NOTHING


def count(value: int) -> str:
    """Return an integer as text with its thousands apart."""
    return page_number(str(value))


def several(number: int, one: str, many: str) -> str:
    """Return a number and the word for so many."""
    return f"{count(number)} {one if number == 1 else many}"


def rest_note(rest: int) -> str:
    """Return the note below a table that leaves out so many lines; empty if it has all."""
    return f"{several(rest, 'more is', 'more are')} in the stored rows." if rest > 0 else ""


def theorems(folder: Folder) -> Table | None:
    """Return a table with a line for each theorem in each run, violated ones first, even if nothing was judged."""
    # There is a line even for subjects without verdicts: their cells are counted as not judged.
    entries = sorted(
        ((stem, entry) for stem, run in folder.runs.items() for entry in run.summary()),
        key=lambda pair: (SEVERITY.index(_overall(pair[1].counts)), rank(pair[1].theorem)),
    )
    verdicts = [verdict for verdict in Verdict if any(entry.counts.get(verdict) for _, entry in entries)]
    lines = []
    for stem, entry in entries:
        tightness = [down(value, 3) for value in entry.tightness] if entry.tightness else [NOTHING] * 3
        counts = [count(number) if (number := entry.counts.get(verdict)) else NOTHING for verdict in verdicts]
        theorem = REGISTRY[entry.theorem] if entry.theorem in REGISTRY else None
        claim = f"{symbol(theorem.quantity)}\u00a0{SHOWN[theorem.relation]}" if theorem else NOTHING
        source = f"{theorem.source.citation}, {theorem.source.where}" if theorem else NOTHING
        origin = theorem.standing if theorem else NOTHING
        first = (judgement_text(_overall(entry.counts)), entry.theorem, stem, source, origin, claim)
        lines.append((*first, count(entry.cells), *counts, *tightness))
    heads = ("verdict", "theorem", "run", "paper", "statement", "claim", "cells", *map(judgement_text, verdicts))
    return make_table(
        "theorems",
        "Verdicts and tightness, a line a theorem and run",
        (*heads, "tightness min", "median", "max"),
        lines,
        range(6, len(heads) + 3),
        "The verdict is the worst of all cells. Tightness: the claim over the certified upper end, over the decided "
        "cells in which the truth is certainly positive. Of a true upper bound it is at least 1, of a true lower bound "
        "at most 1.",
        row_head=1,
    )


def theorem_badges(folder: Folder) -> dict[str, list[tuple[str, str]]]:
    """Return, for each theorem and each run that has it, the verdict, and at how many cells of which run."""
    badges: dict[str, list[tuple[str, str]]] = {}
    for stem, run in folder.runs.items():
        for entry in run.summary():
            verdict = _overall(entry.counts)
            cells = f"{count(entry.counts.get(verdict, 0))} of {several(entry.cells, 'cell', 'cells')}"
            badges.setdefault(entry.theorem, []).append((judgement_text(verdict), f"{cells}, run {stem}"))
    return badges


def _overall(counts: Mapping[Verdict, int]) -> Verdict:
    """Return the worst verdict that a theorem has at any cell."""
    return next((verdict for verdict in SEVERITY if counts.get(verdict)), Verdict.NOT_JUDGED)


def studies_of_theorems(folder: Folder) -> Table | None:
    """Return what studies say of the theorems in the runs, a line a theorem of which they say anything."""
    columns = _study_columns(folder, set(folder.page.verdicts))
    names = [name for name in folder.page.verdicts if any(name in texts for texts in columns.values())]
    lines = [(name, *(texts.get(name, NOTHING) for texts in columns.values())) for name in names]
    return make_table("theorem-studies", STUDIES, ("theorem", *columns), lines, (), folded=True)


def _study_columns(folder: Folder, names: set[str]) -> dict[str, dict[str, str]]:
    """Return what studies say of theorems: texts by theorem, of each column that says something of these ones."""
    columns: dict[str, dict[str, str]] = {}
    for kind in folder.kinds:
        for result in folder.results[kind.name].values() if kind.of_theorems else ():
            texts = {name: text for name, text in kind.of_theorems(result).items() if name in names}  # type: ignore[misc]
            if texts:
                columns[kind.column] = {**texts, **columns.get(kind.column, {})}
    return columns


def answers(page: PageFold) -> Table | None:
    """Return the intervals of protocols that were computed without a claim."""
    lines = tuple(
        (
            row.subject,
            stem,
            symbol(quantity(row)),
            parameters(row),
            *row_ends(row),
            _width(row),
            near(row.seconds, 3),
            row_remark(row),
        )
        for stem, row in page.answers.entries
    )
    heads = ("protocol", "run", "quantity", "parameters", "lower end", "upper end", "width", "seconds", "remark")
    note = rest_note(page.answers.count - len(lines[:ANSWERS]))
    caption, every = "Certified answers without a theorem to judge", lines if len(lines) > ANSWERS else ()
    return make_table("answers", caption, heads, lines[:ANSWERS], (4, 5, 6, 7), note, every=every)


def slowest(page: PageFold) -> Table | None:
    """Return the intervals that took longest."""
    lines = tuple(
        (near(seconds, 3), row.subject, stem, parameters(row), _width(row)) for seconds, stem, row in page.slowest
    )
    heads = ("seconds", "theorem or protocol", "run", "parameters", "width of the interval")
    return make_table("slowest", "The slowest intervals", heads, lines, (0, 4), row_head=1)


def budgets(page: PageFold) -> Table | None:
    """Return, for each kind of error, its largest share of the error of a cell, and that cell."""
    lines = []
    for name, part in page.budgets.items():
        if part.where is not None:
            stem, row = part.where
            where = f"{row.subject} ({stem}): {parameters(row)}"
            shares = (f"{near(100.0 * part.shares.median, 3)} %", f"{near(100.0 * part.share, 3)} %")
            lines.append((name, *shares, up(part.most, 3), where))
    heads = ("error", "median share", "largest share", "largest, in units of δ", "cell of the largest share")
    note = "Shares of the sum of the three, which is at least the width of the interval in units of δ."
    return make_table("budgets", "What the widths are made of", heads, lines, (1, 2, 3), note)


def rows(page: PageFold) -> Table | None:
    """Return all rows, or the most telling ones."""
    selection = most_telling(page.telling, ROWS)
    stems = dict.fromkeys(stem for stem, _ in page.telling)
    files = ", ".join(page.files[stem] for stem in stems)
    note = f"All {count(page.rows)} rows are here; they are stored in {files}."
    if len(selection) < page.rows:
        note = (
            f"{count(len(selection))} of {count(page.rows)} rows: of every theorem the violated and undecided ones "
            f"first, then the tightest and the loosest. All rows are in {files}."
        )
    heads = ("verdict", "theorem", "run", "parameters", "claimed", "lower end", "upper end", "tightness", "seconds")
    caption = "All rows" if len(selection) == page.rows else "The most telling rows"
    lines, every = (
        tuple(_row_line(entry) for entry in sorted(entries, key=lambda entry: SEVERITY.index(entry[1].verdict)))
        for entries in (selection, page.telling)
    )
    more = every if len(selection) < len(page.telling) else ()
    return make_table("rows", caption, heads, lines, (4, 5, 6, 7, 8), note, row_head=1, every=more)


def _row_line(entry: Entry) -> tuple[str, ...]:
    stem, row = entry
    tightness = NOTHING if row.tightness_lower is None else down(row.tightness_lower, 3)
    first = (judgement(row), row.subject, stem, parameters(row), row_claim(row))
    return (*first, *row_ends(row), tightness, near(row.seconds, 3))


def most_telling(entries: Sequence[Entry], limit: int) -> list[Entry]:
    """Return at most ``limit`` rows in their order: an equal share of each theorem in each run, exceptions first."""
    if len(entries) <= limit:
        return list(entries)
    groups: dict[tuple[str, str], list[int]] = {}
    for place, (stem, row) in enumerate(entries):
        groups.setdefault((stem, row.subject), []).append(place)
    selection: list[int] = []
    rest = limit
    # Small groups leave what they do not need to the larger ones.
    for index, places in enumerate(sorted(groups.values(), key=len)):
        share = rest // (len(groups) - index)
        selection += places if len(places) <= share else _extremes(entries, places, share)
        rest -= min(len(places), share)
    return [entries[place] for place in sorted(selection)]


def _extremes(entries: Sequence[Entry], places: Iterable[int], share: int) -> list[int]:
    wrong: list[int] = []
    with_tightness: list[int] = []
    others: list[int] = []
    for place in places:
        row = entries[place][1]
        if row.verdict in NOTABLE:
            wrong.append(place)
        else:
            (with_tightness if row.tightness_lower else others).append(place)
    with_tightness.sort(key=lambda place: entries[place][1].tightness_lower or 0.0)
    ends = [place for pair in zip(with_tightness, reversed(with_tightness), strict=True) for place in pair]
    return list(dict.fromkeys([*wrong, *ends, *others]))[:share]

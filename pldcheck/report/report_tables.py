"""The tables of a report, as text; certified ends are printed outward."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isinf
from typing import Any

from ..core.outward_decimals import safe
from ..theorems import REGISTRY
from ..verification import Row, Verdict
from ..verification.runs import results_tree
from .claim_curves import SYMBOLS, quantity
from .decimal_ends import down, up
from .page_fold import EXCEPTIONS, Entry, PageFold
from .results_folder import Folder

# Lines of the table of all rows.
ROWS = 4000
# Signs beside the words of verdicts, so that colour is not the only mark.
SIGNS = {
    Verdict.HOLDS: "✓",
    Verdict.CONSISTENT: "≈",
    Verdict.VIOLATED: "✗",
    Verdict.UNDECIDED: "?",
    Verdict.OUT_OF_CONDITIONS: "∅",
    Verdict.NOT_JUDGED: "·",
}
NOTHING = "–"
SHOWN = {"<=": "≤", "=": "=", ">=": "≥"}
THIN = "\u202f"
# The most characters of an error's text, which may have any length.
LONGEST = 300


@dataclass(frozen=True)
class Table:
    """Texts under heads; ``numeric``: which columns hold numbers; ``note``: what stands below it."""

    name: str
    caption: str
    heads: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    numeric: tuple[int, ...] = ()
    note: str = ""


def _table(
    name: str,
    caption: str,
    heads: Sequence[str],
    lines: Sequence[Sequence[str]],
    numeric: Sequence[int],
    note: str = "",
) -> Table | None:
    """Return a table, or None without lines; the column of the run is left out if all lines are of one run."""
    if not lines:
        return None
    places = list(range(len(heads)))
    if "run" in heads and len({line[heads.index("run")] for line in lines}) == 1:
        places.remove(heads.index("run"))
    columns = tuple(place for place, column in enumerate(places) if column in numeric)
    cells = tuple(tuple(safe(line[column]) for column in places) for line in lines)
    return Table(name, caption, tuple(heads[column] for column in places), cells, columns, note)


def symbol(quantity_name: str) -> str:
    """Return the symbol of a quantity, or its name if it has none."""
    return SYMBOLS.get(quantity_name, quantity_name)


def parameters(row: Row) -> str:
    """Return all parameters of a row on one line."""
    return ", ".join(f"{name}={_plain(value)}" for name, value in row.params.items() if value is not None)


def _plain(value: Any) -> str:
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _ends(row: Row) -> tuple[str, str]:
    """Return both ends rounded outward, so that the printed interval encloses the truth as well."""
    lower = NOTHING if row.lower is None else down(row.lower) if abs(row.lower) < inf else "inf"
    upper = NOTHING if row.upper is None else up(row.upper) if abs(row.upper) < inf else "inf"
    return lower, upper


def _claim(row: Row) -> str:
    return NOTHING if row.analytic is None else f"{row.analytic:.6g}"


def _why(row: Row) -> str:
    witness = row.witness.get("summary") or row.witness.get("kind") if isinstance(row.witness, Mapping) else None
    parts = [row.reason or "", f"witness: {witness}" if witness else ""]
    text = " ".join("; ".join(part for part in parts if part).split()) or NOTHING
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


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
    return f"{value:,}".replace(",", THIN)


def several(number: int, one: str, many: str) -> str:
    """Return a number and the word for so many."""
    return f"{count(number)} {one if number == 1 else many}"


def theorems(folder: Folder) -> Table | None:
    """Return a table with a line for each theorem in each run, even if nothing was judged."""
    # There is a line even for subjects without verdicts: their cells are counted as not judged.
    entries = [(stem, entry) for stem, run in folder.runs.items() for entry in run.summary()]
    verdicts = [verdict for verdict in Verdict if any(entry.counts.get(verdict) for _, entry in entries)]
    lines = []
    for stem, entry in entries:
        tightness = [down(value, 4) for value in entry.tightness] if entry.tightness else [NOTHING] * 3
        numbers = [count(entry.cells), *(count(entry.counts.get(verdict, 0)) for verdict in verdicts), *tightness]
        theorem = REGISTRY[entry.theorem] if entry.theorem in REGISTRY else None
        claim = f"{symbol(theorem.quantity)}\u00a0{SHOWN[theorem.relation]}" if theorem else NOTHING
        source = f"{theorem.source.key}, {theorem.source.where}" if theorem else NOTHING
        lines.append((entry.theorem, stem, claim, *numbers, source))
    heads = ("theorem", "run", "claim", "cells", *map(judgement_text, verdicts), "tightness min", "median", "max")
    return _table(
        "theorems",
        "Verdicts and tightness, a line a theorem and run",
        (*heads, "source"),
        lines,
        range(3, len(heads)),
        "Tightness: the claim over the certified upper end, over the decided cells in which the truth is certainly "
        "positive. Of a true upper bound it is at least 1, of a true lower bound at most 1.",
    )


def exceptions(page: PageFold) -> Table | None:
    """Return the violated cells, then the undecided ones."""
    wrong = [*page.wrong.entries, *page.undecided.entries]
    lines = tuple(
        (judgement(row), row.subject, stem, parameters(row), symbol(quantity(row)), _claim(row), *_ends(row), _why(row))
        for stem, row in wrong[:EXCEPTIONS]
    )
    heads = (
        "verdict",
        "theorem",
        "run",
        "parameters",
        "quantity",
        "claimed",
        "lower end",
        "upper end",
        "why, or witness",
    )
    rest = page.wrong.count + page.undecided.count - len(lines)
    note = f"{several(rest, 'more is', 'more are')} in the stored rows." if rest else ""
    return _table("exceptions", "Cells that are violated or undecided", heads, lines, (5, 6, 7), note)


def answers(page: PageFold) -> Table | None:
    """Return the intervals of protocols that were computed without a claim."""
    lines = tuple(
        (
            row.subject,
            stem,
            symbol(quantity(row)),
            parameters(row),
            *_ends(row),
            _width(row),
            f"{row.seconds:.3g}",
            _why(row),
        )
        for stem, row in page.answers.entries
    )
    heads = ("protocol", "run", "quantity", "parameters", "lower end", "upper end", "width", "seconds", "remark")
    rest = page.answers.count - len(lines)
    note = f"{several(rest, 'more is', 'more are')} in the stored rows." if rest else ""
    return _table("answers", "Certified answers without a theorem to judge", heads, lines, (4, 5, 6, 7), note)


def slowest(page: PageFold) -> Table | None:
    """Return the intervals that took longest."""
    lines = tuple(
        (f"{seconds:.3g}", row.subject, stem, parameters(row), _width(row)) for seconds, stem, row in page.slowest
    )
    heads = ("seconds", "theorem or protocol", "run", "parameters", "width of the interval")
    return _table("slowest", "The slowest intervals", heads, lines, (0, 4))


def budgets(page: PageFold) -> Table | None:
    """Return, for each kind of error, its largest share of the error of a cell, and that cell."""
    lines = []
    for name, part in page.budgets.items():
        if part.where is not None:
            stem, row = part.where
            where = f"{row.subject} ({stem}): {parameters(row)}"
            shares = (f"{100.0 * part.shares.median:.3g} %", f"{100.0 * part.share:.3g} %")
            lines.append((name, *shares, up(part.most, 3), where))
    heads = ("error", "median share", "largest share", "largest, in units of δ", "cell of the largest share")
    note = "Shares of the sum of the three, which is at least the width of the interval in units of δ."
    return _table("budgets", "What the widths are made of", heads, lines, (1, 2, 3), note)


def rows(page: PageFold) -> Table | None:
    """Return all rows, or the most telling ones."""
    selection = most_telling(page.telling, ROWS)
    lines = tuple(
        (
            row.subject, stem, parameters(row), _claim(row), *_ends(row),
            NOTHING if row.tightness_lower is None else down(row.tightness_lower, 4),
            judgement(row), f"{row.seconds:.3g}",
        )
        for stem, row in selection
    )  # fmt: skip
    stems = dict.fromkeys(stem for stem, _ in page.telling)
    files = ", ".join(f"{stem}{results_tree.ROWS if stem in page.large else '.jsonl'}" for stem in stems)
    note = f"All {count(page.rows)} rows are here; they are stored in {files}."
    if len(selection) < page.rows:
        note = (
            f"{count(len(selection))} of {count(page.rows)} rows: of every theorem the violated and undecided ones "
            f"first, then the tightest and the loosest. All rows are in {files}."
        )
    heads = ("theorem", "run", "parameters", "claimed", "lower end", "upper end", "tightness", "verdict", "seconds")
    caption = "All rows" if len(selection) == page.rows else "The most telling rows"
    return _table("rows", caption, heads, lines, (3, 4, 5, 6, 8), note)


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
        if row.verdict in (Verdict.VIOLATED, Verdict.UNDECIDED):
            wrong.append(place)
        else:
            (with_tightness if row.tightness_lower else others).append(place)
    with_tightness.sort(key=lambda place: entries[place][1].tightness_lower or 0.0)
    ends = [place for pair in zip(with_tightness, reversed(with_tightness), strict=True) for place in pair]
    return list(dict.fromkeys([*wrong, *ends, *others]))[:share]

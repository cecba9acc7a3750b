"""A comparison on a terminal: its title, what all rows share, the table, and the meaning of its columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from ..core.parameters import number_text
from ..report.decimal_ends import down, up
from .answer_layout import COLUMNS

if TYPE_CHECKING:
    from ..study.comparisons.comparison import Comparison

# The number of digits of printed ends.
DIGITS = 5
# Ends that agree to this relative distance are printed as one number.
ALIKE = 1e-4
# The sign of a bound above eps0, the epsilon of a single message: it says nothing.
VACUOUS = "*"

_CLONES = (
    "clones, stronger: the pairs of clones (Feldman et al. 2021) and of stronger clones (2022), computed, for every "
    "eps0-DP randomizer"
)
# What the columns mean that are neither parameters nor theorems, by the name of the comparison.
LEGENDS: Mapping[str, str] = {
    "figure-2": f"n: clients; {_CLONES}; truth: certified, for the worst eps0-DP randomizer",
    "table-1": (
        "of eps0, of n: the exponents that fit the bound, of e^eps0 where eps0 > 1; table: the exponent in the paper's "
        "table; misfit: the largest error of the fit, in log epsilon; cells: the points that it is fitted to"
    ),
    "rounds": (
        "n: clients; T: rounds; girgis-ub1: by the Rényi bound of Girgis et al.; girgis-lb: by the divergence of "
        "randomized response, which no Rényi bound is below; l: the order of the column before; fmt21-3.1+KOV: that "
        f"theorem, composed optimally; {_CLONES}, composed; truth: certified, for the worst eps0-DP randomizer"
    ),
    "krr": (
        f"n: clients; K: categories; {_CLONES}; truth: certified, for K-ary randomized response; krr-merged / delta: "
        "the delta that the bound krr-merged (Wang et al. 2024) claims at the lower end of truth, over one that is "
        "attained there; false: whether that is below 1, which refutes the bound; no: not refuted here"
    ),
    "approximate": (
        "m: slots; delta1: what the theorem spends on the step to eps0-DP; square: a bound by comparing both records "
        "with the reference record; truth: certified, for the worst (eps0, delta0)-DP randomizer"
    ),
    "population": (
        "m: slots; n: clients; p0: check-in probability; dummies: the expected share of slots without a check-in; "
        "any n, n known: certified for every number of clients, and for that one"
    ),
    "allocation": (
        "m: steps of a pass; E: passes; allocation, Poisson: each record in one step of every pass, or in every step "
        "with probability 1/m; ratio: allocation / Poisson; replaced: allocation, a record replaced by an opposite "
        "one; no amplification: the record in a known step"
    ),
    "samplings": (
        "E: epochs; Poisson: each record in each step with probability 1/steps; allocation: in one random step of "
        "every epoch; bins: in the same step of every epoch; shuffled: batches of one size from a new permutation in "
        "every epoch, from below and from above (no bound between them is known); no sampling: in a known step; "
        "Poisson replaced: for a record that is replaced by an opposite one; fixed size: a share 1/steps of the "
        "records drawn anew in each step, for such a record; the others for a record that is there or not"
    ),
    "crossing": (
        "m: steps; allocation, Poisson: delta at epsilon, each record in one step, or in every step with probability "
        "1/m, for a record that is there or not; order: whether allocation is certainly worse or better, open where "
        "both intervals meet; empty where the delta of Poisson sampling is below 1e-12"
    ),
}
# The columns with published bounds, by the name of the comparison, where a bound above eps0 says nothing.
BOUNDS: Mapping[str, tuple[str, ...]] = {
    "figure-2": ("efmrtt_7", "thm_5_1", "fmt21_3_1", "fmt22_closed", "fmt21_lower", "fmt22_lower"),
    "krr": ("fmt21_lower", "fmt22_lower"),
    "approximate": ("thm_3_2_approx", "main", "improved", "square"),
    "population": ("thm_3_2",),
}


def lines(comparison: Comparison[Any]) -> Iterator[str]:
    """Yield the title, the parameters that all rows share, an aligned table, its legend, and what it shows."""
    from ..study.comparisons import CONCLUSIONS

    yield comparison.title
    shared = {name: value for name, value in comparison.params.items() if isinstance(value, int | float)}
    yield f"at {', '.join(f'{name} = {number_text(value)}' for name, value in shared.items())}"
    table = list(_table(comparison))
    yield from table
    legend = LEGENDS[comparison.name]
    if any("-" in line.split() for line in table):
        legend += "; -: none there"
    if any(VACUOUS in line for line in table):
        legend += f"; {VACUOUS}: above eps0, which holds without any of this"
    if "truth" in "".join(table) and "[" in "".join(table):
        legend += "; one number: both ends agree to these digits"
    yield from wrap(legend, COLUMNS)
    if comparison.name in CONCLUSIONS and (told := CONCLUSIONS[comparison.name](comparison)):
        yield from wrap(told, COLUMNS)


def _table(comparison: Comparison[Any]) -> Iterator[str]:
    """Yield an aligned table, a column for each field or pair of ends."""
    from ..study.comparisons.comparison import heads

    facts = [asdict(row) for row in comparison.rows]
    columns = []
    for name, head in heads(type(comparison.rows[0])).items():
        marks = [_mark(comparison, name, row) for row in facts]
        if name.endswith("lower"):
            upper = name.removesuffix("lower") + "upper"
            texts = [_ends(row[name], row[upper]) for row in facts]
            columns.append([head.removesuffix(" lower"), *_marked(texts, marks)])
        elif not name.endswith("upper"):
            columns.append([head, *_marked([_text(row[name]) for row in facts], marks)])
    widths = [max(map(len, column)) for column in columns]
    words = [column[-1][0].isalpha() for column in columns]
    for line in zip(*columns, strict=True):
        cells = zip(line, widths, words, strict=True)
        yield "  ".join(cell.ljust(width) if word else cell.rjust(width) for cell, width, word in cells).rstrip()


def _mark(comparison: Comparison[Any], name: str, row: Mapping[str, Any]) -> str:
    """Return the mark of a bound that says nothing, or no text."""
    if name not in BOUNDS.get(comparison.name, ()) or row[name] is None:
        return ""
    return VACUOUS if row[name] > row.get("eps0", comparison.params["eps0"]) else ""


def _marked(texts: list[str], marks: list[str]) -> list[str]:
    """Return texts with their marks, a space in place of a mark that others of the column have."""
    wide = max(map(len, marks))
    return [text + mark.ljust(wide) for text, mark in zip(texts, marks, strict=True)]


def _ends(lower: float | None, upper: float | None) -> str:
    """Return both ends, or the upper one where they differ by no more than rounding to few digits."""
    if lower is None or upper is None:
        return "-"
    if upper - lower <= ALIKE * abs(upper):
        return up(upper, DIGITS)
    return f"[{down(lower, DIGITS)}, {up(upper, DIGITS)}]"


def _text(value: Any) -> str:
    """Return a number, a truth value or a name as text; a number next to 1 stays on its side of it."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, float):
        return str(value)
    text = f"{value:.{DIGITS}g}"
    return text if value == 1.0 or text != "1" else f"1{value - 1.0:+.1g}"

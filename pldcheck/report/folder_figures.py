"""The figures of a folder, each by a name, and as SVG that can stand in a page among others."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from io import StringIO
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context

from ..drawing.figure_style import STYLE, figure_files, fit_title
from ..theorems.recalled import PUBLISHED
from ..verification import Report
from ..verification.suites import Point
from . import run_figures
from .claim_curves import curves
from .claims_overview import WORDS
from .page_slices import select_slice
from .results_folder import Folder
from .tightness_heat import maps
from .tightness_spread import sorted_bounds, spread, spread_of_bounds

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The name of the figure with a dot for each cell of a run.
SPREAD = "spread"
# The heading above the figures of all runs together.
ALL_RUNS = "all runs"
# The text before a name in an SVG, or before a reference to one.
ID_REFERENCES = re.compile(r'(\bid="|href="#|url\(#)')
# Parts of an SVG that only a separate file needs.
PROLOG = re.compile(
    r"<\?xml.*?\?>\s*|<!DOCTYPE.*?>\s*|<metadata>.*?</metadata>\s*|<defs>\s*<style.*?</style>\s*</defs>\s*", re.S
)
SIZE = re.compile(r'<svg [^>]*?width="([\d.]+)pt" height="([\d.]+)pt" viewBox="([^"]*)"[^>]*>')
DECIMALS = re.compile(r"(\.\d\d)\d+")
# The most rows of a run in which a theorem at one delta is searched for that fits on a page.
MOST = 20_000
POINT = 4 / 3  # CSS pixels
# The font that is asked for.
FONT = "'DejaVu Sans'"
# That font, and any other without serifs where it is missing.
FONTS = "'DejaVu Sans', Verdana, sans-serif"


# A drawing: its group, its name, caption, description, and the function that draws it, which may return None.
Drawn = tuple[str, str, str, str, "Callable[[], Figure | None]"]


@dataclass(frozen=True)
class Picture:
    """A figure in a page: ``name`` tells it from all others there, ``alt`` says what is to be seen."""

    group: str
    name: str
    caption: str
    alt: str
    svg: str


def inline(figure: Figure, name: str) -> str:
    """Return the figure as an SVG element that shares no id with one of another name, and refers to nothing outside."""
    buffer = StringIO()
    fit_title(figure)
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    text = PROLOG.sub("", buffer.getvalue())
    text = ID_REFERENCES.sub(rf"\g<1>{name}-", text).replace("xlink:href", "href").replace(FONT, FONTS)
    text = re.sub(r' d="[^"]*"', lambda path: DECIMALS.sub(r"\1", path[0]).replace("\n", ""), text)
    size = SIZE.search(text)
    assert size is not None
    width = float(size[1]) * POINT
    head = f'<svg viewBox="{size[3]}" style="width:{width:.0f}px" aria-hidden="true" focusable="false">'
    return head + re.sub(r"\n\s*", "\n", text[size.end() :].strip())


def of_run(run: Report) -> Iterator[tuple[str, str, str, Callable[[], Figure | None]]]:
    """Yield the drawings of a run: name, caption, description and function, which may return None."""
    yield (
        SPREAD,
        "How tight each theorem is",
        "A line a theorem, a dot a cell: the claim over the certified upper end, on a logarithmic axis; left of 1 an "
        "upper bound is false or undecided. Shapes tell upper bounds, exact values and lower bounds apart.",
        lambda: spread(run),
    )
    slots = not run.is_large and len(run.rows) <= MOST and all(Point.has(row.params) for row in run.rows)
    if run.rows and slots and (part := select_slice(run)).fits:
        yield (
            "tightness",
            f"{part.theorem} in full at one δ",
            "Heat maps over steps and local budget: how many times the certified value the theorem claims, in digits "
            "and as shades; violated and undecided cells are framed and say so.",
            lambda: run_figures.tightness(part),
        )
        yield (
            "epsilon",
            f"{part.theorem} against the steps",
            "Claimed epsilon dashed, the certified range as a band, a panel a local budget.",
            lambda: run_figures.epsilon(part),
        )
    yield (
        "heat",
        "Tightness over two parameters",
        "A panel a theorem: the median, over all other parameters, of the claim over the certified upper end, in "
        "digits and as shades; tiles with a violated cell are framed and say “false”, with an undecided one “?”.",
        lambda: maps(run),
    )
    if run.is_large:  # which of its lines to draw is not known before all are read
        return
    yield (
        "size",
        "Against the size",
        "A panel a theorem: the claim dashed, the certified range as a band, all other parameters fixed at what the "
        "panel says.",
        lambda: curves(run, "size"),
    )
    yield (
        "privacy",
        "Against δ (or ε, or the order)",
        "A panel a theorem: the claim dashed, the certified range as a band, all other parameters fixed at what the "
        "panel says.",
        lambda: curves(run, "privacy"),
    )


@contextmanager
def _style_context(salt: str) -> Iterator[None]:
    """Apply our style; no warning is given of letters that the font lacks, as a browser has other fonts."""
    style: dict[Any, Any] = {**STYLE, "svg.hashsalt": salt}
    with warnings.catch_warnings(), rc_context(style):
        warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)
        yield


def render(run: Report, name: str, stem: str) -> dict[str, bytes]:
    """Return the figure of that name in all formats, by file name; none if there is nothing to show.

    Tightness is shown by dots where a heat map of one theorem cannot show it, as ``verify`` does.
    """
    ways = {kind: draw for kind, _, _, draw in of_run(run)} if run.rows else {}
    draw = ways.get(name, ways.get(SPREAD) if name == "tightness" else None)
    with _style_context(STYLE["svg.hashsalt"]):
        figure = draw() if draw else None
        return figure_files(figure, stem) if figure else {}


def draw_picture(group: str, name: str, caption: str, alt: str, draw: Callable[[], Figure | None]) -> Picture | None:
    """Return the picture of that name; None if there is nothing to show."""
    with _style_context(name):
        figure = draw()
        return Picture(group, name, caption, alt, inline(figure, name)) if figure else None


def _of_bounds(folder: Folder) -> Iterator[Drawn]:
    """Yield the drawings of the tightness of all bounds of each standing, published ones first."""
    for name, (_, many) in WORDS.items():
        if lines := sorted_bounds(folder.runs.values(), name):
            yield (
                ALL_RUNS,
                f"bounds-{name or 'unregistered'}".replace(" ", "-"),
                f"Tightness of {'published bounds' if name == PUBLISHED else many}",
                "A line a bound, a dot a cell, a stroke at the median: the claim over the certified upper end, on a "
                "logarithmic axis. First those that are false somewhere, in red, then the others from tight to loose; "
                "a true upper bound is right of 1. Ratios beyond the axis stand at its edge, and exact values are left "
                "out.",
                partial(spread_of_bounds, lines, f"How many times the truth: {many}"),
            )


def pictures(folder: Folder) -> dict[str, list[Picture]]:
    """Return the pictures of bounds, the first of which stands at the top, of runs, and of each other kind by name."""
    bounds = list(_of_bounds(folder))
    groups: dict[str, list[Drawn]] = {
        "top": bounds[:1],
        "runs": bounds[1:]
        + [
            (stem, f"run{number}-{name}", caption, alt, draw)
            for number, (stem, run) in enumerate(folder.runs.items(), 1)
            for name, caption, alt, draw in of_run(run)
            # All bounds have their dots in the figures before these.
            if name != SPREAD
        ],
    }
    for kind in folder.kinds:
        if kind.drawing:
            drawings = [(stem, kind.drawing(result)) for stem, result in folder.results[kind.name].items()]
            groups[kind.name] = [
                (stem, f"{kind.name}{number}", one.caption, one.alt, one.draw)
                for number, (stem, one) in enumerate(drawings, 1)
            ]
    return {kind: [picture for each in group if (picture := draw_picture(*each))] for kind, group in groups.items()}

"""The common style of all figures, and their conversion to files."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

from matplotlib.textpath import TextPath

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("svg", "png")
# Text stays text in the SVG; the salt and the absent date make it the same file for the same rows.
STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "pldcheck",
    "font.family": ["DejaVu Sans"],
    "font.size": 9,
    "figure.titlesize": 11,
    "axes.titlesize": 9.5,
    "hatch.linewidth": 0.5,
    "hatch.color": "0.75",
    "savefig.dpi": 200,
}
# This colour map is uniform in lightness, hence the same in grey print and to a colour-blind eye; dark is loose.
COLOURS = "YlGnBu"
RED = "#b2182b"
# Exponents are Unicode characters: matplotlib's mathtext would put each letter of an SVG in a place of its own.
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
# The margin and the height of the lines of a title, and the width of an entry of a legend, in inches of 72 points.
MARGIN, LINE, ENTRY, POINTS = 0.15, 0.18, 1.9, 72.0
# Colours of Okabe and Ito's palette for all kinds of colour vision; the markers tell them apart in grey print.
MARKS = (("#0072b2", "o"), ("#d55e00", "s"), ("#009e73", "^"), ("#cc79a7", "D"), ("#e69f00", "v"))
BLUE, VERMILION, GREEN, PURPLE = (colour for colour, _ in MARKS[:4])
# The colour of lines that are not amplified, or older than the rest.
GREY = "0.35"


def times(value: float) -> str:
    """Return two significant digits, or one of a small number: 3.6, 42, 1.2k, 4e-6."""
    if 0.0 < value < 0.095:
        return f"{value:.0e}".replace("e-0", "e-")
    if value >= 999.5e6:
        return f"{value:.0e}".replace("e+0", "e").replace("e+", "e")
    factor, unit = (1e6, "M") if value >= 999.5e3 else (1e3, "k") if value >= 999.5 else (1.0, "")
    mantissa = value / factor
    return (f"{mantissa:.1f}" if mantissa < 9.95 else f"{mantissa:.0f}") + unit


def plain(text: str) -> str:
    """Return text on one line that matplotlib does not take for a formula."""
    return " ".join(text.split())[:80].replace("$", r"\$")


def legend_columns(figure: Figure) -> int:
    """Return how many entries of a legend stand beside each other in the width of a figure."""
    return max(1, int(figure.get_figwidth() / ENTRY))


def fit_title(figure: Figure) -> None:
    """Set a title that is longer than its figure is wide in lines, for which the figure grows."""
    if not (title := figure.get_suptitle()):
        return
    text, room, lines = figure.suptitle(title), (figure.get_figwidth() - MARGIN) * POINTS, []
    for line in title.splitlines():
        first, *words = line.split(" ")
        lines.append(first)
        for word in words:
            longer = f"{lines[-1]} {word}"
            path = TextPath((0.0, 0.0), longer, size=float(text.get_fontsize()), prop=text.get_fontproperties())
            if path.get_extents().width <= room:
                lines[-1] = longer
            else:
                lines.append(word)
    text.set_text("\n".join(lines))
    figure.set_figheight(figure.get_figheight() + LINE * (len(lines) - len(title.splitlines())))


def figure_files(figure: Figure, stem: str) -> dict[str, bytes]:
    """Return a figure in all formats, by file name; a long title is broken into lines."""
    fit_title(figure)
    files = {}
    for suffix in FORMATS:
        buffer = BytesIO()
        metadata = {"Date": None} if suffix == "svg" else {}
        figure.savefig(buffer, format=suffix, metadata=metadata)
        files[f"{stem}.{suffix}"] = buffer.getvalue()
    return files

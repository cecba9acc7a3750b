"""Pictures of a run: tightness over two parameters of one theorem, or of all theorems, from the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any, Protocol

from .. import drawing
from ..core.errors import PldcheckError, UnknownNameError
from ..core.interval import Interval
from ..theorems import REGISTRY
from .verdict import Verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..drawing.ratio_dots import RatioLine
    from ..drawing.tile_panel import TileMap

# Width of a figure in inches.
WIDTH = 6.4
# Height of a map or a curve in inches.
HEIGHT = 3.6
# Height of one theorem's line in inches.
LINE = 0.26


class JudgedRow(Protocol):
    """The columns of :class:`~pldcheck.verification.Row` that a picture needs."""

    @property
    def theorem(self) -> str | None:
        """The id of the theorem."""

    @property
    def subject(self) -> str:
        """The id of the theorem, or the name of the protocol."""

    @property
    def params(self) -> Mapping[str, Any]:
        """The parameters by name."""

    @property
    def verdict(self) -> Verdict:
        """The verdict on the claim."""

    @property
    def quantity(self) -> str:
        """The quantity, of a row without a theorem."""

    @property
    def analytic(self) -> float | None:
        """The value that the theorem claims."""

    @property
    def lower(self) -> float | None:
        """The certified lower end."""

    @property
    def upper(self) -> float | None:
        """The certified upper end."""

    @property
    def tightness_lower(self) -> float | None:
        """A lower bound of claim over truth."""

    @property
    def tightness_upper(self) -> float | None:
        """An upper bound of claim over truth."""


def plot(rows: Sequence[JudgedRow], theorem: str | None, ax: Axes | None) -> Axes:
    """Draw what :meth:`pldcheck.verification.Report.plot` describes, and return the axes."""
    by_subject = _by_subject(rows)
    if theorem is not None and theorem not in by_subject:
        raise UnknownNameError("theorem in this report", theorem, by_subject)
    if not rows:
        raise PldcheckError("a report without rows has no picture")
    groups = by_subject if theorem is None else {theorem: by_subject[theorem]}
    (name, *others), (own, *_) = groups, groups.values()
    panel = None if others else tile_map(name, own)
    if panel is not None:
        with drawing.styled_axes.axes_or_new(ax, WIDTH, HEIGHT) as axes:
            norm = drawing.tile_panel.norm_of([panel])
            drawing.tile_panel.draw(axes, panel, norm)
            drawing.tile_panel.colour_bar(axes, norm, ax=axes)
        return axes
    if not others and (parameter := _only_parameter(own)):
        with drawing.styled_axes.axes_or_new(ax, WIDTH, HEIGHT) as axes:
            _curve(axes, name, parameter, own)
        return axes
    lines = ratio_lines([row for entries in groups.values() for row in entries])
    with drawing.styled_axes.axes_or_new(ax, WIDTH, 1.2 + LINE * len(lines)) as axes:
        entries = drawing.ratio_dots.draw(axes, lines)
        if len(entries) > 1:
            axes.legend(
                handles=entries, frameon=False, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=len(entries)
            )
    return axes


def _by_subject(rows: Sequence[JudgedRow]) -> dict[str, list[JudgedRow]]:
    groups: dict[str, list[JudgedRow]] = {}
    for row in rows:
        groups.setdefault(row.subject, []).append(row)
    return groups


def _varying(rows: Sequence[JudgedRow]) -> dict[str, set[float]]:
    """Return the values of each parameter that has several, by its name; texts and values off the axes are left out."""
    values = {
        name: {row.params[name] for row in rows if drawing.parameter_labels.has_place(row.params[name])}
        for name in rows[0].params
    }
    return {name: several for name, several in values.items() if len(several) > 1}


def _only_parameter(rows: Sequence[JudgedRow]) -> str | None:
    """Return the parameter that varies, if it is the only one and the rows have intervals."""
    certain = [row for row in rows if row.lower is not None and row.upper is not None]
    names = list(_varying(certain)) if certain else []
    rest = {tuple(value for name, value in row.params.items() if name not in names) for row in rows}
    return names[0] if len(names) == 1 and len(rest) == 1 else None


def _curve(axes: Axes, name: str, parameter: str, rows: Sequence[JudgedRow]) -> None:
    """Draw the claim of a theorem beside the certified band."""
    certain = [row for row in rows if row.lower is not None and row.upper is not None]
    quantity = REGISTRY[name].quantity if name in REGISTRY else certain[0].quantity
    claims = {name: [row.analytic for row in certain]} if certain[0].theorem else None
    intervals = [Interval(row.lower or 0.0, row.upper or 0.0, "value") for row in certain]
    drawing.interval_band.draw(
        axes, parameter, quantity, [row.params[parameter] for row in certain], intervals, lines=claims
    )


def ratio_lines(rows: Sequence[JudgedRow]) -> list[RatioLine]:
    """Return a line for each theorem, or protocol, with the ratio of claim and truth in each of its cells."""
    lines = []
    for name, entries in _by_subject(rows).items():
        ratios = [(row.tightness_lower, row.verdict is Verdict.VIOLATED) for row in entries]
        lines.append(
            drawing.ratio_dots.RatioLine(
                name=name,
                relation=REGISTRY[name].relation if name in REGISTRY else "<=",
                ratios=tuple(ratio for ratio, false in ratios if ratio is not None and not false),
                violated=tuple(ratio for ratio, false in ratios if ratio is not None and false),
                remark="no claim" if not entries[0].theorem else "no cell inside its conditions",
            )
        )
    return lines


def tile_map(subject: str, rows: Sequence[JudgedRow]) -> TileMap | None:
    """Return the map of one theorem; None if fewer than two of its parameters vary."""
    values = _varying(rows)
    names = sorted(values, key=lambda name: -len(values[name]))
    if len(names) < 2:
        return None
    x = next((name for name in drawing.parameter_labels.SIZES if name in names), names[0])
    y = "eps0" if "eps0" in names and x != "eps0" else next(name for name in names if name != x)
    (at_x, ticks_x), (at_y, ticks_y) = drawing.tile_panel.tiles_of(values[x]), drawing.tile_panel.tiles_of(values[y])
    ratios: dict[tuple[int, int], list[float]] = {}
    marks: dict[tuple[int, int], str] = {}
    for row in rows:
        if not all(drawing.parameter_labels.has_place(row.params.get(name)) for name in (x, y)):
            continue
        tile = at_x[row.params[x]], at_y[row.params[y]]
        if row.verdict is Verdict.VIOLATED:
            marks[tile] = drawing.tile_panel.FALSE
        elif row.verdict is Verdict.UNDECIDED:
            marks.setdefault(tile, drawing.tile_panel.OPEN)
        if row.tightness_lower and row.tightness_upper:
            ratios.setdefault(tile, []).append(row.tightness_lower)
    if not ratios:
        return None
    medians = {tile: median(values) for tile, values in ratios.items()}
    return drawing.tile_panel.TileMap(subject, (x, y), (ticks_x, ticks_y), medians, marks)

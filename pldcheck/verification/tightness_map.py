"""Pictures of a run: tightness over two parameters of one theorem, or of all theorems, from the rows."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from .. import drawing
from ..core.errors import PldcheckError, UnknownNameError
from ..core.interval import Interval
from ..core.streaming_quantiles import Quantiles
from ..drawing.dot_places import DotPlaces
from ..theorems import REGISTRY
from .verdict import OPEN, Verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..drawing.ratio_dots import RatioLine
    from ..drawing.tile_panel import TileMap

# Width of a figure in inches.
WIDTH = 6.4
# Height of a map or a curve in inches.
HEIGHT = 3.6
# The most rows of a curve.
CURVE_ROWS = 10_000
# The most different values of a parameter that are kept to find the tiles of a map.
MOST_VALUES = 20_000
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


def plot(
    groups: Mapping[str, Sequence[JudgedRow]], lines: Sequence[RatioLine], theorem: str | None, ax: Axes | None
) -> Axes:
    """Draw what :meth:`pldcheck.verification.Report.plot` describes, and return the axes.

    ``groups`` are the rows of each theorem or protocol, ``lines`` their ratios in the same order.
    """
    if theorem is not None and theorem not in groups:
        raise UnknownNameError("theorem in this report", theorem, groups)
    if not groups:
        raise PldcheckError("a report without rows has no picture")
    name = theorem if theorem is not None else next(iter(groups))
    if theorem is not None or len(groups) == 1:
        own = groups[name]
        panel = tile_map(name, own)
        if panel is not None:
            with drawing.styled_axes.axes_or_new(ax, WIDTH, HEIGHT) as axes:
                norm = drawing.tile_panel.norm_of([panel])
                drawing.tile_panel.draw(axes, panel, norm)
                drawing.tile_panel.colour_bar(axes, norm, ax=axes)
            return axes
        few = own[:: -(-len(own) // CURVE_ROWS)]
        if parameter := _only_parameter(few):
            with drawing.styled_axes.axes_or_new(ax, WIDTH, HEIGHT) as axes:
                _curve(axes, name, parameter, few)
            return axes
        lines = [line for line in lines if line.name == name]
    with drawing.styled_axes.axes_or_new(ax, WIDTH, 1.2 + LINE * len(lines)) as axes:
        entries = drawing.ratio_dots.draw(axes, lines)
        if len(entries) > 1:
            axes.legend(
                handles=entries, frameon=False, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=len(entries)
            )
    return axes


def _varying(rows: Iterable[JudgedRow]) -> dict[str, DistinctValues]:
    """Return the values of each parameter that has several, by its name; texts and values off the axes are left out."""
    values: dict[str, DistinctValues] = {}
    for row in rows:
        if not values:
            values = {name: DistinctValues() for name in row.params}
        for name, own in values.items():
            value = row.params[name]
            if drawing.parameter_labels.has_place(value):
                own.add(value)
    return {name: several for name, several in values.items() if len(several.ordered) > 1}


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


@dataclass
class RatioDots:
    """The ratios of claim and truth of one theorem, or of one protocol, from rows that are added one by one.

    As many as are drawn one by one are kept; of more than that, the places to which the drawing rounds them.
    """

    has_claims: bool = True
    ratios: DotPlaces = field(default_factory=DotPlaces)
    violated: DotPlaces = field(default_factory=DotPlaces)

    def add(self, row: JudgedRow) -> None:
        """Add a row."""
        self.has_claims = row.theorem is not None
        ratio = row.tightness_lower
        if ratio is not None:
            (self.violated if row.verdict is Verdict.VIOLATED else self.ratios).add(ratio)

    def line(self, name: str) -> RatioLine:
        """Return the line of the theorem, or protocol, with that name."""
        return drawing.ratio_dots.RatioLine(
            name=name,
            relation=REGISTRY[name].relation if name in REGISTRY else "<=",
            ratios=self.ratios.values,
            violated=self.violated.values,
            remark="no cell inside its conditions" if self.has_claims else "no claim",
        )


@dataclass
class DistinctValues:
    """The different numbers among those that are added; of more than ``MOST_VALUES`` an even part."""

    values: set[float] = field(default_factory=set)
    level: int = 1

    def add(self, value: float) -> None:
        """Add a number."""
        if value not in self.values and hash(value) % self.level == 0:
            self.values.add(value)
            if len(self.values) > MOST_VALUES:
                self.level *= 2
                self.values = {one for one in self.values if hash(one) % self.level == 0}

    @property
    def ordered(self) -> list[float]:
        """The numbers, ascending."""
        return sorted(self.values)


def tile_map(subject: str, rows: Iterable[JudgedRow]) -> TileMap | None:
    """Return the map of one theorem; None if fewer than two of its parameters vary.  The rows are read twice."""
    values = {name: own.ordered for name, own in _varying(rows).items()}
    names = sorted(values, key=lambda name: -len(values[name]))
    if len(names) < 2:
        return None
    x = next((name for name in drawing.parameter_labels.SIZES if name in names), names[0])
    y = "eps0" if "eps0" in names and x != "eps0" else next(name for name in names if name != x)
    (at_x, ticks_x), (at_y, ticks_y) = (drawing.tile_panel.tiles_of(set(values[name])) for name in (x, y))
    ratios: dict[tuple[int, int], Quantiles] = {}
    marks: dict[tuple[int, int], str] = {}
    for row in rows:
        if not all(drawing.parameter_labels.has_place(row.params.get(name)) for name in (x, y)):
            continue
        tile = _tile_of(row.params[x], at_x, values[x]), _tile_of(row.params[y], at_y, values[y])
        if row.verdict is Verdict.VIOLATED:
            marks[tile] = drawing.tile_panel.FALSE
        elif row.verdict in OPEN:
            marks.setdefault(tile, drawing.tile_panel.OPEN)
        if row.tightness_lower and row.tightness_upper:
            ratios.setdefault(tile, Quantiles()).add(row.tightness_lower)
    if not ratios:
        return None
    medians = {tile: own.median for tile, own in ratios.items()}
    return drawing.tile_panel.TileMap(subject, (x, y), (ticks_x, ticks_y), medians, marks)


def _tile_of(value: float, tiles: Mapping[float, int], ordered: Sequence[float]) -> int:
    """Return the tile of a value; one that is left out of the ordered values shares that of its lower neighbour."""
    tile = tiles.get(value)
    return tile if tile is not None else tiles[ordered[max(bisect_right(ordered, value) - 1, 0)]]

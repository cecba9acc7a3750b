"""The figure: seconds of ours and of the peers, a strip a group of cases, on one logarithmic axis."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

from pldcheck.drawing.figure_style import MARKS, STYLE, figure_files
from pldcheck.drawing.line_panels import bare, power

from . import tasks_f, tasks_g
from .case import SUCCESS, Row

TIME_LIMIT = "time limit"
UNSOUND = "UNSOUND"
GREY = "0.55"
TARGET = "#b2182b"
# Colours of the peers, in the order in which they come; ours is the first of the palette.
OTHERS = ("#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#999999", "#000000", "#f0e442", "#882255", "#8c510a")
STRIP = 0.42
# Groups that are no strips: lines of their own, and what is the limit of others.
GROUPS_LEFT_OUT = (tasks_g.GROUP, tasks_f.PLAIN)


def render(rows: Sequence[Row], aims: Sequence[dict[str, Any]], machine: str, limit: float) -> dict[str, bytes]:
    """Return the picture in all formats, by file name; nothing of rows without times. ``limit``: seconds after which
    peers were cut.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    rows_with_times = [
        row for row in rows if row.seconds and row.status == SUCCESS and row.group not in GROUPS_LEFT_OUT
    ]
    groups = list(dict.fromkeys(row.group for row in rows_with_times))
    if not groups:
        return {}
    with rc_context(STYLE):
        figure = Figure(figsize=(9.6, 1.9 + STRIP * len(groups) + 0.2), layout="constrained")
        axes = figure.subplots()
        bare(axes)
        peers = list(
            dict.fromkeys(name(row.peer) for row in rows_with_times if row.peer_seconds or row.verdict == TIME_LIMIT)
        )
        colours = dict(zip(peers, OTHERS * len(peers), strict=False))
        for place, group in enumerate(groups):
            _strip(axes, -place, [row for row in rows_with_times if row.group == group], colours, limit)
        _frame(axes, groups, rows, aims)
        figure.legend(handles=_legend(colours), loc="outside lower center", ncols=5, frameon=False, fontsize=8)
        figure.suptitle(f"Seconds of one answer: ours, others' and the bare work\n{machine}")
        return figure_files(figure, "benchmarks")


def name(peer: str) -> str:
    """Return a peer without its settings; nothing of none."""
    return peer.partition(" ")[0].partition(":")[0]


def _strip(axes: Any, y: float, rows: Sequence[Row], colours: dict[str, str], limit: float) -> None:
    """Plot ours a little above the middle, limits and peers below."""
    our_rows = {row.case: row for row in rows}
    times = [row.seconds for row in our_rows.values() if row.seconds]
    floor = [row.limit_seconds for row in our_rows.values() if row.limit_seconds]
    axes.plot(floor, [y + 0.2] * len(floor), "|", color=GREY, markersize=7, markeredgewidth=1.0)
    axes.plot(times, [y + 0.2] * len(times), "o", color=MARKS[0][0], markersize=4.5, alpha=0.65, markeredgewidth=0)
    for at, peer in enumerate(peer for peer in colours if any(name(row.peer) == peer for row in rows)):
        height = y - 0.06 - 0.11 * at
        peer_rows = [row for row in rows if name(row.peer) == peer]
        peer_times = [row.peer_seconds for row in peer_rows if row.peer_seconds and row.verdict != UNSOUND]
        false = [row.peer_seconds for row in peer_rows if row.peer_seconds and row.verdict == UNSOUND]
        limits_reached = [limit for row in peer_rows if row.verdict == TIME_LIMIT]
        axes.plot(
            peer_times,
            [height] * len(peer_times),
            "s",
            color=colours[peer],
            markersize=4,
            alpha=0.65,
            markeredgewidth=0,
        )
        axes.plot(false, [height] * len(false), "x", color=colours[peer], markersize=5)
        axes.plot(
            limits_reached,
            [height] * len(limits_reached),
            ">",
            color=colours[peer],
            markersize=6,
            alpha=0.8,
            markeredgewidth=0,
        )
    ratios = [row.ratio for row in rows if row.ratio and row.verdict != UNSOUND]
    if ratios:
        middle = median(ratios)
        text = f"×{middle:,.0f}" if middle >= 10 else f"×{middle:.2g}"
        axes.annotate(text, (1.01, y), xycoords=("axes fraction", "data"), va="center", fontsize=8, color="0.25")


def _frame(axes: Any, groups: Sequence[str], rows: Sequence[Row], aims: Sequence[dict[str, Any]]) -> None:
    from .aims import AIMS

    axes.set(
        xscale="log",
        ylim=(-len(groups) + 0.3, 0.6),
        xlabel="seconds, medians of interleaved runs; right: times faster than the others, median",
    )
    axes.set_yticks([-place for place in range(len(groups))], groups)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.xaxis.set_major_formatter(lambda value, place: power(value))
    for aim in AIMS:
        if aim.unit == "s" and aim.group in groups:
            y = -groups.index(aim.group)
            axes.plot([aim.target] * 2, [y - 0.05, y + 0.42], color=TARGET, linewidth=1.6)


def _legend(colours: dict[str, str]) -> list[Any]:
    from matplotlib.lines import Line2D

    def entry(label: str, marker: str, colour: str) -> Any:
        return Line2D([], [], linestyle="", marker=marker, color=colour, markersize=5, markeredgewidth=1.0, label=label)

    our_entries = [
        entry("pldcheck", "o", MARKS[0][0]),
        entry("the bare work it needs", "|", GREY),
        entry("aim", "|", TARGET),
        entry("cut at the time limit", ">", "0.4"),
        entry("a false answer", "x", "0.4"),
    ]
    return our_entries + [entry(peer, "s", colour) for peer, colour in colours.items()]

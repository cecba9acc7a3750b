"""``pldcheck waterfall`` and ``pldcheck trajectory``: the losses of a proof, and its assumption on the posterior."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from ..core.parameters import Parameter, number_text
from ..report.decimal_ends import down, up
from ..theorems import REGISTRY, Theorem
from . import out_files
from .comparison_table import VACUOUS
from .eps_delta_renyi import SAMPLE
from .options import Group, count_option, examples, number, switches

if TYPE_CHECKING:
    from ..study.waterfall.waterfall import Waterfall

# Theorems with a waterfall, which a module that imports numpy knows.
CHAINS = ("thm-3.2", "thm-A.4", "thm-4.3", "thm-A.7", "thm-5.1")

# The meaning of the mark of a vacuous level.
NO_AMPLIFICATION = f"{VACUOUS}: above eps0, which holds without any amplification"
POINTS = Parameter(
    "points", "number of outputs, evenly spaced, before which the posterior is shown", 2, 10**5, integer=True
)
# What is meant by a step as a mixture.
MIXTURE = "a step's budget ignores that the record is in it with a small probability only; a mixture does not"
# What is meant by a level that has only an upper end.
UPPER_ONLY = "at most: only an upper bound of this level is computed"


def _lines(result: Waterfall) -> Iterator[str]:
    """Yield the levels of a waterfall, and the meaning of what stands beside their numbers."""
    delta = number_text(float(result.params["delta"]))
    yield f"epsilon at delta = {delta}: what is claimed, and what remains as each slack of the proof is removed"
    notes: list[str] = []
    for level in result.levels:
        ends = level.interval
        tight = ends.upper <= ends.lower * (1 + 1e-6)
        span = up(ends.upper) if tight else f"[{down(ends.lower)}, {up(ends.upper)}]"
        text = span if ends.lower > 0 else f"at most {up(ends.upper)}"
        vacuous = ends.upper > result.params["eps0"]
        yield f"{level.name}  {text + VACUOUS * vacuous:<24}{level.title}"
        notes += [f"{level.name}: {MIXTURE}"] * ("as a mixture" in level.title)
        notes += [UPPER_ONLY] * (ends.lower <= 0) + [NO_AMPLIFICATION] * vacuous
    order = (UPPER_ONLY, NO_AMPLIFICATION)
    yield from sorted(dict.fromkeys(notes), key=lambda note: order.index(note) + 1 if note in order else 0)


def _waterfall_command(theorem: Theorem) -> click.Command:
    def fall(as_json: bool, out: str | None, **values: Any) -> None:
        from ..study.waterfall.waterfall import waterfall
        from ..study.waterfall.waterfall_figure import render

        result = waterfall(theorem.id, **values)
        facts = result.to_dict()
        files = {f"waterfall-{theorem.id}.json": out_files.text("waterfall", facts)}
        out_files.print_answer(facts, lambda: _lines(result), lambda: files | render(result), out, as_json)

    options = [f"--{name.replace('_', '-')} {SAMPLE[name]}" for name in theorem.parameters]
    return click.Command(
        theorem.id,
        callback=fall,
        params=[*map(number, theorem.parameters), out_files.out(), *switches()],
        short_help=theorem.title,
        help=f"Epsilon as each slack of the proof of {theorem.id} is removed, from its formula to the truth.",
        epilog=examples(f"waterfall {theorem.id} {' '.join(options)}"),
    )


waterfall_group = Group(
    "waterfall",
    kind="theorem",
    what="waterfall",
    table={name: REGISTRY[name] for name in CHAINS},
    build=_waterfall_command,
    help="Where a theorem's proof loses, step by step.",
    epilog=examples(
        "waterfall thm-3.2 --steps 1000 --eps0 1 --check-in-prob 1 --delta 1e-6",
        "waterfall thm-A.7 --clients 1000 --eps0 1 --delta 1e-6",
    ),
)


def _follow(as_json: bool, out: str | None, **values: Any) -> None:
    from ..study import trajectories
    from ..study.trajectories.trajectory_figure import render

    trace = trajectories.random_replacement(**values)
    facts = trace.to_dict()
    lines = [f"slots x posterior before output i: median, quantile {trace.levels[-1]:.6g}, envelope; eps_i"]
    last = len(trace.indices) - 1
    for place in sorted({0, last // 4, last // 2, 3 * last // 4, last}):
        middle, far = (up(trace.slots * trace.quantile_upper[level, place], 5) for level in (0, -1))
        envelope = trace.envelope[place]
        ends = up(float(trace.step_epsilon(trace.quantile_upper[-1, place])), 4), float(trace.step_epsilon(envelope))
        lines.append(
            f"i={trace.indices[place]:<12}{middle:<12}{far:<12}{trace.slots * envelope:<12.5g}"
            f"{ends[0]} (envelope {ends[1]:.4g})"
        )
    files = {f"{trace.protocol}-{trace.params['law']}.json": out_files.text("trajectory", facts)}
    out_files.print_answer(facts, lambda: lines, lambda: files | render(trace), out, as_json)


def _trajectory_command(name: str) -> click.Command:
    return click.Command(
        name,
        callback=_follow,
        params=[
            *(number(parameter, 1.0 if parameter == "weight" else None) for parameter in ("steps", "eps0", "weight")),
            count_option(POINTS, 200),
            out_files.out(),
            *switches(),
        ],
        short_help="One record in a random slot (Theorem A.4).",
        help="One record in a random slot, all slots with binary randomized response (Theorem A.4): the exact "
        "distribution of the posterior of the slot, against the envelope of the proof.",
        epilog=examples(f"trajectory {name} --steps 1000 --eps0 1"),
    )


trajectory_group = Group(
    "trajectory",
    kind="algorithm",
    table={"random-replacement": "random-replacement"},
    build=_trajectory_command,
    help="The posterior of the hidden slot as outputs arrive, exactly.",
    epilog=examples("trajectory random-replacement --steps 1000 --eps0 1"),
)

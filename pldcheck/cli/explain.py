"""``pldcheck waterfall`` and ``pldcheck trajectory``: the losses of a proof, and its assumption on the posterior."""

from __future__ import annotations

from typing import Any

import click

from ..core.parameters import number_text
from ..report.decimal_ends import down, up
from ..theorems import REGISTRY, Theorem
from . import out_files
from .comparison_table import VACUOUS
from .eps_delta_renyi import SAMPLE
from .options import Group, Name, examples, number, print_json, switches

# Names that are known to modules which import numpy: theorems with a waterfall, laws of a slot.
CHAINS = ("thm-3.2", "thm-A.4", "thm-4.3", "thm-A.7", "thm-5.1")
LAWS = ("BE", "CF", "ACE")
RECORDS = ("d", "d'")


# The meaning of the mark of a vacuous level.
NO_AMPLIFICATION = f"{VACUOUS}: above eps0, which holds without any amplification"
# What is meant by a step as a mixture.
MIXTURE = "a step's budget ignores that the record is in it with a small probability only; a mixture does not"
# What is meant by a level that has only an upper end.
UPPER_ONLY = "at most: only an upper bound of this level is computed"


def _waterfall_command(theorem: Theorem) -> click.Command:
    def fall(as_json: bool, out: str | None, **values: Any) -> None:
        from ..study.waterfall.waterfall import waterfall
        from ..study.waterfall.waterfall_figure import render

        result = waterfall(theorem.id, **values)
        rows = {f"waterfall-{theorem.id}.json": out_files.text("waterfall", result.to_dict())}
        paths = out_files.write({**rows, **render(result)}, out) if out else []
        if as_json:
            print_json({**result.to_dict(), "files": [str(path) for path in paths]})
            return
        delta = number_text(float(result.params["delta"]))
        click.echo(
            f"epsilon at delta = {delta}: what is claimed, and what remains as each slack of the proof is removed"
        )
        notes: list[str] = []
        upper_only: list[str] = []
        vacuous: list[str] = []
        for level in result.levels:
            ends = level.interval
            tight = ends.upper <= ends.lower * (1 + 1e-6)
            span = up(ends.upper) if tight else f"[{down(ends.lower)}, {up(ends.upper)}]"
            text = span if ends.lower > 0 else f"at most {up(ends.upper)}"
            if ends.upper > result.params["eps0"]:
                text += VACUOUS
                vacuous = [NO_AMPLIFICATION]
            click.echo(f"{level.name}  {text:<24}{level.title}")
            notes += [f"{level.name}: {MIXTURE}"] if "as a mixture" in level.title else []
            upper_only = upper_only if ends.lower > 0 else [UPPER_ONLY]
        for note in (*notes, *upper_only, *vacuous):
            click.echo(note)
        for path in paths:
            click.echo(path)

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


def _trajectory_command(kind: tuple[str, str, tuple[str, ...]]) -> click.Command:
    name, about, parameters = kind

    def follow(as_json: bool, out: str | None, **values: Any) -> None:
        from ..study import trajectories
        from ..study.trajectories.trajectory_figure import render

        trace = getattr(trajectories, name.replace("-", "_"))(**values)
        facts = trace.to_dict()
        stem = f"{trace.protocol}-{trace.params['law']}"
        rows = {f"{stem}.json": out_files.text("trajectory", facts)}
        paths = out_files.write({**rows, **render(trace)}, out) if out else []
        if as_json:
            print_json({**facts, "files": [str(path) for path in paths]})
            return
        slots, level = trace.slots, len(trace.levels) - 1
        click.echo(f"slots x posterior before output i: median, quantile {trace.levels[level]:.6g}, envelope; eps_i")
        places = sorted({0, len(trace.indices) // 4, len(trace.indices) // 2, 3 * len(trace.indices) // 4, -1})
        for place in [*places[1:], places[0]]:
            middle, far = slots * trace.quantile_upper[0][place], slots * trace.quantile_upper[level][place]
            click.echo(
                f"i={trace.indices[place]:<12}{up(middle, 5):<12}{up(far, 5):<12}{slots * trace.envelope[place]:<12.5g}"
                f"{up(trace.eps_quantile_upper[level][place], 4)} (envelope {trace.eps_envelope[place]:.4g})"
            )
        for path in paths:
            click.echo(path)

    options = [f"--{parameter.replace('_', '-')} {SAMPLE[parameter]}" for parameter in parameters]
    return click.Command(
        name,
        callback=follow,
        params=[
            *(number(parameter, 1.0 if parameter == "weight" else None) for parameter in parameters),
            click.Option(
                ["--law"],
                type=Name("law", lambda: LAWS),
                default="CF",
                show_default=True,
                metavar="NAME",
                help="The randomizer of every slot; BE, CF or ACE.",
            ),
            click.Option(
                ["--record"],
                type=Name("record", lambda: RECORDS),
                default="d",
                show_default=True,
                metavar="NAME",
                help="Whose posterior; d or d'.",
            ),
            click.Option(
                ["--points"],
                type=int,
                default=200,
                show_default=True,
                metavar="INT",
                help="The number of outputs, evenly spaced, before which the posterior is shown.",
            ),
            out_files.out(),
            *switches(),
        ],
        short_help=about,
        help=f"{about} The exact distribution of the posterior of the slot, against the envelope of the proof.",
        epilog=examples(f"trajectory {name} {' '.join(options)}"),
    )


_TRAJECTORIES = (
    ("random-replacement", "One record in a random slot (Theorem A.4).", ("steps", "eps0", "weight")),
    ("random-swap", "One record swapped into a random place (Theorem A.7).", ("clients", "eps0")),
)

trajectory_group = Group(
    "trajectory",
    kind="algorithm",
    table={kind[0]: kind for kind in _TRAJECTORIES},
    build=_trajectory_command,
    help="The posterior of the hidden slot as outputs arrive, exactly.",
    epilog=examples("trajectory random-replacement --steps 1000 --eps0 1", "trajectory random-swap --help"),
)

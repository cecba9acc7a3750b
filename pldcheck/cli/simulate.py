"""``pldcheck simulate``: runs of protocols with a learner; empirical counts and risks beside the papers' statements."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from ..core.errors import ParameterError, PldcheckError
from ..core.parameters import Parameter
from ..protocols import PROTOCOLS
from ..report.decimal_ends import down, up
from ..verification.runs import run_store
from . import out_files
from .eps_delta_renyi import field_option
from .options import Group, Name, count_option, examples, number, offer, print_json, switches
from .progress import item_progress
from .simulate_rows import SEED, rows_command
from .simulation_questions import ABOUT, simulate_attack, simulate_runs, simulate_utility

# Models that are judged: the average of all or the last one.
VIEWS = ("all", "last")
# Populations from which the learner draws its data.
LEARNT = ("logistic", "median")
REPEAT = Parameter("repeat", "number of runs", 1, 10**7, integer=True)
TRANSCRIPTS = Parameter("transcripts", "number of transcripts an attack draws", 1000, 10**9, integer=True)
DIMENSION = Parameter("dimension", "number of coordinates of the model", 1, 10**4, integer=True)


def _simulate_command(name: str) -> click.Command:
    def simulate(as_json: bool, out: str | None, utility: bool, attack: bool, **values: Any) -> None:
        if utility and attack:
            raise PldcheckError("--utility and --attack are two runs; ask for one of them")
        if not attack and values["delta"] is not None:
            raise ParameterError("delta", "left out without --attack", values["delta"])
        if out:
            run_store.check_writable(Path(out))
        simulation = simulate_attack if attack else simulate_utility if utility else simulate_runs
        with item_progress() as step:
            facts, lines, pictures = simulation(name, values, step, bool(out))
        stem = f"simulate-{name}" + ("-attack" if attack else "-utility" if utility else "")
        files = {f"{stem}.json": out_files.text("simulation", facts)} | {
            f"{stem}.{end}": data for end, data in pictures.items()
        }
        paths = out_files.write(files, out) if out else []
        if as_json:
            print_json({**facts, "files": [str(path) for path in paths]})
            return
        for line in [*lines, *map(str, paths)]:
            click.echo(line)

    about, words = ABOUT[name]
    more = {
        "check-in": "--steps 1024 --clients 4096 --randomizer gaussian:0.25 --repeat 20 --utility",
        "averaged": "--steps 512 --clients 2048 --randomizer gaussian:0.25 --repeat 20 --utility",
    }
    lines = [f"simulate {name} {words}", f"simulate {name} {words} --repeat 20 --seed 7 --json"]
    lines += [f"simulate {name} {more[name]}"] if name in more else []
    lines += [f"simulate {name} {words} --attack --delta 1e-3 --transcripts 1e4"] if name == "hidden-slot" else []
    return click.Command(
        name,
        callback=simulate,
        params=[*_options(name), out_files.out(), *switches()],
        short_help=about,
        help=f"{about}\n\nAll that is measured is empirical, with a confidence; nothing of it is certified.",
        epilog=examples(*lines),
    )


def _options(name: str) -> list[click.Parameter]:
    """Return the options of ``pldcheck eps NAME``, and those of the learner."""
    protocol = PROTOCOLS.get(name)
    own: list[click.Parameter] = [number("clients"), number("steps")]
    if protocol:
        own = [field_option(protocol, entry) for entry in fields(protocol) if entry.name not in ("eps0", "randomizer")]
    return [
        *own,
        number("eps0", required=False),
        click.Option(
            ["--randomizer"],
            default="worst",
            show_default=True,
            metavar="TEXT",
            shell_complete=offer(("worst", "law:BE", "law:CF", "law:ACE", "rr", "krr:", "gaussian:")),
            help="What a client does to its gradient: worst, law:BE, law:CF, law:ACE, rr, krr:K or gaussian:S; of an "
            "attack, as in pldcheck eps.",
        ),
        click.Option(
            ["--population"],
            type=Name("population", lambda: LEARNT),
            default="logistic",
            show_default=True,
            metavar="NAME",
            help="Where records come from; logistic or median.",
        ),
        count_option(DIMENSION, 10),
        count_option(REPEAT, 100),
        count_option(SEED, 0),
        click.Option(["--utility"], is_flag=True, help="Measure the excess risk against Theorem 3.5 or 4.2."),
        click.Option(["--attack"], is_flag=True, help="Attack the protocol instead; wants --delta."),
        number("delta", required=False),
        count_option(TRANSCRIPTS, 10**5),
        click.Option(
            ["--view"],
            type=Name("view", lambda: VIEWS),
            default="all",
            show_default=True,
            metavar="NAME",
            help="What an attack sees: all models, or the last.",
        ),
    ]


def _agreement(as_json: bool, out: str | None, quick: bool) -> None:
    from ..study.attack.attack_figure import render
    from ..study.attack.attack_grid import agreement

    if out:
        run_store.check_writable(Path(out))
    with item_progress("attacks") as step:
        small: dict[str, Any] = {"steps": (10, 1000), "eps0": (1.0,), "deltas": (1e-3,), "transcripts": 2000}
        grid = agreement(**(small if quick else {}), progress=step)
    facts = grid.to_dict()
    files = {"attack.json": out_files.text("attack", facts), **render(grid)} if out else {}
    paths = out_files.write(files, out) if out else []
    if as_json:
        print_json({**facts, "files": [str(path) for path in paths]})
        return
    for row in grid.rows:
        certified_ends = f"[{down(row.certified_lower)}, {up(row.certified_upper)}]"
        attained_ends = f"[{down(row.attained_lower)}, {up(row.attained_upper)}]"
        click.echo(
            f"steps={row.steps} eps0={row.eps0:g} delta={row.delta:g}: epsilon > {down(row.epsilon_lower)} empirical, "
            f"this attack alone reaches {attained_ends} empirical; certified {certified_ends}; {row.verdict}"
        )
    for path in paths:
        click.echo(path)


_agreement_command = click.Command(
    "agreement",
    callback=_agreement,
    params=[click.Option(["--quick"], is_flag=True, help="Two attacks only."), out_files.out(), *switches()],
    short_help="Attacks on hidden slots over a grid, against what is certified.",
    help="Attacks on hidden slots over a grid of slots, budgets and deltas: below what is certified, and up to it.",
    epilog=examples("simulate agreement --quick"),
)


def _build_command(name: str) -> click.Command:
    others = {"agreement": _agreement_command, rows_command.name: rows_command}
    return others[name] if name in others else _simulate_command(name)


simulate_group = Group(
    "simulate",
    kind="protocol",
    table={name: name for name in (*ABOUT, "matrix-mechanism", "agreement")},
    build=_build_command,
    help="The protocols run with a learner: counts and risks beside what is stated; or attacked. All empirical.",
    epilog=examples(*(f"simulate {name} {ABOUT[name][1]}" for name in ("check-in", "shuffle"))),
)

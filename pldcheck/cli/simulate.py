"""``pldcheck simulate``: protocols run with a learner, attacked, or sampled; all empirical, beside what is stated."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import click

from ..core.errors import ParameterError, PldcheckError
from ..core.parameters import Parameter
from ..protocols import PROTOCOLS, MatrixMechanism
from ..report.decimal_ends import down, up
from . import out_files
from .answer_layout import run_text
from .eps_delta_renyi import SLOW_ANSWER, field_option
from .opening_line import opening_line
from .options import Group, Name, consistent_values, count_option, examples, number, offer, switches
from .progress import item_progress
from .simulation_questions import ABOUT, simulate_attack, simulate_runs, simulate_utility

# Populations from which the learner draws its data.
LEARNT = ("logistic", "median")
REPEAT = Parameter("repeat", "number of runs", 1, 10**7, integer=True)
TRANSCRIPTS = Parameter("transcripts", "number of transcripts an attack draws", 1000, 10**9, integer=True)
DIMENSION = Parameter("dimension", "number of coordinates of the model", 1, 10**4, integer=True)
SAMPLES = Parameter("samples", "number of draws of all outputs, in each direction", 1000, 10**8, integer=True)
# Numbers on the command line are doubles, and beyond 2^53 not every whole number is one.
SEED = Parameter("seed", "what all random numbers follow from", 0, 2**53, integer=True)
# More examples of some protocols.
EXAMPLES = {
    "check-in": "--steps 1024 --clients 4096 --randomizer gaussian:0.25 --repeat 20 --utility",
    "averaged": "--steps 512 --clients 2048 --randomizer gaussian:0.25 --repeat 20 --utility",
    "hidden-slot": "--steps 1000 --eps0 1 --attack --delta 1e-3 --transcripts 1e4",
}


def _simulate_command(name: str) -> click.Command:
    def simulate(as_json: bool, out: str | None, utility: bool, attack: bool, **values: Any) -> None:
        if utility and attack:
            raise PldcheckError("--utility and --attack are two runs; ask for one of them")
        if not attack and values["delta"] is not None:
            raise ParameterError("delta", "left out without --attack", values["delta"])
        out_files.check(out)
        question = simulate_attack if attack else simulate_utility if utility else simulate_runs
        with item_progress() as step:
            facts, lines = question(name, values, step)
        stem = f"simulate-{name}" + ("-attack" if attack else "-utility" if utility else "")
        files = {f"{stem}.json": out_files.text("simulation", facts)}
        out_files.print_answer(facts, lambda: lines, lambda: files, out, as_json)

    about, words = ABOUT[name]
    lines = [f"simulate {name} {words}", f"simulate {name} {words} --repeat 20 --seed 7 --json"]
    lines += [f"simulate {name} {EXAMPLES[name]}"] if name in EXAMPLES else []
    return click.Command(
        name,
        callback=simulate,
        params=[*_options(name), out_files.out("Write the numbers as JSON there."), *switches()],
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
    ]


def _agreement(as_json: bool, out: str | None, quick: bool) -> None:
    from ..study.attack.attack_figure import render
    from ..study.attack.attack_grid import agreement

    out_files.check(out)
    with item_progress("attacks") as step:
        small: dict[str, Any] = {"steps": (10, 1000), "eps0": (1.0,), "deltas": (1e-3,), "transcripts": 2000}
        grid = agreement(**(small if quick else {}), progress=step)
    facts = grid.to_dict()
    lines = [
        f"steps={row.steps} eps0={row.eps0:g} delta={row.delta:g}: epsilon > {down(row.epsilon_lower)} empirical, this "
        f"attack alone reaches [{down(row.attained_lower)}, {up(row.attained_upper)}] empirical; certified "
        f"[{down(row.certified_lower)}, {up(row.certified_upper)}]; {row.verdict}"
        for row in grid.rows
    ]
    out_files.print_answer(
        facts, lambda: lines, lambda: {"attack.json": out_files.text("attack", facts), **render(grid)}, out, as_json
    )


_agreement_command = click.Command(
    "agreement",
    callback=_agreement,
    params=[click.Option(["--quick"], is_flag=True, help="Two attacks only."), out_files.out(), *switches()],
    short_help="Attacks on hidden slots over a grid, against what is certified.",
    help="Attacks on hidden slots over a grid of slots, budgets and deltas: below what is certified, and up to it.",
    epilog=examples("simulate agreement --quick"),
)


def _sample(as_json: bool, epsilon: float, samples: int, seed: int, **values: Any) -> None:
    from ..study.simulate import sampled_delta

    protocol = MatrixMechanism(**consistent_values(MatrixMechanism, values))
    with item_progress("draws") as step:
        estimate = sampled_delta(protocol, epsilon, samples, seed, step)
    with opening_line(SLOW_ANSWER.format(quantity="delta", protocol=protocol.name)):
        interval = protocol.delta(epsilon)
    facts = {"protocol": protocol.name, "params": protocol.params(), "epsilon": epsilon, "seed": seed}
    facts |= {"estimate": estimate.to_dict(), "certified": interval.to_dict()}
    run = run_text(protocol)
    lines = [
        f"{estimate.quantity}: {estimate}",
        f"  from       {estimate.samples} weighted draws, {100 * estimate.confidence:g} % confidence if they are many",
        *([f"  run        {run}"] if run else []),
        f"  certified  delta in [{down(interval.lower)}, {up(interval.upper)}]",
    ]
    out_files.print_answer(facts, lambda: lines, dict, None, as_json)


_sample_command = click.Command(
    MatrixMechanism.name,
    callback=_sample,
    params=[
        *(field_option(MatrixMechanism, entry) for entry in fields(MatrixMechanism)),
        number("epsilon"),
        count_option(SAMPLES, 100_000),
        count_option(SEED, 0),
        *switches(),
    ],
    short_help="Correlated noise, balls in bins or b-min-sep: delta by weighted draws of all outputs.",
    help="An estimate of delta of balls in bins or b-min-sep with correlated noise, by weighted draws of all "
    "outputs.\n\nIt is empirical, with a confidence; the certified interval stands beside it.",
    epilog=examples(
        "simulate matrix-mechanism --steps 9 --sigma 2 --encoder square-root:2 --sampling balls-in-bins --epsilon 1",
        "simulate matrix-mechanism --steps-per-epoch 4 --epochs 3 --sigma 2 --sampling b-min-sep --rate .1 --epsilon 1",
    ),
)


def _build_command(name: str) -> click.Command:
    others = {"agreement": _agreement_command, MatrixMechanism.name: _sample_command}
    return others[name] if name in others else _simulate_command(name)


simulate_group = Group(
    "simulate",
    kind="protocol",
    table={name: name for name in (*ABOUT, MatrixMechanism.name, "agreement")},
    build=_build_command,
    help="The protocols run with a learner: counts and risks beside what is stated; or attacked. All empirical.",
    epilog=examples(*(f"simulate {name} {ABOUT[name][1]}" for name in ("check-in", "shuffle"))),
)

"""``pldcheck simulate matrix-mechanism``: an estimate of delta by sampling, beside the certified interval."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import click

from ..core.parameters import Parameter
from ..protocols import MatrixMechanism
from ..report.decimal_ends import down, up
from .answer_layout import run_text
from .eps_delta_renyi import SLOW_ANSWER, field_option
from .opening_line import opening_line
from .options import consistent_values, count_option, examples, number, print_json, switches
from .progress import item_progress

SAMPLES = Parameter("samples", "number of draws of all outputs, in each direction", 1000, 10**8, integer=True)
# Numbers on the command line are doubles, and beyond 2^53 not every whole number is one.
SEED = Parameter("seed", "what all random numbers follow from", 0, 2**53, integer=True)


def _simulate(as_json: bool, epsilon: float, samples: int, seed: int, **values: Any) -> None:
    from ..study.simulate import sampled_delta

    protocol = MatrixMechanism(**consistent_values(MatrixMechanism, values))
    with item_progress("draws") as step:
        estimate = sampled_delta(protocol, epsilon, samples, seed, step)
    with opening_line(SLOW_ANSWER.format(quantity="delta", protocol=protocol.name)):
        interval = protocol.delta(epsilon)
    if as_json:
        head = {"protocol": protocol.name, "params": protocol.params(), "epsilon": epsilon, "seed": seed}
        print_json({**head, "estimate": estimate.to_dict(), "certified": interval.to_dict()})
        return
    click.echo(f"{estimate.quantity}: {estimate}")
    click.echo(
        f"  from       {estimate.samples} weighted draws, {100 * estimate.confidence:g} % confidence if they are many"
    )
    if run := run_text(protocol):
        click.echo(f"  run        {run}")
    click.echo(f"  certified  delta in [{down(interval.lower)}, {up(interval.upper)}]")


rows_command = click.Command(
    MatrixMechanism.name,
    callback=_simulate,
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

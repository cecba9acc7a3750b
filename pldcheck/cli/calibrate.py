"""``pldcheck calibrate``: the least noise or the largest budget for a target, with its certificate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING, fields
from math import isinf
from typing import Any

import click
from click.core import ParameterSource

from ..accounting.calibration import PRECISION, TARGET, Calibration, UnreachableError, calibrate
from ..core.errors import ParameterError
from ..core.interval import Interval
from ..core.parameters import PARAMETERS, number_text
from ..protocols import PROTOCOLS, Protocol
from ..report.decimal_ends import outward, up, width
from . import answer_layout
from .eps_delta_renyi import OPTIONAL, SAMPLE, field_option
from .options import Group, Name, Number, consistent_values, examples, number, option_names, print_json, switches
from .progress import stage_progress
from .protocol_text import summary

# Exit status where no value meets the target, for certain.
IMPOSSIBLE = 1
# Exit status where no value meets the target as far as is known.
UNDECIDED = 3


def _calibrate_command(protocol: type[Protocol]) -> click.Command:
    names = {name: option_names(protocol.parameters()[name])[0].lstrip("-") for name in protocol.directions}
    named = {option: name for name, option in names.items()} | {name.replace("_", "-"): name for name in names}
    superlatives = {option: _superlative(protocol, name) for name, option in names.items()}

    def solve(context: click.Context, as_json: bool, **values: Any) -> None:
        target = {key: values.pop(key) for key in ("target_epsilon", "delta", "precision")}
        parameter = named[values.pop("solve")]
        if context.get_parameter_source(parameter) is not ParameterSource.DEFAULT:
            raise ParameterError(parameter, "left out where it is solved for", values[parameter])
        del values[parameter]
        for option in context.command.params:
            if option.name in values and values[option.name] in (None, ()) and option.name in mandatory:
                raise click.MissingParameter(ctx=context, param=option)
        try:
            with stage_progress() as tell:

                def step(queries: int, value: float, interval: Interval) -> None:
                    tell(f"query {queries}: {parameter} = {value!r}, epsilon <= {up(interval.upper, 5)}")

                calibration = calibrate(
                    protocol, parameter, **target, progress=step, **consistent_values(protocol, values)
                )
        except UnreachableError as error:
            if as_json:
                print_json(_unreachable_facts(protocol, values, error))
            else:
                click.echo(f"pldcheck: {error}", err=True)
            context.exit(IMPOSSIBLE if error.proved else UNDECIDED)
        if as_json:
            print_json(calibration.to_dict())
            return
        for line in _lines(calibration):
            click.echo(line)

    entries = [field_option(protocol, entry) for entry in fields(protocol)]
    mandatory = {option.name for option in entries if option.required}
    for option in entries:
        option.required = False
    return click.Command(
        protocol.name,
        callback=click.pass_context(solve),
        params=[
            click.Option(
                ["--solve"],
                type=Name("parameter to solve for", lambda: list(named)),
                required=True,
                metavar="NAME",
                help=f"{', '.join(f'{option} ({word})' for option, word in superlatives.items())}.",
            ),
            click.Option(
                ["--target-epsilon"],
                type=Number(TARGET),
                required=True,
                metavar="X",
                help=f"The largest epsilon that is allowed; {TARGET.domain}.",
            ),
            number("delta"),
            *entries,
            click.Option(
                ["--precision"],
                type=Number(PRECISION),
                default=1e-3,
                show_default=True,
                metavar="X",
                help=f"Relative precision of a real parameter; {PRECISION.domain}.  Integers are exact.",
            ),
            *switches(),
        ],
        short_help=summary(protocol),
        help=(
            f"The {' or '.join(sorted(set(superlatives.values())))} value of a parameter at "
            f"which epsilon is certified to be within a target.\n\n{summary(protocol)}\n\n"
            "Exit status: 0 if there is one, 1 if there is none for certain, 2 after bad usage, 3 if none could be "
            "certified."
        ),
        epilog=_example(protocol),
    )


def _superlative(protocol: type[Protocol], parameter: str) -> str:
    return "largest" if protocol.directions[parameter].rises else "least"


def _example(protocol: type[Protocol]) -> str:
    own = protocol.examples
    parameter, target = own.calibrate or (next(iter(protocol.directions)), 1.0)
    options = [own.options] if own.options else []
    options += [
        f"--{entry.name.replace('_', '-')} {SAMPLE[entry.name]}"
        for entry in fields(protocol)
        if entry.name in SAMPLE
        and entry.name not in (*OPTIONAL, parameter)
        and (entry.name != "clients" or entry.default is MISSING)
    ]
    head = f"calibrate {protocol.name} --solve {parameter.replace('_', '-')}"
    options += [f"--target-epsilon {target:g} --delta {SAMPLE['delta']}"]
    return examples(" ".join([head, *options, *(["--precision 0.1"] if own.coarse else [])]))


def _lines(result: Calibration) -> Iterator[str]:
    adjacency = answer_layout.adjacency_text(result.protocol.reduced.adjacency)
    about = [
        ("reached", _ends_of(result.interval)),
        (
            "target",
            f"epsilon ≤ {number_text(result.target_epsilon)} at delta = {number_text(result.delta)}, {adjacency}",
        ),
        *([("run", answer_layout.run_text(result.protocol))] if answer_layout.run_text(result.protocol) else []),
        *neighbours_of(result),
        ("time", f"{result.seconds:.1f} s, {result.queries} values tried"),
    ]
    yield from answer_layout.lines(f"{result.parameter} = {result.value!r}, certified to meet the target", about)


def neighbours_of(result: Calibration) -> Iterator[tuple[str, str]]:
    """Return lines on the values that were refused, and on what they imply for the best value."""
    name, best = result.parameter, _superlative(type(result.protocol), result.parameter)
    if result.refused is not None:
        # An interval that contains the target leaves open whether the value meets it.
        certain = result.refused.interval.lower > result.target_epsilon
        value = f"{name} = {result.refused.value!r}: {_ends_of(result.refused.interval)}"
        yield "fails" if certain else "uncertain", value
    elif result.complete:
        least, most = result.ends
        yield (
            "range",
            f"every {name} from {number_text(least)} to {number_text(most)} meets the target; this is the last one",
        )
        return
    if not result.complete:
        yield "stopped", "the search took too long; a better value may exist, which was not tried"
    elif result.optimal and PARAMETERS[name].integer:
        yield "optimal", f"no {'larger' if result.rises else 'smaller'} value of {name} meets the target"
    elif result.optimal:
        precision = number_text(float(f"{100 * result.precision:.6g}"))
        yield "optimal", f"the {best} {name} that meets the target lies between the two (precision {precision} %)"
    elif result.excluded is not None:
        yield "fails", f"{name} = {result.excluded.value!r}: {_ends_of(result.excluded.interval)}"
        side = "below" if result.rises else "above"
        yield "optimal", f"the {best} {name} that meets the target lies {side} the one that fails"
    else:
        yield "optimal", f"how much further the {best} {name} that meets the target lies is not known"


def _ends_of(interval: Interval) -> str:
    if isinf(interval.lower):
        return "epsilon is infinite"
    lower, upper = outward(interval)
    return f"epsilon in [{lower}, {upper}], width {width(interval)}"


def _unreachable_facts(protocol: type[Protocol], values: dict[str, Any], error: UnreachableError) -> dict[str, Any]:
    return {
        "protocol": protocol.name,
        "params": {key: value for key, value in values.items() if value is not None},
        "solve": error.parameter,
        "value": None,
        "target_epsilon": error.target_epsilon,
        "delta": error.delta,
        "proved": error.proved,
        "nearest": error.nearest.to_dict(),
    }


calibrate_group = Group(
    "calibrate",
    kind="protocol",
    what="parameter to solve for",
    table={name: protocol for name, protocol in PROTOCOLS.items() if protocol.directions},
    build=_calibrate_command,
    help="The least noise or the largest budget for a target epsilon.",
    epilog=examples(
        "calibrate gaussian --solve sigma --target-epsilon 1 --delta 1e-6",
        "calibrate check-in --solve check-in-prob --steps 1000 --eps0 1 --target-epsilon 0.1 --delta 1e-6",
        "calibrate subsampled-gaussian --solve steps --sigma 1 --rate 0.01 --target-epsilon 1 --delta 1e-6 --json",
        "calibrate subsampled-gaussian --help",
    ),
)

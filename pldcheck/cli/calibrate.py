"""``pldcheck calibrate``: the least noise or the largest budget for a target, with its certificate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING, fields
from math import isinf
from typing import Any

import click
from click.core import ParameterSource

from ..accounting.calibration import PRECISION, Calibration, UnreachableError, calibrate
from ..core.errors import ParameterError
from ..core.interval import Interval
from ..core.parameters import PARAMETERS, typed
from ..protocols import PROTOCOLS, Protocol
from ..report.decimal_ends import outward, up, width
from . import answer_layout
from .eps_delta_bound import OPTIONAL, SAMPLE, field_option
from .list_show import summary
from .options import Group, Name, Number, agreeing, examples, number, print_json, switches
from .progress import told

# Exit status where no value meets the target, for certain.
IMPOSSIBLE = 1
# Exit status where no value meets the target as far as is known.
UNDECIDED = 3


def _calibrating(protocol: type[Protocol]) -> click.Command:
    names = list(protocol.directions)

    def solve(context: click.Context, as_json: bool, **values: Any) -> None:
        given = {key: values.pop(key) for key in ("target_epsilon", "delta", "precision")}
        sought = values.pop("solve").replace("-", "_")
        if context.get_parameter_source(sought) is not ParameterSource.DEFAULT:
            raise ParameterError(sought, "left out where it is solved for", values[sought])
        del values[sought]
        for option in context.command.params:
            if option.name in values and values[option.name] in (None, ()) and option.name in needed:
                raise click.MissingParameter(ctx=context, param=option)
        try:
            with told() as tell:

                def step(queries: int, value: float, interval: Interval) -> None:
                    tell(f"query {queries}: {sought} = {value!r}, epsilon <= {up(interval.upper, 5)}")

                found = calibrate(protocol, sought, **given, progress=step, **agreeing(protocol, values))
        except UnreachableError as error:
            if as_json:
                print_json(_unmet(protocol, values, error))
            else:
                click.echo(f"pldcheck: {error}", err=True)
            context.exit(IMPOSSIBLE if error.proved else UNDECIDED)
        if as_json:
            print_json(found.to_dict())
            return
        for line in _lines(found):
            click.echo(line)

    entries = [field_option(protocol, entry) for entry in fields(protocol)]
    needed = {option.name for option in entries if option.required}
    for option in entries:
        option.required = False
    return click.Command(
        protocol.name,
        callback=click.pass_context(solve),
        params=[
            click.Option(
                ["--solve"],
                type=Name("parameter to solve for", lambda: [name.replace("_", "-") for name in names]),
                required=True,
                metavar="NAME",
                help=f"{', '.join(_moving(protocol, name) for name in names)}.",
            ),
            click.Option(
                ["--target-epsilon"],
                type=Number(PARAMETERS["epsilon"]),
                required=True,
                metavar="X",
                help=f"What epsilon is to be within; {PARAMETERS['epsilon'].allowed}.",
            ),
            number("delta"),
            *entries,
            click.Option(
                ["--precision"],
                type=Number(PRECISION),
                default=1e-3,
                show_default=True,
                metavar="X",
                help=f"Of a real parameter, relatively; {PRECISION.allowed}.  Integers are exact.",
            ),
            *switches(),
        ],
        short_help=summary(protocol),
        help=(
            f"The {' or '.join(sorted({_superlative(protocol, name) for name in names}))} value of a parameter at "
            f"which epsilon is certified to be within a target.\n\n{summary(protocol)}\n\n"
            "Exit status: 0 if there is one, 1 if there is none for certain, 2 after bad usage, 3 if none could be "
            "certified."
        ),
        epilog=_example(protocol),
    )


def _superlative(protocol: type[Protocol], parameter: str) -> str:
    return "largest" if protocol.directions[parameter].rises else "least"


def _moving(protocol: type[Protocol], parameter: str) -> str:
    return f"{parameter.replace('_', '-')} ({_superlative(protocol, parameter)})"


def _example(protocol: type[Protocol]) -> str:
    own = protocol.examples
    sought, target = own.calibrate or (next(iter(protocol.directions)), 1.0)
    options = [own.given] if own.given else []
    options += [
        f"--{entry.name.replace('_', '-')} {SAMPLE[entry.name]}"
        for entry in fields(protocol)
        if entry.name in SAMPLE
        and entry.name not in (*OPTIONAL, sought)
        and (entry.name != "clients" or entry.default is MISSING)
    ]
    head = f"calibrate {protocol.name} --solve {sought.replace('_', '-')}"
    options += [f"--target-epsilon {target:g} --delta {SAMPLE['delta']}"]
    return examples(" ".join([head, *options, *(["--precision 0.1"] if own.coarse else [])]))


def _lines(found: Calibration) -> Iterator[str]:
    adjacency = found.protocol.reduced.adjacency
    about = [
        ("reached", _ends_of(found.interval)),
        ("target", f"epsilon ≤ {typed(found.target_epsilon)} at delta = {typed(found.delta)}, adjacency {adjacency}"),
        *_neighbours(found),
        ("time", f"{found.seconds:.1f} s, {found.queries} values tried"),
    ]
    yield from answer_layout.lines(f"{found.parameter} = {found.value!r}, certified to meet the target", about)


def _neighbours(found: Calibration) -> Iterator[tuple[str, str]]:
    """Return lines on the values that were refused, and on what they imply for the best value."""
    name, best = found.parameter, _superlative(type(found.protocol), found.parameter)
    if found.refused is not None:
        yield "refused", f"{name} = {found.refused.value!r}: {_ends_of(found.refused.interval)}"
    elif found.complete:
        least, most = found.ends
        yield "range", f"every {name} from {typed(least)} to {typed(most)} meets the target; this is the end of it"
        return
    if not found.complete:
        yield "stopped", "the search took too long; a better value may exist, which was not tried"
    elif found.optimal and PARAMETERS[name].integer:
        yield "optimal", f"no {'larger' if found.rises else 'smaller'} {name} meets the target"
    elif found.optimal:
        yield "optimal", f"the {best} {name} that meets the target lies between the two"
    elif found.excluded is not None:
        yield "excluded", f"{name} = {found.excluded.value!r}: {_ends_of(found.excluded.interval)}"
        yield "optimal", f"the {best} {name} that meets the target lies before the excluded value"
    else:
        yield "optimal", f"how much further the {best} {name} that meets the target lies is not known"


def _ends_of(interval: Interval) -> str:
    if isinf(interval.lower):
        return "epsilon is infinite"
    lower, upper = outward(interval)
    return f"epsilon in [{lower}, {upper}], width {width(interval)}"


def _unmet(protocol: type[Protocol], values: dict[str, Any], error: UnreachableError) -> dict[str, Any]:
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
    table={name: protocol for name, protocol in PROTOCOLS.items() if protocol.directions},
    build=_calibrating,
    help="The least noise or the largest budget for a target epsilon.",
    epilog=examples(
        "calibrate gaussian --solve sigma --target-epsilon 1 --delta 1e-6",
        "calibrate check-in --solve check-in-prob --steps 1000 --eps0 1 --target-epsilon 0.1 --delta 1e-6",
        "calibrate subsampled-gaussian --solve steps --sigma 1 --rate 0.01 --target-epsilon 1 --delta 1e-6 --json",
        "calibrate subsampled-gaussian --help",
    ),
)

"""``pldcheck compare PROTOCOL`` and ``compare known-points``: other accountants on the same point."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click

from ..core.errors import ParameterError
from ..core.parameters import Parameter
from ..protocols import PROTOCOLS, Protocol
from . import answer_layout
from .eps_delta_renyi import field_option, usual_options
from .options import Number, consistent_values, examples, is_own_choice, number, print_json, switches
from .progress import item_progress
from .protocol_text import summary

if TYPE_CHECKING:
    from ..accounting.peers import Comparison, KnownPointResult

COMPARABLE: Mapping[str, type[Protocol]] = {name: kind for name, kind in PROTOCOLS.items() if kind.supports("epsilon")}
# The name of the known points on the command line.
KNOWN_POINTS = "known-points"
# The most seconds that a peer may take at each point.
SECONDS = 60.0
# The most GiB of memory that a peer may use.
MEMORY = 4.0
# What the verdicts mean, and an end that is not there.
MEANINGS = {
    "inside": "inside: between the certified ends",
    "valid": "valid: true, and at most 0.1 % from the certified interval",
    "loose": "loose: true, and not as tight as possible",
    "UNSOUND": "UNSOUND: certainly false",
    "undecided": "undecided: the certified interval is too wide for a verdict",
}
NO_END = "-: the peer claims no such end"
LIMIT = Parameter("seconds", "seconds after which a peer is given up", 0, 1e6, low_open=True)


def meanings() -> dict[str, str]:
    """Return the meaning of each verdict of a comparison, by its word."""
    return {verdict: text.removeprefix(f"{verdict}: ") for verdict, text in MEANINGS.items()}


def compare_command(protocol: type[Protocol]) -> click.Command:
    """Return the command of one protocol."""

    def compare(as_json: bool, selection: str | None, python: Sequence[str], **values: Any) -> None:
        from ..accounting import peers

        limits = {key: values.pop(key) for key in ("seconds", "memory")}
        at = {key: values.pop(key) for key in ("delta", "epsilon")}
        target_width = values.pop("width")
        instance, paths = protocol(**consistent_values(protocol, values)), interpreters(python)
        names = None if selection is None else [name for name in selection.split(",") if name]
        with item_progress("peers") as step:
            comparison = peers.compare(
                instance, **at, peers=names, width=target_width, **limits, python=paths, progress=step
            )
        if as_json:
            print_json(comparison.to_dict())
            return
        point = comparison.point
        for line in answer_layout.answer(
            comparison.interval,
            instance,
            point.at_name,
            point.at,
            target_width,
            comparison.seconds,
            is_own_choice("width"),
        ):
            click.echo(line)
        for line in comparison.table() if comparison.rows else ["no peer is installed"]:
            click.echo(line)
        for line in wrap("; ".join(_legend(comparison)), answer_layout.COLUMNS):
            click.echo(line)
        absent = [] if names is not None else [name for name in peers.PEERS if name not in peers.installed_peers(paths)]
        if absent:
            click.echo(f"not installed: {', '.join(absent)}")

    about = summary(protocol)
    return click.Command(
        protocol.name,
        callback=compare,
        params=[
            *(field_option(protocol, entry) for entry in fields(protocol)),
            number("delta", required=False),
            number("epsilon", required=False),
            number("width", protocol.default_width),
            click.Option(
                ["selection", "--with"],
                metavar="NAMES",
                help="Peers, with commas between, such as dp_accounting,prv or dp_accounting:rdp; those installed "
                "unless given.",
            ),
            *limits(),
            *switches(),
        ],
        short_help=about,
        help=(
            f"What other accountants claim of the same point, against what is certified.\n\n{about}\n\n"
            "Each runs in a process of its own.  A claim is inside the certified interval, loose, or UNSOUND: an upper "
            "end below it, or a lower end above it.  The accountants come with pip install 'pldcheck[peers]', "
            "or with an interpreter of their own (--python).  None of them covers shuffling or check-ins."
        ),
        epilog=_example(protocol),
    )


def _legend(comparison: Comparison) -> Iterator[str]:
    """Yield what the verdicts of a comparison mean, and a missing end."""
    verdicts = {row.word for row in comparison.rows}
    yield from (meaning for verdict, meaning in MEANINGS.items() if verdict in verdicts)
    if any(None in (row.lower, row.upper) for row in comparison.rows if row.verdict in MEANINGS):
        yield NO_END


def _example(protocol: type[Protocol]) -> str:
    options = protocol.examples.compare or " ".join(usual_options(protocol, "delta"))
    return examples(f"compare {protocol.name} {options}")


def limits() -> list[click.Parameter]:
    """Return the options that all verbs which ask peers have in common."""
    return [
        click.Option(
            ["--seconds"],
            type=Number(LIMIT),
            default=SECONDS,
            show_default=True,
            metavar="X",
            help=f"Seconds after which a peer is given up; {LIMIT.domain}.",
        ),
        number("memory", MEMORY),
        click.Option(
            ["--python"],
            multiple=True,
            metavar="NAME=PATH",
            help="An interpreter that has a peer, if it is not installed beside pldcheck; may be given several times.  "
            "PLDCHECK_PEER_NAME in the environment does the same.",
        ),
    ]


def interpreters(texts: Sequence[str]) -> dict[str, str]:
    """Return the paths by name; raises ParameterError."""
    from ..accounting import peers

    paths = {}
    for text in texts:
        name, _, path = text.partition("=")
        if not path:
            raise ParameterError("python", "NAME=PATH", text)
        paths[peers.parse_peer(name)[0].name] = path
    return paths


def point_lines(result: KnownPointResult) -> list[str]:
    """Return a known point in lines: its status and defect, its question, and its outcome."""
    from ..accounting.peers.known_point_results import NOT_SEEN

    point = result.case
    here = ", ".join(word for word in (result.claim.version, result.claim.libraries) if word)
    version = here or f"seen in {', '.join(point.versions)}"
    if result.status == NOT_SEEN:
        version += f"; seen in {', '.join(point.versions)} with {' or '.join(point.beside) or 'versions not recorded'}"
    return [
        f"{result.status:<14}{point.id}  ({point.peer} {version}): {point.wrong}",
        f"{'':14}{point.call}",
        f"{'':14}{result.description}",
    ]


def _known_points(as_json: bool, selection: str | None, seconds: float, memory: float, python: Sequence[str]) -> None:
    from ..accounting import peers

    names = None if selection is None else [name for name in selection.split(",") if name]
    results = peers.run_known_points(names, seconds=seconds, memory=memory, python=interpreters(python))
    if as_json:
        print_json({"known_points": [result.to_dict() for result in results]})
        return
    for result in results:
        for line in point_lines(result):
            click.echo(line)


known_points_command = click.Command(
    KNOWN_POINTS,
    callback=_known_points,
    params=[
        click.Option(["selection", "--with"], metavar="NAMES", help="Peers, with commas between; all unless given."),
        *limits(),
        *switches(),
    ],
    short_help="Points at which releases of other accountants are known to go wrong, asked again here.",
    help="Points at which releases of other accountants are known to go wrong, asked again on this machine.\n\n"
    "confirmed: it still does.  not seen: it does not, here.  The certified value beside it is found anew as well.",
    epilog=examples("compare known-points --with dp_accounting"),
)

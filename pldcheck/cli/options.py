"""Options that commands share: numbers checked against the parameter table, names with suggestions, ``--json``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from typing import Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from ..core.errors import ParameterError
from ..core.outward_decimals import plain
from ..core.parameters import PARAMETERS, Parameter, number_text
from ..core.usual_names import understood_name
from ..randomizers import randomizer_text
from .unknown_names import unknown_name

# The option of a number of steps, which protocols with epochs take besides --steps-per-epoch while there is one.
SHORT = "--steps"
# Numbers that determine how a run is computed, and not its results.
_RUNNING = (
    Parameter("workers", "number of processes, 0 for this one alone", 0, 4096, integer=True),
    Parameter("cell_timeout", "seconds after which a cell is given up", 0, 1e9, low_open=True),
    Parameter("recheck", "share of the stored rows that is checked, with their files", 0, 1, low_open=True),
    Parameter("memory", "GiB of data a process may take up", 0.25, 1e6),
    Parameter("patience", "seconds that a run waits for a scheduler without any worker", 0, 1e9, low_open=True),
)
RUNNING: Mapping[str, Parameter] = {parameter.name: parameter for parameter in _RUNNING}


class Number(click.ParamType):
    """A type for one parameter of the table; click's own ranges would let NaN pass."""

    def __init__(self, parameter: Parameter, with_engine: bool = True) -> None:
        """Create the type of one parameter; ``with_engine``: the engine computes with it, not only a formula."""
        self.parameter, self.with_engine = parameter, with_engine
        self.name = "integer" if parameter.integer else "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | float:
        """Return the number; raises ParameterError."""
        return self.parameter.parse(value) if self.with_engine else self.parameter.admit(value)


class Name(click.ParamType):
    """A type for one of several names; ``choices``, which lists them, is called only when a name is given."""

    def __init__(self, kind: str, choices: Callable[[], Iterable[str]], what: str = "") -> None:
        self.name, self.choices, self.what = kind, choices, what

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name; raises PldcheckError for one that is not among the choices."""
        if value in self.choices():
            return value
        if meant := understood_name(value, self.choices()):
            return meant
        raise unknown_name(self.name, value, self.choices(), self.what)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        """Return the names that begin so."""
        return offer(self.choices())(ctx, param, incomplete)


def offer(words: Iterable[str]) -> Callable[[click.Context, click.Parameter, str], list[Any]]:
    """Return the function by which an option of text offers words to a shell: those that begin as it was typed."""
    return lambda context, option, incomplete: [CompletionItem(word) for word in words if word.startswith(incomplete)]


def offer_paths(context: click.Context, option: click.Parameter, incomplete: str) -> list[Any]:
    """Return what makes a shell offer files and folders."""
    return [CompletionItem(incomplete, type="file")]


class Group(click.Group):
    """Commands by name, with suggestions for unknown ones; those of a table are built when asked for."""

    def __init__(
        self,
        name: str,
        *,
        kind: str = "command",
        what: str = "",
        table: Mapping[str, Any] | None = None,
        build: Callable[[Any], click.Command] | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(name, no_args_is_help=False, **settings)
        self.kind, self.what, self.table, self.build = kind, what, table or {}, build
        if build:
            self.options_metavar, self.subcommand_metavar = None, f"{kind.upper()} [OPTIONS]"

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of definition, not of the alphabet."""
        return [*self.commands, *self.table]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name, if any."""
        if self.build and cmd_name in self.table:
            return self.build(self.table[cmd_name])
        return self.commands.get(cmd_name)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse arguments as click does, but answer a missing name with the names that exist.

        Where a shell completes a line, click parses what there is of it (resilient parsing): nothing is refused then.
        """
        if not (args or self.invoke_without_command or ctx.resilient_parsing):
            raise click.UsageError(f"{self.kind} missing; known: {', '.join(self.list_commands(ctx))}")
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[Any, Any, list[str]]:
        """Return the command as click does, but raise an error of our own for an unknown name."""
        name = args[0]
        if ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            raise unknown_name(self.kind, name, self.list_commands(ctx), self.what)
        command_name, command, rest = super().resolve_command(ctx, args)
        rest = _with_names_here(command, rest)
        if command is not None and not isinstance(command, click.Group):
            _check_single_use(command, ctx, rest)
        return command_name, command, rest


def _with_names_here(command: click.Command | None, arguments: list[str]) -> list[str]:
    """Return arguments with the names here of options that other accountants call otherwise."""
    from ..protocols.usual_keywords import check_noise  # --help imports no protocol

    options = () if command is None or isinstance(command, click.Group) else command.params
    names = [text for option in options if isinstance(option, click.Option) for text in option.opts]
    translated = []
    for name, equals, value in (word.partition("=") for word in arguments):
        here = (name.startswith("--") and understood_name(name, names)) or name
        check_noise(name, here, (*names, *arguments))
        translated.append(here + equals + value)
    return translated


def _check_single_use(command: click.Command, context: click.Context, arguments: list[str]) -> None:
    """Raise an error for an option with two values; click would take the last one without a word."""
    with command.make_context(None, [], parent=context, resilient_parsing=True) as inner:
        values, _, order = command.make_parser(inner).parse_args(list(arguments))
    typed = {word.partition("=")[0] for word in arguments}
    for place, option in enumerate(order):
        once = isinstance(option, click.Option) and not (option.multiple or option.is_flag or option.count)
        if once and option in order[:place]:
            name = next((one for one in option.opts if one in typed), option.opts[0])
            raise click.UsageError(f"{name} is given twice")
    if SHORT in typed and any(SHORT in option.opts[1:] for option in order) and "epochs" in values:
        _check_steps(values["steps"], values["epochs"])


def _check_steps(steps: str, epochs: str) -> None:
    """Raise an error for ``--steps`` beside several epochs, which may mean the steps of one or of all."""
    each, several = PARAMETERS["steps"].parse(steps), PARAMETERS["epochs"].parse(epochs)
    if several > 1:
        text = f"{SHORT} {steps} is not clear with --epochs {epochs}: type --steps-per-epoch {steps}"
        text += " if one epoch has so many"
        if each % several == 0:
            text += f", --steps-per-epoch {number_text(each // several)} if all epochs together have"
        raise click.UsageError(text)


def is_own_choice(name: str) -> bool:
    """Return whether the user gave a value of the running command's option, and did not leave it at its default."""
    return click.get_current_context().get_parameter_source(name) is not ParameterSource.DEFAULT


def consistent_values(protocol: Any, values: dict[str, Any]) -> dict[str, Any]:
    """Return the values; raise ParameterError if one of them has no effect beside another."""
    kind = randomizer_text.kind_of(values.get("randomizer"))
    optional = any(entry.name == "eps0" and entry.default is None for entry in fields(protocol))
    if optional and values.get("eps0") is not None and kind is not None and not kind.pure:
        raise ParameterError(
            "eps0", f"left out with {values['randomizer']}, which is the same at every eps0", values["eps0"]
        )
    return values


def number(
    name: str | Parameter, default: float | None = None, *, required: bool = True, with_engine: bool = True
) -> click.Option:
    """Return the option of an entry of the parameter table or of RUNNING, or of a parameter.

    Without a default it is required, unless ``required`` is False.
    """
    parameter = name if isinstance(name, Parameter) else PARAMETERS.get(name) or RUNNING[name]
    words = parameter.help
    presence: dict[str, Any] = {"required": required} if default is None else {"default": default}
    return click.Option(
        option_names(parameter),
        type=Number(parameter, with_engine),
        show_default=True,
        metavar="N" if parameter.integer else "X",
        help=f"{words[:1].upper()}{words[1:]}; {parameter.domain}.",
        **presence,
    )


def option_names(parameter: Any) -> list[str]:
    """Return the names of a parameter's option, the one to be shown first, and last the parameter's own name."""
    plain_name = "--" + parameter.name.replace("_", "-")
    own = getattr(parameter, "option", "")
    return [f"--{own}", plain_name, parameter.name] if own else [plain_name, parameter.name]


def count_option(parameter: Parameter, default: int) -> click.Option:
    """Return the option of a whole number that is no parameter of a protocol."""
    return click.Option(
        [f"--{parameter.name}"],
        type=Number(parameter),
        default=default,
        show_default=True,
        metavar="N",
        help=f"{parameter.help[:1].upper()}{parameter.help[1:]}; {parameter.domain}.",
    )


def switches() -> list[click.Parameter]:
    """Return ``--json`` and ``--debug``, which every verb takes."""
    return [
        click.Option(
            ["as_json", "--json"], is_flag=True, help='Print one JSON object and nothing else; infinite ends are "inf".'
        ),
        debug(),
    ]


def debug() -> click.Option:
    """Return the option ``--debug``, which is read where errors are reported and has no value of its own."""
    return click.Option(["--debug"], is_flag=True, expose_value=False, help="Trace internal errors.")


def examples(*lines: str) -> str:
    """Return the epilog of a command's help, with these lines as examples."""
    return "\b\nExamples:\n" + "\n".join(f"  pldcheck {line}" for line in lines)


def print_json(values: Mapping[str, Any]) -> None:
    """Print one JSON object; infinite numbers become the texts "inf" and "-inf", and NaN raises ValueError."""
    click.echo(json.dumps(plain(values), allow_nan=False))

"""The command line: the verbs together, exit statuses, and every refusal in one line on stderr."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence

import click

import pldcheck

from ..errors import PldcheckError, UnknownNameError
from ..parameters import PARAMETERS
from .answers import bound, delta, eps, renyi
from .audit import audit_command
from .bench import bench_command
from .calibrate import calibrate_group
from .compare import compare_group
from .describe import list_command, show_command
from .doctor import doctor_command
from .dominance import dominance_command
from .explain import trajectory_group, waterfall_group
from .figure import figure_command
from .findings import findings_command
from .job import job_group
from .mutate import mutate_command
from .options import Group, debug, examples
from .reference import reference_command
from .report import report_command
from .simulate import simulate_group
from .suites import suites_group
from .verify import verify_command
from .witness import witness_group

OK, BAD_USAGE, INTERNAL, INTERRUPTED, CLOSED_PIPE = 0, 2, 4, 130, 141


COMMANDS = (
    list_command,
    show_command,
    eps,
    delta,
    renyi,
    bound,
    calibrate_group,
    waterfall_group,
    trajectory_group,
    compare_group,
    verify_command,
    witness_group,
    audit_command,
    simulate_group,
    suites_group,
    job_group,
    dominance_command,
    mutate_command,
    findings_command,
    report_command,
    figure_command,
    reference_command,
    doctor_command,
    bench_command,
)


@click.pass_context
def _welcome(context: click.Context) -> None:
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


cli = Group(
    "pldcheck",
    callback=_welcome,
    invoke_without_command=True,
    commands={str(command.name): command for command in COMMANDS},
    params=[debug()],
    help=(
        "Is a privacy amplification theorem true, and how tight is it?\n\n"
        "The smallest epsilon of a protocol is computed as an interval that contains it for certain, over "
        "all adaptive eps0-DP randomizers; theorems are judged by it."
    ),
    epilog=examples(
        "list",
        "eps hidden-slot --steps 1000 --eps0 1 --weight 1 --delta 1e-6",
        "bound thm-3.2 --steps 1000 --eps0 1 --check-in-prob 1 --delta 1e-6",
        "verify --quick",
    ),
)
click.version_option(pldcheck.__version__, prog_name="pldcheck")(cli)


def main() -> None:
    """The entry point."""
    if "_PLDCHECK_COMPLETE" in os.environ:  # click's own protocol for shell completion
        cli.main(prog_name="pldcheck")
    status = run(sys.argv[1:])
    if status in (INTERRUPTED, CLOSED_PIPE):
        # Worker threads cannot be stopped inside a kernel, and nobody reads what is left in the buffers.
        os._exit(status)
    sys.exit(status)


def run(arguments: Sequence[str]) -> int:
    """Execute one command line; returns the exit status and raises nothing."""
    try:
        try:
            with cli.make_context("pldcheck", list(arguments), obj=tuple(arguments)) as context:
                cli.invoke(context)
            status = OK
        except click.exceptions.Exit as left:
            status = left.exit_code
        sys.stdout.flush()
        return status
    except click.UsageError as error:
        return _refuse(_told(error), BAD_USAGE)
    except PldcheckError as error:
        return _refuse(str(error), BAD_USAGE)
    except (KeyboardInterrupt, click.Abort):
        return _refuse("interrupted", INTERRUPTED)
    except BrokenPipeError:
        return CLOSED_PIPE
    except Exception as error:
        if isinstance(error, SystemError) and isinstance(error.__cause__ or error.__context__, KeyboardInterrupt):
            return _refuse("interrupted", INTERRUPTED)  # inside a compiled function
        if "--debug" in arguments:
            traceback.print_exc()
        return _refuse(f"internal error (trace it with --debug): {type(error).__name__}: {error}", INTERNAL)


def _refuse(message: str, status: int) -> int:
    print("pldcheck:", " ".join(message.split()), file=sys.stderr, flush=True)
    return status


def _told(error: click.UsageError) -> str:
    """Click's complaint in our words: what is allowed, and which names are near."""
    if isinstance(error, click.NoSuchOption) and error.ctx:
        known = [text for option in error.ctx.command.get_params(error.ctx) for text in option.opts]
        return str(UnknownNameError("option", error.option_name, known))
    missing = str(error.param.name) if isinstance(error, click.MissingParameter) and error.param else ""
    if isinstance(error, click.BadOptionUsage):
        missing = error.option_name.lstrip("-").replace("-", "_")
    if missing in PARAMETERS:
        return f"{missing} must be {PARAMETERS[missing].allowed}, got nothing"
    return error.format_message()

"""The command line: the verbs together, exit statuses, and every refusal in one line on stderr.

One file a verb, or two verbs that are alike; a verb is imported when it is asked for.
:mod:`~pldcheck.cli.options` has what they share.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module

import click

import pldcheck

from ..core.errors import MissingError, PldcheckError, UnknownNameError
from ..core.outward_decimals import safe
from ..core.parameters import PARAMETERS
from .options import Group, debug, examples

OK = 0
BAD_USAGE = 2
INTERNAL = 4
INTERRUPTED = 130
CLOSED_PIPE = 141
# What --help lists, and where each verb is: it is imported when it is asked for.
VERBS = {
    "list": ("list_show", "list_command", "The protocols, theorems and suites there are."),
    "show": ("list_show", "show_command", "One theorem or protocol in full."),
    "eps": ("eps_delta_bound", "eps", "The certified epsilon of a protocol at a given delta."),
    "delta": ("eps_delta_bound", "delta", "The certified delta of a protocol at a given epsilon."),
    "renyi": ("eps_delta_bound", "renyi", "The certified Renyi divergence of a protocol at a given order."),
    "bound": ("eps_delta_bound", "bound", "What a theorem claims; nothing is verified."),
    "calibrate": ("calibrate", "calibrate_group", "The least noise or the largest budget for a target epsilon."),
    "waterfall": ("explain", "waterfall_group", "Where a theorem's proof loses, step by step."),
    "trajectory": ("explain", "trajectory_group", "The posterior of the hidden slot as outputs arrive, exactly."),
    "compare": ("compare", "compare_group", "Published bounds, or other accountants, next to what is certified."),
    "verify": ("verify", "verify_command", "Judge theorems against certified intervals."),
    "witness": ("witness", "witness_group", "Counterexamples as small files, and what checks them."),
    "audit": ("audit", "audit_command", "Check a proof step by step."),
    "dominance": ("dominance", "dominance_command", "Which theorem is implied by which other."),
    "mutate": ("mutate", "mutate_command", "Which guard notices a wrong formula."),
    "findings": ("findings", "findings_command", "What was found out about the papers."),
    "simulate": ("simulate", "simulate_group", "The protocols run with a learner, or attacked; all empirical."),
    "suites": ("suites", "suites_group", "The built-in suites."),
    "job": ("job", "job_group", "Job files: where theorems are tried, in your own words."),
    "report": ("report", "report_command", "One page of everything stored in a folder."),
    "figure": ("figure", "figure_command", "Draw a figure again from stored rows."),
    "reference": ("reference", "reference_command", "All that results/ holds, made anew."),
    "docs": ("docs", "docs_command", "The reference as a static site."),
    "doctor": ("doctor", "doctor_command", "What pldcheck runs on, and which installed accountants go wrong."),
    "bench": ("bench", "bench_command", "Measure speed, beside other accountants and the bare work."),
}


class _Root(Group):
    """All verbs; --help imports none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the table."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb of that name, if any."""
        if cmd_name not in VERBS:
            return None
        module, attribute, _ = VERBS[cmd_name]
        return getattr(import_module(f".{module}", __name__), attribute)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Names and what they are for."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, _, about) in VERBS.items()])


@click.pass_context
def _welcome(context: click.Context) -> None:
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


cli = _Root(
    "pldcheck",
    callback=_welcome,
    invoke_without_command=True,
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
    except MissingError as error:
        return _refuse(_missing(error.name, error.allowed), BAD_USAGE)
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
    print("pldcheck:", safe(" ".join(message.split())), file=sys.stderr, flush=True)
    return status


def _told(error: click.UsageError) -> str:
    """Click's complaint in our words: what is allowed, and which names are near."""
    if isinstance(error, click.NoSuchOption) and error.ctx:
        known = [text for option in error.ctx.command.get_params(error.ctx) for text in option.opts]
        return str(UnknownNameError("option", error.option_name, known))
    if isinstance(error, click.MissingParameter) and isinstance(error.param, click.Option):
        parameter = PARAMETERS.get(str(error.param.name))
        return _missing(error.param.opts[0], parameter.allowed if parameter else "")
    if isinstance(error, click.BadOptionUsage):
        missing = error.option_name.lstrip("-").replace("-", "_")
        if missing in PARAMETERS:
            return f"missing value of {error.option_name}, which must be {PARAMETERS[missing].allowed}"
    return error.format_message()


def _missing(name: str, allowed: str) -> str:
    option = name if name.startswith("-") else "--" + name.replace("_", "-")
    return f"missing option {option}" + (f", which must be {allowed}" if allowed else "")

"""The command line: the verbs together, exit statuses, and every refusal in one line on stderr.

One file a verb, or two verbs that are alike; a verb is imported when it is asked for.
:mod:`~pldcheck.cli.options` has what they share.
"""

from __future__ import annotations

import errno
import gc
import logging
import os
import signal
import sys
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, NoReturn

import click

import pldcheck

from ..core import fork_server
from ..core.errors import MissingError, ParameterError, PldcheckError, UnknownNameError
from ..core.outward_decimals import safe
from . import refused_usage
from .options import Group, debug, examples
from .unknown_names import with_all_names

OK = 0
BAD_USAGE = 2
INTERNAL = 4
INTERRUPTED = 130
CLOSED_PIPE = 141
TERMINATED = 143
# What a disk or an open file answers where nothing more can be written: no error of ours.
UNWRITABLE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO}
# New objects between two searches for cycles of garbage: with Python's 700 imports and compilation take a tenth longer,
# and with 100,000 loading the kernels takes a twentieth longer.
NEW_OBJECTS = 1_000_000
# The verbs that --help lists, in groups, each with its module, which is imported when the verb is used.
GROUPS: Mapping[str, Mapping[str, tuple[str, str, str]]] = {
    "Ask": {
        "training": (
            "training",
            "training_command",
            "The certified epsilon of a training run, under every way to draw batches.",
        ),
        "eps": ("eps_delta_renyi", "eps", "The certified epsilon of a protocol at a given delta."),
        "delta": ("eps_delta_renyi", "delta", "The certified delta of a protocol at a given epsilon."),
        "renyi": ("eps_delta_renyi", "renyi", "The certified Renyi divergence of a protocol at a given order."),
        "bound": ("theorem_bound", "bound", "What a theorem claims, without judging it."),
        "calibrate": ("calibrate", "calibrate_group", "The least noise or the largest budget for a target epsilon."),
        "compare": (
            "compare",
            "compare_group",
            "Other accountants and published bounds beside the certified interval.",
        ),
        "list": ("list_show", "list_command", "The protocols, theorems, statements and suites there are."),
        "show": ("list_show", "show_command", "One theorem, remark, statement or protocol in full."),
    },
    "Verify": {
        "verify": ("verify", "verify_command", "Judge theorems by certified intervals: HOLDS, VIOLATED, UNDECIDED."),
        "suites": ("suites", "suites_group", "The built-in lists of cells at which theorems are judged."),
        "job": ("job", "job_group", "Files that list cells of your own."),
        "witness": ("witness", "witness_group", "Counterexamples as small files, and a stand-alone checker."),
        "certificate": ("certificate", "certificate_group", "Upper ends as small files, and stand-alone checkers."),
        "corpus": ("corpus", "corpus_command", "Certified points by which other accountants are judged."),
        "report": ("report", "report_command", "One page of everything stored in a folder."),
    },
    "Explain": {
        "waterfall": ("explain", "waterfall_group", "What each step of a proof loses."),
        "audit": ("audit", "audit_command", "Check a proof step by step."),
        "dominance": ("dominance", "dominance_command", "Which theorem implies which other."),
        "trajectory": ("explain", "trajectory_group", "The posterior of the hidden slot as outputs arrive."),
        "figure": ("figure", "figure_command", "Draw a figure again from stored rows."),
    },
    "Study": {
        "findings": ("findings", "findings_command", "What was found out about the papers."),
        "simulate": ("simulate", "simulate_group", "Run the protocols with a learner or attack them (empirical)."),
        "mutate": ("mutate", "mutate_command", "Corrupt formulas, and show which guard notices."),
    },
    "Workshop": {
        "doctor": ("doctor", "doctor_command", "Check this machine, and installed accountants that are known to err."),
        "bench": ("bench", "bench_command", "Measure speed beside other accountants (in a checkout)."),
        "docs": ("docs", "docs_command", "Write the reference documentation as a static site."),
        "reference": ("reference", "reference_command", "Make everything in results/ anew."),
    },
}
# The verb that computes in processes, so that its fork server begins before anything else is imported.
IN_PROCESSES = "verify"
# Words with which it does not: 0 is a number of workers.
NOT_IN_PROCESSES = {"--help", "--scheduler", "0", "--workers=0"}
VERBS = {name: verb for verbs in GROUPS.values() for name, verb in verbs.items()}


class _Root(Group):
    """All verbs; --help imports none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the verbs in the order of the table."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the verb of that name, if any."""
        if cmd_name not in VERBS:
            return None
        module, attribute, _ = VERBS[cmd_name]
        return getattr(import_module(f".{module}", __name__), attribute)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[Any, Any, list[str]]:
        """Return the command as other groups do; a title of --help is answered with its commands."""
        title = args[0].capitalize()
        if title in GROUPS and args[0] not in VERBS and not ctx.resilient_parsing:
            raise click.UsageError(f"{args[0]} is no command; under {title} there are: {', '.join(GROUPS[title])}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the names in their groups, and what each is for."""
        column = max(map(len, VERBS))
        for title, verbs in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(column), about) for name, (_, _, about) in verbs.items()])


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
        "Compute certified lower and upper bounds on the epsilon and delta of private protocols, and test published "
        "theorems, and your own, against them."
    ),
    epilog=examples(
        "list",
        "training --records 60000 --batch 256 --epochs 15 --sigma 1.1 --delta 1e-5",
        "eps hidden-slot --steps 1000 --eps0 1 --weight 1 --delta 1e-6",
        "bound thm-3.2 --steps 1000 --eps0 1 --check-in-prob 1 --delta 1e-6",
        "verify --quick",
    ),
)
click.version_option(pldcheck.__version__, prog_name="pldcheck")(cli)


class _Terminated(KeyboardInterrupt):
    """The process is asked to end by SIGTERM: it says what an interrupt says."""


def _terminate(*_: object) -> NoReturn:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a second one ends it at once
    raise _Terminated


def main() -> None:
    """Run the command line of this process, and end the process with its exit status."""
    if sys.stderr is None:  # closed; without it ``print`` would write to stdout
        sys.stderr = open(os.devnull, "w")
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _terminate)
    if os.environ.get("_PLDCHECK_COMPLETE"):  # click's own protocol for shell completion
        cli.main(prog_name="pldcheck")
    gc.set_threshold(NEW_OBJECTS)
    if sys.argv[1:2] == [IN_PROCESSES] and not NOT_IN_PROCESSES & {*sys.argv} and fork_server.AVAILABLE:
        fork_server.begin()  # it loads the engines while this process imports the verb and reads the job
    if sys.stderr.isatty():  # someone waits, and is told when kernels are compiled
        log = logging.getLogger("pldcheck")
        log.setLevel(logging.INFO)
        log.addHandler(logging.StreamHandler())
    status = run(sys.argv[1:])
    if status in (INTERRUPTED, CLOSED_PIPE, TERMINATED) or _is_unwritable(sys.stdout):
        # Worker threads cannot be stopped inside a kernel, and nobody reads what is left in the buffers.
        os._exit(status)
    gc.freeze()  # the interpreter's last collections would visit every object of the libraries, for 0.2 s
    sys.exit(status)


def run(arguments: Sequence[str]) -> int:
    """Execute one command line and return its exit status; no exception is raised."""
    if sys.stdout is None:
        return _refuse("standard output is closed; > FILE or > /dev/null keeps it open", BAD_USAGE)
    try:
        try:
            with cli.make_context("pldcheck", list(arguments), obj=tuple(arguments)) as context:
                cli.invoke(context)
            status = OK
        except click.exceptions.Exit as end:
            status = end.exit_code
        sys.stdout.flush()
        return status
    except click.UsageError as error:
        return _refuse(refused_usage.error_text(error, arguments), BAD_USAGE)
    except MissingError as error:
        return _refuse(refused_usage.missing_option(error.name, error.domain, arguments), BAD_USAGE)
    except ParameterError as error:
        return _refuse(refused_usage.parameter_text(error), BAD_USAGE)
    except UnknownNameError as error:
        return _refuse(with_all_names(error), BAD_USAGE)
    except PldcheckError as error:
        return _refuse(str(error), BAD_USAGE)
    except (KeyboardInterrupt, click.Abort) as error:
        return _interrupted(error)
    except BrokenPipeError:
        return CLOSED_PIPE
    except Exception as error:
        cause = error.__cause__ or error.__context__
        if isinstance(error, SystemError) and isinstance(cause, KeyboardInterrupt):
            return _interrupted(cause)  # inside a compiled function
        if isinstance(error, OSError) and error.errno in UNWRITABLE:
            return _refuse(f"{error.filename or 'the output'} cannot be written: {error.strerror}", BAD_USAGE)
        if "--debug" in arguments:
            traceback.print_exc()
        return _refuse(f"internal error (trace it with --debug): {type(error).__name__}: {error}", INTERNAL)


def _interrupted(error: BaseException) -> int:
    terminated = isinstance(error, _Terminated)
    return _refuse("terminated", TERMINATED) if terminated else _refuse("interrupted", INTERRUPTED)


def _is_unwritable(stream: Any) -> bool:
    """Return whether what is left in the buffer of a stream cannot be written, which Python would complain of."""
    try:
        stream.flush()
    except (AttributeError, OSError):
        return True
    return False


def _refuse(message: str, status: int) -> int:
    with suppress(OSError):  # stderr cannot be written to: the status is all that is left to say
        print("pldcheck:", safe(" ".join(message.split())), file=sys.stderr, flush=True)
    return status

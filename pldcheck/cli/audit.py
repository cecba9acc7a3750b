"""``pldcheck audit``: the proof of a theorem, step by step, on a grid and on a whole box."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from . import out_files
from .options import Name, examples, switches
from .progress import stage_progress

if TYPE_CHECKING:
    from ..study.audit import Report

# Exit status where a step fails somewhere in the range it is claimed for.
FAILED = 1
# Exit status where a step is undecided even at single points.
UNDECIDED = 3
FILE = "audit.json"


def _theorem_names() -> Iterable[str]:
    from ..theorems.papers import chains

    return chains()


def _audit(context: click.Context, theorem: str | None, out: str | None, as_json: bool, latex: bool) -> None:
    out_files.check(out)
    names = [theorem] if theorem else list(_theorem_names())
    reports = []
    for name in names:
        reports.append(_run_audit(name))
        if not as_json:
            click.echo("\n".join([*([""] if len(reports) > 1 else []), *reports[-1].lines(latex)]))
    facts = {"audits": [report.to_dict() for report in reports]}
    out_files.print_answer(facts, tuple, lambda: {FILE: out_files.text("audit", facts)}, out, as_json)
    holds = [report.holds for report in reports]
    context.exit(FAILED if False in holds else UNDECIDED if None in holds else 0)


def _run_audit(theorem: str) -> Report:
    from ..study.audit.theorem_audit import audit

    with stage_progress() as tell:
        return audit(theorem, lambda step: tell(f"auditing {theorem}: {step}"))


audit_command = click.Command(
    "audit",
    callback=click.pass_context(_audit),
    params=[
        click.Argument(
            ["theorem"],
            required=False,
            type=Name("audited theorem", _theorem_names, "proof that is audited"),
            metavar="[THEOREM]",
        ),
        out_files.out(f"Write what was found there, as {FILE}."),
        click.Option(["--latex"], is_flag=True, help="Print the inequalities as LaTeX and not as Unicode mathematics."),
        *switches(),
    ],
    short_help="Check a proof step by step.",
    help=(
        "The proof of a theorem as a chain of inequalities, or of all theorems that have one.  Each step is checked at "
        "points of its range, with its slack, and where it is between elementary functions proved on all of it, in "
        "ball arithmetic.  A step that fails comes with a small counterexample.\n\nExit status: 0 if every step holds "
        "as claimed, 1 if one fails somewhere in the range it is claimed for (the theorem may hold all the same), 3 if "
        "one is undecided."
    ),
    epilog=examples("audit thm-3.2", "audit thm-3.2-improved --json", "audit lem-A.2 --out audits"),
)

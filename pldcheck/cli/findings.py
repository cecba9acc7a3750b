"""``pldcheck findings``: the findings about the papers."""

from __future__ import annotations

import click

from . import out_files
from .options import Name, examples, switches
from .progress import stage_progress


def _theorem_names() -> tuple[str, ...]:
    from ..study.findings.all_findings import theorem_names

    return theorem_names()


def _findings(theorem: tuple[str, ...], stored: str, out: str | None, as_json: bool) -> None:
    from ..study.findings import findings
    from ..study.findings.findings_text import lines, markdown

    out_files.check(out)
    with stage_progress() as tell:
        result = findings(theorem or None, stored, tell)
    facts = result.to_dict()
    files = {"findings.json": out_files.text("findings", facts), "findings.md": markdown(result).encode()}
    out_files.print_answer(facts, lambda: lines(result), lambda: files, out, as_json)


findings_command = click.Command(
    "findings",
    callback=_findings,
    params=[
        click.Argument(["theorem"], type=Name("theorem", _theorem_names), nargs=-1, metavar="[THEOREM]..."),
        out_files.stored(
            "The folder with runs, audit.json and mutation.json; runs and audits that it has not are made."
        ),
        out_files.out("Write findings.json and findings.md there."),
        *switches(),
    ],
    short_help="What was found out about the papers.",
    help=(
        "What the certified runs, the audit of the proofs and the comparison of the theorems found out about the "
        "papers, in order of consequence: each with its numbers and the command that shows it again."
    ),
    epilog=examples("findings krr-merged", "findings thm-A.7-approx --json"),
)

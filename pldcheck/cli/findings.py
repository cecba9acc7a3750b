"""``pldcheck findings``: the findings about the papers."""

from __future__ import annotations

from pathlib import Path

import click

from ..verification.runs import run_store
from . import out_files
from .options import Name, examples, print_json, switches
from .progress import stage_progress


def _theorem_names() -> tuple[str, ...]:
    from ..study.findings.all_findings import theorem_names

    return theorem_names()


def _findings(theorem: tuple[str, ...], stored: str, out: str | None, as_json: bool) -> None:
    from ..study.findings import findings
    from ..study.findings.findings_text import lines, markdown

    if out:
        run_store.check_writable(Path(out))
    with stage_progress() as tell:
        result = findings(theorem or None, stored, tell)
    facts = result.to_dict()
    files = {"findings.json": out_files.text("findings", facts), "findings.md": markdown(result).encode()}
    paths = out_files.write(files, out) if out else []
    if as_json:
        print_json({**facts, "files": [str(path) for path in paths]})
        return
    for line in (*lines(result), *map(str, paths)):
        click.echo(line)


findings_command = click.Command(
    "findings",
    callback=_findings,
    params=[
        click.Argument(["theorem"], type=Name("theorem", _theorem_names), nargs=-1, metavar="[THEOREM]..."),
        click.Option(
            ["--stored"],
            default="results",
            show_default=True,
            metavar="DIR",
            help="The folder with runs, audit.json and mutation.json; runs and audits that it has not are made.",
        ),
        click.Option(["--out"], metavar="DIR", help="Write findings.json and findings.md there."),
        *switches(),
    ],
    short_help="What was found out about the papers.",
    help=(
        "What the certified runs, the audit of the proofs and the comparison of the theorems found out about the "
        "papers, in order of consequence: each with its numbers and the command that shows it again."
    ),
    epilog=examples("findings krr-merged", "findings thm-A.7-approx --json"),
)

"""``pldcheck findings``: the findings about the papers."""

from __future__ import annotations

from pathlib import Path

import click

from ..core.errors import PldcheckError
from ..verification.runs import run_store
from . import out_files
from .options import Name, examples, offer_paths, print_json, switches
from .progress import stage_progress

# Violated rows, the smallest first, for which a program is looked for.
MOST_ROWS = 8


def _theorem_names() -> tuple[str, ...]:
    from ..study.findings.all_findings import theorem_names

    return theorem_names()


def _findings(theorem: tuple[str, ...], stored: str, out: str | None, issue: str | None, as_json: bool) -> None:
    from ..study.findings import findings
    from ..study.findings.findings_text import lines, markdown

    if issue:
        if theorem or out or as_json:
            raise click.UsageError("--issue takes no other theorem, and neither --out nor --json.")
        click.echo(_issue(issue, stored), nl=False)
        return
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


def _issue(name: str, stored: str) -> str:
    """Return the text of an issue about the most important finding of a theorem, with a program if there is one."""
    from ..study.findings import counterexample_script, findings, issue_text, violated_rows
    from ..witness import witness_files

    with stage_progress() as tell:
        collection = findings((name,), stored, tell).findings
    if not collection:
        raise PldcheckError(f"there is no finding about {name}")
    for row in violated_rows(name, stored)[:MOST_ROWS]:
        try:
            script = counterexample_script(witness_files.of_row(row))
        except PldcheckError:
            continue
        if script:
            return issue_text(collection[0], script)
    return issue_text(collection[0], None)


findings_command = click.Command(
    "findings",
    callback=_findings,
    params=[
        click.Argument(["theorem"], type=Name("theorem", _theorem_names), nargs=-1, metavar="[THEOREM]..."),
        click.Option(
            ["--stored"],
            default="results",
            show_default=True,
            shell_complete=offer_paths,
            metavar="DIR",
            help="The folder with runs, audit.json and mutation.json; runs and audits that it has not are made.",
        ),
        click.Option(
            ["--out"], shell_complete=offer_paths, metavar="DIR", help="Write findings.json and findings.md there."
        ),
        click.Option(
            ["--issue"],
            type=Name("theorem", _theorem_names),
            metavar="ID",
            help="Print the main finding about a theorem as an issue; a small counterexample is a program.",
        ),
        *switches(),
    ],
    short_help="What was found out about the papers.",
    help=(
        "What the certified runs, the audit of the proofs and the comparison of the theorems found out about the "
        "papers, in order of consequence: each with its numbers and the command that shows it again."
    ),
    epilog=examples("findings krr-merged", "findings thm-A.7-approx --json", "findings --issue krr-merged"),
)

"""``pldcheck docs``: the reference as a static site."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import click

from ..core.errors import PldcheckError
from ..training import SAMPLINGS, Training
from ..verification.runs import run_store
from .options import examples, offer_paths, print_json, switches
from .progress import stage_progress
from .training import last_batch_text

if TYPE_CHECKING:
    from ..report.site.guide_pages import SamplingFacts

# Libraries of the extra `docs`, and those that they need themselves.
LIBRARIES = {"pdoc", "markdown2", "pygments", "ziamath", "ziafont", "latex2mathml"}
# The question whose answer the page on answers explains.
QUESTION = "eps check-in --steps 1000 --eps0 1 --delta 1e-6"
# The training run that the guide to samplings shows, and the command line that asks for it.
RUN = Training(records=60_000, batch=256, epochs=15, sigma=1.1)
DELTA = 1e-5
TRAINING = "training --records 60000 --batch 256 --epochs 15 --sigma 1.1 --delta 1e-5"
MEGABYTE = 1e6
# The message of an import that fails because a module is missing.
MISSING = re.compile(r"No module named '([\w.]+)'")


def _answer() -> tuple[str, str]:
    """Return a command line and what it prints."""
    from . import run

    output = StringIO()
    with redirect_stdout(output):
        status = run(QUESTION.split())
    if status:
        raise PldcheckError(f"pldcheck {QUESTION} ended with status {status}")
    return f"pldcheck {QUESTION}", output.getvalue().strip()


def _samplings() -> Iterator[SamplingFacts]:
    """Yield the samplings of a training run with their answers."""
    from ..report.site.guide_pages import SamplingFacts

    for name, answer in RUN.samplings(DELTA).items():
        sampling = SAMPLINGS[name]
        yield SamplingFacts(
            name,
            sampling.definition,
            sampling.used_by,
            sampling.adjacencies[RUN.adjacency],
            last_batch_text(RUN, name),
            f"{answer:.4g}",
        )


def absent_lines(absent: Mapping[str, str]) -> list[str]:
    """Return which modules have no page, one line for each library that they need."""
    names_by_reason: dict[str, list[str]] = {}
    for name, error in absent.items():
        missing = MISSING.fullmatch(error)
        reason = f"since {missing[1].partition('.')[0]} is not installed" if missing else f"because: {error}"
        names_by_reason.setdefault(reason, []).append(name)
    return [
        f"{' and '.join(names)} {'has' if len(names) == 1 else 'have'} no page here, {reason}."
        for reason, names in names_by_reason.items()
    ]


def _docs(out: str, results: str, quick: bool, as_json: bool) -> None:
    start = perf_counter()
    try:
        from ..report.site import guide_pages, reference_results, site_build
        from .lesson_pictures import PICTURES
        from .peers import meanings
        from .protocol_facts import protocol_facts
        from .theorem_bound import bound_line
    except ModuleNotFoundError as error:
        if error.name not in LIBRARIES:
            raise
        raise PldcheckError(f"the site needs {error.name}: pip install 'pldcheck[docs]'") from None
    from ..theorems import REGISTRY

    folder = Path(out)
    run_store.check_writable(folder)
    with stage_progress() as tell:
        tell("reading results")
        reference = reference_results.read(Path(results))
        bounds = {theorem.id: f"pldcheck {bound_line(theorem)}" for theorem in REGISTRY.values()}
        example = guide_pages.SamplingExample(f"pldcheck {TRAINING}", tuple(_samplings()))
        material = site_build.Material(protocol_facts(), bounds, _answer(), reference, meanings(), example, PICTURES)
        site = site_build.build(material, quick, tell)
    for path, content in site.files.items():
        run_store.write(folder / path, content)
    size = sum(map(len, site.files.values()))
    facts = {
        "index": str(folder / "index.html"),
        "pages": site.pages,
        "bytes": size,
        "suites": list(reference.runs),
        "absent": dict(site.absent),
        "seconds": perf_counter() - start,
    }
    if as_json:
        print_json(facts)
        return
    if not reference.runs:
        click.echo(f"There are no stored runs in {results}: theorems have no verdicts and no tightness maps.")
    for line in absent_lines(site.absent):
        click.echo(line)
    click.echo(f"{site.pages} pages, {size / MEGABYTE:.1f} MB, {facts['seconds']:.0f} s")
    click.echo(facts["index"])


docs_command = click.Command(
    "docs",
    callback=_docs,
    params=[
        click.Option(
            ["--out"],
            default="site",
            show_default=True,
            shell_complete=offer_paths,
            metavar="DIR",
            help="Where the site is written.",
        ),
        click.Option(
            ["--results"],
            default="results",
            show_default=True,
            shell_complete=offer_paths,
            metavar="DIR",
            help="The stored runs and the audit that theorems are shown with; without them there are no verdicts.",
        ),
        click.Option(["--quick"], is_flag=True, help="A small sample: a page of each kind."),
        *switches(),
    ],
    short_help="The reference as a static site.",
    help=(
        "The reference as a static site: a page for every module, theorem and protocol, the method in ten pages, four "
        "guides, and how to read an answer.\n\n"
        "Pages need no network and can be opened as files.  Needs the extra docs: pip install 'pldcheck[docs]'."
    ),
    epilog=examples("docs --quick --out site"),
)

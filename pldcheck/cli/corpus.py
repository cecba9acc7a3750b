"""``pldcheck corpus``: ten thousand certified points, against which authors of other accountants judge theirs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..core.errors import ParameterError, PldcheckError
from ..core.parameters import Parameter
from ..verification.runs import run_store
from .options import Name, count_option, examples, number, offer_paths, print_json, switches
from .progress import item_progress

if TYPE_CHECKING:
    from ..accounting.corpus import CorpusQuestion

# The number of points unless given.
COUNT = 10_000
# The part of a corpus that is kept during an interruption has at most 64 MB, which are 200,000 points.
POINTS = Parameter("count", "number of points", 1, 10**5, integer=True)
SEED = Parameter("seed", "seed that decides which points", 0, 2**63 - 1, integer=True)
# The end of the name of the folder with witnesses and certificates.
FILES = "-files"


def _names() -> list[str]:
    from ..accounting import corpus

    return corpus.protocol_names()


def write_files(folder: str, question: CorpusQuestion) -> Mapping[str, str]:
    """Write the witness and the certificate of a question into a folder, and return their names."""
    from ..witness import corpus_evidence

    stem = question.id.replace("/", "-")
    return corpus_evidence.write_evidence(question.mechanism, question.quantity, float(question.at), folder, stem)


def _corpus(
    out: str, count: int, seed: int, protocol: tuple[str, ...], workers: int, with_files: bool, as_json: bool
) -> None:
    from ..accounting import corpus

    path = Path(out)
    evidence = partial(write_files, str(path.with_name(path.name + FILES))) if with_files else None
    try:
        if path.is_dir() or "\0" in out:
            raise ParameterError("out", "a file to write to", out)
        run_store.check_writable(path.parent)
        with item_progress("points") as step:
            head = corpus.write_corpus(
                path, count, seed, protocol or None, workers=workers, evidence=evidence, progress=step
            )
    except PldcheckError:
        raise
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise ParameterError("out", f"a file to write to ({reason})", out) from None
    if as_json:
        print_json({"file": out, **head})
        return
    click.echo(
        f"{out}: {count} certified points of {', '.join(head['protocols'])}; seed {seed}, digest {head['digest']}"
    )
    click.echo(f"judge answers by it: python -m pldcheck.witness.judge_corpus {out} ANSWERS")


corpus_command = click.Command(
    "corpus",
    callback=_corpus,
    params=[
        click.Option(["--out"], required=True, shell_complete=offer_paths, metavar="FILE", help="Where it goes."),
        count_option(POINTS, COUNT),
        count_option(SEED, 0),
        click.Option(
            ["--protocol"],
            type=Name("protocol of a corpus", _names),
            multiple=True,
            metavar="NAME",
            help="A protocol; may be given several times; all that other accountants answer unless given.",
        ),
        number("workers", 0),
        click.Option(
            ["with_files", "--files"],
            is_flag=True,
            help=f"Write witnesses and certificates, where they exist, to the folder FILE{FILES}.",
        ),
        *switches(),
    ],
    short_help="Certified points by which other accountants are judged.",
    help=(
        "Write a corpus: questions whose answers are certified, in all corners of the parameters, as JSON lines.\n\n"
        "Each point has a protocol, its adjacency, its parameters as decimal texts, and a lower and an upper end of "
        "epsilon or delta, rounded outward.  The page of pldcheck.accounting.corpus describes the format.\n\n"
        "An interrupted command goes on where it was: what is finished is kept in FILE.part.  The file itself appears "
        "when all points are there.\n\n"
        "The stand-alone program pldcheck/witness/judge_corpus.py judges an accountant's answers by it, and "
        "pldcheck.assert_accountant_sound does so under pytest."
    ),
    epilog=examples(
        "corpus --count 20 --protocol gaussian --protocol laplace --out noise.jsonl",
        "corpus --count 30 --seed 1 --protocol composition --out compositions.jsonl",
    ),
)

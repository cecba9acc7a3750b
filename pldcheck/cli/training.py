"""``pldcheck training``: epsilon of a training run, asked in its own words, under every sampling."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap
from time import perf_counter
from typing import Any, cast

import click

from ..accounting.calibration import TARGET, Calibration, UnreachableError, calibrate
from ..core.errors import MissingError, ParameterError, PldcheckError
from ..core.interval import Interval
from ..core.parameters import Parameter, number_text
from ..core.usual_names import understood_name
from ..report.decimal_ends import up, width
from ..training import SAMPLINGS, Training
from ..training.training_phase import Phase
from ..training.training_run import CHANGES, Progress
from ..verification.runs import run_store
from . import answer_layout, recorded_run
from .calibrate import IMPOSSIBLE, UNDECIDED, neighbours_of
from .options import Name, Number, examples, is_own_choice, number, print_json, switches
from .progress import stage_progress

# The fields of a run that the command line must name.
NEEDED = ("records", "batch", "epochs", "sigma")
# The numbers of a run.
NUMBERS = {name: one for name, one in Training.parameters().items() if isinstance(one, Parameter)}
SIGMA = "sigma is the noise's standard deviation over the clipping norm; what is clipped is one record's gradient"
QUESTION = "How does your data loader draw?  Only you can know: every accountant takes your word for it."
UNSURE = (
    "If you cannot tell, report the largest upper end of these; pldcheck docs has a guide, Which sampling do I have?"
)
NEIGHBOURS = {
    "add-remove": "a record added or removed (or zero-out: its gradient is there or 0)",
    "replace": "a record replaced by another one",
}
# Columns of the table before its definitions.
INDENT = 38


def _training(
    context: click.Context,
    history: str | None,
    then: tuple[str, ...],
    delta: float,
    solve: str | None,
    target_epsilon: float | None,
    figure: str | None,
    as_json: bool,
    **values: Any,
) -> None:
    if figure and Path(figure).suffix not in (".svg", ".png"):
        raise PldcheckError(f"--figure must end in .svg or .png, got {figure}")
    if history is not None:
        _refuse_beside_history(context)
        recorded_run.answer(history, delta, as_json)
        return
    if (solve is None) != (target_epsilon is None):
        raise MissingError("target_epsilon" if solve else "solve", TARGET.domain if solve else "sigma or epochs")
    run = _run(values, then, solve)
    start = perf_counter()
    result = None
    with stage_progress() as tell:
        tell("compiling kernels, once")
        if solve is not None and target_epsilon is not None:
            result = _solved(context, run, solve, target_epsilon, delta, as_json, tell)
            run = cast(Training, result.protocol)
        answers = run.samplings(delta, tell)
        own = answers[run.sampling]
        if isinstance(own, ParameterError):
            raise own
        if figure:
            _write_figure(run, delta, figure, tell)
    if as_json:
        print_json(_facts(run, delta, answers, result))
        return
    for line in _lines(run, delta, answers, own, perf_counter() - start, result):
        click.echo(line)
    if figure:
        click.echo(f"\n{figure}")


def _run(values: dict[str, Any], then: tuple[str, ...], solve: str | None) -> Training:
    """Return the run that the options describe; a field that is solved for has any value in it."""
    given = {name: value for name, value in values.items() if value is not None}
    if solve is not None and solve in given:
        raise ParameterError(solve, "left out where it is solved for", given[solve])
    for name in NEEDED:
        if name not in given and name != solve:
            raise MissingError(name, NUMBERS[name].domain)
    values = {**given, solve: 1} if solve else given
    run = Training(**values)
    for text in then:
        run = run.then(**_changes(text))
    return run


def _changes(text: str) -> dict[str, str]:
    """Return the fields that ``epochs=5,sigma=0.8`` names, with the texts of their values."""
    pairs = [word.partition("=") for word in text.replace(",", " ").split()]
    names = [understood_name(name, CHANGES) or name for name, _, _ in pairs]
    if not pairs or not set(names) <= set(CHANGES) or len({*names}) < len(names) or not all(pair[2] for pair in pairs):
        raise ParameterError("then", f"NAME=NUMBER of {', '.join(CHANGES)}, such as epochs=5,sigma=0.8", text)
    for name, (_, _, value) in zip(names, pairs, strict=True):
        try:
            NUMBERS[name].parse(value)
        except ParameterError as error:
            raise ParameterError(f"{name} of --then {text}", error.domain, value) from None
    return {name: value for name, (_, _, value) in zip(names, pairs, strict=True)}


def _solved(
    context: click.Context, run: Training, solve: str, target: float, delta: float, as_json: bool, tell: Progress
) -> Calibration:
    def step(queries: int, value: float, interval: Interval) -> None:
        tell(f"query {queries}: {solve} = {value!r}, epsilon <= {up(interval.upper, 5)}")

    try:
        return calibrate(run, solve, target_epsilon=target, delta=delta, progress=step)
    except UnreachableError as error:
        if as_json:
            print_json({"run": _run_facts(run), "solve": solve, "value": None, "proved": error.proved})
        else:
            click.echo(f"pldcheck: {error}", err=True)
        context.exit(IMPOSSIBLE if error.proved else UNDECIDED)


def _write_figure(run: Training, delta: float, path: str, tell: Progress) -> None:
    from ..training.training_figure import figure_file

    file = Path(path)
    content = figure_file(run, delta, file.name, tell)
    run_store.check_writable(file.parent)
    run_store.write(file, content)


def _lines(
    run: Training,
    delta: float,
    answers: dict[str, Interval | ParameterError],
    own: Interval,
    seconds: float,
    solved: Calibration | None,
) -> Iterator[str]:
    sampling = run.definition
    head = answer_layout.headline(own)
    if solved is not None:
        head = f"{solved.parameter} = {number_text(solved.value)}: {head}"
    about = [
        *(("run" if place == 0 else "then", _phase_text(phase)) for place, phase in enumerate(run.phases)),
        ("sampling", f"{sampling.name}: {sampling.definition} ({sampling.used_by})"),
        ("last batch", last_batch_text(run, sampling.name)),
        ("at", f"delta = {number_text(delta)}, adjacency {sampling.adjacencies[run.adjacency]}"),
        *(neighbours_of(solved) if solved else ()),
        ("width", width(own)),
        *(() if own.relative_width <= answer_layout.WIDE else (("because", answer_layout.why_wide(own, run)),)),
        ("sigma", SIGMA),
        ("time", f"{seconds:.1f} s, not counting the start of Python"),
    ]
    yield from answer_layout.lines(f"{head}, with {sampling.name} batches", about)
    yield ""
    yield QUESTION
    yield f"The same run under each sampling, {NEIGHBOURS[run.adjacency]}:"
    for name, answer in answers.items():
        yield from _row(name, answer, run)
    yield UNSURE
    yield f"The last batch of shuffled ones: {last_batch_text(run, 'shuffled')}; the others have none that is smaller."
    if run.adjacency == "add-remove":
        yield "Rows with zero-out may be compared with the others, for which it is the same as add-remove."
    other = "replace" if run.adjacency == "add-remove" else "add-remove"
    yield f"Answers for the other neighbours, --adjacency {other}, are not to be compared with these."


def _phase_text(phase: Phase) -> str:
    noun = "epoch" if phase.epochs == 1 else "epochs"
    text = f"{phase.epochs:,} {noun} × {phase.batches:,} batches = {phase.steps:,} steps"
    return f"{text}; records {phase.records:,}, batch {phase.batch:,}, sigma {number_text(phase.sigma)}"


def last_batch_text(run: Training, name: str) -> str:
    """Return what becomes of the last, smaller batch under a sampling, in words."""
    phase = run.phases[0]
    text = SAMPLINGS[name].last_batch
    if name == "shuffled" and phase.last_batch == phase.batch:
        return "as large as the others"
    return text.format(batch=f"{phase.batch:,}", batches=f"{phase.batches:,}", last=f"{phase.last_batch:,}")


def _row(name: str, answer: Interval | ParameterError, run: Training) -> Iterator[str]:
    sampling = SAMPLINGS[name]
    ends = f"{answer:.4g}" if isinstance(answer, Interval) else "no answer"
    about = f"{sampling.definition} ({sampling.used_by})"
    if sampling.adjacencies[run.adjacency] != run.adjacency:
        about += f"; {sampling.adjacencies[run.adjacency]}"
    if isinstance(answer, ParameterError):
        about = f"{answer}"
    first, *more = wrap(about, answer_layout.COLUMNS - INDENT)
    yield f"  {name:<18}{ends:<{INDENT - 20}}{first}"
    for line in more:
        yield " " * INDENT + line


def _run_facts(run: Training) -> dict[str, Any]:
    values = run.params()
    later = [{name: getattr(one, name) for name in CHANGES} for one in run.later]
    return {**values, "later": later, "steps": run.steps}


def _facts(
    run: Training, delta: float, answers: dict[str, Interval | ParameterError], solved: Calibration | None
) -> dict[str, Any]:
    rows = []
    for name, answer in answers.items():
        sampling = SAMPLINGS[name]
        row = {
            "sampling": name,
            "adjacency": sampling.adjacencies[run.adjacency],
            "definition": sampling.definition,
            "used_by": sampling.used_by,
            "last_batch": last_batch_text(run, name),
        }
        rows.append(row | (answer.to_dict() if isinstance(answer, Interval) else {"refused": str(answer)}))
    value = {"solve": solved.parameter, "value": solved.value, "optimal": solved.optimal} if solved else {}
    return {"run": _run_facts(run), "delta": delta, **value, "samplings": rows}


def _refuse_beside_history(context: click.Context) -> None:
    beside = [
        option.opts[0]
        for option in context.command.params
        if option.name not in ("history", "delta", "as_json")
        and option.expose_value
        and is_own_choice(str(option.name))
    ]
    if beside:
        raise PldcheckError(f"--history has the whole run: leave out {', '.join(beside)}")


def _options() -> list[click.Parameter]:
    numbers = [number(parameter, required=False) for parameter in NUMBERS.values()]
    for option in numbers:
        option.default = None
    return [
        *numbers,
        number("delta"),
        click.Option(
            ["--sampling"],
            type=Name("sampling", lambda: SAMPLINGS),
            default="poisson",
            show_default=True,
            metavar="NAME",
            help=f"How the data loader draws batches: {', '.join(SAMPLINGS)}.",
        ),
        click.Option(
            ["--adjacency"],
            type=Name("adjacency", lambda: (*NEIGHBOURS, "zero-out")),
            default="add-remove",
            show_default=True,
            metavar="NAME",
            help="What becomes of a record: add-remove (of a fixed number of records zero-out is meant) or replace.",
        ),
        click.Option(
            ["--then"],
            multiple=True,
            metavar="CHANGES",
            help="Go on with other numbers, such as epochs=5,sigma=0.8; what is left out is as before.  Several times.",
        ),
        click.Option(
            ["--solve"],
            type=Name("parameter to solve for", lambda: Training.directions),
            metavar="NAME",
            help="sigma (least) or epochs (most) at which epsilon meets --target-epsilon.",
        ),
        click.Option(
            ["--target-epsilon"],
            type=Number(TARGET),
            metavar="X",
            help=f"The largest epsilon that is allowed; {TARGET.domain}.",
        ),
        click.Option(["--figure"], metavar="FILE", help="Draw epsilon under each sampling as .svg or .png."),
        click.Option(
            ["--history"],
            metavar="FILE",
            help=(
                "In place of the numbers, a recorded run: the state of an Opacus accountant as JSON, or the text of an "
                "event of dp_accounting."
            ),
        ),
        *switches(),
    ]


training_command = click.Command(
    "training",
    callback=click.pass_context(_training),
    params=_options(),
    short_help="The certified epsilon of a training run, under every way to draw batches.",
    help=(
        "The certified epsilon of a training run with Gaussian noise on clipped gradients (DP-SGD).\n\nIt depends on "
        "how the data loader draws batches, which no accountant can see: the answer is for --sampling, and a table has "
        "the others.  A run has --records, --batch, --epochs and --sigma, or is read from --history."
    ),
    epilog=examples(
        "training --records 60000 --batch 256 --epochs 15 --sigma 1.1 --delta 1e-5",
        "training --records 60000 --batch 256 --epochs 15 --sigma 1.1 --delta 1e-5 --sampling shuffled",
        "training --records 60000 --batch 256 --epochs 15 --delta 1e-5 --solve sigma --target-epsilon 2",
        "training --records 60000 --batch 256 --epochs 10 --sigma 1.1 --then epochs=5,sigma=0.8 --delta 1e-5",
    ),
)

"""``pldcheck simulate``: runs of protocols with a learner; empirical counts and risks beside the papers' statements."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from ..core.errors import MissingError, ParameterError, PldcheckError
from ..core.parameters import PARAMETERS, Parameter
from ..protocols import PROTOCOLS
from ..report.decimal_ends import down, up
from ..verification.runs import run_store
from . import out_files
from .eps_delta_bound import field_option
from .options import Group, Name, Number, consistent_values, examples, number, print_json, switches
from .progress import item_progress

if TYPE_CHECKING:
    from ..study.simulate import Algorithm, Count, Learner, Runs

# The algorithms by the name of the protocol, with the words that follow ``pldcheck simulate NAME`` in examples.
ABOUT = {
    "check-in": ("A_fix: check-ins to a fixed window, one client of each slot answers (Algorithm 1).",
                 "--steps 1000 --clients 5000 --eps0 1"),
    "averaged": ("A_avg: all clients of a slot answer and are averaged (Algorithm 2).",
                 "--steps 100 --clients 500 --eps0 1"),
    "sliding-window": ("A_sldw: check-ins to windows that slide (section 4.2).",
                       "--window 100 --clients 1000 --eps0 1"),
    "hidden-slot": ("A_rep: one record in a random slot, known records in the others (Algorithm 3).",
                    "--steps 1000 --eps0 1"),
    "shuffle": ("A_sl: all answer, in random order (Algorithm 5).", "--clients 1000 --eps0 1"),
    "swap": ("A_swap: all answer in their order, the first swapped with one of all (Algorithm 6).",
             "--clients 1000 --eps0 1"),
    "bins": ("A_bin: clients in a fixed order fill bins of even sizes, which are averaged (Algorithm 4).",
             "--clients 500 --steps 100 --eps0 1"),
}  # fmt: skip
# Parameters of protocols that a run of the learner does not read.
UNREAD = ("adjacency", "epochs", "delta0", "rounds")
# Models that are judged: the average of all or the last one.
VIEWS = ("all", "last")
# Populations from which the learner draws its data.
LEARNT = ("logistic", "median")
# Numbers on the command line are doubles, and beyond 2^53 not every whole number is one.
SEED = Parameter("seed", "what all random numbers follow from", 0, 2**53, integer=True)
REPEAT = Parameter("repeat", "number of runs", 1, 10**7, integer=True)
TRANSCRIPTS = Parameter("transcripts", "number of transcripts an attack draws", 1000, 10**9, integer=True)
DIMENSION = Parameter("dimension", "number of coordinates of the model", 1, 10**4, integer=True)

Step = Callable[[int, int], None]


def _simulate_command(name: str) -> click.Command:
    def simulate(as_json: bool, out: str | None, utility: bool, attack: bool, **values: Any) -> None:
        if utility and attack:
            raise PldcheckError("--utility and --attack are two runs; ask for one of them")
        if not attack and values["delta"] is not None:
            raise ParameterError("delta", "left out without --attack", values["delta"])
        if out:
            run_store.check_writable(Path(out))
        simulation = _simulate_attack if attack else _simulate_utility if utility else _simulate_runs
        with item_progress() as step:
            facts, lines, pictures = simulation(name, values, step, bool(out))
        stem = f"simulate-{name}" + ("-attack" if attack else "-utility" if utility else "")
        files = {f"{stem}.json": out_files.text("simulation", facts)} | {
            f"{stem}.{end}": data for end, data in pictures.items()
        }
        paths = out_files.write(files, out) if out else []
        if as_json:
            print_json({**facts, "files": [str(path) for path in paths]})
            return
        for line in [*lines, *map(str, paths)]:
            click.echo(line)

    about, words = ABOUT[name]
    more = {
        "check-in": "--steps 1024 --clients 4096 --randomizer gaussian:0.25 --repeat 20 --utility",
        "averaged": "--steps 512 --clients 2048 --randomizer gaussian:0.25 --repeat 20 --utility",
    }
    lines = [f"simulate {name} {words}", f"simulate {name} {words} --repeat 20 --seed 7 --json"]
    lines += [f"simulate {name} {more[name]}"] if name in more else []
    lines += [f"simulate {name} {words} --attack --delta 1e-3 --transcripts 1e4"] if name == "hidden-slot" else []
    return click.Command(
        name,
        callback=simulate,
        params=[*_options(name), out_files.out(), *switches()],
        short_help=about,
        help=f"{about}\n\nAll that is measured is empirical, with a confidence; nothing of it is certified.",
        epilog=examples(*lines),
    )


def _options(name: str) -> list[click.Parameter]:
    """Return the options of ``pldcheck eps NAME``, and those of the learner."""
    protocol = PROTOCOLS.get(name)
    own: list[click.Parameter] = [number("clients"), number("steps")]
    if protocol:
        own = [field_option(protocol, entry) for entry in fields(protocol) if entry.name not in ("eps0", "randomizer")]
    return [
        *own,
        number("eps0", required=False),
        click.Option(
            ["--randomizer"],
            default="worst",
            show_default=True,
            metavar="TEXT",
            help="What a client does to its gradient: worst, law:BE, law:CF, law:ACE, rr, krr:K or gaussian:S; of an "
            "attack, as in pldcheck eps.",
        ),
        click.Option(
            ["--population"],
            type=Name("population", lambda: LEARNT),
            default="logistic",
            show_default=True,
            metavar="NAME",
            help="Where records come from; logistic or median.",
        ),
        _count(DIMENSION, 10),
        _count(REPEAT, 100),
        _count(SEED, 0),
        click.Option(["--utility"], is_flag=True, help="Measure the excess risk against Theorem 3.5 or 4.2."),
        click.Option(["--attack"], is_flag=True, help="Attack the protocol instead; wants --delta."),
        number("delta", required=False),
        _count(TRANSCRIPTS, 10**5),
        click.Option(
            ["--view"],
            type=Name("view", lambda: VIEWS),
            default="all",
            show_default=True,
            metavar="NAME",
            help="What an attack sees: all models, or the last.",
        ),
    ]


def _count(parameter: Parameter, default: int) -> click.Option:
    return click.Option(
        [f"--{parameter.name}"],
        type=Number(parameter),
        default=default,
        show_default=True,
        metavar="N",
        help=f"{parameter.help[:1].upper()}{parameter.help[1:]}; {parameter.domain}.",
    )


# Facts for JSON, lines for the terminal, pictures by suffix.
_Result = tuple[dict[str, Any], list[str], Mapping[str, bytes]]


def _algorithm(name: str, values: Mapping[str, Any]) -> Algorithm:
    from ..study import simulate as engine

    for entry in fields(PROTOCOLS[name]) if name in PROTOCOLS else ():
        if entry.name in UNREAD and values[entry.name] != entry.default:
            raise ParameterError(entry.name, f"{entry.default} in a simulation", values[entry.name])
    if values.get("clients", 0) is None:
        raise MissingError("clients", PARAMETERS["clients"].domain)
    make = engine.even_bins if name == "bins" else getattr(engine, name.replace("-", "_"))
    read = ("steps", "clients", "window", "check_in_prob", "weight")
    return make(**{key: values[key] for key in read if key in values})


def _learner(algorithm: Algorithm, values: Mapping[str, Any]) -> Learner:
    from ..study.simulate import POPULATIONS, default_learner, randomizer

    population = POPULATIONS[values["population"]](values["dimension"])
    return default_learner(algorithm, population, randomizer(values["randomizer"], values["eps0"]))


def _simulate_runs(name: str, values: Mapping[str, Any], step: Step, draw: bool) -> _Result:
    """Return the counts and risks of many runs."""
    from ..study.simulate import counts, repeat, tally
    from ..study.simulate.paper_statements import mean_empty_slots

    algorithm = _algorithm(name, values)
    learner = _learner(algorithm, values)
    start = perf_counter()
    runs = repeat(algorithm, learner, values["repeat"], values["seed"], step)
    seconds = perf_counter() - start
    rows, risks = counts(algorithm, tally(runs)), _risks(runs)
    facts = {
        **_head(name, values),
        "algorithm": algorithm.title,
        "slots": algorithm.slots,
        "clients": algorithm.clients,
        "counts": [row.to_dict() for row in rows],
        "risk": {key: risk if isinstance(risk, float) else risk.to_dict() for key, risk in risks.items()},
        "seconds": seconds,
    }
    lines = [
        f"{algorithm.title}: {len(runs)} runs of {algorithm.slots} slots, {algorithm.clients} clients, population "
        f"{learner.population.name}, seed {runs.seed}, {seconds:.1f} s",
        *map(_count_line, rows),
        *(f"{key}: {f'{risk:.6g}' if isinstance(risk, float) else risk}" for key, risk in risks.items()),
    ]
    if not draw:
        return facts, lines, {}
    from ..study.simulate import simulation_figures

    excess = learner.population.excess(runs.last)
    drawing = simulation_figures.render(
        lambda: simulation_figures.runs(algorithm.title, excess, runs.empty, mean_empty_slots(algorithm))
    )
    return facts, lines, drawing


def _count_line(row: Count) -> str:
    statements = [f"{row.expected:.6g} exactly" if row.expected is not None else ""]
    statements += [f"at most {row.bound:.6g}" if row.bound is not None else ""]
    source = f" ({row.source})" if row.source else ""
    verdict = "" if row.agrees else "  DISAGREES"
    return f"{row.name}: {row.measured}; stated {', '.join(filter(None, statements))}{source}{verdict}"


def _risks(runs: Runs) -> dict[str, Any]:
    from ..study.simulate.empirical_values import mean

    population = runs.learner.population
    return {
        "risk of the best model": float(population.risk(population.optimum)[0]),
        "excess risk of the model 0": float(population.excess(0.0 * population.optimum)[0]),
        "excess risk of the last model": mean(population.excess(runs.last), "excess population risk"),
        "excess risk of the averaged model": mean(population.excess(runs.mean), "excess population risk"),
    }


def _head(name: str, values: Mapping[str, Any]) -> dict[str, Any]:
    other_keys = ("delta", "transcripts", "view")
    return {
        "protocol": name,
        "empirical": True,
        "params": {key: value for key, value in values.items() if key not in other_keys},
    }


def _simulate_utility(name: str, values: Mapping[str, Any], step: Step, draw: bool) -> _Result:
    """Return sweeps against Theorem 3.5 or 4.2, the costs of dummies, and A_fix beside A_avg."""
    from ..study.simulate import GaussianAnswer, Setting, dummy_costs, equal_epsilon, randomizer, sweeps

    algorithm = _algorithm(name, values)
    noise = randomizer(values["randomizer"], values["eps0"])
    if not isinstance(noise, GaussianAnswer):
        raise ParameterError("randomizer", "gaussian:S with --utility, as in the theorems", values["randomizer"])
    setting = Setting(
        algorithm.slots,
        algorithm.clients,
        algorithm.check_in_prob,
        noise.deviation,
        values["dimension"],
        values["repeat"],
        values["seed"],
    )
    results = sweeps(name, setting, step)
    treatments = dummy_costs.treatments(setting, step) if name == "check-in" else ()
    both = equal_epsilon.compare_algorithms(algorithm.clients, setting.dimension, setting.repeats, setting.seed, step)
    facts = {
        **_head(name, values),
        "sweeps": [sweep.to_dict() for sweep in results],
        "dummies": [each.to_dict() for each in treatments],
        "comparison": [each.to_dict() for each in both],
    }
    lines = [line for sweep in results for line in sweep.lines()]
    lines += [*dummy_costs.lines(treatments)] if treatments else []
    lines += equal_epsilon.lines(both)
    if not draw:
        return facts, lines, {}
    from ..study.simulate import simulation_figures

    return facts, lines, simulation_figures.render(lambda: simulation_figures.utility(results, treatments, both))


def _simulate_attack(name: str, values: Mapping[str, Any], step: Step, draw: bool) -> _Result:
    """Return the likelihood-ratio test of :mod:`pldcheck.study.attack` on the protocol as ``pldcheck eps`` has it."""
    protocol = PROTOCOLS.get(name)
    if protocol is None:
        raise ParameterError("protocol", f"one of {', '.join(key for key in ABOUT if key in PROTOCOLS)}", name)
    if values["delta"] is None:
        raise MissingError("delta", PARAMETERS["delta"].domain)
    own_values = {entry.name: values[entry.name] for entry in fields(protocol) if entry.name in values}
    if "randomizer" not in own_values and values["randomizer"] != "worst":
        raise ParameterError("randomizer", f"worst where {name} is attacked", values["randomizer"])
    mandatory = [entry.name for entry in fields(protocol) if entry.default is MISSING]
    if "eps0" in mandatory and own_values["eps0"] is None:
        raise MissingError("eps0", PARAMETERS["eps0"].domain)
    instance = protocol(**consistent_values(protocol, own_values))
    from ..study.attack import attack

    result = attack(
        instance,
        delta=values["delta"],
        transcripts=values["transcripts"],
        seed=values["seed"],
        view=values["view"],
        progress=step,
    )
    return {"protocol": name, "empirical": True, **result.to_dict()}, list(result.lines()), {}


def _agreement(as_json: bool, out: str | None, quick: bool) -> None:
    from ..study.attack.attack_figure import render
    from ..study.attack.attack_grid import agreement

    if out:
        run_store.check_writable(Path(out))
    with item_progress("attacks") as step:
        small: dict[str, Any] = {"steps": (10, 1000), "eps0": (1.0,), "deltas": (1e-3,), "transcripts": 2000}
        grid = agreement(**(small if quick else {}), progress=step)
    facts = grid.to_dict()
    files = {"attack.json": out_files.text("attack", facts), **render(grid)} if out else {}
    paths = out_files.write(files, out) if out else []
    if as_json:
        print_json({**facts, "files": [str(path) for path in paths]})
        return
    for row in grid.rows:
        certified_ends = f"[{down(row.certified_lower)}, {up(row.certified_upper)}]"
        attained_ends = f"[{down(row.attained_lower)}, {up(row.attained_upper)}]"
        click.echo(
            f"steps={row.steps} eps0={row.eps0:g} delta={row.delta:g}: epsilon > {down(row.epsilon_lower)} empirical, "
            f"this attack alone reaches {attained_ends} empirical; certified {certified_ends}; {row.verdict}"
        )
    for path in paths:
        click.echo(path)


_agreement_command = click.Command(
    "agreement",
    callback=_agreement,
    params=[click.Option(["--quick"], is_flag=True, help="Two attacks only."), out_files.out(), *switches()],
    short_help="Attacks on hidden slots over a grid, against what is certified.",
    help="Attacks on hidden slots over a grid of slots, budgets and deltas: below what is certified, and up to it.",
    epilog=examples("simulate agreement --quick"),
)


def _build_command(name: str) -> click.Command:
    return _agreement_command if name == "agreement" else _simulate_command(name)


simulate_group = Group(
    "simulate",
    kind="protocol",
    table={name: name for name in (*ABOUT, "agreement")},
    build=_build_command,
    help="The protocols run with a learner: counts and risks beside what is stated; or attacked. All empirical.",
    epilog=examples(*(f"simulate {name} {ABOUT[name][1]}" for name in ("check-in", "shuffle"))),
)

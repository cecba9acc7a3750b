"""The three questions of ``pldcheck simulate``: runs with a learner, utility against theorems, attacks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ..core.errors import MissingError, ParameterError
from ..core.parameters import PARAMETERS
from ..protocols import PROTOCOLS
from .options import consistent_values

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

Step = Callable[[int, int], None]
# Facts for JSON, lines for the terminal, pictures by suffix.
Result = tuple[dict[str, Any], list[str], Mapping[str, bytes]]


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


def simulate_runs(name: str, values: Mapping[str, Any], step: Step, draw: bool) -> Result:
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


def simulate_utility(name: str, values: Mapping[str, Any], step: Step, draw: bool) -> Result:
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


def simulate_attack(name: str, values: Mapping[str, Any], step: Step, draw: bool) -> Result:
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

"""The three questions of ``pldcheck simulate``: runs with a learner, utility against theorems, attacks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ..core.errors import MissingError, ParameterError
from ..core.parameters import PARAMETERS
from ..protocols import PROTOCOLS
from .options import consistent_values

if TYPE_CHECKING:
    from ..study.simulate import Algorithm

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
# Options that say nothing of a run with a learner.
OF_ATTACKS = ("delta", "transcripts")

Step = Callable[[int, int], None]
# Facts for JSON, and lines for the terminal.
Result = tuple[dict[str, Any], Iterable[str]]


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


def _head(name: str, values: Mapping[str, Any]) -> dict[str, Any]:
    params = {key: value for key, value in values.items() if key not in OF_ATTACKS}
    return {"protocol": name, "empirical": True, "params": params}


def simulate_runs(name: str, values: Mapping[str, Any], step: Step) -> Result:
    """Return the counts and risks of many runs."""
    from ..study.simulate import POPULATIONS, counts, default_learner, randomizer, repeat
    from ..study.simulate.empirical_values import mean

    algorithm = _algorithm(name, values)
    population = POPULATIONS[values["population"]](values["dimension"])
    learner = default_learner(algorithm, population, randomizer(values["randomizer"], values["eps0"]))
    start = perf_counter()
    runs = repeat(algorithm, learner, values["repeat"], values["seed"], step)
    seconds = perf_counter() - start
    rows, what = counts(runs), "excess population risk"
    plain = {
        "risk of the best model": float(population.risk(population.optimum)[0]),
        "excess risk of the model 0": float(population.excess(0.0 * population.optimum)[0]),
    }
    measured = {
        "excess risk of the last model": mean(population.excess(runs.last), what),
        "excess risk of the averaged model": mean(population.excess(runs.mean), what),
    }
    facts = {
        **_head(name, values),
        "algorithm": algorithm.title,
        "slots": algorithm.slots,
        "clients": algorithm.clients,
        "counts": [row.to_dict() for row in rows],
        "risk": {**plain, **{key: risk.to_dict() for key, risk in measured.items()}},
        "seconds": seconds,
    }
    lines = [
        f"{algorithm.title}: {len(runs)} runs of {algorithm.slots} slots, {algorithm.clients} clients, population "
        f"{population.name}, seed {runs.seed}, {seconds:.1f} s",
        *map(str, rows),
        *(f"{key}: {risk:.6g}" for key, risk in plain.items()),
        *(f"{key}: {risk}" for key, risk in measured.items()),
    ]
    return facts, lines


def simulate_utility(name: str, values: Mapping[str, Any], step: Step) -> Result:
    """Return sweeps of the excess risk against Theorem 3.5 or 4.2."""
    from ..study.simulate import GaussianAnswer, Setting, randomizer, sweeps

    algorithm = _algorithm(name, values)
    noise = randomizer(values["randomizer"], values["eps0"])
    if not isinstance(noise, GaussianAnswer):
        raise ParameterError("randomizer", "gaussian:S with --utility, as in the theorems", values["randomizer"])
    size = algorithm.slots, algorithm.clients, algorithm.check_in_prob
    setting = Setting(*size, noise.deviation, values["dimension"], values["repeat"], values["seed"])
    results = sweeps(name, setting, step)
    facts = {**_head(name, values), "sweeps": [sweep.to_dict() for sweep in results]}
    return facts, (line for sweep in results for line in sweep.lines())


def simulate_attack(name: str, values: Mapping[str, Any], step: Step) -> Result:
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

    options = {key: values[key] for key in ("delta", "transcripts", "seed")}
    result = attack(instance, **options, progress=step)
    return {"protocol": name, "empirical": True, **result.to_dict()}, result.lines()

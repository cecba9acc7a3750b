"""Names that mechanisms and parameters have elsewhere, and the ones they have here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches

# Names elsewhere in lower case, with hyphens, each with its names here; the first one that is known is meant.  These
# mean exactly what they are called here and are read in its place, but for those of CONVERSIONS.
SAME: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("n", "users", "num-users", "num-clients"), ("clients", "records")),
    **dict.fromkeys(("q", "sampling-rate", "sample-rate", "sampling-probability", "sampling-prob"), ("rate",)),
    "noise-multiplier": ("sigma", "scale"),
    **dict.fromkeys(("alpha", "rdp-order"), ("order",)),
    **dict.fromkeys(("iterations", "num-iterations", "num-steps", "compositions"), ("steps", "rounds")),
    "p0": ("check-in-prob", "check_in_prob"),
    "target-delta": ("delta",),
    **dict.fromkeys(("dataset-size", "num-records"), ("clients", "records")),
    "batch-size": ("batch", "largest-batch", "largest_batch", "rate"),
    **dict.fromkeys(("target-epsilon", "target-eps", "eps"), ("target-epsilon", "target_epsilon", "epsilon")),
    "epsilon": ("target-epsilon", "target_epsilon"),
    **dict.fromkeys(("both", "add-remove", "add-or-remove", "add-or-remove-one", "unbounded"), ("add-remove",)),
    **dict.fromkeys(
        ("replace", "replace-one", "replacement", "substitute", "substitution", "swap", "bounded"), ("replace",)
    ),
    **dict.fromkeys(("zero-out", "replace-special", "zeroed-out"), ("zero-out",)),
}
# Names of the deviation of noise, and of what it is divided by.
_OF_NOISE = ("noise", "std", "sensitivity", "clip", "clipping-norm", "max-grad-norm", "l2-norm-clip")
# These may mean something else: a refusal tells what they are probably called here.
USUAL: Mapping[str, tuple[str, ...]] = {
    **SAME,
    **dict.fromkeys(("dp-sgd", "dpsgd", "sgd"), ("subsampled-gaussian",)),
    **dict.fromkeys(("rr", "krr"), ("randomized-response",)),
    **dict.fromkeys(("balls-in-bins", "balls-and-bins"), ("random-allocation",)),
    "population": ("clients", "records"),
    "sample-size": ("batch", "largest-batch", "largest_batch", "rate"),
    "p": ("rate", "check-in-prob", "check_in_prob"),
    "adjacency": ("adjacency", "sampling"),
    **dict.fromkeys(("batch", "records"), ("rate",)),
    **dict.fromkeys(_OF_NOISE, ("sigma", "scale")),
    **dict.fromkeys(("sigma", "b"), ("scale",)),
    "scale": ("sigma",),
    **dict.fromkeys(
        ("eps", "epsilon", "epsilon0", "local-epsilon"), ("target-epsilon", "target_epsilon", "epsilon", "eps0")
    ),
    **dict.fromkeys(("accuracy", "tolerance", "rtol", "error"), ("width",)),
    "weight": ("check-in-prob", "check_in_prob"),
    **dict.fromkeys(("m", "slots", "steps-per-epoch", "steps"), ("steps-per-epoch", "steps", "window", "rounds")),
    "epochs": ("epochs", "steps", "rounds"),
}
# What is typed here in the place of a method that accountants have elsewhere.
METHODS: Mapping[str, str] = {
    **dict.fromkeys(
        ("get_epsilon", "eps", "get_epsilon_for_delta", "compute_epsilon", "get_eps"), ".epsilon(delta=1e-6)"
    ),
    **dict.fromkeys(("get_delta", "get_delta_for_epsilon", "compute_delta"), ".delta(epsilon=1)"),
    **dict.fromkeys(("compose", "self_compose"), "steps=... in the constructor, or pldcheck.Composition"),
    **dict.fromkeys(("get_rdp", "rdp"), ".renyi(order=8)"),
}
# The option of the steps of a protocol with epochs: those of one epoch, not of all.
PER_EPOCH = "steps-per-epoch"
# Names of the size of a whole data set.
_DATA_SETS = ("n", "users", "num-users", "num-clients", "population", "dataset-size", "num-records")
# What is said of names that count something else than the ones they have here.
CONVERSIONS: Mapping[tuple[str, str], str] = {
    ("epochs", "steps"): "steps = epochs * records / batch",
    ("steps-per-epoch", "steps"): "steps = epochs * steps per epoch",
    ("batch-size", "rate"): "rate = batch / records",
    **{
        ("batch-size", name): "the largest batch that is kept; the mean size is rate * records"
        for name in ("largest-batch", "largest_batch")
    },
    **{(name, "rate"): "rate = batch / records" for name in ("sample-size", "batch", "records")},
    ("sigma", "scale"): "scale = deviation / (sensitivity * root of 2) of Laplace noise",
    ("scale", "sigma"): "sigma = deviation / sensitivity of Gaussian noise",
    ("b", "scale"): "scale = b / sensitivity",
    **{(name, "eps0"): "eps0 is the budget of a local randomizer" for name in ("eps", "epsilon", "target-epsilon")},
    (
        "adjacency",
        "sampling",
    ): "poisson is for a record added or removed, poisson-replaced and fixed-size for one replaced",
    **{(name, "records"): "the records besides those that differ" for name in _DATA_SETS},
    **{(name, "sigma"): "sigma = deviation / sensitivity" for name in _OF_NOISE},
    **{(name, "scale"): "scale of the noise / sensitivity" for name in _OF_NOISE},
}
# The parameters of a whole training run, whose data set is the one of its records.
RUN = {"records", "batch", "epochs"}
# How alike two names must be for one of them to be meant by the other, as difflib measures it.
ALIKE = 0.6
# The length from which on a beginning is enough, where no name is alike.
BEGINNING = 3
# The most similar names that are listed.
MOST = 3


def usual_name(name: str, choices: Iterable[str]) -> str | None:
    """Return the choice that is meant by a name that it has elsewhere; None where there is none."""
    plain = {choice.lstrip("-"): choice for choice in choices}
    for here in USUAL.get(_plain(name), ()):
        if here in plain and plain[here] != name:
            return plain[here]
    return None


def understood_name(name: str, choices: Iterable[str]) -> str | None:
    """Return the choice that a name elsewhere means exactly, so that it may be read in its place; None without one."""
    known = tuple(choices)
    if name in known:
        return None
    plain = {_plain(choice): choice for choice in known}
    if _plain(name) == PER_EPOCH and {"steps", "epochs"} <= plain.keys():
        return plain["steps"]  # a protocol of epochs counts the steps of one
    meant = usual_name(name, known) if _plain(name) in SAME else None
    return None if meant is None or _conversion(name, meant, plain) else meant


def _conversion(name: str, here: str, choices: Iterable[str]) -> str:
    """Return what is said of a name that counts something else than its name here; empty where it counts the same."""
    if _plain(name) in _DATA_SETS and _plain(here) == "records" and set(choices) >= RUN:
        return ""
    return CONVERSIONS.get((_plain(name), _plain(here)), "")


def _plain(name: str) -> str:
    return name.lower().lstrip("-").replace("_", "-")


def usual_hint(name: str, choices: Iterable[str]) -> str:
    """Return what a name is called here, and how to convert it; an empty text where it is not known."""
    usual = usual_name(name, choices)
    if usual is None:
        return ""
    conversion = _conversion(name, usual, map(_plain, choices))
    return f"{usual} is in its place: {conversion}" if conversion else f"its name here is {usual}"


def similar_names(name: str, choices: Iterable[str]) -> list[str]:
    """Return up to three choices that are like a name, the nearest first.

    Dashes before options are not compared; of names with a number in them, as theorems have, the number must be alike.
    A name without a hyphen, such as thm3.2, is compared as if one stood before its number.
    """
    known = tuple(choices)
    wanted = name.lstrip("-")
    if "-" not in wanted:
        wanted = re.sub(r"^([a-z]{2,})\.?(?=[A-Z]?\.?\d)", r"\1-", wanted)
    plain = {choice.lstrip("-"): choice for choice in known}
    near = get_close_matches(wanted, plain, n=MOST, cutoff=ALIKE)
    if not near and len(wanted) >= BEGINNING:
        near = [one for one in plain if one.startswith(wanted)][:MOST]
    return [plain[one] for one in near if _has_like_number(wanted, one)]


def _has_like_number(wanted: str, name: str) -> bool:
    """Return whether what follows the first hyphen is alike, if both names have a number such as that of thm-3.2."""
    if "." not in wanted or "." not in name:
        return True
    return bool(get_close_matches(wanted.partition("-")[2], [name.partition("-")[2]], cutoff=ALIKE))

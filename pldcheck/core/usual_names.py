"""Names that mechanisms and parameters have elsewhere, and the ones they have here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches

# Names elsewhere in lower case, with hyphens, each with its names here; the first one that is known is meant.
USUAL: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("dp-sgd", "dpsgd", "sgd"), ("subsampled-gaussian",)),
    **dict.fromkeys(("rr", "krr"), ("randomized-response",)),
    **dict.fromkeys(("balls-in-bins", "balls-and-bins"), ("random-allocation",)),
    **dict.fromkeys(("n", "users", "num-users", "population"), ("clients",)),
    **dict.fromkeys(("q", "p", "sampling-rate", "sample-rate", "sampling-probability"), ("rate",)),
    **dict.fromkeys(("noise-multiplier", "noise", "std"), ("sigma", "scale")),
    **dict.fromkeys(("m", "slots", "steps-per-epoch", "steps"), ("steps-per-epoch", "steps", "window")),
    **dict.fromkeys(("epochs", "iterations", "compositions"), ("epochs", "steps", "rounds")),
    "p0": ("check-in-prob", "check_in_prob"),
    **dict.fromkeys(("add-remove", "add-or-remove", "add-or-remove-one", "unbounded"), ("add-remove", "both")),
    **dict.fromkeys(("replace-one", "replacement", "substitute", "substitution", "swap", "bounded"), ("replace",)),
    **dict.fromkeys(("replace-special", "zeroed-out"), ("zero-out",)),
}
# What is said of names that count something else than the ones they have here.
CONVERSIONS: Mapping[tuple[str, str], str] = {
    ("epochs", "steps"): "steps = epochs * records / batch",
    ("steps-per-epoch", "steps"): "steps = epochs * steps per epoch",
}
# How alike two names must be for one of them to be meant by the other, as difflib measures it.
ALIKE = 0.6
# The most similar names that are listed.
MOST = 3


def usual_name(name: str, choices: Iterable[str]) -> str | None:
    """Return the choice that is meant by a name that it has elsewhere; None where there is none."""
    plain = {choice.lstrip("-"): choice for choice in choices}
    for here in USUAL.get(name.lower().lstrip("-").replace("_", "-"), ()):
        if here in plain and plain[here] != name:
            return plain[here]
    return None


def usual_hint(name: str, choices: Iterable[str]) -> str:
    """Return what a name is called here, and how to convert it; an empty text where it is not known."""
    usual = usual_name(name, choices)
    if usual is None:
        return ""
    conversion = CONVERSIONS.get((name.lstrip("-"), usual.lstrip("-")))
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
    return [plain[one] for one in near if _has_like_number(wanted, one)]


def _has_like_number(wanted: str, name: str) -> bool:
    """Return whether what follows the first hyphen is alike, if both names have a number such as that of thm-3.2."""
    if "." not in wanted or "." not in name:
        return True
    return bool(get_close_matches(wanted.partition("-")[2], [name.partition("-")[2]], cutoff=ALIKE))

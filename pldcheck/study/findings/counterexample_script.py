"""A program of some thirty lines, for Python alone, that computes the delta of a counterexample from its rows."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import comb
from typing import Any

# The most counts of outputs that the program sums over: a few seconds of rational arithmetic.
MOST_COUNTS = 20_000
# The kinds of mechanisms that the program knows, with what is drawn in each.
DRAWS = {"hidden-slot": "slots", "shuffle": "clients"}

PROGRAM = '''\
"""The delta of one mechanism at epsilon = {epsilon}, in rational arithmetic.

The record is one of {count} {draws}, at a uniformly random place, and is used with probability {weight}.
"""
from fractions import Fraction
from math import exp, factorial

n, weight = {count}, Fraction("{weight}")
# The probabilities of each output: for the record, for its replacement, and for all other {draws}.
record = [{record}]
replacement = [{replacement}]
others = [{others}]
claimed = Fraction("{claimed}")
kappa = Fraction(exp({epsilon})) * (1 + Fraction(1, 10**12))  # at least e^epsilon


def counts(total, kinds):
    """Yield how often each output may occur among so many."""
    if kinds == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in counts(total - first, kinds - 1):
            yield (first, *rest)


assert sum(record) == sum(replacement) == sum(others) == 1
print("largest likelihood ratio", float(max(max(row) / min(row) for row in zip(record, replacement, others))))
gains = [
    (weight * (p - kappa * q) + (1 - weight) * (1 - kappa) * r) / r for p, q, r in zip(record, replacement, others)
]
delta = Fraction(0)
for outputs in counts(n, len(others)):
    mass = Fraction(factorial(n))
    for k, r in zip(outputs, others):
        mass *= r**k / factorial(k)
    delta += mass * max(sum(k * gain for k, gain in zip(outputs, gains)) / n, 0)
print("delta is at least", float(delta), "and claimed to be at most", float(claimed))
assert delta > claimed
'''


def counterexample_script(witness: Mapping[str, Any]) -> str | None:
    """Return the program for the content of a witness file, or None if the mechanism is of another kind, or large.

    Examples
    --------
    >>> counterexample_script({"mechanism": {"kind": "policy"}}) is None
    True

    """
    mechanism, claim = witness["mechanism"], witness["claim"] if "claim" in witness else {}
    draws = DRAWS.get(mechanism.get("kind", ""))
    if draws is None or "record" not in mechanism:
        return None
    params = claim["params"]
    count = next(int(params[name]) for name in ("steps", "window", "clients") if name in params)
    weight = next((params[name] for name in ("weight", "check_in_prob") if name in params), 1)
    if comb(count + len(mechanism["reference"]) - 1, count) > MOST_COUNTS:
        return None

    def row(name: str) -> str:
        return ", ".join(f'Fraction("{Fraction(entry)}")' for entry in mechanism[name])

    return PROGRAM.format(
        epsilon=claim["epsilon"],
        claimed=claim["delta"],
        count=count,
        draws=draws,
        weight=Fraction(weight),
        record=row("record"),
        replacement=row("replacement"),
        others=row("reference"),
    )

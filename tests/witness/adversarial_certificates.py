"""Spoil certificates and check them: ``python tests/witness/adversarial_certificates.py shuffle --count 20000``.

A file that is accepted must be true; the truth is known from all outcomes, or in closed form.
"""

import argparse
import json
import random
import sys
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import pairwise, permutations, product
from math import comb
from types import ModuleType
from typing import Any, NamedTuple

import batch_twins
import mpmath
import naive
from known_slot_twins import above, attained, below, response_table, worst_shuffle
from mpmath import mpf

from pldcheck.checkers import (
    claim_files,
    step_curves,
    upper_epochs,
    upper_few,
    upper_loss,
    upper_rounds,
    upper_shuffle,
    upper_slot,
    upper_sum,
    upper_swap,
)
from pldcheck.protocols import Swap
from pldcheck.witness import swap_certificates

# Digits of what is known.
KNOWN = 60


class Target(NamedTuple):
    """A program, certificates that it accepts, and what is certainly at most the delta of a claim."""

    program: ModuleType
    originals: Callable[[], list[dict[str, Any]]]
    truth: Callable[[dict[str, Any]], mpf]


def real(text):
    """Return the number that a text means."""
    number = Fraction(text)
    return mpf(number.numerator) / number.denominator


def normal(x):
    return mpmath.erfc(x / mpmath.sqrt(2)) / 2


def gaussian_curve(variance, epsilon):
    root = mpmath.sqrt(variance)
    return normal(epsilon / root - root / 2) - mpmath.exp(epsilon) * normal(epsilon / root + root / 2)


# --- Compositions -----------------------------------------------------------------------------------------------------


def outcomes(entry, direction):
    """Return the losses of one run of a response with their P-masses."""
    name, rate = entry["mechanism"], real(entry["rate"])
    eps0 = real(entry["eps0"]) if "eps0" in entry else 1 / real(entry["scale"])
    x, delta0, more = mpmath.exp(eps0), real(entry.get("delta0", "0")), int(entry.get("outputs", "2")) - 2
    rows = [(x, mpf(1)), (mpf(1), x), *([(mpf(more), mpf(more))] if name == "krr" and more else [])]
    total = sum(p for p, _ in rows)
    rows = [((1 - delta0) * p / total, (1 - delta0) * q / total) for p, q in rows]
    rows += [(delta0, mpf(0)), (mpf(0), delta0)]
    if rate < 1:
        rows = [(rate * p + (1 - rate) * q, q) for p, q in rows]
        rows = [(q, p) for p, q in rows] if direction == "added" else rows
    return [(mpmath.log(p / q) if q else mpmath.inf, p) for p, q in rows if p]


def composed_delta(claim):
    """Return delta of responses and of at most one law of noise, or a lower bound of it."""
    epsilon, worst = real(claim["epsilon"]), mpf(0)
    for direction in ("removed", "added"):
        law, variance = {mpf(0): mpf(1)}, mpf(0)
        for entry in claim["rounds"]:
            runs = entry["count"] * claim["times"]
            if entry["mechanism"] == "gaussian":
                variance += runs / real(entry["sigma"]) ** 2
                continue
            # A part of the runs is a lower bound.
            for _ in range(min(runs, 24)):
                more = {}
                for loss, mass in law.items():
                    for other, chance in outcomes(entry, direction):
                        place = mpmath.nstr(loss + other, 40)
                        more[place] = more.get(place, 0) + mass * chance
                law = {mpf(place): mass for place, mass in more.items()}
        total = mpf(0)
        for loss, mass in law.items():
            if loss == mpmath.inf:
                total += mass
            elif variance:
                total += mass * gaussian_curve(variance, epsilon - loss)
            else:
                total += mass * max(1 - mpmath.exp(epsilon - loss), mpf(0))
        worst = max(worst, total)
    return worst * (1 - mpf("1e-35"))


def run(name, count=1, rate="1", **numbers):
    return {"mechanism": name, "count": count, "rate": rate, **numbers}


@cache
def compositions():
    """Return certificates of compositions that are accepted, with delta a little above the truth."""
    asked = [
        ([run("rr", 12, eps0="0.1", delta0="0")], "0.4", "0.1"),
        ([run("rr", 3, eps0="1", delta0="0.001")], "1.5", "0.5"),
        ([run("gaussian", 5, sigma="2")], "1", "0.1"),
        ([run("gaussian", 1, sigma="1.5"), run("rr", 2, eps0="0.4", delta0="0")], "1.2", "0.02"),
        ([run("krr", 4, eps0="0.5", outputs="5"), run("discrete-laplace", 2, scale="3")], "0.9", "0.03"),
        ([run("rr", 6, "0.2", eps0="1", delta0="0")], "0.3", "0.002"),
        ([run("rr", 1, "0.5", eps0="2", delta0="0.01")], "0.8", "0.02"),
    ]
    files = []
    for rounds, epsilon, width in asked:
        claim = {"mechanism": "composition", "rounds": rounds, "times": 1, "epsilon": epsilon, "delta": "0"}
        with mpmath.workdps(KNOWN):
            claim["delta"] = mpmath.nstr(composed_delta(claim) * mpf("1.05"), 12)
        fineness = {"digits": 40, "width": width, "points": 3000, "cells": 32, "growth": 24, "cut": "1e-20"}
        files.append({"pldcheck_certificate": "upper_loss", "claim": claim, "fineness": fineness})
    return files


# --- Random lengths, batches and cut samples --------------------------------------------------------------------------


def batches_delta(claim):
    """Return the delta of the pairs of one run on batches and of some responses, or a lower bound of it."""
    epsilon, law, curves = real(claim["epsilon"]), {mpf(0): mpf(1)}, []
    for entry in claim["rounds"]:
        if entry["mechanism"] != "rr":
            curves = curves or batch_twins.curves(entry)
            continue
        for _ in range(min(entry["count"] * claim["times"], 4)):
            pairs = [(a, p, b, q) for a, p in law.items() for b, q in outcomes({**entry, "rate": "1"}, "")]
            law = {}
            for a, p, b, q in pairs:
                law[a + b] = law.get(a + b, 0) + p * q
    plain = [lambda kappa: max(1 - kappa, mpf(0))]
    deltas = [
        sum(mass * (1 if loss == mpmath.inf else curve(mpmath.exp(epsilon - loss))) for loss, mass in law.items())
        for curve in curves or plain
    ]
    return max(deltas) * (1 - mpf("1e-35"))


@cache
def batches():
    """Return certificates of rounds on batches that are accepted, with delta a little above the truth."""
    lengths = run("random-lengths", sigma="1", lengths="0.5:0.1,2:0.01")
    places = run("batch-gaussian", sigma="1.5", records="20", batch="6", group="2", redrawn="0")
    anew = run("batch-gaussian", sigma="2", records="9", batch="5", group="1", redrawn="1")
    cut = run("cut-gaussian", 1, "0.125", sigma="1.5", records="40", batch="6")
    response = run("rr", 2, eps0="0.4", delta0="0")
    asked = [[lengths], [places], [anew], [cut], [lengths, response], [anew, response], [response, cut]]
    files = []
    for rounds in asked:
        claim = {"mechanism": "composition", "rounds": rounds, "times": 1, "epsilon": "0.6", "delta": "0"}
        with mpmath.workdps(KNOWN):
            claim["delta"] = mpmath.nstr(batches_delta(claim) * mpf("1.05"), 12)
        fineness = {"digits": 40, "width": "0.1", "points": 3000, "cells": 32, "growth": 24, "cut": "1e-20"}
        files.append({"pldcheck_certificate": "upper_loss", "claim": claim, "fineness": fineness})
    return files


# --- Hidden slots -----------------------------------------------------------------------------------------------------


def table_of(randomizer):
    """Return the rows of a response, a table, or of noise whose outputs are joined to finitely many."""
    if randomizer["kind"] == "table":
        return [[real(text) for text in row] for row in randomizer["rows"]]
    if randomizer["kind"] == "laplace":
        ends, scale = [mpf(i) / 24 for i in range(25)], 1 / real(randomizer["eps0"])
        below = [[mpmath.exp(-y / scale) / 2 for y in ends], [mpmath.exp((y - 1) / scale) / 2 for y in ends]]
        below[0] = [1 - mass for mass in below[0]]
        return [[low[0], *(b - a for a, b in pairwise(low)), 1 - low[-1]] for low in below]
    if randomizer["kind"] == "discrete-gaussian":
        reach, double = int(7 * float(randomizer["sigma"])) + 1, 2 * real(randomizer["sigma"]) ** 2
        weights = {j: mpmath.exp(-(mpf(j) ** 2) / double) for j in range(-3 * reach, 3 * reach + 1)}
        total = mpmath.fsum(weights.values())
        inner = range(1 - reach, reach + 1)
        rows = [[weights[j - record] / total for j in inner] for record in (0, 1)]
        # What is outside is one output more, on which both records are about as likely.
        return [[*row, 1 - mpmath.fsum(row)] for row in rows]
    x, count = mpmath.exp(real(randomizer["eps0"])), int(randomizer["outputs"])
    return [[(x if i == j else 1) / (x + count - 1) for j in range(count)] for i in range(min(count, 3))]


def slot_delta(claim):
    """Return a lower bound of delta: of the best references after earlier outputs, or of one if noise is Gaussian."""
    m, w, kappa = claim["steps"], real(claim["weight"]), mpmath.exp(real(claim["epsilon"]))
    changes = step_curves.ADJACENCIES[claim["adjacency"]]
    randomizer, threshold = claim["randomizer"], (kappa - 1) / w
    best = mpf(0)
    for change in changes:
        if randomizer["kind"] in ("gaussian", "gaussian-records"):
            ways = [change]
            if randomizer["kind"] == "gaussian-records" and change == "replaced":
                ways = ["removed", "added"]  # a reference that is the replacement, or the record
            for way in ways:
                best = max(best, gaussian_slots(m, 1 / real(randomizer["sigma"]), kappa, threshold, way) * w / m)
            continue
        if randomizer["kind"] == "discrete-gaussian" and real(randomizer["sigma"]) > 4:
            continue  # too many values
        rows = table_of(randomizer)
        for record in rows:
            for other in rows if change == "replaced" else [record]:
                laws = []
                for own in rows:
                    law = {}
                    for a, b, o in zip(record, other, own, strict=True):
                        if o:
                            gain = (change != "added") * (a / o - 1) - (change != "removed") * kappa * (b / o - 1)
                            law[gain] = law.get(gain, 0) + o
                    laws.append(law)
                # With many values, fewer sums; by Jensen's inequality these have less.
                few = min(m, 5 if sum(map(len, laws)) < 9 else 3 if sum(map(len, laws)) < 20 else 2)
                best = max(best, best_sums(laws, few, -m * threshold) * w / m)
    return best * (1 - mpf("1e-35"))


def best_sums(laws, m, start):
    """Return the mean of the positive part of a start and m gains, each of the law that is best after the others."""
    if m == 0:
        return max(start, mpf(0))
    return max(mpmath.fsum(p * best_sums(laws, m - 1, start + gain) for gain, p in law.items()) for law in laws)


@cache
def gaussian_slots(m, s, kappa, threshold, change):
    """Return E (sum X - m K)_+ of one Gaussian slot, or of two by quadrature, which is a lower bound for more."""

    def gain(z):
        up, down = mpmath.exp(s * z - s * s / 2), mpmath.exp(-s * z - s * s / 2)
        return (change != "added") * (up - 1) - (change != "removed") * kappa * (down - 1)

    def above(x):
        low, high = mpf(-60), mpf(60)
        if gain(high) <= x:
            return mpf(0)
        if gain(low) >= x:
            return -x
        for _ in range(190):
            low, high = ((low + high) / 2, high) if gain((low + high) / 2) < x else (low, (low + high) / 2)
        up = (change != "added") * (normal(low - s) - normal(low))
        down = (change != "removed") * kappa * (normal(low + s) - normal(low))
        return up - down - x * normal(low)

    if m == 1:
        return above(threshold)
    with mpmath.workdps(20):
        ends = [mpf(n) for n in range(-9, 10)]
        value = mpmath.quad(lambda z: mpmath.npdf(z) * above(m * threshold - gain(z)), ends)
    return value * (1 - mpf("1e-9"))


@cache
def slots():
    """Return certificates of hidden slots that are accepted, with delta a little above the truth."""
    thirds = {"kind": "table", "rows": [["1/3", "2/3"], ["2/3", "1/3"]]}
    asked = [
        ({"kind": "gaussian", "sigma": "1"}, 1, "1", "remove", "1", "1"),
        ({"kind": "gaussian", "sigma": "0.8"}, 1, "0.5", "replace", "1", "1"),
        ({"kind": "gaussian", "sigma": "1"}, 2, "1", "remove", "1.3", "0.05"),
        ({"kind": "gaussian", "sigma": "1"}, 2, "1", "add", "0.6", "0.05"),
        ({"kind": "krr", "eps0": "1", "outputs": "2"}, 4, "1", "zero-out", "0.2", "0.01"),
        ({"kind": "krr", "eps0": "1.5", "outputs": "4"}, 3, "0.7", "remove", "0.3", "0.01"),
        (thirds, 3, "1", "replace", "0.25", "0.01"),
        ({"kind": "laplace", "eps0": "1"}, 1, "0.5", "replace", "0.2", "0.01"),
        ({"kind": "laplace", "eps0": "1.2"}, 2, "1", "zero-out", "0.3", "0.01"),
        ({"kind": "discrete-gaussian", "sigma": "0.9"}, 1, "0.7", "replace", "0.4", "0.01"),
        ({"kind": "discrete-gaussian", "sigma": "0.6"}, 2, "1", "zero-out", "0.6", "0.02"),
        ({"kind": "discrete-gaussian", "sigma": "0.6"}, 2, "0.9", "replace", "0.6", "0.02"),
        ({"kind": "krr", "eps0": "1", "outputs": "2"}, 4, "1", "replace", "0.2", "0.01"),
        ({"kind": "gaussian-records", "sigma": "1"}, 1, "1", "replace", "0.5", "1"),
        ({"kind": "gaussian-records", "sigma": "1"}, 2, "1", "zero-out", "0.6", "0.05"),
    ]
    files = []
    for randomizer, steps, weight, adjacency, epsilon, width in asked:
        name = "random-allocation" if randomizer["kind"] == "gaussian" else "hidden-slot"
        claim = {"mechanism": name, "steps": steps, "weight": weight, "adjacency": adjacency}
        claim |= {"epsilon": epsilon, "delta": "0", "randomizer": randomizer}
        with mpmath.workdps(KNOWN):
            claim["delta"] = mpmath.nstr(slot_delta(claim) * mpf("1.08"), 12)
        fineness = {"digits": 40, "width": width, "points": 4000, "cells": 32, "growth": 32, "cut": "1e-9"}
        fineness |= {"bottom": 10**6, "top": 2000}
        if adjacency == "replace" and steps > 1:  # one reference in all slots has less than the best choice of each
            fineness |= {"block": steps}
            if randomizer["kind"] == "discrete-gaussian":  # whose rarest outputs have large gains
                fineness |= {"points": 20000, "top": 20000}
        files.append({"pldcheck_certificate": "upper_sum", "claim": claim, "fineness": fineness})
    return files


# --- Epochs -----------------------------------------------------------------------------------------------------------


def epochs_delta(claim):
    """Return delta where one reference is in all slots and few epochs are composed, or a lower bound of it."""
    randomizer, weight, epsilon = claim["randomizer"], real(claim["weight"]), real(claim["epsilon"])
    changes = upper_epochs.ADJACENCIES[claim["adjacency"]]
    if randomizer["kind"] == "gaussian":
        if claim["selected"] == claim["steps"] and weight == 1:  # the slots are known
            variance = claim["selected"] * claim["epochs"] / real(randomizer["sigma"]) ** 2
            return gaussian_curve(variance, epsilon) * (1 - mpf("1e-35"))
        # One slot of one epoch, used with the probability w/m, reveals less.
        share = weight / claim["steps"]
        threshold = (mpmath.exp(epsilon) - 1) / share
        each = [
            gaussian_slots(1, 1 / real(randomizer["sigma"]), mpmath.exp(epsilon), threshold, change)
            for change in changes
        ]
        return max(each) * share * (1 - mpf("1e-35"))
    rows, best = table_of(randomizer), mpf(0)
    for record in rows:
        for own in rows:
            # The likelihood ratio of one epoch to the references: by all outputs of few slots.
            ratios = [(a / o, o) for a, o in zip(record, own, strict=True) if o]
            once = {mpf(0): mpf(1)}
            steps = min(claim["steps"], 5)
            for _ in range(steps):
                once = merged((x + a, p * o) for x, p in once.items() for a, o in ratios)
            share = weight / claim["steps"]
            # With more slots, those that are left out count as their mean, which is less spread.
            law = [(1 + share * (x - steps), q) for x, q in once.items()]
            whole = {mpf(1): mpf(1)}
            for _ in range(min(claim["epochs"], 4)):
                whole = merged((x * ratio, p * q) for x, p in whole.items() for ratio, q in law)
            for change in changes:
                kappa = mpmath.exp(epsilon)
                gains = ((r - kappa if change == "removed" else 1 - kappa * r) * q for r, q in whole.items())
                best = max(best, sum(gain for gain in gains if gain > 0))
    return best * (1 - mpf("1e-35"))


def merged(pairs):
    """Return masses by value, with values joined that agree to 45 digits."""
    total = {}
    for value, mass in pairs:
        place = mpmath.nstr(value, 45)
        total[place] = total.get(place, 0) + mass
    return {mpf(place): mass for place, mass in total.items()}


@cache
def repeated_slots():
    """Return certificates of epochs that are accepted, with delta a little above the truth."""
    thirds = {"kind": "table", "rows": [["1/3", "2/3"], ["2/3", "1/3"]]}
    asked = [
        (thirds, 2, 1, 2, "1", "zero-out", "0.5", "0.02"),
        (thirds, 3, 1, 3, "0.6", "remove", "0.2", "0.02"),
        ({"kind": "krr", "eps0": "1", "outputs": "3"}, 2, 1, 2, "1", "add", "0.4", "0.02"),
        ({"kind": "gaussian", "sigma": "1"}, 2, 2, 1, "1", "zero-out", "1", "0.05"),
        ({"kind": "gaussian", "sigma": "1.5"}, 1, 1, 4, "1", "remove", "1", "0.05"),
    ]
    files = []
    for randomizer, steps, selected, epochs, weight, adjacency, epsilon, width in asked:
        name = "random-allocation" if randomizer["kind"] == "gaussian" else "hidden-slot"
        claim = {"mechanism": name, "steps": steps, "selected": selected, "epochs": epochs, "weight": weight}
        claim |= {"adjacency": adjacency, "epsilon": epsilon, "delta": "0", "randomizer": randomizer}
        with mpmath.workdps(KNOWN):
            claim["delta"] = mpmath.nstr(epochs_delta(claim) * mpf("1.05"), 12)
        sums = {"digits": 30, "width": width, "points": 3000, "cells": 32, "growth": 32, "cut": "1e-9"}
        losses = {"digits": 30, "width": width, "points": 2000, "cells": 32, "growth": 32, "cut": "1e-9"}
        fineness = {"sum": sums | {"bottom": 10**6, "top": 2000}, "loss": losses}
        files.append({"pldcheck_certificate": "upper_epochs", "claim": claim, "fineness": fineness})
    return files


# --- Shuffling --------------------------------------------------------------------------------------------------------


@cache
def clones(n, eps0, epsilon):
    """Return delta of the pair of stronger clones, below which its program must accept nothing."""
    x, kappa = mpmath.exp(real(eps0)), mpmath.exp(real(epsilon))
    total, p = mpf(0), 2 / (x + 1)
    for c in range(n):
        sums = [(x - kappa) * k - (kappa * x - 1) * (c + 1 - k) for k in range(c + 2)]
        mean = sum(mpmath.binomial(c + 1, k) * max(gain, 0) for k, gain in enumerate(sums)) / 2 ** (c + 1) / (c + 1)
        total += mpmath.binomial(n - 1, c) * p**c * (1 - p) ** (n - 1 - c) * p * mean
    return total * (1 - mpf("1e-35"))


def shuffled_claim(n, eps0, epsilon):
    return {"mechanism": "shuffle", "clients": n, "eps0": eps0, "epsilon": epsilon, "delta": "0"}


def clones_truth(claim):
    return clones(min(claim["clients"], 60), claim["eps0"], claim["epsilon"]) if claim["clients"] <= 60 else mpf(0)


@cache
def shuffles():
    """Return certificates by stronger clones that are accepted, with delta a little above that of the pair."""
    asked = [(1, "1", "0.5"), (2, "0.3", "0.1"), (5, "1", "0"), (9, "2", "1.5"), (30, "1", "0.3"), (60, "4", "2")]
    files = []
    for n, eps0, epsilon in asked:
        claim = shuffled_claim(n, eps0, epsilon)
        with mpmath.workdps(KNOWN):
            claim["delta"] = mpmath.nstr(clones_truth(claim) * mpf("1.02"), 12, min_fixed=-20)
        fineness = {"cut": 150}
        start = {"pldcheck_certificate": "upper_shuffle", "theorem": "stronger-clones"}
        for more in ({}, {"mechanism": "averaged", "steps": 4}):
            files.append({**start, "claim": claim | more, "fineness": fineness})
    return files


@cache
def slots_alike(n, eps0, epsilon):
    """Return delta where all other records are alike and randomizers adapt, which shuffling has at least."""
    worst = naive.hidden_slot_delta(n, eps0, epsilon, "1")
    return mpf(worst.mid().str(50, radius=False)) * (1 - mpf("1e-40"))


def slots_truth(claim):
    return slots_alike(claim["clients"], claim["eps0"], claim["epsilon"]) if claim["clients"] <= 8 else mpf(0)


@cache
def shuffled_slots():
    """Return certificates by one client fewer that are accepted."""
    asked = [(3, "1", "0.5", "0.1"), (5, "0.3", "0.1", "0.02"), (6, "1", "0.2", "0.05"), (8, "0.5", "0.2", "0.1")]
    files = []
    for n, eps0, epsilon, zeta in asked:
        fineness = {"block": n - 1, "doublings": 0, "grid": "0.02", "left": 600, "right": 600, "join": 1, "cut": 60}
        fineness |= {"atoms": 800, "tilt": "1.05", "zeta": zeta, "nu": "0.01", "others": n - 3}
        fineness |= {"cells": 20, "outside": 150}
        start = {"pldcheck_certificate": "upper_slot", "theorem": "one-client-fewer"}
        facts = {**start, "claim": shuffled_claim(n, eps0, epsilon), "fineness": fineness}
        facts["claim"]["delta"] = "0.5"
        files.append(facts)
    return files


@cache
def swaps():
    """Return certificates of random swapping that are accepted, with delta a little above the engine's upper end."""
    asked = [(3, "1", "0.5"), (5, "0.3", "0.1"), (8, "0.3", "0.08"), (8, "2", "1.2")]
    files = []
    for n, eps0, epsilon in asked:
        claim = shuffled_claim(n, eps0, epsilon) | {"mechanism": "swap"}
        delta = Swap(n, float(eps0)).delta(float(epsilon)).upper
        files.append(swap_certificates.search(claim | {"delta": mpmath.nstr(mpf("1.05") * delta, 6)}))
    return files


# --- Known randomizers ------------------------------------------------------------------------------------------------


def rows_of(claim):
    """Return the rows of the randomizer of a claim.

    A response has a budget hardly below its own: it is the other with some of its outputs drawn anew, so that delta is
    no larger.
    """
    if isinstance(claim["randomizer"], list):
        return [[Fraction(chance) for chance in row] for row in claim["randomizer"]]
    values = {"rr": "krr:2"}.get(claim["randomizer"], claim["randomizer"]).removeprefix("krr:")
    return response_table(int(values), below(claim["eps0"]))


@cache
def known_delta(text):
    """Return delta of a claim as JSON, hardly rounded down, by all outputs, records and references."""
    claim = json.loads(text)
    rows, kappa = rows_of(claim), above(claim["epsilon"])
    if claim["mechanism"] == "shuffle":
        exact = worst_shuffle(rows, claim["clients"], kappa)
    else:
        weight = Fraction(claim["weight"])
        exact = max(attained(rows, *pair, claim["steps"], weight, kappa) for pair in permutations(rows, 2))
    return mpf(exact.numerator) / exact.denominator * (1 - mpf("1e-35"))


def known_truth(claim):
    """Return what is certainly at most delta of a claim: 0 where all outputs are too many."""
    rows = rows_of(claim)
    if claim.get("steps", 0) > 3 or claim.get("clients", 0) > 6 or len(rows) * len(rows[0]) > 12:
        return mpf(0)
    return known_delta(json.dumps(claim | {"delta": "0"}, sort_keys=True))


@cache
def known_claims():
    """Return certificates of hidden slots and shuffles of known randomizers that are accepted."""
    table = [["1/2", "0.5"], ["0.3", "7/10"], ["0.6", "0.4"]]
    kinds = ({"randomizer": "rr", "eps0": "1"}, {"randomizer": "krr:3", "eps0": "0.7"}, {"randomizer": table})
    fine = {"block": 1, "doublings": 0, "grid": "0.01", "left": 900, "right": 900, "join": 1, "cut": 60}
    fine |= {"atoms": 800, "tilt": "1.05"}
    start, files = {"pldcheck_certificate": "upper_slot"}, []
    slot = {"mechanism": "hidden-slot", "weight": "0.8", "adjacency": "replace", "epsilon": "0.1"}
    for steps, kind in product((2, 3), kinds):
        claim, fineness = {**slot, "steps": steps, **kind, "delta": "0"}, fine | {"block": steps}
        with mpmath.workdps(KNOWN):
            claim["delta"] = mpmath.nstr(known_truth(claim) * mpf("1.05"), 12, min_fixed=-20)
        files.append({**start, "claim": claim, "fineness": fineness})
    for clients, kind in product((3, 5), kinds):
        claim = {"mechanism": "shuffle", "clients": clients, **kind, "epsilon": "0.2", "delta": "0.5"}
        fineness = fine | {"block": clients - 1, "zeta": "0.02", "nu": "0.02", "others": clients - 3}
        fineness |= {"cells": 20, "outside": 150}
        files.append({**start, "theorem": "known-client-fewer", "claim": claim, "fineness": fineness})
    return files


SHUFFLE = Target(upper_shuffle, shuffles, clones_truth)
SHUFFLE_SLOT = Target(upper_slot, shuffled_slots, slots_truth)
SWAP = Target(upper_swap, swaps, slots_truth)
LOSS = Target(upper_loss, compositions, composed_delta)
BATCHES = Target(upper_loss, batches, batches_delta)
SUM = Target(upper_sum, slots, slot_delta)
EPOCHS = Target(upper_epochs, repeated_slots, epochs_delta)
KNOWN_SLOT = Target(upper_slot, known_claims, known_truth)
TARGETS = {
    "loss": LOSS,
    "batches": BATCHES,
    "sum": SUM,
    "epochs": EPOCHS,
    "shuffle": SHUFFLE,
    "shuffle-slot": SHUFFLE_SLOT,
    "swap": SWAP,
    "known-slot": KNOWN_SLOT,
}

# --- Rounds -----------------------------------------------------------------------------------------------------------


def rounds_delta(claim):
    """Return the delta of rounds of randomized response, by all outcomes, or of a single round of another mechanism."""
    one, epsilon = claim["round"], claim["epsilon"]
    if one["mechanism"] == "shuffle":
        return slots_alike(one["clients"], one["eps0"], epsilon) if one["clients"] <= 8 else mpf(0)
    if (one["mechanism"], one["steps"], one["adjacency"], real(one["weight"])) != ("hidden-slot", 1, "replace", 1):
        return mpf(0)
    x, kappa, times = mpmath.exp(real(one["eps0"])), mpmath.exp(real(epsilon)), min(claim["times"], 30)
    terms = [comb(times, k) * (x**k - kappa * x ** (times - k)) / (1 + x) ** times for k in range(times + 1)]
    return sum(term for term in terms if term > 0) * (1 - mpf("1e-35"))


@cache
def rounds():
    """Return certificates of rounds that are accepted, with delta a little above the truth."""
    slot = {"block": 1, "doublings": 0, "grid": "0.005", "left": 600, "right": 600, "join": 1, "cut": 60, "atoms": 800}
    slot = {"pldcheck_certificate": "upper_slot", "fineness": slot | {"tilt": "1.05"}}
    clones = {"pldcheck_certificate": "upper_shuffle", "theorem": "stronger-clones"}
    clones |= {"fineness": {"cut": 99}}
    response = {"mechanism": "hidden-slot", "steps": 1, "weight": "1", "adjacency": "replace", "eps0": "1"}
    two = {"mechanism": "shuffle", "clients": 2, "eps0": "0.5"}
    line = [(0, "0.46211716"), (4, "0")]
    bent = [(0, "0.46211716"), (1, "0.3862"), (3, "0.1623"), (5, "0")]
    asked = [
        (response, slot, line, 2, "0.7"),
        (response, slot, line, 3, "1.5"),
        (response, slot, bent, 7, "2"),
        (response | {"randomizer": "rr"}, slot, line, 4, "1"),
        (two, clones, [(0, "0.25"), (1, "0.2"), (2, "0.1")], 2, "0.3"),
    ]
    files = []
    for one, certificate, curve, times, epsilon in asked:
        claim = {"mechanism": "rounds", "round": one, "times": times, "epsilon": epsilon, "delta": "0.9"}
        points = [{"place": place, "delta": delta, "certificate": certificate} for place, delta in curve]
        fineness = {"digits": 30, "width": "0.25", "points": 900, "cells": 64, "growth": 64, "cut": "1e-20"}
        if one is not two:
            with mpmath.workdps(KNOWN):
                claim["delta"] = mpmath.nstr(rounds_delta(claim) * mpf("1.05"), 12)
        facts = {"pldcheck_certificate": "upper_rounds", "claim": claim, "curve": points, "fineness": fineness}
        files.append(facts)
    return files


ROUNDS = Target(upper_rounds, rounds, rounds_delta)
TARGETS["rounds"] = ROUNDS


# --- Few responses ----------------------------------------------------------------------------------------------------


def bits(chances):
    """Return the law of the number of ones among independent bits."""
    masses = [mpf(1)]
    for one in chances:
        masses = [a * (1 - one) + b * one for a, b in zip([*masses, 0], [0, *masses], strict=True)]
    return masses


def few_delta(claim):
    """Return delta of a sample, or the bound by coins of clients with budgets of their own."""
    n, kappa, first = claim["clients"], mpmath.exp(real(claim["epsilon"])), real(claim["eps0"])
    if claim["mechanism"] == "sampled-shuffle":
        b, x = claim["batch"], mpmath.exp(first)
        laws = [bits([x / (x + 1)] * t + [1 / (x + 1)] * (b - t)) for t in range(b + 1)]
        ones = []
        for h in range(n + 1):
            ways = [mpf(comb(h, t) * comb(n - h, b - t)) / comb(n, b) for t in range(b + 1)]
            ones.append([sum(way * law[s] for way, law in zip(ways, laws, strict=True)) for s in range(b + 1)])
        excesses = (
            sum(max(p - kappa * q, mpf(0)) for p, q in zip(ones[h + 1], ones[h], strict=True)) for h in range(n)
        )
        return max(excesses) * (1 - mpf("1e-35"))
    last, told = real(claim["eps0_last"]), real(claim["delta0"])
    xs = [mpmath.exp(first + (last - first) * i / max(1, n - 1)) for i in range(n)]
    best = told
    for i, x in enumerate(xs):
        coins, total = bits([2 * (1 - told) / (y + 1) for j, y in enumerate(xs) if j != i]), mpf(0)
        for c, mass in enumerate(coins):
            p, q = (bits([one / (x + 1), *[mpf(1) / 2] * c]) for one in (x, 1))
            total += mass * sum(max(a - kappa * b, mpf(0)) for a, b in zip(p, q, strict=True))
        best = max(best, told + (1 - told) * total)
    return best * (1 - mpf("1e-35"))


@cache
def few():
    """Return certificates of shuffles of few responses that are accepted, with delta a little above the truth."""
    sampled, personal = {"mechanism": "sampled-shuffle"}, {"mechanism": "personal-shuffle"}
    claims = [
        sampled | {"clients": 1, "batch": 1, "eps0": "1", "epsilon": "0.4"},
        sampled | {"clients": 6, "batch": 3, "eps0": "1.5", "epsilon": "0.2"},
        sampled | {"clients": 7, "batch": 7, "eps0": "0.5", "epsilon": "0.05"},
        personal | {"clients": 1, "eps0": "1", "eps0_last": "1", "delta0": "0", "epsilon": "0.4"},
        personal | {"clients": 6, "eps0": "1.5", "eps0_last": "1.5", "delta0": "0.001", "epsilon": "0.3"},
        personal | {"clients": 5, "eps0": "2", "eps0_last": "0.5", "delta0": "1e-9", "epsilon": "0.2"},
    ]
    files = []
    for claim in claims:
        with mpmath.workdps(KNOWN):
            claim["delta"] = mpmath.nstr(few_delta(claim) * mpf("1.05"), 12)
        files.append({"pldcheck_certificate": "upper_few", "claim": claim, "fineness": {}})
    return files


FEW = Target(upper_few, few, few_delta)
TARGETS["few"] = FEW


# --- What is spoiled --------------------------------------------------------------------------------------------------

TEXTS = (
    "0",
    "1",
    "-1",
    "1e400",
    "1e-400",
    "NaN",
    "Infinity",
    "\u0661",
    "0x1",
    "1_0",
    " 1",
    "1 ",
    "+1",
    "",
    "1/0",
    "9" * 99,
)
VALUES = (0, -1, 1, 2, 3, 17, 10**9, 10**30, 10**400, 1.5, True, None, [], {}, [[]], "x", *TEXTS)


def leaves(value, path=()):
    """Yield the paths of all values that hold no other."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if items is None:
        yield path
    for key, inner in items or ():
        yield from leaves(inner, (*path, key))


def put(facts, path, new):
    place = facts
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = new


def scaled(text, factor):
    """Return a decimal times a factor, exactly."""
    with localcontext(prec=200):
        return f"{Decimal(text) * factor:f}"


def spoil_claim(facts, truth, draw):
    """Make the claim false by a small share of epsilon or delta, or keep it just true."""
    exact = mpmath.nstr(truth(facts["claim"]), 50)
    share = Decimal(10) ** -draw.randrange(3, 31)
    kind = draw.randrange(4)
    facts["claim"]["delta"] = scaled(exact, 1 + share if kind == 3 else 1 - share if kind else 1)[:62]
    if kind == 0:
        facts["claim"]["epsilon"] = scaled(facts["claim"]["epsilon"], 1 - share)


def spoil_fineness(facts, draw):
    fineness = facts["fineness"]
    if "loss" in fineness:  # there are two of them
        fineness = fineness[draw.choice(["sum", "loss"])]
    for _ in range(draw.randrange(1, 4) if fineness else 0):
        key = draw.choice([*fineness])
        if key == "width":
            new = draw.choice(
                ["1e-30", "1e-6", "0.001", "0.003", "1/70", "0.03", "1/7", "0.35", "1", "2.7", "40", "1000"]
            )
        elif key in ("zeta", "nu", "grid"):
            new = draw.choice(["0", "1e-30", "0.003", "0.05", "0.5", "0.7", "3", "1e9"])
        elif key == "tilt":
            new = draw.choice(["1", "1.00001", "1.2", "1.9", "2"])
        elif key in ("cut", "outside") and type(fineness[key]) is int:
            new = draw.choice([1, 2, 3, 5, 9, 30, 150, 151])
        elif key == "cut":
            new = draw.choice(["0", "1", "0.01", "1e-6", "1e-12", "1e-90"])
        elif key == "digits":
            new = draw.choice([9, 10, 12, 20, 90, 91, -40])
        else:
            new = draw.choice([0, -1, 1, 2, 3, 7, 50, 999, 10**5, 2**20, 10**18, 10**40])
        fineness[key] = draw.choice(VALUES) if draw.random() < 0.1 else new


def spoil_curve(facts, draw):
    """Move points of the curve of a round, or change how they are verified."""
    for _ in range(draw.randrange(1, 3)):
        point = draw.choice(facts["curve"])
        kind = draw.randrange(4)
        if kind == 0:
            point["delta"] = scaled(point["delta"], 1 - Decimal(10) ** -draw.randrange(1, 31))[:62]
        elif kind == 1:
            point["place"] += draw.choice([-1, 1, 2, 10**6])
        elif kind == 2:
            facts["curve"].remove(point) if len(facts["curve"]) > 1 else None
        else:
            spoil_fineness(point["certificate"], draw)


def spoil_text(text, draw):
    """Make a file that is not strict JSON, or not of the program's form."""
    kind = draw.randrange(8)
    if kind == 0:
        return text + draw.choice(["x", "{}", "\n1", "\x00", "]"])
    if kind == 1:
        return text.replace('"claim"', '"claim": 1, "claim"', 1)
    if kind == 2:
        return text.replace('"delta"', '"delta": "1", "delta"', 1)
    if kind == 3:
        at = [place for place, letter in enumerate(text) if letter.isdigit()]
        place = draw.choice(at)
        return text[:place] + chr(0x660 + int(text[place])) + text[place + 1 :]
    if kind == 4:
        return text.replace('"fineness"', '"note": NaN, "fineness"', 1)
    if kind == 5:
        return text[: draw.randrange(len(text))]
    if kind == 6:
        return text + " " * 20_001
    place = draw.randrange(len(text))
    return text[:place] + draw.choice('0123456789.-e"{}[],:') + text[place + 1 :]


def certificates_examined(target, seed, count):
    """Return how many spoiled files were examined, how many were accepted, and what is wrong with verdicts."""
    draw, accepted, wrong = random.Random(seed), 0, []
    with mpmath.workdps(KNOWN):
        for number in range(count):
            facts = json.loads(json.dumps(draw.choice(target.originals())))
            if draw.random() < 0.6:
                spoil_claim(facts, target.truth, draw)
            if draw.random() < 0.5:
                spoil_fineness(facts, draw)
            if "curve" in facts and draw.random() < 0.4:
                spoil_curve(facts, draw)
            if draw.random() < 0.15:
                put(facts, draw.choice([*leaves(facts)]), draw.choice(VALUES))
            text = json.dumps(facts)
            text = spoil_text(text, draw) if draw.random() < 0.15 else text
            complaint = judged(target, text)
            accepted += complaint is None
            if complaint:
                wrong.append((number, complaint, text))
    return count, accepted, wrong


def judged(target, text):
    """Return None for a file that is accepted and true, an empty text for one that is not, else what is wrong."""
    program = target.program
    try:
        facts = claim_files.parse(text.encode())
    except (RecursionError, ValueError):
        return ""
    verdict = program.verify(facts)
    if verdict.status not in (0, 1, 2) or len(verdict.sentence.splitlines()) != 1:
        return f"no verdict in one line: {verdict}"
    if verdict.status:
        return ""
    try:
        truth = target.truth(facts["claim"])
    except Exception as error:  # whatever it is, the claim is none that the truth is known of
        return f"accepted, and the truth is not known: {error!r}"
    claimed = real(facts["claim"]["delta"])
    return None if truth <= claimed else f"accepted at {claimed}, the truth is at least {truth}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    given = parser.parse_args()
    tried, good, bad = certificates_examined(TARGETS[given.target], given.seed, given.count)
    print(*bad, sep="\n", end="\n" if bad else "")
    print(f"{tried} files, {good} accepted, {len(bad)} of them wrong")
    sys.exit(1 if bad else 0)

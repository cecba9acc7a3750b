"""Slow twins: obvious, high-precision versions that share no code with pldcheck.

Numbers are python-flint balls (``arb``): they enclose the true value, so a comparison that holds is a proof.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from flint import arb, ctx


def hidden_slot_delta(m: int, eps0: float, epsilon: float, w: float) -> arb:
    """delta(epsilon) of one hidden slot over all five extreme laws on all six vertices, by recursion on multisets."""
    with ctx.workprec(160):
        x, kappa = arb(eps0).exp(), arb(epsilon).exp()
        one = arb(1)
        vertex = {"A": (1 / x, 1 / x), "B": (one, 1 / x), "C": (x, one), "D": (x, x), "E": (one, x), "F": (1 / x, one)}
        laws = {
            "AD": (x / (x + 1), 1 / (x + 1)),
            "BE": (x / (x + 1), 1 / (x + 1)),
            "CF": (1 / (x + 1), x / (x + 1)),
            "ACE": (x / (x + 2), 1 / (x + 2), 1 / (x + 2)),
            "BDF": (x / (2 * x + 1), 1 / (2 * x + 1), x / (2 * x + 1)),
        }
        names = "ABCDEF"
        step = {v: ((a - 1) - kappa * (b - 1)) * arb(w) / m for v, (a, b) in vertex.items()}

        @cache
        def value(counts: tuple[int, ...], to_go: int) -> arb:
            if to_go == 0:
                u = 1 - kappa
                for v, n in zip(names, counts, strict=True):
                    u += n * step[v]
                return u.max(arb(0))
            options = []
            for law, chances in laws.items():
                total = arb(0)
                for v, p in zip(law, chances, strict=True):
                    i = names.index(v)
                    total += p * value(counts[:i] + (counts[i] + 1,) + counts[i + 1 :], to_go - 1)
                options.append(total)
            best = options[0]
            for other in options[1:]:
                best = best.max(other)
            return best

        return value((0,) * 6, m)


def two_point_delta(m: int, eps0: float, epsilon: float, w: float, law: str) -> arb:
    """delta(epsilon) when every slot uses BE or CF: the binomial sum, term by term."""
    with ctx.workprec(200):
        x, kappa = arb(eps0).exp(), arb(epsilon).exp()
        if law == "BE":
            up, down, p = kappa * (1 - 1 / x), -kappa * (x - 1), x / (x + 1)
        else:
            up, down, p = x - 1, 1 / x - 1, 1 / (x + 1)
        total = arb(0)
        term = (1 - p) ** m
        for j in range(m + 1):
            u = 1 - kappa + arb(w) / m * (j * up + (m - j) * down)
            total += term * u.max(arb(0))
            term *= p / (1 - p) * (m - j) / (j + 1)
        return total


def three_point_delta(m: int, eps0: float, epsilon: float, w: float) -> arb:
    """delta(epsilon) when every slot uses ACE: the trinomial sum, term by term."""
    with ctx.workprec(200):
        x, kappa = arb(eps0).exp(), arb(epsilon).exp()
        a, c, e = (kappa - 1) * (1 - 1 / x), x - 1, -kappa * (x - 1)
        total = arb(0)
        for n in range(m + 1):  # symbols that are not A
            outer = arb(m).bin(n) * (2 / (x + 2)) ** n * (x / (x + 2)) ** (m - n) / arb(2) ** n
            for k in range(n + 1):
                u = 1 - kappa + arb(w) / m * ((m - n) * a + k * c + (n - k) * e)
                total += outer * arb(n).bin(k) * u.max(arb(0))
        return total


def sum_stop_loss(atoms: list[Fraction], masses: list[Fraction], power: int, start: Fraction) -> Fraction:
    """E(start + Y_1 + ... + Y_power)_+ by enumerating the convolution exactly."""
    law = {Fraction(0): Fraction(1)}
    for _ in range(power):
        after: dict[Fraction, Fraction] = {}
        for place, p in law.items():
            for y, q in zip(atoms, masses, strict=True):
                after[place + y] = after.get(place + y, Fraction(0)) + p * q
        law = after
    return sum((max(start + place, Fraction(0)) * p for place, p in law.items()), Fraction(0))


def _exact_law(table: dict, x: Fraction) -> list[tuple[Fraction, Fraction, Fraction]]:
    """(probability under the reference, a, a') of each output of a witness's table."""
    total = sum(x**power for power in table["reference"])
    return [
        (x**p / total, x ** (r - p), x ** (s - p))
        for p, r, s in zip(table["reference"], table["record"], table["replacement"], strict=True)
    ]


def _law_at(witness: dict, to_go: int, place: Fraction) -> str:
    if witness["kind"] == "law":
        return witness["law"]
    for piece in witness["policy"]:
        if piece["to_go"] >= to_go:
            return piece["laws"][sum(1 for threshold in piece["thresholds"] if place >= Fraction(threshold))]
    raise AssertionError("the policy has no slice for this time")


def witness_delta(witness: dict, x: Fraction, kappa: Fraction) -> tuple[Fraction, Fraction]:
    """(what the witness's randomizer attains, the value on merged states): its tables alone, all outputs enumerated.

    Without merging the two agree.  A history is (probability, real u, place the policy sees).
    """
    m, w, cell = witness["steps"], Fraction(witness["weight"]), witness.get("cell")
    laws = {name: _exact_law(table, x) for name, table in witness["laws"].items()}
    for law in laws.values():  # a randomizer: probabilities under each of the three inputs, all ratios within x
        assert sum(p for p, _, _ in law) == sum(p * a for p, a, _ in law) == sum(p * b for p, _, b in law) == 1
        assert all(1 / x <= ratio <= x for _, a, b in law for ratio in (a, b, a / b))
    start = (1 - kappa) * m / w
    histories = [(Fraction(1), start, start)]
    for t in range(m):
        after = []
        for p, u, place in histories:
            for q, a, b in laws[_law_at(witness, m - t, place)]:
                s = (a - 1) - kappa * (b - 1)
                after.append((p * q, u + s, place + s))
        if cell is not None:
            groups: dict[int, list] = {}
            for history in after:
                groups.setdefault(history[2] // Fraction(cell), []).append(history)
            after = []
            for group in groups.values():
                mass = sum(p for p, _, _ in group)
                mean = sum(p * place for p, _, place in group) / mass
                after += [(p, u, mean) for p, u, _ in group]
        histories = after
    attained = sum((p * max(u, Fraction(0)) for p, u, _ in histories), Fraction(0))
    merged = sum((p * max(place, Fraction(0)) for p, _, place in histories), Fraction(0))
    return w / m * attained, w / m * merged


def randomized_response_delta(eps0: float, epsilon: float, w: float) -> arb:
    """m = 1: [1 - kappa + w (x - 1)]_+ / (x + 1) for CF and w kappa-scaled for BE, the larger."""
    with ctx.workprec(120):
        x, kappa = arb(eps0).exp(), arb(epsilon).exp()
        cf = (1 - kappa + arb(w) * (x - 1)).max(arb(0)) / (x + 1)
        be = (1 - kappa + arb(w) * kappa * (1 - 1 / x)).max(arb(0)) * x / (x + 1)
        return cf.max(be)

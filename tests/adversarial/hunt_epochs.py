"""Epochs of a hidden slot: one slot is randomized response in closed form; more slots and epochs lie between bounds."""

import math
import random
from functools import cache
from itertools import product

from flint import arb, ctx

from pldcheck.protocols import HiddenSlot

from .. import naive
from .cells import Cell, ends, log_uniform
from .hunt_hidden_slot import any_eps0, any_weight, epsilon_cell, largest_loss


def one_slot_delta(eps0: float, weight: float, epochs: int, epsilon: float) -> arb:
    """Return delta of the pair with the curve of one slot: losses 0 and cap from the line, and their mirrors; all
    multisets.
    """
    with ctx.workprec(500):
        if weight == 1.0:
            return naive.response_delta(eps0, epochs, epsilon)
        w, x, kappa = arb(weight), arb(eps0).exp(), arb(epsilon).exp()
        k = 1 + w * (x - 1)
        # outputs (p, q): k q = p at the largest loss; their mirror; the rest alike.  Slope of the line: -1/(x + 1).
        top = (k / (x + 1), 1 / (x + 1))
        rest = 1 - top[0] - top[1]
        total = arb(0)
        for i in range(epochs + 1):
            for j in range(epochs + 1 - i):
                ways = arb(epochs).bin(i) * arb(epochs - i).bin(j) * rest ** (epochs - i - j)
                total += ways * (top[0] ** i * top[1] ** j - kappa * top[1] ** i * top[0] ** j).max(arb(0))
        return total


def _corner(draw, cap):
    """Return an epsilon on an atom of the composed loss, next to it, next to the largest, or anywhere."""
    return draw.choice(
        [
            cap * (1.0 - 10.0 ** -draw.randint(1, 16)),
            cap * (1.0 + 10.0 ** -draw.randint(10, 16)),
            cap * draw.random(),
            cap * 10.0 ** -draw.randint(1, 9),
            0.0,
        ]
    )


def one_slot_epochs_delta(draw: random.Random) -> Cell:
    eps0, weight = any_eps0(draw), draw.choice([1.0, any_weight(draw)])
    epochs = draw.choice([2, 3, draw.randint(2, 12)])
    epsilon = _corner(draw, epochs * largest_loss(eps0, weight))
    return Cell(
        f"HiddenSlot(1, {eps0!r}, {weight!r}, epochs={epochs}).delta({epsilon!r})",
        lambda: HiddenSlot(1, eps0, weight, epochs=epochs).delta(epsilon),
        lambda: ends(one_slot_delta(eps0, weight, epochs, epsilon)),
    )


def one_slot_epochs_epsilon(draw: random.Random) -> Cell:
    eps0, weight = any_eps0(draw), draw.choice([1.0, any_weight(draw)])
    epochs = draw.choice([2, 3, draw.randint(2, 12)])
    most = float(one_slot_delta(eps0, weight, epochs, 0.0))
    delta = max(min(most * draw.choice([draw.random(), 10.0 ** -draw.randint(1, 250), 1 - 1e-10]), 0.999), 1e-300)
    return epsilon_cell(
        f"HiddenSlot(1, {eps0!r}, {weight!r}, epochs={epochs}).epsilon({delta!r})",
        lambda: HiddenSlot(1, eps0, weight, epochs=epochs).epsilon(delta),
        lambda epsilon: one_slot_delta(eps0, weight, epochs, epsilon),
        delta,
    )


LAWS = {"BE": ("B", "E"), "CF": ("C", "F"), "ACE": ("A", "C", "E")}
POWERS = {"A": (-1, -1), "B": (0, -1), "C": (1, 0), "E": (0, 1), "F": (-1, 0)}


def lower_divergence(m: int, eps0: float, weight: float, epochs: int, epsilon: float) -> arb:
    """Return the largest delta of one law in every slot of every epoch: all multisets of outputs."""
    with ctx.workprec(300):
        x, kappa, w = arb(eps0).exp(), arb(epsilon).exp(), arb(weight)
        best = arb(0)
        for outputs in LAWS.values():
            masses = {o: x ** -(sum(POWERS[o])) if len(outputs) == 2 else (x if o == "A" else arb(1)) for o in outputs}
            if outputs == ("B", "E"):
                masses = {"B": x, "E": arb(1)}
            if outputs == ("C", "F"):
                masses = {"C": arb(1), "F": x}
            total = sum(masses.values(), arb(0))
            epoch = []
            for counts in product(range(m + 1), repeat=len(outputs) - 1):
                if sum(counts) > m:
                    continue
                counts = (*counts, m - sum(counts))
                ways, slots_left = arb(1), m
                one = other = 1 - w
                for output, n in zip(outputs, counts, strict=True):
                    ways *= arb(slots_left).bin(n) * (masses[output] / total) ** n
                    slots_left -= n
                    one += w / m * n * x ** POWERS[output][0]
                    other += w / m * n * x ** POWERS[output][1]
                epoch.append((ways * one, ways * other))
            pairs = [(arb(1), arb(1))]
            for _ in range(epochs):
                pairs = [(p * a, q * b) for p, q in pairs for a, b in epoch]
            for flip in (False, True):
                value = arb(0)
                for p, q in pairs:
                    value += ((q - kappa * p) if flip else (p - kappa * q)).max(arb(0))
                best = best.max(value)
        return best


def few_slots_and_epochs(draw: random.Random) -> Cell:
    m, eps0, weight, epochs = draw.randint(2, 4), any_eps0(draw), any_weight(draw), 2
    epsilon = _corner(draw, epochs * largest_loss(eps0, weight))
    return Cell(
        f"HiddenSlot({m}, {eps0!r}, {weight!r}, epochs={epochs}).delta({epsilon!r})",
        lambda: HiddenSlot(m, eps0, weight, epochs=epochs).delta(epsilon),
        lambda: (
            ends(lower_divergence(m, eps0, weight, epochs, epsilon))[0],
            # epochs are at most one slot each
            ends(one_slot_delta(eps0, weight, epochs, epsilon))[1],
        ),
    )


def two_by_two(draw: random.Random) -> Cell:
    """Return a cell: two slots in each of two epochs, the adversary adaptive: the recursion over histories, all extreme
    laws.
    """
    eps0, weight = any_eps0(draw), any_weight(draw)
    epsilon = _corner(draw, 2 * largest_loss(eps0, weight))
    return Cell(
        f"HiddenSlot(2, {eps0!r}, {weight!r}, epochs=2).delta({epsilon!r})",
        lambda: HiddenSlot(2, eps0, weight, epochs=2).delta(epsilon),
        lambda: ends(adaptive(2, eps0, weight, 2, epsilon)),
    )


def adaptive(m: int, eps0: float, weight: float, epochs: int, epsilon: float) -> arb:
    """Return delta of the best adaptive policy over all slots and epochs: after each the masses (P, P') given the past,
    exactly.

    The value of a later epoch is homogeneous in the masses so far: they are carried along.
    """
    with ctx.workprec(300):
        x, kappa, w = arb(eps0).exp(), arb(epsilon).exp(), arb(weight)
        corners = {**POWERS, "D": (1, 1)}
        laws = [
            [("A", x / (x + 1)), ("D", 1 / (x + 1))],
            [("B", x / (x + 1)), ("E", 1 / (x + 1))],
            [("C", 1 / (x + 1)), ("F", x / (x + 1))],
            [("A", x / (x + 2)), ("C", 1 / (x + 2)), ("E", 1 / (x + 2))],
            [("B", x / (2 * x + 1)), ("D", 1 / (2 * x + 1)), ("F", x / (2 * x + 1))],
        ]
        gains = {name: (w / m * (x**i - 1), w / m * (x**j - 1)) for name, (i, j) in corners.items()}

        @cache
        def ratios(counts: tuple[tuple[str, int], ...]) -> tuple[arb, arb]:
            one = other = arb(1)
            for name, n in counts:
                one += n * gains[name][0]
                other += n * gains[name][1]
            return one, other

        @cache
        def value(past: tuple, present: tuple[str, ...]) -> arb:
            if len(present) == m:
                counts = tuple((name, present.count(name)) for name in sorted(set(present)))
                past, present = tuple(sorted((*past, counts))), ()
            if len(past) == epochs:
                one = other = arb(1)
                for counts in past:
                    a, b = ratios(counts)
                    one, other = one * a, other * b
                return (one - kappa * other).max(arb(0))
            best = arb(0)
            for law in laws:
                total = arb(0)
                for name, chance in law:
                    total += chance * value(past, tuple(sorted((*present, name))))
                best = best.max(total)
            return best

        return value((), ())


def any_parameters(draw: random.Random) -> Cell:
    """Return a cell: any parameters: no crash, one slot above, a pure randomizer's cap, at most 1."""
    m, eps0, weight = draw.choice([1, 2, 7, 20]), any_eps0(draw), any_weight(draw)
    epochs, delta0 = draw.choice([2, 3, 10]), draw.choice([0.0, 0.0, log_uniform(draw, 1e-300, 1e-3), 0.9, 1 - 1e-10])
    epsilon = min(_corner(draw, epochs * largest_loss(eps0, weight)), 200.0)

    def truth():
        if delta0 > 0.0:
            with ctx.workprec(300):
                return ends(1 - (1 - arb(weight) * arb(delta0)) ** epochs)[0], 1
        return 0, ends(one_slot_delta(eps0, weight, epochs, epsilon))[1]

    def answer():
        interval = HiddenSlot(m, eps0, weight, epochs=epochs, delta0=delta0).delta(epsilon)
        return interval.lower, max(min(interval.upper, 1.0 if interval.upper <= 1.0 else math.nan), interval.lower)

    question = f"HiddenSlot({m}, {eps0!r}, {weight!r}, epochs={epochs}, delta0={delta0!r}).delta({epsilon!r})"
    return Cell(question, answer, truth)


HUNTS = {
    "epochs: one slot, delta": one_slot_epochs_delta,
    "epochs: one slot, epsilon": one_slot_epochs_epsilon,
    "epochs: few slots": few_slots_and_epochs,
    "epochs: two by two": two_by_two,
    "epochs: many": any_parameters,
}

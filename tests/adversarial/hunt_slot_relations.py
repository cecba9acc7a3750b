"""Hidden slots with delta0, and relations: whoever assumes more must not lose more; the tails of zero-out exactly."""

import math
import random

from flint import arb, ctx

from pldcheck.protocols import CheckIn, HiddenSlot

from .cells import Cell, ends, log_uniform
from .hunt_hidden_slot import any_eps0, any_epsilon, any_weight, epsilon_cell, largest_loss


def zero_out_delta(m: int, eps0: float, weight: float, delta0: float, epsilon: float) -> arb:
    """Return delta of both directions of zero-out: all counts of the three values that the ratio A takes."""
    with ctx.workprec(2500 if delta0 < 1e-100 else 500):
        x, kappa, w, d = arb(eps0).exp(), arb(epsilon).exp(), arb(weight), arb(delta0)
        masses = (d, (1 - d) * x / (1 + x), (1 - d) / (1 + x))
        removal, new = w * d, arb(0)
        for i in range(m + 1):
            for j in range(m + 1 - i):
                k = m - i - j
                ways = arb(m).bin(i) * arb(m - i).bin(j) * masses[0] ** i * masses[1] ** j * masses[2] ** k
                mean = (j / x + k * x) / m
                removal += ways * (1 - kappa + w * (mean - 1)).max(arb(0))
                new += ways * (1 - kappa * (1 + w * (mean - 1))).max(arb(0))
        return removal.max(new)


def any_delta0(draw: random.Random) -> float:
    return draw.choice(
        [log_uniform(draw, 1e-300, 1e-1), log_uniform(draw, 1e-12, 1.0), 1.0 - 10.0 ** -draw.randint(1, 15)]
    )


def zero_out_approximate(draw: random.Random) -> Cell:
    m, eps0, weight, delta0 = draw.randint(1, 12), any_eps0(draw), any_weight(draw), any_delta0(draw)
    epsilon = any_epsilon(draw, largest_loss(eps0, weight))
    return Cell(
        f"HiddenSlot({m}, {eps0!r}, {weight!r}, 'zero-out', delta0={delta0!r}).delta({epsilon!r})",
        lambda: HiddenSlot(m, eps0, weight, "zero-out", delta0=delta0).delta(epsilon),
        lambda: ends(zero_out_delta(m, eps0, weight, delta0, epsilon)),
    )


def zero_out_approximate_epsilon(draw: random.Random) -> Cell:
    m, eps0, weight, delta0 = draw.randint(1, 8), any_eps0(draw), any_weight(draw), any_delta0(draw)
    least, most = weight * delta0, float(zero_out_delta(m, eps0, weight, delta0, 0.0))
    delta = draw.choice([least * (1.0 + 10.0 ** -draw.randint(1, 16)), least + (most - least) * draw.random(), most])
    delta = min(max(delta, 1e-300), 0.9999)
    return epsilon_cell(
        f"HiddenSlot({m}, {eps0!r}, {weight!r}, 'zero-out', delta0={delta0!r}).epsilon({delta!r})",
        lambda: HiddenSlot(m, eps0, weight, "zero-out", delta0=delta0).epsilon(delta),
        lambda epsilon: zero_out_delta(m, eps0, weight, delta0, epsilon),
        delta,
    )


def one_slot_approximate(draw: random.Random) -> Cell:
    """Return a cell: of one slot the curve is a line above its mass at infinity, in closed form."""
    eps0, weight, delta0 = any_eps0(draw), any_weight(draw), any_delta0(draw)
    epsilon = any_epsilon(draw, largest_loss(eps0, weight))

    def truth():
        with ctx.workprec(400):
            x, kappa, w, d = arb(eps0).exp(), arb(epsilon).exp(), arb(weight), arb(delta0)
            return ends(w * d + (1 - d) * (1 - kappa + w * (x - 1)).max(arb(0)) / (x + 1))

    return Cell(
        f"HiddenSlot(1, {eps0!r}, {weight!r}, delta0={delta0!r}).delta({epsilon!r})",
        lambda: HiddenSlot(1, eps0, weight, delta0=delta0).delta(epsilon),
        truth,
    )


def no_less(draw: random.Random) -> Cell:
    """Return a cell: the lower end of what assumes more is at most the upper end of what assumes less."""
    m, eps0, weight = draw.choice([1, 2, 3, 7, 20]), any_eps0(draw), any_weight(draw)
    delta0 = draw.choice([0.0, 0.0, any_delta0(draw)])
    params = {"steps": m, "eps0": eps0, "weight": weight, "delta0": delta0}
    more = dict(params)
    parameter = draw.choice(["steps", "weight", "delta0", "eps0", "clients"])
    if parameter == "steps":
        more["steps"] = m + draw.choice([1, m])
    elif parameter == "weight":
        more["weight"] = weight * (1.0 - 10.0 ** -draw.randint(1, 16))
    elif parameter == "delta0":
        params["delta0"] = max(min(max(delta0, 1e-14) * (1.0 + 10.0 ** -draw.randint(0, 15)), 0.9999), delta0)
    elif parameter == "eps0":
        more["eps0"] = eps0 * (1.0 - 10.0 ** -draw.randint(1, 16))
    free = HiddenSlot(**params)
    if parameter == "clients":
        bound = CheckIn(m, eps0, weight, clients=draw.choice([1, 2, 3, m, 10 * m]), delta0=delta0)
    else:
        bound = HiddenSlot(**more)
    if draw.random() < 0.5:
        at = any_epsilon(draw, largest_loss(eps0, weight))
        relation = (lambda: bound.delta(at)), (lambda: free.delta(at)), f"delta({at!r})"
    else:
        at = min(max(largest_loss(eps0, weight) * log_uniform(draw, 1e-12, 0.3), 1e-280), 0.9)
        relation = (lambda: bound.epsilon(at)), (lambda: free.epsilon(at)), f"epsilon({at!r})"

    def answer():
        interval, other = relation[0](), relation[1]()
        if parameter == "clients":  # one route to both: not even the upper end may be larger
            return interval.lower, math.inf if interval.upper <= other.upper else -math.inf
        return interval.lower, math.inf

    return Cell(f"{bound} within {free}: {relation[2]}", answer, lambda: (0.0, relation[1]().upper))


def with_clients(draw: random.Random) -> Cell:
    """Return a cell: known clients: between dummies alone and one client alone."""
    m, eps0, p0 = draw.choice([1, 2, 3, 10, 20]), any_eps0(draw), any_weight(draw)
    clients = draw.choice([1, 2, 3, m, 10 * m])
    epsilon = any_epsilon(draw, largest_loss(eps0, p0))

    def truth():
        with ctx.workprec(300):
            x, kappa, w = arb(eps0).exp(), arb(epsilon).exp(), arb(p0)
            return 0, ends((1 - kappa + w * (x - 1)).max(arb(0)) / (x + 1))[1]

    return Cell(
        f"CheckIn({m}, {eps0!r}, {p0!r}, clients={clients}).delta({epsilon!r})",
        lambda: CheckIn(m, eps0, p0, clients=clients).delta(epsilon),
        truth,
    )


HUNTS = {
    "slot relations: zero-out with delta0": zero_out_approximate,
    "slot relations: zero-out with delta0, epsilon": zero_out_approximate_epsilon,
    "slot relations: one slot with delta0": one_slot_approximate,
    "slot relations: no less": no_less,
    "slot relations: clients": with_clients,
}

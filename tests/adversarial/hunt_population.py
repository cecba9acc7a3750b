"""Random check-ins of a known number of clients: between two hidden slots, in balls; binomial tails at all sizes."""

import random

from flint import arb, ctx

from pldcheck.kernels.binomial_tails import upper_tail
from pldcheck.protocols import CheckIn

from .. import naive
from .cells import Cell, ends, log_uniform
from .hunt_hidden_slot import any_eps0, any_epsilon, largest_loss


def _delta_bounds(m: int, eps0: float, p0: float, clients: int, epsilon: float):
    """Return bounds of delta: all others equal to the dummy are one adversary; one client alone is the worst."""
    with ctx.workprec(400):
        q = arb(p0) / m
        weight = (1 - (1 - q) ** clients) * m / clients
        least, _ = ends(naive.hidden_slot_delta(m, eps0, epsilon, weight))
        _, most = ends(naive.hidden_slot_delta(m, eps0, epsilon, p0))
    return least, most


def few_clients_delta(draw: random.Random) -> Cell:
    m, clients = draw.randint(1, 4), draw.choice([1, 2, 3, draw.randint(2, 30), 10 ** draw.randint(1, 15)])
    eps0 = min(any_eps0(draw), 6.0)  # beyond, the grids of two very different weights take seconds
    p0 = draw.choice([1.0, 1.0 - 2.0**-53, 10.0 ** -draw.randint(1, 14), draw.random() or 1.0])
    epsilon = any_epsilon(draw, largest_loss(eps0, p0))
    return Cell(
        f"CheckIn({m}, {eps0!r}, {p0!r}, clients={clients}).delta({epsilon!r})",
        lambda: CheckIn(m, eps0, p0, clients=clients).delta(epsilon),
        lambda: _delta_bounds(m, eps0, p0, clients, epsilon),
    )


def _tail(draw: random.Random, which: int) -> Cell:
    n = draw.choice([1, 2, 3, 17, 150, draw.randint(1, 2000)])
    p = draw.choice([0.5, draw.uniform(0.01, 0.99), 10.0 ** -draw.randint(1, 300)])
    q = 1.0 - p
    # From the mean to the last count, on a count or between.
    place = n * p + draw.random() * (n - n * p)
    tau = draw.choice([max(float(int(place)), n * p), place, float(n)])

    def answer():
        tail = upper_tail(n, p, q, p / q, tau)
        value, relative, omission = tail[which], tail[2], tail[3]
        return value * (1.0 - relative) * (1.0 - 2.0**-52), (value * (1.0 + relative) + omission) * (1.0 + 2.0**-50)

    def truth():
        with ctx.workprec(300):
            total, x = arb(0), arb(p)
            for j in range(n + 1):
                if j >= tau:
                    total += arb(n).bin(j) * x**j * (1 - x) ** (n - j) * ((arb(j) - arb(tau)) if which else 1)
            return ends(total)

    return Cell(f"upper_tail({n}, {p!r}, {q!r}, {p / q!r}, {tau!r})[{which}]", answer, truth)


def binomial_tail(draw: random.Random) -> Cell:
    return _tail(draw, 0)


def binomial_excess(draw: random.Random) -> Cell:
    return _tail(draw, 1)


def fewer_clients_reveal_more(draw: random.Random) -> Cell:
    """Return a cell: the answer for more clients, held against that for fewer."""
    m, eps0 = draw.randint(1, 40), log_uniform(draw, 1e-3, 14.0)
    clients = draw.randint(2, 60)
    more = clients + draw.randint(1, 100)
    epsilon = any_epsilon(draw, largest_loss(eps0, 1.0))
    return Cell(
        f"CheckIn({m}, {eps0!r}, clients={more}).delta({epsilon!r}) against {clients} clients",
        lambda: CheckIn(m, eps0, clients=more).delta(epsilon),
        lambda: (0.0, CheckIn(m, eps0, clients=clients).delta(epsilon).upper),
    )


HUNTS = {
    "few_clients_delta": few_clients_delta,
    "binomial_tail": binomial_tail,
    "binomial_excess": binomial_excess,
    "fewer_clients_reveal_more": fewer_clients_reveal_more,
}

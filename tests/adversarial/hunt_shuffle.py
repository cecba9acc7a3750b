"""Hunts for shuffled messages: enumeration over all data of the others, closed forms of one and two clients, relations.

Rows of tables are exact fractions; e^epsilon and e^eps0 are balls of 300 bits, whose ends make enclosures.
"""

import math
import random
import tempfile
from fractions import Fraction
from itertools import combinations_with_replacement
from pathlib import Path

from flint import arb, ctx

from pldcheck.protocols.shuffle import Shuffle
from pldcheck.protocols.swap import Averaged

from .cells import Cell, ends, log_uniform

BITS = 300
HERE = Path(tempfile.gettempdir()) / "pldcheck-hunt-shuffle"


def exponential(value: float) -> tuple[Fraction, Fraction]:
    """Return an enclosure of e^value."""
    ctx.prec = BITS
    return ends(arb(value).exp())


def counts_law(rows):
    """Return the law of the multiset of one output from each row: {counts: probability}."""
    law = {(0,) * len(rows[0]): 1}
    for row in rows:
        after = {}
        for counts, mass in law.items():
            for j, r in enumerate(row):
                if r:
                    key = (*counts[:j], counts[j] + 1, *counts[j + 1 :])
                    after[key] = after.get(key, 0) + mass * r
        law = after
    return law


def worst_data(rows, n: int, kappa: Fraction) -> Fraction:
    """Return the largest hockey-stick divergence over neighbours and all data of the others, in fractions."""
    worst = Fraction(0)
    inputs = range(len(rows))
    for others in combinations_with_replacement(inputs, n - 1):
        laws = [counts_law([rows[i], *(rows[o] for o in others)]) for i in inputs]
        for i in inputs:
            for j in inputs:
                if i != j:
                    total = sum(max(mass - kappa * laws[j].get(key, 0), 0) for key, mass in laws[i].items())
                    worst = max(worst, total)
    return worst


def enclose(rows, n: int, epsilon: float) -> tuple[Fraction, Fraction]:
    """Return the truth at e^epsilon."""
    low, high = exponential(epsilon)
    return worst_data(rows, n, high), worst_data(rows, n, low)


def table_text(rows) -> str:
    """Return the name of a file with these floats; it is the file's content, so that no two differ."""
    text = "\n".join(",".join(repr(value) for value in row) for row in rows) + "\n"
    HERE.mkdir(exist_ok=True)
    path = HERE / f"{random.Random(text).getrandbits(64):x}.csv"
    path.write_text(text, encoding="utf-8")
    return str(path)


def _budget(rows) -> float:
    return max(math.log(float(max(column) / min(column))) for column in zip(*rows, strict=True))


def _close(draw: random.Random, cap: float) -> float:
    """Return an epsilon: none, next to the cap, or anywhere below it."""
    kind = draw.randrange(4)
    if kind == 0:
        return 0.0
    if kind == 1:
        return cap * (1.0 - log_uniform(draw, 1e-13, 0.5))
    return cap * (log_uniform(draw, 1e-9, 1.0) if kind == 2 else draw.random())


def table(draw: random.Random) -> Cell:
    """Return a cell: rows 2^-k apart whose floats add up to 1 exactly, or up to 1e-16 ... 1e-10."""
    inputs, outputs, n = draw.choice([2, 3]), draw.choice([2, 3]), draw.choice([1, 2, 2, 3])
    distance = 2.0 ** -draw.randint(1, 44)
    base = [draw.randint(2, 40) for _ in range(outputs)]
    base = [value / 64.0 for value in base]
    rows = []
    for _ in range(inputs):
        row = [b * (1.0 + distance * draw.choice([-1.0, 0.0, 1.0, draw.uniform(-1.0, 1.0)])) for b in base]
        total = sum(row)
        row = [value / total for value in row]
        if draw.random() < 0.3:
            factor = 1.0 + draw.choice([-1.0, 1.0]) * log_uniform(draw, 1e-16, 5e-10)
            row = [value * factor for value in row]
        rows.append(row)
    exact = [[Fraction(value) / sum(map(Fraction, row)) for value in row] for row in rows]
    if all(row == exact[0] for row in exact):
        return table(draw)
    spread = max(max(column) / min(column) - 1 for column in zip(*exact, strict=True))
    own = math.log1p(float(spread)) * (1.0 + 4e-16)
    eps0 = draw.choice([own * (1.0 + 1e-15), own * 2.0, 1.0]) if own < 0.5 else own * (1.0 + 1e-12)
    epsilon = _close(draw, own)
    path = table_text(rows)
    return Cell(
        f"Shuffle({n}, {eps0!r}, 'table:{path}').delta({epsilon!r}) of {rows!r}",
        lambda: Shuffle(n, eps0, f"table:{path}").delta(epsilon),
        lambda: enclose(exact, n, epsilon),
    )


def response_rows(x: arb, k: int, values: int):
    """Return rows of k-ary response on so many values; outputs of no value together."""
    s = 1 / (x + k - 1)
    rest = [(k - values) * s] if k > values else []
    return [[x * s if i == j else s for j in range(values)] + rest for i in range(values)]


def worst_response(n: int, k: int, eps0: float, epsilon: float):
    """Return balls of delta for every choice of data of the others: the record holds 0, its replacement 1."""
    ctx.prec = BITS
    x, kappa = arb(eps0).exp(), arb(epsilon).exp()
    values = min(k, n + 1)
    rows = response_rows(x, k, values)
    low = high = Fraction(0)
    for others in combinations_with_replacement(range(values), n - 1):
        one, two = (counts_law([rows[i], *(rows[o] for o in others)]) for i in (0, 1))
        total = arb(0)
        for key, mass in one.items():
            total += (mass - kappa * two[key]).max(arb(0))
        bottom, top = ends(total)
        low, high = max(low, bottom), max(high, top)
    return low, high


def response(draw: random.Random) -> Cell:
    """Return a cell: k-ary response, one to four clients."""
    k, n = draw.choice([2, 3, 4, 5, 17, 10_000]), draw.choice([1, 2, 2, 3, 4])
    n = min(n, 3) if k > 3 else n
    eps0 = log_uniform(draw, 1e-14, 12.0)
    epsilon = _close(draw, eps0)
    kind = draw.choice(["rr", "krr:2"]) if k == 2 else f"krr:{k}"
    return Cell(
        f"Shuffle({n}, {eps0!r}, {kind!r}).delta({epsilon!r})",
        lambda: Shuffle(n, eps0, kind).delta(epsilon),
        lambda: worst_response(n, k, eps0, epsilon),
    )


def single(n, k, x: arb, kappa: arb) -> arb:
    """Return one message of k-ary response: (x - kappa)/(x + k - 1)."""
    return (x - kappa) / (x + k - 1)


def one_message(draw: random.Random) -> Cell:
    """Return a cell: one client in closed form, all kinds."""
    eps0 = log_uniform(draw, 1e-14, 20.0)
    kind = draw.choice(["worst", "rr", "krr:7", "laplace", "gaussian", "tv"])
    epsilon = _close(draw, eps0)
    text = kind
    if kind == "gaussian":
        sigma = log_uniform(draw, 1.0, 1e6)
        text, epsilon = f"gaussian:{sigma!r}", draw.choice([0.0, log_uniform(draw, 1e-9, 3.0) / sigma])
    elif kind == "tv":
        share = log_uniform(draw, 1e-9, 0.999)
        text = f"tv:{share * math.tanh(0.5 * eps0)!r}"

    def truth():
        ctx.prec = BITS
        x, kappa, e = arb(eps0).exp(), arb(epsilon).exp(), arb(epsilon)
        if kind == "gaussian":
            s = arb(sigma)

            def tail(z):
                return (z / arb(2).sqrt()).erfc() / 2

            return ends(tail(e * s - 1 / (2 * s)) - kappa * tail(e * s + 1 / (2 * s)))
        if kind == "laplace":
            return ends(-((e - arb(eps0)) / 2).expm1())
        if kind == "tv":
            return ends(arb(float(text[3:])) * (x - kappa) / (x - 1))
        return ends((x - kappa) / (x + (6 if kind == "krr:7" else 1)))

    return Cell(
        f"Shuffle(1, {eps0!r}, {text!r}).delta({epsilon!r})", lambda: Shuffle(1, eps0, text).delta(epsilon), truth
    )


def two_clients(draw: random.Random) -> Cell:
    """Return a cell: any randomizers, two clients: binary response is the worst."""
    eps0 = log_uniform(draw, 1e-14, 20.0)
    epsilon = _close(draw, eps0)
    kind = draw.choice(["worst", "averaged"])
    ask = Averaged(2, 5, eps0) if kind == "averaged" else Shuffle(2, eps0)
    return Cell(f"{ask!r}.delta({epsilon!r})", lambda: ask.delta(epsilon), lambda: worst_response(2, 2, eps0, epsilon))


def at_most_one_message(draw: random.Random) -> Cell:
    """Return a cell: many clients: at least k-ary response on one value of all others, at most one message."""
    eps0 = log_uniform(draw, 1e-12, 12.0)
    n = draw.choice([3, 5, 30, 31, 63, 64, 65, 100, 2048, 2049, 10_000, 10_001, 10**6, 10**12])
    kind = draw.choice(["worst", "rr", "krr:3", "krr:10", "laplace"])
    epsilon = _close(draw, eps0 if draw.random() < 0.5 else min(eps0, 10.0 * eps0 / math.sqrt(n)))

    def truth():
        ctx.prec = BITS
        x, kappa = arb(eps0).exp(), arb(epsilon).exp()
        if kind == "laplace":
            return Fraction(0), ends(-((arb(epsilon) - arb(eps0)) / 2).expm1())[1]
        return Fraction(0), ends(single(n, {"krr:3": 3, "krr:10": 10}.get(kind, 2), x, kappa))[1]

    def ask():
        interval = Shuffle(n, eps0, kind).delta(epsilon)
        # the lower end is at most one message's; that the upper one is too is asked here
        assert Fraction(interval.upper) <= truth()[1] * (1 + Fraction(1, 10**9)) + Fraction(1, 10**290), interval
        return interval

    return Cell(f"Shuffle({n}, {eps0!r}, {kind!r}).delta({epsilon!r})", ask, truth)


def inverse(draw: random.Random) -> Cell:
    """Return a cell: epsilon(delta) of two clients of k-ary response next to delta(0), the smallest delta, and
    between.
    """
    k, n = draw.choice([2, 3, 5]), draw.choice([1, 2, 3])
    eps0 = log_uniform(draw, 1e-12, 10.0)
    at = _close(draw, eps0)
    low, high = worst_response(n, k, eps0, at)
    delta = float(high) * draw.choice([1.0, 1.0 - log_uniform(draw, 1e-12, 0.1), 1.0 + log_uniform(draw, 1e-12, 0.1)])
    if not 0.0 < delta < 1.0:
        return inverse(draw)
    kind = f"krr:{k}"

    def ask():
        interval = Shuffle(n, eps0, kind).epsilon(delta)
        assert 0.0 <= interval.lower <= interval.upper <= eps0, interval
        # delta at the ends, in balls: above the lower end's the target is reached, at the upper one's it is not passed
        assert interval.lower == 0.0 or worst_response(n, k, eps0, interval.lower)[1] >= Fraction(delta), "lower end"
        assert worst_response(n, k, eps0, interval.upper)[0] <= Fraction(delta), "upper end"
        return interval

    return Cell(f"Shuffle({n}, {eps0!r}, {kind!r}).epsilon({delta!r})", ask, lambda: (0.0, eps0))


def within_worse(draw: random.Random) -> Cell:
    """Return a cell: whoever assumes more: a known randomizer, averaging, more clients have no larger upper end than a
    lower one.
    """
    eps0 = log_uniform(draw, 1e-10, 8.0)
    n = draw.choice([2, 3, 5, 12, 64, 100])
    epsilon = _close(draw, min(eps0, 6.0 * eps0 / math.sqrt(n)))
    kind = draw.choice(["rr", "krr:3", "krr:6", "laplace", "averaged", "clients"])
    wide = Shuffle(n, eps0).delta(epsilon)
    if kind == "averaged":
        ask = Averaged(n, 7, eps0)
    elif kind == "clients":
        ask = Shuffle(n + draw.choice([1, 2, 50]), eps0)
    else:
        ask = Shuffle(n, eps0, kind)
    question = f"{ask!r}.delta({epsilon!r}) within Shuffle({n}, {eps0!r})"
    return Cell(question, lambda: ask.delta(epsilon), lambda: (0.0, wide.upper))


def rounds(draw: random.Random) -> Cell:
    """Return a cell: more rounds are no more private; at most rounds x eps0, at most rounds x delta, which is
    Bonferroni's.
    """
    eps0 = log_uniform(draw, 1e-6, 12.0)
    n, many = draw.choice([2, 10, 1000]), draw.choice([2, 3, 10])
    kind = draw.choice(["worst", "krr:3", "rr", "laplace", "tv"])
    n = min(n, 10) if kind == "laplace" else n  # inversions of many cells take seconds
    if kind == "tv":
        kind = f"tv:{draw.random() * math.tanh(0.5 * eps0)!r}"
    epsilon = _close(draw, eps0)

    def ask():
        once = Shuffle(n, eps0, kind).delta(epsilon)
        interval = Shuffle(n, eps0, kind, rounds=many).delta(epsilon)
        assert interval.upper >= once.lower, (interval, once)
        high = Shuffle(n, eps0, kind, rounds=many).epsilon(1e-300).upper
        assert high <= many * eps0 * (1 + 1e-15), high
        # The product may be rounded to below the largest loss: ask beyond it.
        beyond = math.nextafter(many * eps0, math.inf)
        assert Shuffle(n, eps0, kind, rounds=many).delta(beyond).upper <= 1e-280
        return interval

    return Cell(f"Shuffle({n}, {eps0!r}, {kind!r}, rounds={many}).delta({epsilon!r})", ask, lambda: (0.0, 1.0))


HUNTS = {
    "shuffle: tables, nearly equal": table,
    "shuffle: k-ary response, few clients": response,
    "shuffle: one message": one_message,
    "shuffle: two clients": two_clients,
    "shuffle: at most one message": at_most_one_message,
    "shuffle: epsilon of k-ary response": inverse,
    "shuffle: who assumes more": within_worse,
    "shuffle: rounds": rounds,
}

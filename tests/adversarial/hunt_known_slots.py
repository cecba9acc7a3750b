"""Hidden slots of known randomizers: references chosen as outputs come, in fractions; closed forms; relations.

Tables are written to a temporary file for the time of the answer.
"""

import random
import tempfile
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache
from math import expm1, inf, log1p
from pathlib import Path

from flint import arb, ctx

from pldcheck import HiddenSlot

from .cells import Cell, ends, log_uniform

DIGITS = 80


def power(exponent) -> Fraction:
    """Return e^exponent, to so many digits."""
    return Fraction(Context(prec=DIGITS).exp(Decimal(exponent)))


def enclose(value: Fraction) -> tuple[Fraction, Fraction]:
    """Return the truth, from exponentials of so many digits: what cancels takes fewer than half of them."""
    doubt = Fraction(1, 10 ** (DIGITS // 2))
    return value * (1 - doubt), value * (1 + doubt)


def gains(record, replacement, references, kappa, adjacency):
    """Return all kinds of neighbours, each with a law (chance, gain) for every reference."""
    if adjacency == "replace":
        return [
            [[(o, (a - kappa * b) / o) for a, b, o in zip(record, replacement, row, strict=True)] for row in references]
        ]
    removal = [[(o, a / o - kappa) for a, o in zip(record, row, strict=True)] for row in references]
    addition = [[(o, 1 - kappa * a / o) for a, o in zip(record, row, strict=True)] for row in references]
    return [removal, addition]


def optimum(laws, steps: int, kappa: Fraction, weight: Fraction) -> Fraction:
    """Return w/m E(sum of gains - ...)_+, each law chosen with regard to all outputs before."""
    constant = (1 - weight) / weight * (kappa - 1)

    @cache
    def worst(to_go: int, total: Fraction) -> Fraction:
        if not to_go:
            return max(total, Fraction(0))
        return max(sum((c * worst(to_go - 1, total + g - constant) for c, g in law), Fraction(0)) for law in laws)

    return weight / steps * worst(steps, Fraction(0))


def truth_of(rows, steps: int, weight: float, adjacency: str, epsilon: float) -> Fraction:
    """Return delta(epsilon): the worst record, replacement and references."""
    kappa, inputs = power(epsilon), range(len(rows))
    kinds = []
    for i in inputs:
        for j in inputs if adjacency == "replace" else [i]:
            if adjacency != "replace" or rows[i] != rows[j]:
                kinds += gains(rows[i], rows[j], rows, kappa, adjacency)
    return max(optimum(laws, steps, kappa, Fraction(weight)) for laws in kinds)


def response_rows(eps0: float, k: int):
    x = power(eps0)
    return [[(x if y == i else Fraction(1)) / (x + k - 1) for y in range(k)] for i in range(k)]


def some_weight(draw: random.Random) -> float:
    """Return a weight: 1, next to it, or small."""
    kind = draw.randrange(4)
    if kind < 2:
        return 1.0
    return 1.0 - log_uniform(draw, 1e-16, 0.5) if kind == 2 else log_uniform(draw, 1e-9, 1.0)


def some_epsilon(draw: random.Random, cap: float) -> float:
    """Return an epsilon next to the largest loss, next to 0, or anywhere below."""
    kind = draw.randrange(4)
    if kind == 0:
        return max(cap * (1.0 - log_uniform(draw, 1e-15, 0.1)), 0.0)
    if kind == 1:
        return cap * log_uniform(draw, 1e-12, 1.0)
    return cap * draw.random() if kind == 2 else 0.0


def some_eps0(draw: random.Random) -> float:
    return log_uniform(draw, 1e-14, 20.0) if draw.random() < 0.8 else draw.choice([1.0, 18.0, 20.0, 0.6931471805599453])


def with_table(rows, make):
    """Call ``make`` with a randomizer's name while its file exists."""

    def answer():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.csv"
            path.write_text("\n".join(",".join(map(repr, row)) for row in rows))
            return make(f"table:{path}")

    return answer


def some_rows(draw: random.Random) -> list[list[float]]:
    """Return two or three rows of two or three outputs: anything, or nearly equal ones."""
    count, outputs = draw.choice([(2, 2), (3, 2), (2, 3), (3, 3)])
    rows = []
    for _ in range(count):
        if rows and draw.random() < 0.5:  # next to the one before
            distance = draw.choice([2.0**-k for k in (10, 20, 30, 44, 50)])
            row = [value * (1.0 + distance * draw.choice([-1, 0, 1])) for value in rows[-1]]
        else:
            row = [log_uniform(draw, draw.choice([0.1, 1e-4, 1e-9]), 1.0) for _ in range(outputs)]
        total = sum(row)
        rows.append([value / total for value in row])
    if all(row == rows[0] for row in rows):
        rows[0] = [1.0 - (outputs - 1) * 0.25, *[0.25] * (outputs - 1)]
    return rows


def exact(rows):
    return [[Fraction(value) / sum(map(Fraction, row)) for value in row] for row in rows]


def table_delta(draw: random.Random) -> Cell:
    rows, steps, weight = some_rows(draw), draw.choice([1, 2, 2, 3]), some_weight(draw)
    adjacency = draw.choice(["replace", "zero-out"])
    chances = exact(rows)
    ratio = max(max(column) / min(column) for column in zip(*chances, strict=True))
    cap = log1p(weight * float(ratio - 1))
    epsilon = some_epsilon(draw, cap)
    return Cell(
        f"HiddenSlot({steps}, weight={weight!r}, adjacency={adjacency!r}, table {rows!r}).delta({epsilon!r})",
        with_table(rows, lambda name: HiddenSlot(steps, None, weight, adjacency, randomizer=name).delta(epsilon)),
        lambda: enclose(truth_of(chances, steps, weight, adjacency, epsilon)),
        width=1e-12,
    )


def response_delta(draw: random.Random) -> Cell:
    """Return a cell: K-ary response; of more values than four the other ones are alike, and one stands for them as a
    reference.
    """
    k, eps0, weight = draw.choice([2, 2, 3, 4]), some_eps0(draw), some_weight(draw)
    steps = draw.choice([1, 2, 3, 4, 6]) if k == 2 else draw.choice([1, 2])
    adjacency = draw.choice(["replace", "zero-out"])
    epsilon = some_epsilon(draw, log1p(weight * expm1(eps0)))

    def truth():
        rows, kappa = response_rows(eps0, k), power(epsilon)
        kinds = gains(rows[0], rows[1], rows[:3], kappa, adjacency)
        if adjacency != "replace":
            kinds = [laws[1:] for laws in kinds]
        return enclose(max(optimum(laws, steps, kappa, Fraction(weight)) for laws in kinds))

    name = "rr" if k == 2 else f"krr:{k}"
    return Cell(
        f"HiddenSlot({steps}, {eps0!r}, {weight!r}, {adjacency!r}, randomizer={name!r}).delta({epsilon!r})",
        lambda: HiddenSlot(steps, eps0, weight, adjacency, randomizer=name).delta(epsilon),
        truth,
        width=1e-12,
    )


def one_slot_epsilon(draw: random.Random) -> Cell:
    """Return a cell: epsilon(delta) of one slot of response or Laplace noise, in balls: log(1 + w(c' - 1))."""
    eps0, weight = some_eps0(draw), some_weight(draw)
    kind = draw.choice(["rr", "krr", "laplace"])
    k = 2 if kind == "rr" else draw.choice([3, 10, 10_000])
    name = f"krr:{k}" if kind == "krr" else kind
    adjacency = draw.choice(["replace", "zero-out"])
    with_prec(900)
    x, w = arb(eps0).exp(), arb(weight)
    zero = w * (x - 1) / (x + k - 1) if kind != "laplace" else w * (1 - (-arb(eps0) / 2).exp())
    share = draw.choice([log_uniform(draw, 1e-300, 1.0), 1.0 - log_uniform(draw, 1e-15, 1.0)])
    delta = float(zero.mid()) * share

    def truth():
        with_prec(900)
        x, h = arb(eps0).exp(), arb(delta) / arb(weight)
        ratio = x * (1 - h) ** 2 if kind == "laplace" else x - h * (x + k - 1)
        loss = (1 + arb(weight) * (ratio - 1)).log()
        low, high = ends(loss)
        return max(low, Fraction(0)), max(high, Fraction(0))

    return Cell(
        f"HiddenSlot(1, {eps0!r}, {weight!r}, {adjacency!r}, randomizer={name!r}).epsilon({delta!r})",
        lambda: HiddenSlot(1, eps0, weight, adjacency, randomizer=name).epsilon(delta),
        truth,
        width=1e-14,
        refusable=delta < 1e-305,
    )


def with_prec(bits: int) -> None:
    ctx.prec = bits


def gaussian_alone(draw: random.Random) -> Cell:
    """Return a cell: delta(epsilon) of one slot of Gaussian noise in a ball of diameter 1, in balls."""
    sigma, weight = log_uniform(draw, 0.3, 100.0), some_weight(draw)
    adjacency = draw.choice(["replace", "zero-out"])
    epsilon = draw.choice([0.0, log_uniform(draw, 1e-9, 1.0), log_uniform(draw, 1e-2, 10.0)])

    def truth():
        with_prec(900)
        mixture = 1 + arb(epsilon).expm1() / arb(weight)
        loss, s = mixture.log(), 1 / arb(sigma)
        root = arb(2).sqrt()
        value = ((loss / s - s / 2) / root).erfc() / 2 - mixture * ((loss / s + s / 2) / root).erfc() / 2
        return ends(arb(weight) * value)

    return Cell(
        f"HiddenSlot(1, None, {weight!r}, {adjacency!r}, randomizer='gaussian:{sigma!r}').delta({epsilon!r})",
        lambda: HiddenSlot(1, None, weight, adjacency, randomizer=f"gaussian:{sigma!r}").delta(epsilon),
        truth,
        refusable=True,
    )


def within_worst(draw: random.Random) -> Cell:
    """Return a cell: a known randomizer has no more than the worst one of its budget, a record there or not no more
    than replaced.
    """
    eps0, weight = log_uniform(draw, 1e-6, 8.0), some_weight(draw)
    steps = draw.choice([1, 2, 3, 5, 8, 24, 25, 26, 60, 61, 200])
    name = draw.choice(["rr", "krr:3", "krr:10", "laplace"])
    adjacency, epsilon = draw.choice(["replace", "zero-out"]), some_epsilon(draw, log1p(weight * expm1(eps0)))
    return Cell(
        f"HiddenSlot({steps}, {eps0!r}, {weight!r}, {adjacency!r}, randomizer={name!r} or 'worst').delta({epsilon!r})",
        lambda: (
            HiddenSlot(steps, eps0, weight, adjacency, randomizer=name).delta(epsilon).upper,
            inf,
        ),
        lambda: (-inf, HiddenSlot(steps, eps0, weight, adjacency).delta(epsilon).upper),
    )


def epsilon_within_worst(draw: random.Random) -> Cell:
    """Return a cell: the same of epsilon(delta)."""
    eps0, weight = log_uniform(draw, 1e-3, 8.0), some_weight(draw)
    steps = draw.choice([1, 2, 3, 5, 24, 25, 61, 200])
    name, adjacency = draw.choice(["rr", "krr:3", "laplace"]), draw.choice(["replace", "zero-out"])
    delta = log_uniform(draw, 1e-12, 0.3) * weight * -expm1(-eps0) / steps
    return Cell(
        f"HiddenSlot({steps}, {eps0!r}, {weight!r}, {adjacency!r}, randomizer={name!r} or 'worst').epsilon({delta!r})",
        lambda: (HiddenSlot(steps, eps0, weight, adjacency, randomizer=name).epsilon(delta).upper, inf),
        lambda: (-inf, HiddenSlot(steps, eps0, weight, adjacency).epsilon(delta).upper),
    )


def fewer_steps(draw: random.Random) -> Cell:
    """Return a cell: more slots have no more: the lower end of m + 1 is not above the upper end of m."""
    eps0, weight = some_eps0(draw), some_weight(draw)
    steps = draw.choice([1, 2, 5, 24, 25, 60, 100])
    name, adjacency = draw.choice(["rr", "krr:3", "krr:7", "laplace"]), draw.choice(["replace", "zero-out"])
    epsilon = some_epsilon(draw, log1p(weight * expm1(eps0)))

    def answer_of_count(count):
        return HiddenSlot(count, eps0, weight, adjacency, randomizer=name).delta(epsilon)

    return Cell(
        f"HiddenSlot({steps} or one more, {eps0!r}, {weight!r}, {adjacency!r}, randomizer={name!r}).delta({epsilon!r})",
        lambda: (answer_of_count(steps + 1).lower, inf),
        lambda: (-inf, answer_of_count(steps).upper),
    )


def there_and_back(draw: random.Random) -> Cell:
    """Return a cell: epsilon(delta(epsilon)) contains epsilon, where delta is not 0."""
    eps0, weight = log_uniform(draw, 1e-9, 20.0), some_weight(draw)
    steps, name = draw.choice([1, 2, 3, 10, 30]), draw.choice(["rr", "krr:3"])
    epsilon = some_epsilon(draw, log1p(weight * expm1(eps0)))
    slot = HiddenSlot(steps, eps0, weight, randomizer=name)

    def both_answers():
        lower = slot.delta(epsilon).lower
        if not 1e-280 < lower < 1.0:
            return 0.0, 1.0
        return (0.0, 1.0) if slot.epsilon(lower).upper >= epsilon else (2.0, 3.0)

    return Cell(f"{slot!r} at {epsilon!r} and back", both_answers, lambda: (0.0, 1.0))


HUNTS = {
    "known slots: tables, references chosen as outputs come": table_delta,
    "known slots: K-ary response, references likewise": response_delta,
    "known slots: epsilon of one slot": one_slot_epsilon,
    "known slots: one slot of Gaussian noise": gaussian_alone,
    "known slots: within the worst": within_worst,
    "known slots: epsilon within the worst": epsilon_within_worst,
    "known slots: more slots": fewer_steps,
    "known slots: there and back": there_and_back,
}

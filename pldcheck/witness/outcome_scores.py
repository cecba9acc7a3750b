"""Integer scores of outputs, and the width of cells of losses: they decide which outcomes of a composition are one."""

from __future__ import annotations

from collections.abc import Sequence
from math import expm1, log, sqrt

from .exact_rows import Rows

# The number of sums of scores up to which every count of outputs has a sum of its own.
ALL = 5000
# The largest number of sums of scores otherwise.
MOST = 10_000
# The number of standard deviations of the sum of scores that these sums cover.
SPAN = 24.0
# The largest score, with which rounding the gains loses little.
LARGEST = 60
# The share of the variance below which a loss by rounding does not matter.
NEGLIGIBLE = 1e-7
# The number of cells in the standard deviation of one part's loss, within the two limits below.
FINE = 8.0
# The least number of cells in the standard deviation of the loss of all parts.
FEWEST = 200.0
# The largest number of cells in that deviation.
MOST_CELLS = 800.0
# The number of cells in that deviation for several different parts, whose laws the checker must all convolve.
OF_MANY = 150.0


def scores(rows: Rows, draws: int, weight: float, epsilon: float) -> list[int]:
    """Return scores that are nearly proportional to an output's gain P/R - e^epsilon Q/R.

    The sum of the gains decides which outcomes count.  An output with R = 0 has score 0: the checker treats it as one
    that reveals the record.
    """
    places = [place for place, mass in enumerate(rows[2]) if mass > 0]
    if draws == 1:
        return list(range(len(rows[2])))
    record, replacement, others = ([float(row[place]) for place in places] for row in rows)
    gains = [weight * ((a - b) - expm1(epsilon) * b) / c for a, b, c in zip(record, replacement, others, strict=True)]
    if (draws + 1) ** (len(places) - 1) <= ALL:
        values = [0, *((draws + 1) ** power for power in range(len(places) - 1))]
    else:
        values = _multiples(gains, others, draws)
    by_place = dict(zip(places, values, strict=True))
    return [by_place.get(place, 0) for place in range(len(rows[2]))]


def sums(rows: Rows, values: Sequence[int], draws: int) -> float:
    """Return an estimate of the number of sums of scores that the checker keeps apart."""
    return SPAN * sqrt(_variance(values, [float(mass) for mass in rows[2]]) * draws)


def _multiples(gains: Sequence[float], masses: Sequence[float], draws: int) -> list[int]:
    """Return the multiples of the gains, from 0 on, whose rounding to integers loses the least of their variance."""
    low, span = min(gains), max(gains) - min(gains)
    shares = [(gain - low) / span for gain in gains]
    deviation = sqrt(_variance(shares, masses))
    # Two opposite gains and one between them need the scores 0, 1 and 2.
    largest = max(min(LARGEST, int(MOST / (SPAN * deviation * sqrt(draws)))), 2)
    candidates = [[round(top * share) for share in shares] for top in range(1, largest + 1)]

    def residue(values: Sequence[int]) -> float:
        # The share of the variance of the gains that no multiple of the scores explains.
        explained_share = _covariance(values, shares, masses) ** 2 / _variance(values, masses) / deviation**2
        return max(1.0 - explained_share, NEGLIGIBLE)

    return min(candidates, key=residue)


def _variance(values: Sequence[float], masses: Sequence[float]) -> float:
    return _covariance(values, values, masses)


def _covariance(one: Sequence[float], other: Sequence[float], masses: Sequence[float]) -> float:
    means = [sum(value * mass for value, mass in zip(values, masses, strict=True)) for values in (one, other)]
    return sum((a - means[0]) * (b - means[1]) * mass for a, b, mass in zip(one, other, masses, strict=True))


def cell(parts: Sequence[tuple[int, int, float, Rows]]) -> float:
    """Return the width of cells of losses for parts, each a tuple (times, draws, weight, rows)."""
    variances = [(times, _loss_variance(draws, weight, rows)) for times, draws, weight, rows in parts]
    total = sqrt(sum(times * variance for times, variance in variances))
    if len(parts) > 1:
        return total / OF_MANY
    (_, draws, weight, rows), one = parts[0], sqrt(variances[0][1])
    losses = _losses(weight, rows)
    if draws == 1 and len(losses) == 2:  # the two losses are in neighbouring cells, so that nothing is lost
        return abs(losses[0][0] - losses[1][0]) * (1.0 - 1e-9)
    return max(min(one / FINE, total / FEWEST), total / MOST_CELLS)


def _losses(weight: float, rows: Rows) -> list[tuple[float, float]]:
    """Return (loss, mass) for the outputs of one draw that both views can have."""
    losses = []
    for a, b, c in zip(*rows, strict=True):
        p, q = weight * float(a) + (1.0 - weight) * float(c), weight * float(b) + (1.0 - weight) * float(c)
        if p > 0.0 and q > 0.0:
            losses.append((log(p / q), p))
    return losses


def _loss_variance(draws: int, weight: float, rows: Rows) -> float:
    """Return the variance of the loss of ``draws`` draws: exact for one draw, else to first order in 1 / draws."""
    if draws == 1:
        losses, masses = zip(*_losses(weight, rows), strict=True)
        return _variance(losses, masses)
    distance = sum((float(a) - float(b)) ** 2 / float(c) for a, b, c in zip(*rows, strict=True) if c > 0)
    return weight**2 * distance / draws

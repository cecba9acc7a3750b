"""How the outcomes of a composition are told apart: integer scores of outputs, and the width of cells of losses."""

from __future__ import annotations

from collections.abc import Sequence
from math import expm1, log, sqrt

from .exact_rows import Rows

# Sums of scores kept apart where that tells all counts of outputs apart.
ALL = 5000
# Sums of scores kept apart at most otherwise.
MOST = 10_000
# Deviations that these sums cover.
SPAN = 24.0
# Scores go up to this at most.
LARGEST = 60
# A share of the variance this small, rounded away, is as good as none.
NEGLIGIBLE = 1e-7
# A loss is rounded to one part's deviation over this, unless that makes few or many cells of all parts'.
FINE = 8.0
# Cells of the deviation of all parts together at least.
FEWEST = 200.0
# Cells of the deviation of all parts together at most.
MOST_CELLS = 800.0
# Cells of that deviation where there are many parts.
OF_MANY = 150.0


def scores(rows: Rows, draws: int, weight: float, epsilon: float) -> list[int]:
    """Return nearly proportional to an output's gain P/R - e^epsilon Q/R: the sum decides which outcomes count.

    An output that none of the others has stands apart: the checker takes it for what it reveals.
    """
    shown = [place for place, mass in enumerate(rows[2]) if mass > 0]
    if draws == 1:
        return list(range(len(rows[2])))
    record, replacement, others = ([float(row[place]) for place in shown] for row in rows)
    gains = [weight * ((a - b) - expm1(epsilon) * b) / c for a, b, c in zip(record, replacement, others, strict=True)]
    if (draws + 1) ** (len(shown) - 1) <= ALL:
        found = [0, *((draws + 1) ** power for power in range(len(shown) - 1))]
    else:
        found = _rounded(gains, others, draws)
    placed = dict(zip(shown, found, strict=True))
    return [placed.get(place, 0) for place in range(len(rows[2]))]


def sums(rows: Rows, found: Sequence[int], draws: int) -> float:
    """Return about how many sums of scores the checker is to keep apart."""
    return SPAN * sqrt(_variance(found, [float(mass) for mass in rows[2]]) * draws)


def _rounded(gains: Sequence[float], masses: Sequence[float], draws: int) -> list[int]:
    """Multiples of the gains, of which the least is 0, rounded where that leaves least."""
    low, span = min(gains), max(gains) - min(gains)
    shares = [(gain - low) / span for gain in gains]
    deviation = sqrt(_variance(shares, masses))
    # Two that are opposite and one between them need 2.
    largest = max(min(LARGEST, int(MOST / (SPAN * deviation * sqrt(draws)))), 2)
    tried = [[round(top * share) for share in shares] for top in range(1, largest + 1)]

    def left(found: Sequence[int]) -> float:
        # What the best multiple of the scores leaves of the gains.
        return max(1.0 - _covariance(found, shares, masses) ** 2 / _variance(found, masses) / deviation**2, NEGLIGIBLE)

    return min(tried, key=left)


def _variance(values: Sequence[float], masses: Sequence[float]) -> float:
    return _covariance(values, values, masses)


def _covariance(one: Sequence[float], other: Sequence[float], masses: Sequence[float]) -> float:
    means = [sum(value * mass for value, mass in zip(values, masses, strict=True)) for values in (one, other)]
    return sum((a - means[0]) * (b - means[1]) * mass for a, b, mass in zip(one, other, masses, strict=True))


def cell(parts: Sequence[tuple[int, int, float, Rows]]) -> float:
    """Return the width of cells of losses, for parts given by (times, draws, weight, rows)."""
    variances = [(times, _of_loss(draws, weight, rows)) for times, draws, weight, rows in parts]
    total = sqrt(sum(times * variance for times, variance in variances))
    if len(parts) > 1:
        return total / OF_MANY
    (_, draws, weight, rows), one = parts[0], sqrt(variances[0][1])
    losses = _losses(weight, rows)
    if draws == 1 and len(losses) == 2:  # two neighbouring cells: nothing is lost
        return abs(losses[0][0] - losses[1][0]) * (1.0 - 1e-9)
    return max(min(one / FINE, total / FEWEST), total / MOST_CELLS)


def _losses(weight: float, rows: Rows) -> list[tuple[float, float]]:
    """(loss, mass) of the outputs of one draw that reveal nothing."""
    found = []
    for a, b, c in zip(*rows, strict=True):
        p, q = weight * float(a) + (1.0 - weight) * float(c), weight * float(b) + (1.0 - weight) * float(c)
        if p > 0.0 and q > 0.0:
            found.append((log(p / q), p))
    return found


def _of_loss(draws: int, weight: float, rows: Rows) -> float:
    """Return the variance of the loss of so many draws, about: exactly for one."""
    if draws == 1:
        losses, masses = zip(*_losses(weight, rows), strict=True)
        return _variance(losses, masses)
    told = sum((float(a) - float(b)) ** 2 / float(c) for a, b, c in zip(*rows, strict=True) if c > 0)
    return weight**2 * told / draws

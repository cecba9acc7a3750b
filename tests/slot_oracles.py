"""Slow twins for one hidden Gaussian, and for one hidden finite randomizer: no code is shared with pldcheck.

Every delta is factor * E(f(Z_1) + ... + f(Z_m) - total)_+ with independent standard normal Z_i, s = 1/sigma, c = e^eps:

* remove: f = A = e^{s Z - s^2/2}, total = m (1 + (c - 1)/p0), factor = p0/m;
* add: f = -A, total = -m (1 - (1 - 1/c)/p0), factor = c p0/m;
* replace (antipodal): f = e^{-s^2/2} (e^{s Z} - c e^{-s Z}), total = m (1 - p0) (c - 1)/p0, factor = p0/m.

``exact`` answers in balls (python-flint): a proof.  ``quadrature`` and ``inversion`` are floats good to about 1e-9
relatively, without a bound; ``monte_carlo`` is an estimate with its own confidence interval.  Different types, so that
none is taken for another.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, exp, factorial, inf, log, pi, prod, sqrt
from typing import NamedTuple

import numpy as np
from flint import acb, arb, ctx
from scipy.optimize import brentq, minimize_scalar
from scipy.special import log_ndtr, ndtr

BITS = 200
# Two-sided 99.9 % of a normal.
DEVIATIONS = 3.2905


class Estimate(NamedTuple):
    """Monte Carlo: probably, not certainly, within ``error`` of the truth (99.9 %)."""

    value: float
    error: float


# --- m = 1 and m = 2, in balls ----------------------------------------------------------------------------------------


def tail(x):
    """Return P(Z > x), of a ball or of a complex ball."""
    return (x / type(x)(2).sqrt()).erfc() / 2


def _log(x, analytic):
    return x.log(analytic=analytic) if isinstance(x, acb) else x.log()


def _sqrt(x, analytic):
    return x.sqrt(analytic=analytic) if isinstance(x, acb) else x.sqrt()


def call(s, k, analytic=False):
    """Return E(A - k)_+, k > 0."""
    d = _log(k, analytic) / s
    return tail(d - s / 2) - k * tail(d + s / 2)


def put_gain(s, k, analytic=False):
    """Return E(k - A)_+, k > 0."""
    d = _log(k, analytic) / s
    return k * tail(-d - s / 2) - tail(-d + s / 2)


def swing(s, c, t, analytic=False):
    """Return E(W - t)_+ of the antipodal W = e^{-s^2/2} (e^{sZ} - c e^{-sZ}), any t: it is increasing in Z."""
    high = t * (s * s / 2).exp()
    z = _log((high + _sqrt(high * high + 4 * c, analytic)) / 2, analytic) / s
    return tail(z - s) - c * tail(z + s) - t * tail(z)


def _rotate(inner, s, k, beyond):
    """Return E(S - k)_+ and the like for m = 2, by one integral.

    With x, y = (Z_1 +- Z_2)/sqrt(2) and r = s/sqrt(2), the mean of both values is g(y) = e^{-r^2/2} cosh(r y) times the
    same function of x at r: closed form in x, analytic in y.  ``beyond``: what |y| >= 25 + r can add.
    """
    r = s / arb(2).sqrt()
    edge = 25 + r

    def integrand(y, analytic):
        g = (-r * r / 2).exp() * (r * y).cosh()
        return (-y * y / 2).exp() / (2 * acb.pi()).sqrt() * g * inner(acb(r), k / g, analytic)

    half = acb.integral(integrand, acb(0), acb(edge), rel_tol=arb(2) ** -70, abs_tol=arb(0)).real
    return 2 * half + arb(0).union(beyond(r, edge))


def exact(direction: str, m: int, sigma: float, epsilon: float, p0: float = 1.0) -> arb:
    """Return delta(epsilon) for m = 1 (closed form) and m = 2 (one integral, its tails and its end in balls)."""
    with ctx.workprec(BITS):
        s, c, p = 1 / arb(sigma), arb(epsilon).exp(), arb(p0)
        if direction == "replace":
            k = (1 - p) * (c - 1) / p

            def inner(r, t, analytic):
                return swing(r, c, t, analytic)
        elif direction == "remove":
            k, inner = 1 + (c - 1) / p, call
        else:
            k, inner, p = 1 - (1 - 1 / c) / p, put_gain, c * p
            if not k > 0:
                assert k < 0 or p0 == 1.0
                return arb(0)
        if m == 1:
            return p * inner(s, k, False)
        assert m == 2
        # The mean of A over |y| > edge, A shifting y by r either way; (k - S)_+ <= k.
        if direction == "add":
            return p * _rotate(inner, s, k, lambda r, edge: 2 * k * tail(edge))
        return p * _rotate(inner, s, k, lambda r, edge: 2 * tail(edge - r))


def enclose(direction: str, m: int, s: float, epsilon: float, p0: float = 1.0, factor: float = 1.0):
    """Ends of ``exact`` over a factor, for a sensitivity s over the deviation that is exact, not as 1/sigma."""
    with ctx.workprec(BITS):
        value = exact(direction, m, 1 / arb(s), epsilon, p0) / arb(factor)
        return value.lower(), value.upper()


def gaussian_delta(mu, epsilon) -> arb:
    """Return delta of the Gaussian mechanism of sensitivity mu and deviation 1, both in balls or floats."""
    with ctx.workprec(BITS):
        mu, epsilon = arb(mu), arb(epsilon)
        return tail(epsilon / mu - mu / 2) - epsilon.exp() * tail(epsilon / mu + mu / 2)


# --- floats -----------------------------------------------------------------------------------------------------------


class Question(NamedTuple):
    """factor * E(sum of m values of f - total)_+; f(z) is increasing in ``sign`` * z."""

    f: Callable[[np.ndarray], np.ndarray]
    sign: float
    m: int
    total: float
    factor: float
    s: float
    # Tail expectation E(f - cap)_+.
    over: Callable[[float], float]


def question(direction: str, m: int, sigma: float, epsilon: float, p0: float = 1.0) -> Question:
    """Return delta(epsilon) in the form above."""
    s, c = 1.0 / sigma, exp(epsilon)
    if direction == "remove":
        k = m * (1.0 + (c - 1.0) / p0)
        return Question(lambda z: np.exp(s * z - s * s / 2), 1.0, m, k, p0 / m, s, lambda t: _as_float(call, s, t))
    if direction == "add":
        k = m * (1.0 - (1.0 - 1.0 / c) / p0)
        return Question(lambda z: -np.exp(s * z - s * s / 2), -1.0, m, -k, c * p0 / m, s, lambda t: 0.0)
    k = m * (1.0 - p0) * (c - 1.0) / p0

    def swings(z):
        return np.exp(-s * s / 2) * (np.exp(s * z) - c * np.exp(-s * z))

    return Question(swings, 1.0, m, k, p0 / m, s, lambda t: _as_float(lambda a, t: swing(a, arb(c), t), s, t))


def _as_float(function, s, t):
    with ctx.workprec(BITS):
        return float(function(arb(s), arb(t)))


def quadrature(direction: str, m: int, sigma: float, epsilon: float, p0: float = 1.0) -> Estimate:
    """Return delta(epsilon) for m = 2, 3, 4 and zero-out: trapezoids over m - 1 coordinates, the last one in closed
    form.

    The integrand is smooth on the whole line and falls like a Gaussian: the rule converges faster than any power.  The
    error is the change from a grid coarser by a quarter.
    """
    points = {2: 8000, 3: 2400, 4: 240}[m]
    fine, coarse = (_trapezoids(question(direction, m, sigma, epsilon, p0), n) for n in (points, 3 * points // 4))
    return Estimate(fine, abs(fine - coarse) + 1e-11 * fine)


def _trapezoids(ask: Question, points: int) -> float:
    assert ask.over is not None
    s, m, k = ask.s, ask.m, abs(ask.total)
    if ask.sign * ask.total <= 0.0:
        return 0.0
    edge = (log(k) + s * s / 2) / s
    # As far as the weights in question fall by e^-33: past one value that decides, and past all deciding together.
    level = sqrt(m) * (log(k / m) + s * s / 2) / s
    reach = sqrt(max(edge * ask.sign, level * ask.sign, 0.0) ** 2 + 66.0)
    ends = (-9.0, reach + s) if ask.sign > 0.0 else (-reach - s, min(edge, 9.0))
    z = np.linspace(*ends, points)
    weight, a = np.exp(-z * z / 2) * (z[1] - z[0]) / sqrt(2 * pi), np.exp(s * z - s * s / 2)
    sums, weights = a, weight
    for _ in range(m - 2):
        sums, weights = np.add.outer(sums, a).ravel(), np.multiply.outer(weights, weight).ravel()
    rest = k - sums
    is_open = rest > 0.0
    d = np.log(rest[is_open]) / s
    inner = np.zeros_like(rest)
    if ask.sign > 0.0:
        inner[~is_open] = 1.0 - rest[~is_open]
        inner[is_open] = ndtr(s / 2 - d) - np.exp(log_ndtr(-s / 2 - d) + s * d)
    else:
        inner[is_open] = np.exp(log_ndtr(s / 2 + d) + s * d) - ndtr(d - s / 2)
    return float(ask.factor * np.sum(weights * np.maximum(inner, 0.0)))


def _nodes(ask: Question, cap: float, frequency: float, tilt: float):
    """Return Gauss-Legendre nodes in z: panels short enough for the phase ``frequency`` * f, as far as the tilted law
    reaches.
    """
    low, edge = -14.0, 14.0 + 2 * ask.s
    if cap < inf:
        edge = brentq(lambda z: ask.f(np.array([z]))[0] - cap, low, 60.0 + edge, xtol=1e-14)
    ends = np.linspace(min(low, edge - 10.0), edge, 4001)
    logs = tilt * ask.f(ends) - ends**2 / 2
    places = np.flatnonzero(logs > logs.max() - 45.0)
    ends = np.linspace(ends[max(places[0] - 1, 0)], ends[min(places[-1] + 1, 4000)], 101)
    values = ask.f(ends)
    turns = np.abs(np.diff(values)) * max(frequency, tilt) / (2 * pi)
    if not turns.max() < 1e6:
        raise ArithmeticError("too many panels")
    ends = np.concatenate(
        [ends[:1], *(np.linspace(a, b, 2 + int(n))[1:] for a, b, n in zip(ends, ends[1:], turns, strict=False))]
    )
    x, w = np.polynomial.legendre.leggauss(16)
    half, middle = np.diff(ends) / 2, (ends[1:] + ends[:-1]) / 2
    z = (middle[:, None] + half[:, None] * x).ravel()
    weight = (half[:, None] * w).ravel() * np.exp(-z * z / 2) / sqrt(2 * pi)
    return ask.f(z), weight, float(ndtr(-edge)) if cap < inf else 0.0


def _cap(ask: Question) -> float:
    """Return the cap beyond which one value outweighs whatever the others do: certainly at the total if f >= 0, else to
    1e-9 of them.

    The sum of m values of g = min(f, 2) falls short of its mean by x with probability about e^{-x^2 / (2 m E g^2)}.
    """
    if ask.sign < 0.0:
        return inf
    z = np.linspace(-9.0, 9.0, 2001)
    phi = np.exp(-z * z / 2) / sqrt(2 * pi) * (z[1] - z[0])
    f = ask.f(z)
    part = np.minimum(f, 2.0)
    smaller = ask.total - ask.m * float(phi @ part) + 6.5 * sqrt(ask.m * float(phi @ part**2)) + abs(float(f[0]))
    return min(ask.total, smaller) if f[0] >= 0.0 else smaller


def _log_mgf(values, weight, beyond, cap, w):
    top = max(values.max(), cap) if beyond > 0.0 else values.max()
    total = np.exp(np.multiply.outer(w, values - top)) @ weight
    if beyond > 0.0:
        total = total + beyond * np.exp(w * (cap - top))
    return np.log(total) + w * top


def _saddle(ask: Question, cap: float) -> float:
    """Return the tilt that makes m log E e^{w f} - w total - 2 log w least."""

    def height(log_tilt):
        tilt = exp(log_tilt)
        logs = _log_mgf(*_nodes(ask, cap, 0.0, tilt), cap, np.array([tilt]))
        return float(ask.m * logs[0] - tilt * ask.total) - 2 * log_tilt

    scale = -log(cap if cap < inf else abs(ask.total))
    return exp(minimize_scalar(height, bounds=(scale - 3.0, scale + 12.0), method="bounded").x)


def inversion(direction: str, m: int, sigma: float, epsilon: float, p0: float = 1.0, work: float = 3e8) -> Estimate:
    """Return delta(epsilon) by Fourier inversion of the moment generating function of f, capped where exactly linear.

    (sum f - total)_+ = (sum min(f, C) - total)_+ + sum (f - C)_+ for C beyond which one value decides.  Trapezoids
    along Re w = tilt, Gauss-Legendre in z; the error is the change from another tilt, by which all but an error in f
    would show.  Raises if it takes more than ``work`` exponentials, many for m < 10 and for little noise, and where
    round-off hides the value.
    """
    ask = question(direction, m, sigma, epsilon, p0)
    if direction == "add" and ask.total >= 0.0:
        return Estimate(0.0, 0.0)
    cap = _cap(ask)
    saddle = _saddle(ask, cap)
    # Below the saddle point: above it large values, several at once, come back as aliases.
    (one, noise), (other, more) = (_along(ask, cap, share * saddle, work) for share in (0.75, 0.6))
    beyond = ask.factor * m * ask.over(cap) if cap < inf else 0.0
    if not one + beyond > 2.0 * (noise + more):
        raise ArithmeticError("inversion in floating point loses this value to round-off")
    return Estimate(one + beyond, abs(one - other) + 1e-9 * (one + beyond) + noise + more)


def _along(ask: Question, cap: float, tilt: float, work: float) -> tuple[float, float]:
    """Return the value, and about what round-off may have added."""
    m, step = ask.m, tilt / 48.0
    # How far in frequency: where the transform has fallen by e^-36, and not at one frequency alone, for it swings.
    still = float(m * _log_mgf(*_nodes(ask, cap, 0.0, tilt), cap, np.array([tilt]))[0])
    reach = tilt
    while True:
        nodes = _nodes(ask, cap, reach, tilt)
        if nodes[0].size * (reach / step) > work:
            raise ArithmeticError(f"inversion needs more than {work:g} exponentials")
        ys = reach * np.linspace(0.6, 1.0, 64)
        falls = (m * _log_mgf(*nodes, cap, tilt + 1j * ys) - still).real - 2 * np.log(np.hypot(tilt, ys) / tilt)
        if falls.max() < -36.0:
            break
        reach *= 1.2
    y = np.arange(ceil(reach / step) + 1) * step
    total = size = 0.0
    for part in np.array_split(y, int(y.size * nodes[0].size / 4e6) + 1):
        w = tilt + 1j * part
        terms = np.exp(m * _log_mgf(*nodes, cap, w) - still - 1j * part * ask.total) / (w * w)
        total += float(np.sum(np.where(part == 0.0, 0.5, 1.0) * terms.real))
        size += float(np.sum(np.abs(terms)))
    scale = ask.factor * step / pi * exp(still - tilt * ask.total)
    return scale * total, scale * size * 2.0**-53 * 8.0 * np.sqrt(m)


# --- Monte Carlo ------------------------------------------------------------------------------------------------------

# The cells of the bulk proposal are so wide.
CELL = 0.02
# They reach so far from zero.
REACH = 12.0


class _Bulk(NamedTuple):
    """Independent coordinates of piecewise constant density, near the law of Z tilted by e^{theta min(f, cap)}."""

    masses: np.ndarray
    accept: np.ndarray
    alias: np.ndarray

    def draw(self, random, shape):
        cell = random.integers(0, self.masses.size, shape, dtype=np.int32)
        cell = np.where(random.random(shape, dtype=np.float32) < self.accept[cell], cell, self.alias[cell])
        return -REACH + CELL * (cell + random.random(shape))

    def log_ratio(self, z):
        """Return the log of its density over the normal one; -inf out of reach."""
        cell = np.floor((z + REACH) / CELL).astype(np.int64)
        inside = (cell >= 0) & (cell < self.masses.size)
        with np.errstate(divide="ignore"):
            logs = np.log(self.masses / CELL * sqrt(2 * pi))
        return np.where(inside, logs[np.clip(cell, 0, self.masses.size - 1)] + z * z / 2, -inf)


def _bulk(ask: Question, cap: float, mean: float) -> _Bulk:
    """Return the law tilted so that the mean of min(f, cap) is ``mean``."""
    z = -REACH + CELL * (np.arange(int(2 * REACH / CELL)) + 0.5)
    f = np.minimum(ask.f(z), cap)

    def tilt_by(theta):
        logs = theta * f - z * z / 2
        masses = np.exp(logs - logs.max())
        return masses / masses.sum()

    scale = 1.0 / np.abs(f[np.abs(z) < 3]).max()
    low, high = 0.0, scale
    while tilt_by(high) @ f < mean and high < 1e6 * scale:
        high *= 2.0
    for _ in range(60):
        theta = (low + high) / 2
        low, high = (theta, high) if tilt_by(theta) @ f < mean else (low, theta)
    masses = np.maximum(tilt_by(high), 1e-300)
    # Walker's alias table.
    accept, alias = masses * masses.size, np.arange(masses.size)
    small, large = list(np.flatnonzero(accept < 1.0)), list(np.flatnonzero(accept >= 1.0))
    while small and large:
        a, b = small.pop(), large[-1]
        alias[a] = b
        accept[b] -= 1.0 - accept[a]
        if accept[b] < 1.0:
            small.append(large.pop())
    exact_accept = np.clip(accept, 0.0, 1.0).astype(np.float32)
    # The masses that these tables give, not those asked for: the ratio must be that of what is drawn.
    real = exact_accept.astype(np.float64)
    values = real.copy()
    np.add.at(values, alias, 1.0 - real)
    return _Bulk(values / masses.size, exact_accept, alias)


def monte_carlo(
    direction: str, m: int, sigma: float, epsilon: float, p0: float = 1.0, work: float = 1e7, seed: int = 1
) -> Estimate:
    """Return delta(epsilon) by importance sampling from a mixture symmetric in the coordinates.

    Components: as drawn (defensive); all tilted; one coordinate jumps, the others as drawn; one jumps, the others
    tilted half the way.  The jumping coordinate is uniform and the density sums over all of them: were it fixed,
    "another one jumps" would never be seen, and the error bar would not show it.
    """
    ask = question(direction, m, sigma, epsilon, p0)
    n = max(int(work / m), 500)
    random = np.random.default_rng(seed)
    mean = ask.total / m
    centre = ask.f(np.zeros(1))[0]
    jump = None
    if ask.sign > 0.0:
        base = float(np.mean(ask.f(random.standard_normal(10**5))))
        level = max(ask.total - (m - 1) * base, 2 * abs(centre))
        jump = brentq(lambda z: ask.f(np.array([z]))[0] - level, -5.0, 60.0 / min(ask.s, 1.0)) + 0.3
    cap = inf if ask.sign < 0.0 else max(float(ask.f(np.array([min(4.0, jump)]))[0]), mean + 1e-9)
    tilt_bulk = _bulk(ask, cap, mean)
    kinds: list[tuple[float, _Bulk | None, float | None]] = [(0.05, None, None)]
    if jump is None:
        kinds.append((0.95, tilt_bulk, None))
    else:
        between = _bulk(ask, cap, (mean + base) / 2)
        kinds += [(0.45, tilt_bulk, None), (0.3, None, jump), (0.2, between, jump)]
    choice = random.choice(len(kinds), n, p=[share for share, _, _ in kinds])
    terms, weights = [], []
    for kind, (_, bulk, jumps) in enumerate(kinds):
        to_draw = int(np.count_nonzero(choice == kind))
        while to_draw:
            rows = min(to_draw, max(1, int(2e6 / m)))
            to_draw -= rows
            z = random.standard_normal((rows, m)) if bulk is None else bulk.draw(random, (rows, m))
            if jumps is not None:
                z[np.arange(rows), random.integers(0, m, rows)] = jumps + random.standard_normal(rows)
            logs = []
            for share, other, other_jump in kinds:
                ratios = np.zeros_like(z) if other is None else other.log_ratio(z)
                if other_jump is None:
                    one = ratios.sum(axis=1)
                else:
                    # One coordinate out of reach of the bulk may still be the one that jumped.
                    is_infinite = np.isneginf(ratios)
                    finite_ratios = np.where(is_infinite, 0.0, ratios)
                    shift = other_jump * z - other_jump**2 / 2
                    single = np.where(is_infinite, shift, shift - ratios)
                    count = is_infinite.sum(axis=1)
                    is_possible = np.where((count == 0)[:, None], True, is_infinite)
                    high = np.where(is_possible, single, -inf).max(axis=1)
                    spread = np.where(
                        is_possible, np.exp(np.where(is_possible, single, high[:, None]) - high[:, None]), 0.0
                    )
                    one = np.where(count > 1, -inf, finite_ratios.sum(axis=1) + high + np.log(spread.sum(axis=1) / m))
                logs.append(one + log(share))
            density = np.logaddexp.reduce(logs, axis=0)
            pay = np.maximum(ask.f(z).sum(axis=1) - ask.total, 0.0)
            terms.append(pay * np.exp(-density))
            weights.append(np.exp(-density))
    sample = np.concatenate(terms)
    # Weights have mean one: a control, with the coefficient that the sample gives.
    control = np.concatenate(weights)
    slope = np.cov(sample, control)[0, 1] / control.var()
    sample = sample - slope * (control - 1.0)
    return Estimate(float(ask.factor * sample.mean()), float(ask.factor * DEVIATIONS * sample.std(ddof=1) / sqrt(n)))


def monte_carlo_epochs(
    direction: str, m: int, sigma: float, epsilon: float, epochs: int, samples: int, seed: int = 1
) -> Estimate:
    """Return delta(epsilon) of independent epochs, remove or add: plain sampling from P, (1 - e^{epsilon - loss})_+.

    For delta of 1e-2 to 1e-4.
    """
    s = 1.0 / sigma
    random = np.random.default_rng(seed)
    pays = []
    for rows in [len(part) for part in np.array_split(np.arange(samples), max(1, int(samples * m * epochs / 2e6)))]:
        z = random.standard_normal((rows, epochs, m))
        if direction == "remove":
            z[:, :, 0] += s  # the steps are exchangeable, and so is what is computed from them
        mixture = np.log(np.exp(s * z - s * s / 2).mean(axis=2)).sum(axis=1)
        loss = mixture if direction == "remove" else -mixture
        pays.append(np.maximum(-np.expm1(np.minimum(epsilon - loss, 0.0)), 0.0))
    sample = np.concatenate(pays)
    return Estimate(float(sample.mean()), float(DEVIATIONS * sample.std(ddof=1) / sqrt(samples)))


# --- finite randomizers -----------------------------------------------------------------------------------------------

DIRECTIONS = ("remove", "add", "replace", "replace-back")


def table_delta(
    rows: tuple[Sequence[Fraction], Sequence[Fraction], Sequence[Fraction]],
    steps: int,
    kappa: Fraction,
    direction: str,
    weight: Fraction = Fraction(1),
) -> Fraction:
    """Return the hockey-stick divergence of ``steps`` outputs, of which a uniform one is, with probability ``weight``,
    the user's.

    ``rows``: probabilities of each output for the base record g (all other slots), for d and for d'.  ``remove``: d
    against the base, ``add``: the base against d, ``replace``: d against d', ``replace-back``: d' against d.
    Outputs are enumerated up to order, which does not matter.
    """
    base, one, two = rows

    def chance(row, outputs):
        plain = prod((base[y] for y in outputs), start=Fraction(1))
        if row is base:
            return plain
        total = sum(
            (row[y] * prod((base[o] for o in outputs[:i] + outputs[i + 1 :]), start=Fraction(1)))
            for i, y in enumerate(outputs)
        )
        return (1 - weight) * plain + weight * total / steps

    first, second = {
        "remove": (one, base),
        "add": (base, one),
        "replace": (one, two),
        "replace-back": (two, one),
    }[direction]
    total = Fraction(0)
    for outputs in itertools.combinations_with_replacement(range(len(base)), steps):
        orders = factorial(steps)
        for y in set(outputs):
            orders //= factorial(outputs.count(y))
        total += orders * max(chance(first, outputs) - kappa * chance(second, outputs), Fraction(0))
    return total


def table_delta_in_order(rows, steps, kappa, direction, weight=Fraction(1)) -> Fraction:
    """Return ``table_delta``, over all sequences of outputs and all slots one by one."""
    base, one, two = rows
    first, second = {"remove": (one, base), "add": (base, one), "replace": (one, two), "replace-back": (two, one)}[
        direction
    ]

    def chance(row, outputs):
        total = Fraction(0)
        for slot in range(steps):
            inside = outside = Fraction(1)
            for t, y in enumerate(outputs):
                inside *= row[y] if t == slot else base[y]
                outside *= base[y]
            total += (weight * inside + (1 - weight) * outside) / steps
        return total

    return sum(
        (
            max(chance(first, outputs) - kappa * chance(second, outputs), Fraction(0))
            for outputs in itertools.product(range(len(base)), repeat=steps)
        ),
        Fraction(0),
    )


def limit_mu(m: int, sigma: float) -> float:
    """Return the sensitivity over the deviation of the Gaussian mechanism that m steps with much noise tend to."""
    return 1.0 / (sigma * sqrt(m))

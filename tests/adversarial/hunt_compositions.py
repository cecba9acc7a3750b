"""Compositions against closed forms and enumerations: k-fold responses, Gaussian sums, one and two Laplace steps."""

import math
import random
from fractions import Fraction

import mpmath
from flint import arb, ctx

from pldcheck import pld

from .cells import Cell, ends, log_uniform

BITS = 400


def _balls(function):
    def truth():
        with ctx.workprec(BITS):
            return ends(function())

    return truth


def _corner(draw: random.Random, cap: float) -> float:
    """Return an epsilon next to the cap, on it, beyond, tiny, or anywhere."""
    share = draw.choice(
        [
            1.0,
            1.0 - log_uniform(draw, 1e-16, 1.0),
            1.0 + log_uniform(draw, 1e-16, 1.0),
            log_uniform(draw, 1e-16, 1.0),
            0.0,
        ]
    )
    return cap * share


def _small(draw: random.Random) -> float:
    near_one = 1.0 - log_uniform(draw, 1e-16, 1.0)
    return draw.choice([log_uniform(draw, 1e-320, 1e-280), log_uniform(draw, 1e-30, 1.0), near_one])


def _delta(draw: random.Random) -> float:
    return min(max(_small(draw), 5e-324), 1.0 - 2.0**-53)


def _response_delta(eps0: float, count: int, delta0: float, epsilon: arb) -> arb:
    e, total, clear = arb(eps0), arb(0), (1 - arb(delta0)) ** count
    p = 1 / (1 + (-e).exp())
    for k in range(count + 1):  # k answers against
        loss = (count - 2 * k) * e
        if loss > epsilon:
            total += arb(count).bin(k) * p ** (count - k) * (1 - p) ** k * (1 - (epsilon - loss).exp())
    return 1 - clear + clear * total


def _epsilon_cell(question, answer, delta, curve, cap):
    """Return a cell: certified ends of an epsilon are compared with delta there: the truth is where the curve crosses
    it.
    """

    def truth():
        lower, upper = answer()
        with ctx.workprec(BITS):
            holds = lower == 0.0 or not curve(lower) < delta
            holds = holds and (upper == math.inf or not curve(upper) > delta) and (upper == math.inf or upper <= cap)
        return (lower, upper) if holds else (math.inf, math.inf) if lower < math.inf else (0.0, 0.0)

    return Cell(question, answer, truth)


def responses_delta(draw: random.Random) -> Cell:
    eps0 = draw.choice([log_uniform(draw, 1e-14, 20.0), math.log(2) * (1 + log_uniform(draw, 1e-16, 1e-3))])
    count = draw.choice([1, 2, 3, 5, 16, 17, 60, 61])
    delta0 = draw.choice([0.0, 0.0, log_uniform(draw, 1e-300, 1.0), 1 - log_uniform(draw, 1e-16, 1.0)])
    epsilon = _corner(draw, eps0 * count)
    return Cell(
        f"pld.randomized_response({eps0!r}, {delta0!r}).compose({count}).delta({epsilon!r})",
        lambda: pld.randomized_response(eps0, delta0).compose(count).delta(epsilon),
        _balls(lambda: _response_delta(eps0, count, delta0, arb(epsilon))),
    )


def responses_epsilon(draw: random.Random) -> Cell:
    eps0, count = log_uniform(draw, 1e-12, 20.0), draw.choice([1, 2, 3, 5, 17, 60])
    delta = _delta(draw)
    answer = pld.randomized_response(eps0).compose(count)
    return _epsilon_cell(
        f"pld.randomized_response({eps0!r}).compose({count}).epsilon({delta!r})",
        lambda: answer.epsilon(delta),
        delta,
        lambda e: _response_delta(eps0, count, 0.0, arb(e)),
        math.nextafter(eps0 * count, math.inf),
    )


def different_responses(draw: random.Random) -> Cell:
    """Return a cell: up to eight different ones, nearly equal ones and one that dominates among them."""
    first = log_uniform(draw, 1e-10, 20.0)
    eps0 = [first]
    for _ in range(draw.randint(1, 7)):
        eps0.append(draw.choice([first, min(math.nextafter(first, 21), 20.0), first * log_uniform(draw, 1e-6, 1.0)]))
    epsilon = _corner(draw, math.fsum(eps0))

    def exact():
        laws = [(arb(0), arb(1))]
        for e in map(arb, eps0):
            p = 1 / (1 + (-e).exp())
            laws = [(x + s * e, m * w) for x, m in laws for s, w in ((1, p), (-1, 1 - p))]
        return sum((m * (1 - (epsilon - x).exp()).max(arb(0)) for x, m in laws), arb(0))

    return Cell(
        f"pld.randomized_responses({eps0!r}).delta({epsilon!r})",
        lambda: pld.randomized_responses(eps0).delta(epsilon),
        _balls(exact),
    )


def _gaussian(mu, epsilon):
    near, far = mu / 2 - epsilon / mu, -mu / 2 - epsilon / mu
    return mpmath.ncdf(near) - mpmath.exp(epsilon) * mpmath.ncdf(far)


def gaussian_delta(draw: random.Random) -> Cell:
    sigma, count = log_uniform(draw, 1e-3, 1e9), draw.choice([1, 2, 1000, 10**6, 10**15])
    mu = math.sqrt(count) / sigma
    epsilon = draw.choice([mu * mu / 2 + mu * draw.uniform(-3, 40), log_uniform(draw, 1e-16, 1e3), 0.0])
    epsilon = min(max(epsilon, 0.0), 1e12)

    def truth():
        with mpmath.workdps(120):
            at = mpmath.sqrt(mpmath.mpf(count)) / mpmath.mpf(sigma)
            with mpmath.workdps(120 + int(10 - min(0, mpmath.log10(at))) + int(2 * mpmath.log10(2 + at + epsilon))):
                value = _gaussian(mpmath.sqrt(mpmath.mpf(count)) / mpmath.mpf(sigma), mpmath.mpf(epsilon))
            return _around(value)

    return Cell(
        f"pld.gaussian({sigma!r}).compose({count}).delta({epsilon!r})",
        lambda: pld.gaussian(sigma).compose(count).delta(epsilon),
        truth,
        width=math.inf,
    )


def _around(value):
    """Return fractions on either side of a number of mpmath whose first 40 digits are right."""
    sign, mantissa, exponent, _ = value._mpf_
    exact = Fraction(0)
    if abs(exponent) < 10**5:
        exact = Fraction(-int(mantissa) if sign else int(mantissa)) * Fraction(2) ** int(exponent)
    tiny = Fraction(1, 10**400) if exact == 0 else abs(exact) / 10**40
    return exact - tiny if exact else Fraction(0), exact + tiny


def gaussian_epsilon(draw: random.Random) -> Cell:
    sigma, count, delta = log_uniform(draw, 1e-3, 1e9), draw.choice([1, 2, 1000, 10**6]), _delta(draw)
    answer = pld.gaussian(sigma).compose(count)

    def curve(e):
        with mpmath.workdps(200):
            return _gaussian(mpmath.sqrt(mpmath.mpf(count)) / mpmath.mpf(sigma), mpmath.mpf(e))

    return _epsilon_cell(
        f"pld.gaussian({sigma!r}).compose({count}).epsilon({delta!r})",
        lambda: answer.epsilon(delta),
        delta,
        curve,
        math.inf,
    )


def _laplace_twice(scale, epsilon):
    """Return delta of two steps: both atoms, atom and density, both densities, as integrals of e^(+-(..)/2),
    in balls.
    """
    e = 1 / arb(scale)
    top, low, quarter = arb(1) / 2, (-e).exp() / 2, arb(1) / 4

    def gain(loss):
        return (1 - (epsilon - loss).exp()).max(arb(0))

    def rising(begin, end, constant):
        """Return the integral of e^(t/2) (1 - e^(constant - t)) over [begin, end], times e^(-e/2)/4."""
        first = 2 * ((end / 2).exp() - (begin / 2).exp())
        second = -2 * constant.exp() * ((-end / 2).exp() - (-begin / 2).exp())
        return quarter * (-e / 2).exp() * (first - second)

    total = top * top * gain(2 * e) + 2 * top * low * gain(arb(0)) + low * low * gain(-2 * e)
    for atom, mass in ((e, top), (-e, low)):
        begin = (epsilon - atom).max(-e).min(e)
        total += 2 * mass * rising(begin, e, epsilon - atom)
    # Both densities: e^(-e + s/2)/16 over s = t + t', with length 2e - |s|.
    from flint import acb

    def integrand(s, _):
        return (s / 2).exp() * (1 - (acb(epsilon) - s).exp()) * (acb(2 * e) - s)

    def integrand_left(s, _):
        return (s / 2).exp() * (1 - (acb(epsilon) - s).exp()) * (acb(2 * e) + s)

    begin = epsilon.max(-2 * e).min(2 * e)
    right = acb.integral(integrand, begin.max(arb(0)), 2 * e).real
    left = acb.integral(integrand_left, begin, arb(0)).real if begin < 0 else arb(0)
    return total + (-e).exp() / 16 * (right + left)


def laplace_once_or_twice(draw: random.Random) -> Cell:
    scale, count = log_uniform(draw, 1e-2, 1e9), draw.choice([1, 2])
    cap = count / scale
    epsilon = _corner(draw, cap)

    def exact():
        e = arb(epsilon)
        if count == 1:
            return (1 - ((e - 1 / arb(scale)) / 2).exp()).max(arb(0))
        return _laplace_twice(scale, e).max(arb(0))

    return Cell(
        f"pld.laplace({scale!r}).compose({count}).delta({epsilon!r})",
        lambda: pld.laplace(scale).compose(count).delta(epsilon),
        _balls(exact),
    )


def laplace_epsilon(draw: random.Random) -> Cell:
    scale, count, delta = log_uniform(draw, 1e-2, 1e9), draw.choice([1, 1, 2]), _delta(draw)
    answer = pld.laplace(scale).compose(count)

    def curve(e):
        if count == 1:
            return (1 - ((arb(e) - 1 / arb(scale)) / 2).exp()).max(arb(0))
        return _laplace_twice(scale, arb(e))

    return _epsilon_cell(
        f"pld.laplace({scale!r}).compose({count}).epsilon({delta!r})",
        lambda: answer.epsilon(delta),
        delta,
        curve,
        math.nextafter(count / scale, math.inf),
    )


def discrete_laplace(draw: random.Random) -> Cell:
    scale, count = log_uniform(draw, 0.051, 1e9), draw.choice([1, 2, 5])
    epsilon = _corner(draw, count / scale)

    def exact():
        e, total = 1 / arb(scale), arb(0)
        p = 1 / (1 + (-e).exp())
        for k in range(count + 1):
            loss = (count - 2 * k) * e
            gain = (1 - (arb(epsilon) - loss).exp()).max(arb(0))
            total += arb(count).bin(k) * p ** (count - k) * (1 - p) ** k * gain
        return total

    return Cell(
        f"pld.discrete_laplace({scale!r}).compose({count}).delta({epsilon!r})",
        lambda: pld.discrete_laplace(scale).compose(count).delta(epsilon),
        _balls(exact),
    )


def more_is_never_less(draw: random.Random) -> Cell:
    """Return a cell: one step more: the upper end of fewer steps is held against the lower end of more."""
    eps0, count = log_uniform(draw, 1e-9, 20.0), draw.choice([1, 2, 17, 60, 1000, 10**6, 10**9, 2**53])
    count = min(count, 10**15 - 1)
    one = draw.choice([pld.randomized_response(eps0), pld.laplace(1 / eps0), pld.gaussian(1 / eps0)])
    epsilon = _corner(draw, min(eps0 * count, math.sqrt(count) * eps0 * 5 + count * eps0 * eps0 / 2))
    return Cell(
        f"{one!r}.compose({count} and one more).delta({epsilon!r})",
        lambda: (one.compose(count).delta(epsilon).lower, 1.0),
        lambda: (0.0, one.compose(count + 1).delta(epsilon).upper),
    )


def laplace_next_to_the_top(draw: random.Random) -> Cell:
    """Return a cell: two steps of any scale: with v = 2/scale - epsilon both atoms, one, and none, integrated
    by hand.
    """
    scale, delta = log_uniform(draw, 1e-6, 1e3), log_uniform(draw, 1e-300, 0.9)
    answer = pld.laplace(scale).compose(2)

    def curve(e):
        v = (2 / arb(scale) - arb(e)).max(arb(0))
        half, whole = (-v / 2).exp(), (-v).exp()
        return (1 - whole) / 4 + (1 - half) ** 2 / 2 + (1 - whole - v * half) / 4

    return _epsilon_cell(
        f"pld.laplace({scale!r}).compose(2).epsilon({delta!r})",
        lambda: answer.epsilon(delta),
        delta,
        curve,
        math.nextafter(2.0 / scale, math.inf),
    )


def replaced_in_a_fixed_share(draw: random.Random) -> Cell:
    """Return a cell: no less than one direction of a Poisson sample, and no more than all the records."""
    sigma = draw.choice([log_uniform(draw, 0.03, 1e9), 0.1, 1e9])
    rate = draw.choice([log_uniform(draw, 1e-9, 1.0), 1.0 - log_uniform(draw, 1e-16, 1.0)])
    count = draw.choice([1, 1, 2, 61, 1000])
    epsilon = draw.choice([0.0, log_uniform(draw, 1e-9, 1e3), _corner(draw, 5.0 * math.sqrt(count) / sigma)])

    def truth():
        one_way = pld.subsampled_gaussian(sigma, rate).one_way.compose(count).delta(epsilon)
        return one_way.lower, pld.gaussian(sigma).compose(count).delta(epsilon).upper

    return Cell(
        f"pld.fixed_size_gaussian({sigma!r}, {rate!r}).compose({count}).delta({epsilon!r})",
        lambda: pld.fixed_size_gaussian(sigma, rate).compose(count).delta(epsilon),
        truth,
    )


HUNTS = {
    "compositions: responses, delta": responses_delta,
    "compositions: responses, epsilon": responses_epsilon,
    "compositions: different responses": different_responses,
    "compositions: Gaussian, delta": gaussian_delta,
    "compositions: Gaussian, epsilon": gaussian_epsilon,
    "compositions: Laplace once or twice": laplace_once_or_twice,
    "compositions: Laplace, epsilon": laplace_epsilon,
    "compositions: Laplace next to the top": laplace_next_to_the_top,
    "compositions: a fixed share": replaced_in_a_fixed_share,
    "compositions: discrete Laplace": discrete_laplace,
    "compositions: one step more": more_is_never_less,
}

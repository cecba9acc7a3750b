"""The chains of Steinke's chapter: what is proved, what is typed again, and what must be refuted."""

from fractions import Fraction
from itertools import product
from math import isclose

import mpmath
import pytest
from chain_steps import holds, is_refuted, measured_of, outcomes, points_in, steps_of, value_at
from mpmath import mpf

from pldcheck.study.audit.measured import CHECKS, measured_laws_of_losses
from pldcheck.theorems.steinke22.proofs import (
    approximate_pairs,
    concentrated_steps,
    divergence_properties,
    exchanged_mixtures,
    expected_values,
    hoeffding,
    loss_identities,
    many_orders,
    sampled_moments,
)

FILES = (
    *(hoeffding, exchanged_mixtures, sampled_moments, concentrated_steps, divergence_properties, expected_values),
    *(loss_identities, approximate_pairs, many_orders),
)
STEPS = steps_of(*FILES)
MEASUREMENTS = measured_of(*FILES)


@pytest.mark.nightly
@pytest.mark.parametrize("name", STEPS)
def test_elementary_steps_are_proved_or_equal(name):
    assert holds(STEPS[name])


@pytest.mark.nightly
def test_measured_steps_hold():
    for name, step in MEASUREMENTS.items():
        assert all(outcomes(step.check, step.points)), name


def test_a_step_of_each_lemma_is_proved():
    for name in (
        "17/curvature",
        "16/claim",
        "36/claim",
        "37/convex",
        "39/growth",
        "40/far",
        "42/convex",
        "27/negative",
        "12/sensitivity",
        "31/largest",
        "38/constant",
    ):
        assert holds(STEPS[name]), name


# The steps' right sides with one constant changed; each is false somewhere in the box.
MUTANTS = {
    "17/rounding": lambda share, width: 1 + 99 * share * width.expm1() / 100,
    "17/curvature": lambda share, width: (49 + 0 * share * width) / 200,
    "17/claim": lambda share, width: share * width + width**2 / 9,
    "16/mean": lambda eps: 99 * eps**2 / 200,
    "16/exponents": lambda eps, power: power * (power + 2) * eps**2 / 2,
    "16/claim": lambda eps, power: 9 * power * (power + 1) * eps**2 / 20,
    "36/product": lambda share, ratio: (1 - share + share * ratio) * (1 - share + 99 * share / (100 * ratio)),
    "36/claim": lambda share, ratio: 1 - share + 99 * share * ratio / 100,
    "37/flat": lambda share, order: 2 * exchanged_mixtures.weight(share, order) * (1 - share),
    "37/claim": lambda share, ratio, order: exchanged_mixtures._together(share, ratio, order) - share * (1 - share) / 9,
    "35/kernel": lambda share, ratio, order: 9 * exchanged_mixtures._kernel(share, ratio, order) / 10,
    "35/share": lambda share, order: (99 + 0 * share * order) / 100,
    "39/growth": lambda gap, order: (9 + 0 * gap * order) / 10,
    "39/claim": lambda gap, order: 1 + order * gap + order * (order - 1) * gap**2 / 3,
    "40/far": lambda reach, order: order * (99 * order * reach / (order - 1) / 100).log(),
    "42/best": lambda share, growth, order: (order - 1) * (share * (growth - 1)).log1p(),
    "42/amplified": lambda share, growth: 9 * growth.log() / 10 + 0 * share,
    "42/lower": lambda share, ratio: 1 - share + 99 * share * ratio / 100,
    "42/convex": lambda share, ratio, order: 1 - share + share * ((order - 1) * ratio.log()).exp(),
    "41/square": lambda heads_p, heads_q: heads_p**2 / heads_q + (1 - heads_p) ** 2 / (1 - heads_q),
    "12/square": lambda draw, shift, order: (draw - order * shift) ** 2 - order**2 * shift**2,
    "12/sensitivity": lambda share, shift, order: order * shift**2 / 3 + 0 * share,
    "31/largest": lambda share, ratio, smaller, moment, order: (
        (1 - share + 9 * share * (order * ratio.log()).exp() / 10) * moment + 0 * smaller
    ),
    "38/likely": lambda share, order: (69 + 0 * share * order) / 100,
    "38/near": lambda gap, order, limit: 1 + order * gap + order * (order - 1) * gap**2 / 3 + 0 * limit,
    "38/far": lambda reach, limit: (limit - 1) * reach / (limit - 2) * 99 / 100,
    "38/logarithm": lambda growth: 99 * growth / 100,
    "38/power": lambda log_inverse, limit, first, second, third: (
        -5 * log_inverse / 2 + 0 * limit * first * second * third
    ),
    "38/constant": lambda rho: 9 * rho,
    "14/factor": lambda excess, power: (concentrated_steps.log_factor(power) + power * excess).exp() * 99 / 100,
    "14/exponent": lambda epsilon, rho: -((epsilon - rho) ** 2) / (2 * rho),
    "14/least": lambda epsilon, rho, power: power * (power + 1) * rho - power * epsilon - epsilon**2 / 100,
    "15/noise": lambda epsilon, log_inverse_delta: 2 * log_inverse_delta / epsilon**2 + 1 / epsilon,
    "15/sufficient": lambda epsilon, log_inverse_delta: concentrated_steps._root_rho(epsilon, log_inverse_delta) / 2,
    "15/solved": lambda epsilon, log_inverse_delta: 2 * epsilon + 0 * log_inverse_delta,
    "18/rho": lambda square, log_inverse_delta: square / 2 + (log_inverse_delta * square).sqrt(),
    "33/concave": lambda share, ratio, power: (power * (99 * share * (ratio - 1) / 100).log1p()).exp(),
    "33/young": lambda ratio, share: 1 - share + 9 * share * ratio / 10,
    "33/orders": lambda order, weight, first, second: order * (1 + weight) * (first + second),
    "33/roots": lambda weight, first, second: (1 + weight) * (first + second / weight) * 9 / 10,
    "27/negative": lambda eps: 9 * eps.expm1() / 10,
    "27/delta": lambda eps, delta: 3 * delta / 2 + 0 * eps,
    "25/constant": lambda size: expected_values.least_error(size) * 9 / 10,
    "25/inverse": lambda size: expected_values.least_error(size) * 9 / 10,
    "3/affine": lambda shift, sigma, draw: shift**2 / sigma**2 + shift / sigma * draw,
    "5/sign": lambda heads_p, heads_q: loss_identities.loss(heads_p, heads_q),
    "6/weights": lambda heads_p, heads_q, first, second: heads_p * first + (1 - heads_p) * second + 0 * heads_q,
    "7/gap": lambda heads_p, heads_q, epsilon: heads_p * (1 - epsilon.exp() * heads_q),
    "7/bounded": lambda heads_p, heads_q, epsilon: (9 + 0 * heads_p * heads_q * epsilon) / 10,
    "24/first": lambda p, q, kappa: q + 0 * p * kappa,
    "22/union": lambda first, second: first + 9 * second / 10,
    "29/removed": lambda rate, kappa, q, delta: (1 + rate * kappa) * q + rate * delta,
    "29/added": lambda rate, kappa: 1 + 9 * rate * (kappa - 1) / 10,
    "29/small": lambda rate, eps: (9 * rate * eps.expm1() / 10).log1p(),
    "29/linear": lambda rate, eps: 9 * rate * eps.expm1() / 10,
    "29/double": lambda rate, eps: 17 * rate * eps / 10,
}


@pytest.mark.nightly
@pytest.mark.parametrize("name", MUTANTS)
def test_changed_constants_are_refuted(name):
    assert is_refuted(STEPS[name], MUTANTS[name])


@pytest.mark.nightly
def test_some_changed_constants_are_refuted():
    for name in ("17/curvature", "16/claim", "36/claim", "39/claim", "27/negative", "29/double"):
        assert is_refuted(STEPS[name], MUTANTS[name]), name


# --- sides, typed again ------------------------------------------------------------------------------------------

# Both sides of steps whose functions are more than the statement's own letters, in mpmath.
TWINS = {
    "17/curvature": (
        lambda share, width: share * (1 - share) * mpmath.exp(width) / (1 - share + share * mpmath.exp(width)) ** 2,
        lambda share, width: mpf(1) / 4,
    ),
    "16/claim": (
        lambda eps, power: mpmath.log(mpmath.cosh((power + mpf(1) / 2) * eps) / mpmath.cosh(eps / 2)),
        lambda eps, power: power * (power + 1) * eps**2 / 2,
    ),
    "35/kernel": (
        lambda share, ratio, order: (1 - share + share * ratio) ** (-order - 1),
        lambda share, ratio, order: (
            (
                3 * (1 - share) * (1 - share + share * ratio) ** (order - 2)
                + (2 * order - 1) * share * (1 - share + share / ratio) ** (order - 2) / ratio**3
            )
            / ((2 * order - 1) * share + 3 * (1 - share))
        ),
    ),
    "37/convex": (
        lambda share, ratio, order: 0,
        lambda share, ratio, order: mpmath.diff(
            lambda x: (
                (
                    3 * (1 - share) * (1 - share + share * x) ** (2 * order - 1)
                    + (2 * order - 1) * share * (share + (1 - share) / x) ** 3
                )
                / ((2 * order - 1) * share + 3 * (1 - share))
            ),
            ratio,
            2,
        ),
    ),
    "39/claim": (
        lambda gap, order: (1 + gap) ** order,
        lambda gap, order: 1 + order * gap + mpmath.e * order * (order - 1) * gap**2 / 2,
    ),
    "38/near": (
        lambda gap, order, limit: (1 + gap) ** order,
        lambda gap, order, limit: 1 + order * gap + mpmath.e * order * (order - 1) * gap**2 / 2,
    ),
    "38/power": (
        # The exponent by the quantities themselves: omega - 1, omega rho and 1/rho as powers of 1/p.
        lambda log_inverse, limit, first, second, third: mpmath.log(
            mpmath.exp(first * log_inverse / 4) ** (limit - 2)
            * mpmath.exp(-log_inverse) ** limit
            * mpmath.exp(second * log_inverse / 4) ** (limit - 1)
            * mpmath.exp(third * (limit - 3) * log_inverse / 2)
        ),
        lambda log_inverse, limit, first, second, third: mpmath.log(mpmath.exp(-log_inverse) ** 2),
    ),
    "38/constant": (
        lambda rho: mpmath.e / 2 * (mpmath.exp(2 * rho) - 1) + rho / 2,
        lambda rho: 10 * rho,
    ),
    "42/best": (
        lambda share, growth, order: (
            (1 - share + share * growth) ** 0
            * mpmath.log(
                (1 - share * growth / (1 - share + share * growth)) ** (1 - order) * (1 - share) ** order
                + (share * growth / (1 - share + share * growth)) ** (1 - order) * (share * growth) ** order
            )
        ),
        lambda share, growth, order: order * mpmath.log(1 - share + share * growth),
    ),
    "14/factor": (
        lambda excess, power: 1 - mpmath.exp(-excess),
        lambda excess, power: power**power / (power + 1) ** (power + 1) * mpmath.exp(power * excess),
    ),
    "15/sufficient": (
        lambda epsilon, log_inverse_delta: epsilon**2 / (4 * log_inverse_delta + 4 * epsilon),
        lambda epsilon, log_inverse_delta: (
            (mpmath.sqrt(log_inverse_delta + epsilon) - mpmath.sqrt(log_inverse_delta)) ** 2
        ),
    ),
    "33/jointly": (
        lambda share, ratio, scale, order: (
            (1 - share + share * scale * ratio) ** order * (1 - share + share * scale) ** (1 - order)
        ),
        lambda share, ratio, scale, order: 1 - share + share * scale * ratio**order,
    ),
    "25/constant": (
        lambda size: mpf(1) / 10,
        lambda size: (-size + mpmath.sqrt(size**2 + 4 * (mpf(1) / 12 - mpf(2) / 100))) / 2,
    ),
    "24/density": (
        lambda p, eps, tilt: 0,
        lambda p, eps, tilt: (mpmath.exp(eps) * p - mpmath.exp(tilt * eps) * p) / (mpmath.exp(eps) - 1),
    ),
}


@pytest.mark.nightly
def test_sides_agree_with_their_second_typing():
    with mpmath.workdps(60):
        for name, twins in TWINS.items():
            step = STEPS[name]
            mild = {"ratio": (0.1, 10.0), "order": (2.0, 8.0), "growth": (1.5, 20.0)}
            for point in points_in(step, 3, inside={axis: ends for axis, ends in mild.items() if axis in step.box}):
                for side, twin in zip((step.left, step.right), twins, strict=True):
                    exact = twin(**{key: mpf(repr(value)) for key, value in point.items()})
                    if exact == 0:
                        continue
                    assert isclose(value_at(side, **point), float(exact), rel_tol=1e-12), (name, point)


# --- measured steps, by another route ----------------------------------------------------------------------------


@pytest.mark.nightly
def test_every_set_of_outputs_is_dominated_by_a_threshold():
    """Lemma 4 by the definition, for every pair of laws on three outputs with weights in sevenths."""
    laws = [law for law in product(range(1, 6), repeat=3) if sum(law) == 7]
    for p, q in product(laws, repeat=2):
        ratios = [Fraction(one, other) for one, other in zip(p, q, strict=True)]
        for says in product((0, 1), repeat=3):
            power = sum(one for say, one in zip(says, p, strict=True) if say)
            level = sum(one for say, one in zip(says, q, strict=True) if not say)
            assert any(
                power <= sum(one for one, ratio in zip(p, ratios, strict=True) if ratio >= at)
                and level <= sum(one for one, ratio in zip(q, ratios, strict=True) if ratio <= at)
                for at in (0, *ratios, 100)
            )


@pytest.mark.nightly
def test_a_threshold_that_leaves_out_ties_does_not_dominate():
    p, q = measured_laws_of_losses._pair(4)
    ratios = [one / other for one, other in zip(p, q, strict=True)]
    strict = [
        (
            sum(one for one, ratio in zip(p, ratios, strict=True) if ratio > at),
            sum(one for one, ratio in zip(q, ratios, strict=True) if ratio < at),
        )
        for at in (0, *ratios, 1 + max(ratios))
    ]
    worst = max(
        min(max(power - over, level - under) for over, under in strict)
        for power, level in measured_laws_of_losses._tests(p, q)
    )
    assert worst > 0


@pytest.mark.nightly
def test_the_decomposition_needs_the_whole_delta():
    left, right = CHECKS["23/pure"](outputs=6.0, ratio=1.25)
    assert left.upper <= right.lower == 1.25
    # A pair that is pure at this ratio needs no rest, and its pure part is the pair itself.
    left, right = CHECKS["23/pure"](outputs=4.0, ratio=1e6)
    p, q = measured_laws_of_losses._pair(4)
    largest = max(max(one / other, other / one) for one, other in zip(p, q, strict=True))
    assert left.lower <= largest <= left.upper < right.lower


@pytest.mark.nightly
def test_the_least_sum_of_lemma_26_is_reached_by_the_constant_one_half():
    for clients in (1.0, 5.0, 40.0):
        left, right = CHECKS["26/claim"](clients=clients)
        assert (left.lower, right.upper) == (1.0, 1.0)
    # By quadrature for two records and f = the mean of the records: 1/6 + E[(f - P)^2] = 1/6 + 1/12.
    total = mpmath.quad(
        lambda p: sum(
            p ** (a + b) * (1 - p) ** (2 - a - b) * (((a + b) / 2 - p) ** 2 + (a + b) / 2 * (a + b - 2 * p))
            for a, b in product((0, 1), repeat=2)
        ),
        [0, 1],
    )
    assert isclose(total, 1 / 6 + 1 / 12, rel_tol=1e-12)


@pytest.mark.nightly
def test_expected_values_with_less_room_are_refuted():
    """Half of the room for delta is not enough: at epsilon 0 a mass delta moves from -1 to 1."""
    law = (Fraction(1, 2), Fraction(0), Fraction(0), Fraction(0), Fraction(1, 2))
    largest = measured_laws_of_losses._largest_mean(law, Fraction(1), Fraction(1, 10))
    assert largest == Fraction(1, 5)  # the mean is 0, and 2 delta Delta is 1/5
    assert largest > Fraction(1, 10)


@pytest.mark.nightly
def test_adaptive_coins_attain_the_sum_where_both_orders_agree():
    # With P = (s, 1 - s) and Q = (1 - s, s) both orders of the pair have one divergence.
    left, right = CHECKS["31/adaptive"](order=3.0, heads_p=0.25, heads_q=0.75)
    assert isclose(left.upper, right.lower, rel_tol=1e-14)
    left, right = CHECKS["31/adaptive"](order=2.0, heads_p=0.1, heads_q=0.3)
    with mpmath.workdps(40):
        p, q = mpf("0.1"), mpf("0.3")
        pairs = [(p * p, q * q), (p * (1 - p), q * (1 - q)), ((1 - p) * q, (1 - q) * p)]
        pairs.append(((1 - p) * (1 - q), (1 - q) * (1 - p)))
        exact = mpmath.log(sum(one**2 / other for one, other in pairs))
        assert left.lower <= exact <= left.upper < right.lower


@pytest.mark.nightly
def test_the_reconstructed_excess_of_theorem_38_bounds_moments_of_sampled_noise():
    """alpha (alpha - 1) p^2 (e/2 (e^(2 rho) - 1) + (omega-1)^(omega-2) p^(omega-2) e^(omega (omega-1) rho) / 2)."""
    with mpmath.workdps(40):
        for rho, p, omega in [
            (mpf(1) / 100, mpf("0.001"), 6),
            (mpf(1) / 50, mpf("0.01"), 4),
            (mpf("0.3"), mpf("0.2"), 3),
        ]:
            for order in range(2, omega + 1):
                moment = sum(
                    mpmath.binomial(order, k) * (1 - p) ** (order - k) * p**k * mpmath.exp(k * (k - 1) * rho)
                    for k in range(order + 1)
                )
                far = (omega - 1) ** (omega - 2) * p ** (omega - 2) * mpmath.exp(omega * (omega - 1) * rho)
                square = mpmath.e / 2 * (mpmath.exp(2 * rho) - 1)
                assert moment - 1 <= order * (order - 1) * p**2 * (square + far / 2)

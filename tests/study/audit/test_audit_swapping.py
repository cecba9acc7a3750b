"""The chains of Theorems A.7 and 5.1 and of the bound before them."""

from fractions import Fraction
from itertools import product
from math import comb, isclose, log

import mpmath
import pytest
from chain_steps import holds, is_refuted, measured_of, outcomes, points_in, steps_of, value_at
from flint import arb, ctx

from pldcheck.study.audit.measured import exact_protocols
from pldcheck.study.audit.point_checks import check
from pldcheck.study.audit.premise_probe import premise_needs
from pldcheck.study.audit.smallest_counterexample import smallest
from pldcheck.study.audit.spans import exactly
from pldcheck.theorems import REGISTRY
from pldcheck.theorems.balle20.proofs import shuffling_chain, swap_posterior, swapping_chain
from pldcheck.theorems.erlingsson19 import composed_steps_proof

STEPS = steps_of(swapping_chain, shuffling_chain, composed_steps_proof)
MEASUREMENTS = measured_of(swapping_chain, shuffling_chain, composed_steps_proof)
# Answered by protocols in seconds each: one point of them.
SLOW = {"A.7/composition", "A.7/claim", "5.1/claim", "EFMRTT/composition", "EFMRTT/claim"}


# What is printed with m for n is not proved; nor is it for averaging, in the tests of that chain.
@pytest.mark.parametrize("name", [name for name in STEPS if name != "A.7-approx/printed"])
def test_elementary_steps_are_proved_or_equal(name):
    assert holds(STEPS[name])


@pytest.mark.parametrize("name", MEASUREMENTS)
def test_measured_steps_hold(name):
    step = MEASUREMENTS[name]
    assert all(outcomes(step.check, step.points[:1] if name in SLOW else step.points))


# The right sides of the next two tests are the steps' with one constant changed.
MUTANTS = {
    "A.7/first-place": lambda eps0, clients, position: 1 / (1 + (clients - 1) / eps0.exp()),
    "A.7/mixture": lambda eps0, weight, tilt: 1 + 999 * weight * eps0.expm1() / 1000,
    "A.7/budget": lambda eps0, clients, position: (
        eps0.expm1() / (clients - (position - 1) * -(-eps0).expm1())
    ).log1p(),
    "A.7/drift": lambda growth: 49 * growth**2 / 100,
    "A.7/square": lambda growth: 99 * growth**2 / 100,
    "A.7/integral": lambda eps0, clients, position: 999 * swapping_chain.growth(eps0, clients, position) ** 2 / 1000,
    "A.7/envelope": lambda eps0, clients, position: (
        eps0.exp() / (eps0.exp() + position - 1 + (clients - position) * eps0.exp())
    ),
    "A.7/final": lambda eps0, clients, log_inverse_delta: swapping_chain.printed_epsilon(
        eps0, clients, log_inverse_delta + 1
    ),
    "A.7-approx/pure": lambda eps0, clients, log_inverse_delta: swapping_chain.printed_epsilon(
        7 * eps0, clients, log_inverse_delta
    ),
    "5.1-approx/union": lambda clients, tv: 9 * tv / 10,
    "5.1-approx/moved": lambda clients, delta1, epsilon, delta: delta + clients * epsilon.exp() * delta1,
    "EFMRTT/budget": lambda eps0, position, rest: 9 * composed_steps_proof.scale(eps0) / (20 * (position + rest)),
    "EFMRTT/drift": lambda budget: 49 * budget * budget.expm1() / 100,
    "EFMRTT/improved": lambda eps0, clients, log_inverse_delta: composed_steps_proof.quoted_epsilon(
        eps0 / 2, clients, log_inverse_delta
    ),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_changed_constants_are_refuted(name):
    assert is_refuted(STEPS[name], MUTANTS[name])


# Parameters at which neither side overflows a float.
MODEST = {"eps0": (0.1, 8.0), "clients": (20.0, 1e6), "position": (2.0, 20.0), "log_inverse_delta": (0.1, 600.0)}
LINKS = [
    ("A.7/first-place", "A.7/envelope"),
    ("A.7/integral", "A.7/cells"),
]


@pytest.mark.parametrize(("first", "second"), LINKS)
def test_the_right_of_a_step_is_the_left_of_the_next(first, second):
    for point in points_in(STEPS[first], 1, inside=MODEST):
        assert isclose(value_at(STEPS[first].right, **point), value_at(STEPS[second].left, **point), rel_tol=1e-14)


def test_the_envelope_goes_through_the_mixture_into_the_budget():
    for point in points_in(STEPS["A.7/envelope"], 2, inside=MODEST):
        weight = value_at(STEPS["A.7/envelope"].right, **point)
        mixture = value_at(STEPS["A.7/mixture"].right, eps0=point["eps0"], weight=weight, tilt=0.5)
        assert isclose(log(mixture), value_at(STEPS["A.7/budget"].left, **point), rel_tol=1e-9)


def test_the_budget_goes_into_the_sums():
    for point in points_in(STEPS["A.7/budget"], 3, inside=MODEST):
        with ctx.workprec(200):
            values = {name: exactly(number) for name, number in point.items()}
            growth = STEPS["A.7/budget"].right(**values).expm1()
            assert STEPS["A.7/square"].right(growth).overlaps(STEPS["A.7/integral"].left(**values))


@pytest.mark.parametrize("clients", [1, 2, 7])
def test_the_cells_sum_to_the_final_form(clients):
    with ctx.workprec(200):
        eps0, level = exactly(0.7), exactly(13.8)
        total = sum(STEPS["A.7/cells"].right(eps0, exactly(clients), exactly(i)) for i in range(1, clients + 1))
        closed_form = total / 2 + (2 * level * total).sqrt()
        assert closed_form.overlaps(STEPS["A.7/final"].left(eps0, exactly(clients), level))


@pytest.mark.parametrize(
    ("step", "theorem"), [("A.7/final", "thm-A.7"), ("A.7/final", "thm-5.1"), ("EFMRTT/final", "efmrtt-7")]
)
def test_the_last_right_side_is_the_registered_theorem(step, theorem):
    for clients, eps0, delta in ((100, 0.1, 0.5), (1000, 1.0, 1e-6), (10**9, 4.0, 1e-100)):
        with ctx.workprec(200):
            right = float(STEPS[step].right(exactly(eps0), exactly(clients), -exactly(delta).log()))
        assert isclose(right, REGISTRY[theorem](clients=clients, eps0=eps0, delta=delta).value, rel_tol=1e-12)


def test_the_approximate_form_is_the_registered_theorem():
    theorem = REGISTRY["thm-5.1-approx"]
    arguments = {"clients": 10**6, "eps0": 0.1, "delta": 1e-8}
    bound = theorem(**arguments, delta0=1e-30, delta1=1e-20)
    right = value_at(STEPS["5.1-approx/pure"].right, clients=10**6, eps0=0.1, log_inverse_delta=-log(1e-8))
    assert isclose(right, bound.value, rel_tol=1e-12)
    total = value_at(STEPS["5.1-approx/moved"].right, clients=10**6, delta1=1e-20, epsilon=right, delta=1e-8)
    assert isclose(total, bound.at, rel_tol=1e-12)


@pytest.mark.nightly
def test_the_envelope_agrees_with_fractions():
    # e^eps0 = 3: x^2/(x^2 + (i-1) + (n-i) x) is rational.
    with ctx.workprec(200):
        for n, i in ((1, 1), (2, 2), (10, 4), (1000, 999)):
            value = Fraction(9, 9 + (i - 1) + (n - i) * 3)
            ball = STEPS["A.7/envelope"].right(arb(3).log(), arb(n), arb(i))
            assert ball.overlaps(exact_protocols.ball(value)) and float(ball.rad()) < 1e-50


@pytest.mark.parametrize("position", [2, 3])
def test_the_largest_posterior_against_all_randomizers_with_two_densities(position):
    # Every pattern of densities 1 and x over the three records, at each place before `position`.
    x, best = mpmath.exp(mpmath.mpf("1.3")), 0
    orders = ([0, 1, 2], [1, 0, 2], [2, 1, 0])
    for patterns in product(product((1, x), repeat=3), repeat=position - 1):
        likely = [mpmath.fprod(pattern[order[k]] for k, pattern in enumerate(patterns)) for order in orders]
        best = max(best, likely[position - 1] / mpmath.fsum(likely))
    left, right = MEASUREMENTS["A.7/posterior"].check(clients=3, position=position, eps0=1.3)
    assert left.lower <= best <= left.upper and left.upper - left.lower < 1e-15
    assert right.lower > left.upper


@pytest.mark.nightly
def test_the_posterior_envelope_can_be_sharpened_at_the_first_place():
    # (14) with x for x^2 at j = 1 is attained by some randomizer; the paper's is not.
    step = MEASUREMENTS["A.7/posterior"]
    assert all(outcomes(step.readings["x for x^2 at j = 1"], step.points))
    left, right = MEASUREMENTS["A.7/differ-first"].check(clients=9, position=9)
    assert (left.upper, right.lower) == (1.0, 2.0)
    # By hand at n = i = 2, x = e^20: x/(x + 1) against x^2/(x^2 + 1); in the odds, a factor x.
    with ctx.workprec(200):
        sides = [
            side(exactly(20.0), arb(2), arb(2))
            for side in (swap_posterior.by_likelihoods_sharp, swap_posterior.envelope)
        ]
        odds = [side / (1 - side) for side in sides]
        assert isclose(float((odds[1] / odds[0]).log()), 20.0, rel_tol=1e-12)


@pytest.mark.nightly
def test_two_places_differ_and_not_one():
    # Swapping position 3 or 2 with the first: records (3 2 1) and (2 1 3) differ in both places before the third.
    left, right = MEASUREMENTS["A.7/differ-before"].check(clients=3, position=3)
    assert left.lower == 2.0 == right.upper


@pytest.mark.parametrize("step", ["A.7-approx/union", "A.7-approx/moved"])
def test_the_printed_m_is_refuted(step):
    reading = STEPS[step].readings[swapping_chain.MISPRINT]
    assert is_refuted(STEPS[step], reading)
    point = smallest(STEPS[step], check(STEPS[step], reading).failures[0], reading)
    assert point["clients"] == 2.0 and point["steps"] == 1.0


@pytest.mark.nightly
def test_without_its_premise_the_integral_fails():
    needs = premise_needs(STEPS["A.7/integral"])
    assert needs.sufficient == (("position <= clients",),)
    point = needs.essential["position <= clients"]
    assert point["position"] > point["clients"]


@pytest.mark.nightly
def test_composition_agrees_with_a_binomial_sum():
    # n equal randomized responses: the loss is budget (n - 2k) with probability C(n,k) p^(n-k) (1-p)^k.
    n, budget, epsilon = 7, mpmath.mpf("0.3"), mpmath.mpf("0.8")
    p = 1 / (1 + mpmath.exp(-budget))
    truth = mpmath.fsum(
        comb(n, k) * p ** (n - k) * (1 - p) ** k * max(0, 1 - mpmath.exp(epsilon - budget * (n - 2 * k)))
        for k in range(n + 1)
    )
    with ctx.workprec(exact_protocols.BITS):
        interval = exact_protocols.enclose(
            exact_protocols.composition_divergence([exactly(0.3)] * n, exactly(0.8)), "delta"
        )
    # mpmath works with 15 digits.
    assert isclose(interval.lower, truth, rel_tol=1e-12) and interval.upper - interval.lower < 1e-15


@pytest.mark.nightly
def test_hockey_stick_at_one_is_total_variation():
    p, q = exact_protocols.response_law((0, 1, 1), 3), exact_protocols.response_law((1, 1, 0), 3)
    with ctx.workprec(exact_protocols.BITS):
        ball = exact_protocols.hockey_stick(p, q, arb(1))
        # By hand: the two records that differ answer (3/4, 1/4) one way or the other: |9/16 - 1/16|.
        assert exact_protocols.distance(p, q) == Fraction(1, 2) and ball.overlaps(exact_protocols.ball(Fraction(1, 2)))


@pytest.mark.parametrize(
    ("value", "width"), [(Fraction(1, 3), 1e-16), (Fraction(3, 8), 0.0), (0, 0.0), (Fraction(1, 10**30), 1e-45)]
)
def test_a_ball_holds_the_number_and_hardly_more(value, width):
    interval = exact_protocols.enclose(value, "delta")
    assert Fraction(interval.lower) <= value <= Fraction(interval.upper) and interval.upper - interval.lower <= width

"""Posterior trajectories against Bayes' rule on the full tree of outputs, exact identities, and balls."""

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

from pldcheck.core.errors import ParameterError
from pldcheck.study import trajectories

LEVELS = (0.0123, 0.3123, 0.5123, 0.77123, 0.901, 0.9903, 0.999907)


def replacement_tree(m, x, w, length):
    """Return (q_i, P) of every past of i - 1 = length outputs of A_rep, by Bayes' rule."""
    reference, own = (Fraction(1, 1 + x), Fraction(x, 1 + x)), (Fraction(x, 1 + x), Fraction(1, 1 + x))
    mixture = [w * a + (1 - w) * g for a, g in zip(own, reference, strict=True)]
    outcomes = []
    for path in itertools.product(range(2), repeat=length):
        likelihood = [
            math.prod(((mixture if j == slot else reference)[y] for j, y in enumerate(path)), start=Fraction(1))
            for slot in range(m)
        ]
        outcomes.append((likelihood[length] / sum(likelihood), sum(likelihood) / m))
    return outcomes


def least_quantile(outcomes, level):
    """Return the smallest q with P(q_i <= q) >= level, from (q, probability)."""
    total = Fraction(0)
    for q, p in sorted(outcomes):
        total += p
        if total >= level:
            return q
    raise AssertionError("the probabilities do not sum to 1")


@pytest.mark.parametrize(
    ("m", "x", "w"), [(1, 3, Fraction(1)), (4, 2, Fraction(1, 4)), (6, 3, Fraction(1)), (8, 40, Fraction(3, 4))]
)
def test_envelopes_and_quantiles_agree_with_the_full_tree_of_outputs(m, x, w):
    trajectory = trajectories.random_replacement(m, math.log(x), float(w), levels=LEVELS, indices=range(1, m + 1))
    for i in range(1, m + 1):
        outcomes = replacement_tree(m, x, w, i - 1)
        assert sum(p for _, p in outcomes) == 1 and sum(q * p for q, p in outcomes) == Fraction(1, m)
        for rank, level in enumerate(LEVELS):
            exact = least_quantile(outcomes, Fraction(level))
            # eps0 = log x is rounded, and so then is the exact posterior: a few units of 2^-53.
            quantile = Fraction(trajectory.quantile_upper[rank, i - 1])
            assert exact * Fraction(1 - 1e-15) <= quantile <= exact * Fraction(1 + 1e-9)
        envelope = Fraction(x, i - 1 + x * (m - i + 1))
        worst = max(q for q, _ in outcomes)
        assert float(envelope) <= trajectory.envelope[i - 1] <= float(envelope) * (1 + 1e-14)
        # Attained by the least likely outputs.
        assert trajectory.envelope_improved[i - 1] == pytest.approx(float(worst), rel=1e-14)
        assert float(worst) * (1 - 1e-15) <= trajectory.envelope_improved[i - 1] and worst <= envelope


def exact_atoms(m, eps0, w, n):
    """Return (1/q, P) of all counts, in balls."""
    x = arb(eps0).exp()
    high, low = 1 - arb(w) + arb(w) * x, 1 - arb(w) + arb(w) / x
    atoms = []
    for k in range(n + 1):
        s = m - n + k * high + (n - k) * low
        atoms.append((s, arb(n).bin(k) * x ** (n - k) / (x + 1) ** n * s / m))
    return atoms


@pytest.mark.parametrize(
    ("m", "i", "eps0", "w"), [(2, 2, 1.0, 1.0), (40, 40, 0.3, 1.0), (40, 25, 2.0, 0.3), (33, 33, 9.0, 1e-5)]
)
def test_quantiles_are_upper_and_next_to_the_truth(m, i, eps0, w):
    levels = [0.01, 0.5, 0.9, 0.99, 0.999, 1 - 1e-6, 1 - 1e-10, 1 - 2.0**-52]
    trajectory = trajectories.random_replacement(m, eps0, w, levels=levels, indices=[i])
    with ctx.workprec(160):
        atoms = exact_atoms(m, eps0, w, i - 1)
        for level, q in zip(levels, trajectory.quantile_upper[:, 0], strict=True):
            coverage = sum((p for s, p in atoms if 1 / arb(q) <= s), arb(0))
            assert coverage >= arb(level)
            inner = arb(q) * (1 - arb(1e-9))
            without = sum((p for s, p in atoms if not 1 / inner > s), arb(0))
            assert without <= 1 - (1 - arb(level)) * (1 - arb(1e-8))


@pytest.mark.parametrize("weight", [1.0, 0.1])
@pytest.mark.parametrize("eps0", [0.1, 1.0, 6.0, 20.0])
def test_no_quantile_is_above_an_envelope(weight, eps0):
    trajectory = trajectories.random_replacement(300, eps0, weight, points=20)
    assert (trajectory.quantile_upper <= trajectory.envelope_improved).all()
    assert (trajectory.envelope_improved <= trajectory.envelope).all()
    assert (np.diff(trajectory.quantile_upper, axis=0) >= 0).all()
    # Its mean is 1/m under P, so not all of its quantiles can be below.
    assert (trajectory.quantile_upper[-1] >= (1 - 1e-9) / 300).all()


def test_per_step_epsilon_is_the_papers():
    trajectory = trajectories.random_replacement(1000, 1.0, 0.5, indices=[1, 400, 1000])
    x = math.e
    paper = [math.log1p(0.5 * x * (x - 1) / (i - 1 + x * (1000 - i + 1))) for i in (1, 400, 1000)]
    np.testing.assert_allclose(trajectory.step_epsilon(trajectory.envelope), paper, rtol=1e-14)


def test_a_million_slots_are_answered():
    trajectory = trajectories.random_replacement(10**6, 1.0, indices=[500_000, 10**6])
    variance = (math.e - 1) ** 2 / math.e
    # Central limit: m q = 1/(1 + S) with S of variance n Var(a)/m^2, and mean equal to it under P.
    for column, n in enumerate((500_000, 10**6)):
        spread = math.sqrt(n * variance) / 10**6
        normal = [0.0, 1.2815515655446004, 2.3263478740408408, 3.090232306167813, 4.753424308822899]
        reference = [1 / (1 + spread**2 - z * spread) for z in normal]
        np.testing.assert_allclose(trajectory.quantile_upper[:, column] * 1e6, reference, atol=0.01 * spread)


def test_indices_are_chosen_or_taken_as_given():
    assert trajectories.random_replacement(3, 1.0).indices.tolist() == [1, 2, 3]
    grid = trajectories.random_replacement(10**6, 1.0, points=201).indices
    assert grid.size == 201 and grid[0] == 1 and grid[-1] == 10**6
    assert trajectories.random_replacement(9, 1.0, indices=[7, 2, 7]).indices.tolist() == [2, 7]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"steps": 0}, "steps must be"),
        ({"steps": 1e10}, "steps must be at most 1e"),
        ({"eps0": 0.0}, "eps0 must be"),
        ({"weight": 1.5}, "weight must be"),
        ({"levels": [0.5, 1.0]}, "levels must be"),
        ({"levels": []}, "levels must be a sequence with at least one"),
        ({"levels": 0.5}, "levels must be a sequence"),
        ({"points": 1}, "points must be"),
        ({"indices": [11]}, "indices must be an integer from"),
    ],
)
def test_bad_trajectories_are_refused(bad, message):
    with pytest.raises(ParameterError, match=message):
        trajectories.random_replacement(**{"steps": 10, "eps0": 1.0, **bad})


def test_a_trajectory_becomes_plain_values_and_cannot_be_changed():
    trajectory = trajectories.random_replacement(10, 1.0, 0.5, levels=[0.5, 0.99], points=4)
    facts = json.loads(json.dumps(trajectory.to_dict()))
    assert facts["params"] == {"steps": 10, "eps0": 1.0, "weight": 0.5, "law": "CF", "record": "d"}
    assert facts["indices"] == [1, 4, 7, 10] and facts["quantile_upper"] == trajectory.quantile_upper.tolist()
    with pytest.raises(ValueError, match="read-only"):
        trajectory.quantile_upper[0, 0] = 1.0

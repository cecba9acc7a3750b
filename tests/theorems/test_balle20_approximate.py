"""Check-ins with (eps0, delta0)-DP randomizers in Balle et al. (2020), typed again at 40 digits."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from scipy.optimize import linprog

from pldcheck.core.errors import ConditionError
from pldcheck.theorems import REGISTRY
from pldcheck.theorems.balle20 import approximate_check_in_bounds
from pldcheck.theorems.balle20.shuffling_and_swaps import tolerated

POINTS = [
    {"m": 10**6, "eps0": 0.2, "w": 1.0, "delta0": 1e-17, "delta1": 1e-13, "delta": 1e-6},
    {"m": 1000, "eps0": 0.05, "w": 0.1, "delta0": 0.0, "delta1": 1e-300, "delta": 1e-3},
    {"m": 3, "eps0": 1e-3, "w": 1.0, "delta0": 1e-30, "delta1": 1e-9, "delta": 0.5},
    {"m": 10**12, "eps0": 0.5, "w": 0.5, "delta0": 1e-21, "delta1": 1e-16, "delta": 1e-12},
]
NAMES = {
    "thm-3.2-approx": ("steps", "check_in_prob"),
    "thm-3.2-approx-main": ("steps", "check_in_prob"),
    "thm-4.3-approx": ("window", None),
    "thm-A.4-approx": ("steps", "weight"),
}


def relative_error(value, exact):
    return abs(value / exact - 1)


def arguments_of(name, point):
    steps, weight = NAMES[name]
    values = {key: point[key] for key in ("eps0", "delta0", "delta1", "delta")} | {steps: point["m"]}
    return values | ({weight: point["w"]} if weight else {})


def theorem_a_4(m, eps0, w, log_term):
    """Return the epsilon of Theorem A.4."""
    x = mpmath.exp(eps0)
    return w**2 * x * (x - 1) ** 2 / (2 * m) + w * (x - 1) * mpmath.sqrt(2 * x * log_term / m)


def test_the_file_declares_the_known_theorems():
    assert [(theorem.id, theorem.protocol) for theorem in approximate_check_in_bounds.THEOREMS] == [
        ("thm-3.2-approx", "check-in"),
        ("thm-3.2-approx-main", "check-in"),
        ("thm-3.2-approx-improved", "check-in"),
        ("thm-4.3-approx", "sliding-window"),
        ("thm-A.4-approx", "hidden-slot"),
        ("lem-A.3", "randomizer"),
    ]


@pytest.mark.parametrize("point", POINTS, ids=lambda point: f"m{point['m']}")
@pytest.mark.parametrize("name", NAMES)
def test_formulas_and_their_deltas_agree_with_retyping(name, point):
    claim = REGISTRY[name](**arguments_of(name, point))
    with mpmath.workdps(40):
        w = mpmath.mpf(point["w"] if NAMES[name][1] else 1.0)
        delta = mpmath.mpf(point["delta"])
        exact = theorem_a_4(point["m"], 8 * mpmath.mpf(point["eps0"]), w, mpmath.log(1 / delta))
        each = mpmath.mpf(point["delta0" if name.endswith("main") else "delta1"])
        assert relative_error(claim.value, exact) < 1e-14
        assert relative_error(claim.delta_total, delta + point["m"] * (mpmath.exp(exact) + 1) * each) < 1e-13


@pytest.mark.parametrize("delta0", [0.0, 1e-12, 1e-3])
@pytest.mark.parametrize(("m", "eps0", "w"), [(1000, 1.0, 1.0), (10**6, 0.1, 0.3), (50, 3.0, 0.5)])
def test_one_slot_at_a_time_agrees_with_its_formula(m, eps0, w, delta0):
    at = {"steps": m, "eps0": eps0, "check_in_prob": w, "delta0": delta0, "delta": 1e-6}
    with mpmath.workdps(40):
        x = mpmath.exp(mpmath.mpf(eps0))
        c = max(mpmath.mpf(1), 3 / (1 + x))
        wider = x * (1 + c * delta0) / (1 - c * delta0)
        s = 1 / (1 - w * (1 - 1 / wider))
        exact = w * (wider - 1) * mpmath.sqrt(2 * s * mpmath.log(10**6) / m) + (w * (wider - 1)) ** 2 * s / (2 * m)
        total = mpmath.mpf(1e-6) + w * c * (mpmath.exp(exact) + 1) * delta0
        if total >= 1:
            with pytest.raises(
                ConditionError, match=r"requires delta \+ check_in_prob c \(e\^epsilon \+ 1\) delta0 < 1"
            ):
                REGISTRY["thm-3.2-approx-improved"](**at)
            return
        claim = REGISTRY["thm-3.2-approx-improved"](**at)
        assert relative_error(claim.value, exact) < 1e-13 and relative_error(claim.delta_total, total) < 1e-13
        if delta0 == 0.0:
            pure = {key: value for key, value in at.items() if key != "delta0"}
            assert claim.value == REGISTRY["thm-3.2-improved"](**pure).value


def response(x):
    """Return three outputs, each the likeliest of one input."""
    return np.array([[x, 1, 1], [1, x, 1], [1, 1, x]]) / (x + 2)


def nearest_pure(table, budget):
    """Return the least total variation from rows 1 and 2 to pure ones of that budget, row 0 held: a linear program."""
    n = table.shape[1]
    # Variables: two rows, their positive differences from the given ones, and the larger sum of these.
    size = 4 * n + 1
    rows, limits = [], []

    def at_most(entries, limit):
        row = np.zeros(size)
        for place, value in entries:
            row[place] += value
        rows.append(row)
        limits.append(limit)

    ratio = math.exp(budget)
    for j in range(n):
        for r in (0, 1):
            at_most([(r * n + j, 1.0)], ratio * table[0, j])
            at_most([(r * n + j, -ratio)], -table[0, j])
            at_most([(r * n + j, 1.0), ((1 - r) * n + j, -ratio)], 0.0)
            at_most([(r * n + j, -1.0), ((2 + r) * n + j, -1.0)], -table[1 + r, j])
    for r in (0, 1):
        at_most([*(((2 + r) * n + j, 1.0) for j in range(n)), (4 * n, -1.0)], 0.0)
    sums = [[1.0 if r * n <= place < (r + 1) * n else 0.0 for place in range(size)] for r in (0, 1)]
    goal = np.zeros(size)
    goal[-1] = 1.0
    return linprog(goal, np.array(rows), limits, sums, [1.0, 1.0]).fun


def divergence(table, x):
    return max(float(np.maximum(p - x * q, 0.0).sum()) for p, q in itertools.permutations(table, 2))


@pytest.mark.parametrize("eps0", [0.05, 0.3, 0.69, 1.0, 2.0])
def test_three_inputs_are_as_near_to_pure_ones_as_claimed(eps0):
    random, x, worst = np.random.default_rng(3), math.exp(eps0), 0.0
    for _ in range(40):
        base = np.hstack([response(x), np.zeros((3, 3))])
        aim = np.eye(6)[random.integers(6, size=3)] if random.random() < 0.5 else random.dirichlet(np.full(6, 0.3), 3)
        table = base + random.choice([0.003, 0.02]) * (aim - base)
        delta0 = divergence(table, x)
        if delta0 < 1e-6:
            continue
        share, budget = approximate_check_in_bounds.clipped(eps0, delta0)
        distance = nearest_pure(table, budget)
        assert distance <= share * delta0 + 1e-9
        worst = max(worst, distance / (share * delta0))
    assert worst > 0.6


# --- Lemma A.3 --------------------------------------------------------------------------------------------------


def proof_value(eps0, delta0, delta1):
    """Return the right side in the proof, k = 2 e^(-3 eps0), and T rounded up."""
    x, k = mpmath.exp(eps0), 2 * mpmath.exp(-3 * mpmath.mpf(eps0))
    trials = mpmath.ceil(mpmath.log(2 / mpmath.mpf(delta1)) / mpmath.log(1 / (1 - mpmath.exp(-5 * mpmath.mpf(eps0)))))
    return (1 - k * x**-2 / 2) ** trials + (trials + 2) * 2 * delta0 * x / (1 - 1 / x)


CASES = [*itertools.product((1e-3, 0.05, 0.2, 1.0, 2.0), (1e-200, 1e-12, 1e-3, 0.7)), (4.0, 1e-6)]


@pytest.mark.parametrize(("eps0", "delta1"), CASES)
def test_lemma_a_3_gives_at_most_delta1(eps0, delta1):
    at = {"eps0": eps0, "delta1": delta1, "delta0": tolerated(eps0, delta1)}
    claim = REGISTRY["lem-A.3"](**at)
    with mpmath.workdps(300):
        assert relative_error(claim.value, proof_value(**at)) < 1e-11
    assert claim.value <= delta1 * (1 + 1e-12) and claim.at == 8 * eps0
    with pytest.raises(ConditionError, match="requires delta0 <="):
        REGISTRY["lem-A.3"](**at | {"delta0": at["delta0"] * (1 + 1e-12)})


def test_lemma_a_3_rounded_up_may_exceed_a_large_delta1():
    # A search found no counterexample below 2/e = 0.7358.
    def ratio_to_delta1(delta1):
        claim = REGISTRY["lem-A.3"](eps0=2.0, delta1=delta1, delta0=tolerated(2.0, delta1))
        return claim.value / delta1

    assert any(ratio_to_delta1(0.9 + i * 1e-5) > 1.0 for i in range(2000))
    assert all(ratio_to_delta1(0.7 + i * 1e-5) <= 1.0 for i in range(3500))


def test_readings_differ_as_delta0_and_delta1_do():
    point = POINTS[0]
    proof, main = (REGISTRY[name](**arguments_of(name, point)) for name in ("thm-3.2-approx", "thm-3.2-approx-main"))
    assert proof.value == main.value
    gain = (proof.delta_total - point["delta"]) / (main.delta_total - point["delta"])
    assert gain == pytest.approx(point["delta1"] / point["delta0"], rel=1e-3)


def test_deltas_stay_below_one():
    at = arguments_of("thm-3.2-approx", POINTS[0])
    with pytest.raises(ConditionError, match=r"requires delta \+ steps \(e\^epsilon \+ 1\) delta1 < 1"):
        REGISTRY["thm-3.2-approx"](**at | {"delta1": 1e-6})
    # e^epsilon overflows here, and is not evaluated.
    with pytest.raises(ConditionError, match="exceeds it by inf"):
        REGISTRY["thm-3.2-approx"](**at | {"eps0": 20, "delta0": 0.0})
    window = arguments_of("thm-4.3-approx", POINTS[0])
    with pytest.raises(ConditionError, match=r"requires delta \+ window \(e\^epsilon \+ 1\) delta1 < 1"):
        REGISTRY["thm-4.3-approx"](**window | {"delta1": 1e-6})
    with pytest.raises(ConditionError, match="requires delta0 <="):
        REGISTRY["thm-A.4-approx"](**arguments_of("thm-A.4-approx", POINTS[0] | {"delta0": 1e-13}))

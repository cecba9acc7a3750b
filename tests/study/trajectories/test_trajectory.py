"""Posterior trajectories against Bayes' rule on the full tree of outputs, exact identities, and balls."""

import itertools
import json
import math
import random
import sys
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from flint import arb, ctx

from pldcheck.core.errors import ParameterError, PldcheckError, UnknownNameError
from pldcheck.study import trajectories

# Outputs of the three laws by their weights x^power under (reference, d, d'), as in sheet 3: binary randomized
# responses in which d, or d', looks like the crowd, and the ternary one.
TABLES = {
    "BE": {"g": (1, 0), "d": (1, 0), "d'": (0, 1)},
    "CF": {"g": (0, 1), "d": (1, 0), "d'": (0, 1)},
    "ACE": {"g": (1, 0, 0), "d": (0, 1, 0), "d'": (0, 0, 1)},
}
CASES = [(law, record) for law in TABLES for record in ("d", "d'")]
TELLING = [("BE", "d'"), ("CF", "d"), ("ACE", "d"), ("ACE", "d'")]
LEVELS = (0.0123, 0.3123, 0.5123, 0.77123, 0.901, 0.9903, 0.999907)


def row(powers, x):
    total = sum(x**power for power in powers)
    return [Fraction(x) ** power / total for power in powers]


def tree(datasets, chances, length):
    """Return [(posterior of the last dataset alone, P, product of the rows for slot index -1)] by Bayes' rule.

    ``datasets[I][j]``: the output's row at position j when the hidden slot is I.
    """
    slots = len(datasets)
    outcomes = []
    for path in itertools.product(range(chances), repeat=length):
        likelihood = [math.prod((rows[j][y] for j, y in enumerate(path)), start=Fraction(1)) for rows in datasets]
        outcomes.append((path, likelihood, sum(likelihood) / slots))
    return outcomes


def replacement_tree(law, record, m, x, w, length):
    """Return (q_i, P, Q0) of every past of i - 1 = length outputs of A_rep."""
    reference, own = row(TABLES[law]["g"], x), row(TABLES[law][record], x)
    mixture = [w * a + (1 - w) * g for a, g in zip(own, reference, strict=True)]
    datasets = [[mixture if j == i else reference for j in range(m)] for i in range(m)]
    outcomes = []
    for path, likelihood, p in tree(datasets, len(reference), length):
        q0 = math.prod((reference[y] for y in path), start=Fraction(1))
        outcomes.append((likelihood[length] / sum(likelihood), p, q0))
    return outcomes


def least_quantile(outcomes, level):
    """Return the smallest q with P(q_i <= q) >= level, from (q, probability)."""
    total = Fraction(0)
    for q, p in sorted(outcomes):
        total += p
        if total >= level:
            return q
    raise AssertionError("the probabilities do not sum to 1")


@pytest.mark.parametrize(("law", "record"), CASES)
@pytest.mark.parametrize(
    ("m", "x", "w"), [(1, 3, Fraction(1)), (4, 2, Fraction(1, 4)), (6, 3, Fraction(1)), (5, 40, Fraction(3, 4))]
)
def test_envelopes_and_quantiles_agree_with_the_full_tree_of_outputs(law, record, m, x, w):
    trajectory = trajectories.random_replacement(
        m, math.log(x), float(w), law=law, record=record, levels=LEVELS, indices=range(1, m + 1)
    )
    for i in range(1, m + 1):
        outcomes = replacement_tree(law, record, m, x, w, i - 1)
        assert sum(p for _, p, _ in outcomes) == sum(q0 for _, _, q0 in outcomes) == 1
        for rank, level in enumerate(LEVELS):
            for measure, values in ((1, trajectory.quantile_upper), (2, trajectory.quantile_upper_reference)):
                exact = least_quantile([(outcome[0], outcome[measure]) for outcome in outcomes], Fraction(level))
                # eps0 = log x is rounded, and so then is the exact posterior: a few units of 2^-53.
                assert exact * Fraction(1 - 1e-15) <= Fraction(values[rank, i - 1]) <= exact * Fraction(1 + 1e-9)
        assert sum(q * p for q, p, _ in outcomes) == Fraction(1, m)
        mean = sum(q * q0 for q, _, q0 in outcomes)
        assert trajectory.mean_reference[i - 1] == pytest.approx(float(mean), rel=1e-12)
        envelope = Fraction(x, i - 1 + x * (m - i + 1))
        worst = max(q for q, _, _ in outcomes)
        assert float(envelope) <= trajectory.envelope[i - 1] <= float(envelope) * (1 + 1e-14)
        assert float(worst) * (1 - 1e-15) <= trajectory.envelope_improved[i - 1] and worst <= envelope
        if (law, record) in TELLING:  # attained by the least likely outputs
            assert trajectory.envelope_improved[i - 1] == pytest.approx(float(worst), rel=1e-14)


@pytest.mark.parametrize(("law", "record"), [("BE", "d"), ("CF", "d'")])
def test_a_record_like_the_crowd_leaves_no_trace(law, record):
    trajectory = trajectories.random_replacement(1000, 2.0, 0.3, law=law, record=record)
    for values in (trajectory.quantile_upper, trajectory.quantile_upper_reference, trajectory.mean_reference):
        np.testing.assert_allclose(values * 1000, 1.0, rtol=1e-14)


def moments(law, record, m, eps0, w, n):
    """Return E 1/(m q) and E 1/(m q)^2 under Q0, and E m q under both laws, by summation over counts in balls."""
    x = arb(eps0).exp()
    g, own = TABLES[law]["g"], TABLES[law][record]
    total = sum(x**power for power in g)
    outputs = [(x**a / total, 1 - arb(w) + arb(w) * x ** (b - a)) for a, b in zip(g, own, strict=True)]
    sums = [arb(0)] * 4
    # Merge outputs that tell the same; with three left, K and C given K.
    for counts in itertools.product(range(n + 1), repeat=len(outputs) - 1):
        if sum(counts) > n:
            continue
        full = (*counts, n - sum(counts))
        p, rest, s = arb(1), n, arb(m - n)
        for count, (chance, ratio) in zip(full, outputs, strict=True):
            p *= arb(rest).bin(count) * chance**count
            s += count * ratio
            rest -= count
        s /= m
        for j, value in enumerate((s, s * s, 1 / s, arb(1))):
            sums[j] += p * value
    return sums


@pytest.mark.parametrize(("law", "record"), TELLING)
@pytest.mark.parametrize(("m", "n", "eps0", "w"), [(12, 11, 1.0, 1.0), (40, 39, 0.2, 1.0), (30, 20, 3.0, 0.1)])
def test_the_mean_agrees_with_balls(law, record, m, n, eps0, w):
    with ctx.workprec(120):
        inverse, _, mean, one = moments(law, record, m, eps0, w, n)
        assert abs(one - 1) < 1e-25 and abs(inverse - 1) < 1e-25
        trajectory = trajectories.random_replacement(m, eps0, w, law=law, record=record, indices=[n + 1])
        assert abs(arb(float(trajectory.mean_reference[0])) * m / mean - 1) < 1e-12


@pytest.mark.nightly
@pytest.mark.parametrize(("law", "record"), [("CF", "d"), ("ACE", "d'")])
@pytest.mark.parametrize("w", [1.0, 0.2])
def test_known_identities_hold_at_a_thousand_slots(law, record, w):
    """Two means of 1/(m q) that are known, from quantiles alone: 1 under Q0, and 1 + n w^2 Var(a)/m^2 under P."""
    m, eps0, i = 1000, 1.0, 801
    # E f(q) is the integral of f over the quantiles; midpoints of 2000 equal parts.
    levels = (np.arange(2000) + 0.5) / 2000
    trajectory = trajectories.random_replacement(m, eps0, w, law=law, record=record, levels=levels, indices=[i])
    x = math.exp(eps0)
    variance = (x - 1) ** 2 / x if law == "CF" else (x - 1) ** 2 * (1 + 1 / x) / (x + 2)
    spread = (i - 1) * w**2 * variance / m**2
    under_reference = np.mean(1 / (m * trajectory.quantile_upper_reference[:, 0])) - 1
    under_own = np.mean(1 / (m * trajectory.quantile_upper[:, 0])) - 1
    assert abs(under_reference) < 0.02 * spread
    assert under_own == pytest.approx(spread, rel=0.04)
    assert np.mean(m * trajectory.quantile_upper[:, 0]) - 1 == pytest.approx(0.0, abs=0.04 * spread)
    assert trajectory.mean_reference[0] * m - 1 == pytest.approx(spread, rel=0.02)  # 1 + Var + O(m^-2)
    assert trajectory.mean[0] == 1 / m


def exact_atoms(law, record, m, eps0, w, n):
    """Return (1/q, P) of all counts, in balls."""
    x = arb(eps0).exp()
    high, low = 1 - arb(w) + arb(w) * x, 1 - arb(w) + arb(w) / x
    atoms = []
    for k in range(n + 1):
        if law == "ACE":
            for c in range(k + 1):
                s = m - n + c * high + (k - c) + (n - k) * low
                atoms.append((s, arb(n).bin(k) * arb(k).bin(c) * x ** (n - k) / (x + 2) ** n * s / m))
        else:
            s = m - n + k * high + (n - k) * low
            atoms.append((s, arb(n).bin(k) * x ** (n - k) / (x + 1) ** n * s / m))
    return atoms


@pytest.mark.parametrize(("law", "record"), TELLING)
@pytest.mark.parametrize(
    ("m", "i", "eps0", "w"), [(2, 2, 1.0, 1.0), (40, 40, 0.3, 1.0), (40, 25, 2.0, 0.3), (33, 33, 9.0, 1e-5)]
)
def test_quantiles_are_upper_and_next_to_the_truth(law, record, m, i, eps0, w):
    levels = [0.01, 0.5, 0.9, 0.99, 0.999, 1 - 1e-6, 1 - 1e-10, 1 - 2.0**-52]
    trajectory = trajectories.random_replacement(m, eps0, w, law=law, record=record, levels=levels, indices=[i])
    with ctx.workprec(160):
        atoms = exact_atoms(law, record, m, eps0, w, i - 1)
        for level, q in zip(levels, trajectory.quantile_upper[:, 0], strict=True):
            coverage = sum((p for s, p in atoms if 1 / arb(q) <= s), arb(0))
            assert coverage >= arb(level)
            inner = arb(q) * (1 - arb(1e-9))
            without = sum((p for s, p in atoms if not 1 / inner > s), arb(0))
            assert without <= 1 - (1 - arb(level)) * (1 - arb(1e-8))


@pytest.mark.parametrize(("law", "record"), CASES)
@pytest.mark.parametrize("weight", [1.0, 0.1])
@pytest.mark.parametrize("eps0", [0.1, 1.0, 6.0, 20.0])
def test_no_quantile_is_above_an_envelope(law, record, weight, eps0):
    trajectory = trajectories.random_replacement(300, eps0, weight, law=law, record=record, points=20)
    assert (trajectory.quantile_upper <= trajectory.envelope_improved).all()
    assert (trajectory.quantile_upper_reference <= trajectory.envelope_improved).all()
    assert (trajectory.envelope_improved <= trajectory.envelope).all()
    assert (np.diff(trajectory.quantile_upper, axis=0) >= 0).all()
    assert (trajectory.eps_quantile_upper <= trajectory.eps_envelope_improved).all()
    # Its mean is 1/m under P, so not all of its quantiles can be below.
    assert (trajectory.quantile_upper[-1] >= (1 - 1e-9) / 300).all()


@pytest.mark.parametrize(("law", "record"), TELLING)
def test_the_envelope_is_a_quantile_while_the_least_likely_path_is_likely(law, record):
    # After 10 outputs all were least likely with probability about (x/(x+1))^10 = 0.04 (ACE: 0.004) or more.
    trajectory = trajectories.random_replacement(
        50, 1.0, 0.6, law=law, record=record, levels=[0.5, 0.9999], indices=[11]
    )
    assert trajectory.quantile_upper[1, 0] == pytest.approx(trajectory.envelope_improved[0], rel=1e-14)
    assert trajectory.quantile_upper[0, 0] < 0.97 * trajectory.envelope_improved[0]


def test_per_step_epsilon_is_the_papers():
    trajectory = trajectories.random_replacement(1000, 1.0, 0.5, indices=[1, 400, 1000])
    x = math.e
    paper = [math.log1p(0.5 * x * (x - 1) / (i - 1 + x * (1000 - i + 1))) for i in (1, 400, 1000)]
    np.testing.assert_allclose(trajectory.eps_envelope, paper, rtol=1e-14)
    swap_trajectory = trajectories.random_swap(1000, 1.0, indices=[1, 400, 1000])
    paper = [math.log1p(x * x * (x - 1) / (x * x + i - 1 + (1000 - i) * x)) for i in (1, 400, 1000)]
    np.testing.assert_allclose(swap_trajectory.eps_envelope, paper, rtol=1e-14)


def swap_tree(rows, length):
    """Return (q_i, P) of every past of A_swap; ``rows[k][j]``: what position j answers on record k (record 0 is d1)."""
    n = len(rows)
    datasets = []
    for slot in range(n):
        order = list(range(n))
        order[0], order[slot] = order[slot], order[0]
        datasets.append([rows[record][j] for j, record in enumerate(order)])
    return [(likelihood[length] / sum(likelihood), p) for _, likelihood, p in tree(datasets, len(rows[0][0]), length)]


@pytest.mark.parametrize(("law", "record"), CASES)
def test_swaps_of_equal_records_agree_with_the_full_tree_of_outputs(law, record):
    n, x = 5, 3
    reference, own = row(TABLES[law]["g"], x), row(TABLES[law][record], x)
    rows = [[own] * n, *([[reference] * n] * (n - 1))]
    trajectory = trajectories.random_swap(
        n, math.log(x), law=law, record=record, levels=LEVELS, indices=range(1, n + 1)
    )
    for i in range(1, n + 1):
        outcomes = swap_tree(rows, i - 1)
        assert sum(q * p for q, p in outcomes) == Fraction(1, n)
        for rank, level in enumerate(LEVELS):
            exact = least_quantile(outcomes, Fraction(level))
            assert (
                exact * Fraction(1 - 1e-15)
                <= Fraction(trajectory.quantile_upper[rank, i - 1])
                <= exact * Fraction(1 + 1e-9)
            )


@pytest.mark.parametrize("seed", range(12))
def test_swap_envelopes_hold_for_any_records(seed):
    draw, n, x = random.Random(seed), 4, 3
    # Every record's row at a position is x^0 or x^1 over a common total, so any two are within x: keep the totals equal
    # by permuting one pattern.
    patterns = sorted(set(itertools.permutations(draw.choice([(1, 0), (1, 0, 0), (1, 1, 0)]))))
    rows = [[row(draw.choice(patterns), x) for _ in range(n)] for _ in range(n)]
    trajectory = trajectories.random_swap(n, math.log(x), indices=range(1, n + 1))
    for i in range(1, n + 1):
        worst = float(max(q for q, _ in swap_tree(rows, i - 1)))
        assert worst <= trajectory.envelope_improved[i - 1] * (1 + 1e-15) <= trajectory.envelope[i - 1] * (1 + 2e-15)


@pytest.mark.parametrize("i", [1, 2, 3, 4])
def test_swap_sharpened_envelope_is_attained_and_the_papers_is_not(i):
    n, x = 4, 3
    up, down = row((1, 0), x), row((0, 1), x)  # output 0 likely, or unlikely
    # First output: record i stands out.  Later: d1 stands out where the outputs are unlikely under it.
    rows = [[up if k == i - 1 else down] + [down if k == 0 else up] * (n - 1) for k in range(n)]
    trajectory = trajectories.random_swap(n, math.log(x), indices=[i])
    worst = float(max(q for q, _ in swap_tree(rows, i - 1)))
    assert worst == pytest.approx(trajectory.envelope_improved[0], rel=1e-13)
    assert worst < 0.95 * trajectory.envelope[0]


@pytest.mark.nightly
def test_swap_is_the_hidden_slot_of_weight_one():
    swap = trajectories.random_swap(200, 1.3, law="ACE", points=7)
    slot = trajectories.random_replacement(200, 1.3, law="ACE", points=7)
    np.testing.assert_array_equal(swap.quantile_upper, slot.quantile_upper)
    np.testing.assert_array_equal(swap.mean_reference, slot.mean_reference)


@pytest.mark.parametrize("law", ["CF", "ACE"])
def test_a_million_slots_are_answered(law):
    trajectory = trajectories.random_replacement(10**6, 1.0, law=law, indices=[500_000, 10**6])
    x = math.e
    variance = (x - 1) ** 2 / x if law == "CF" else (x - 1) ** 2 * (1 + 1 / x) / (x + 2)
    # Central limit: m q = 1/(1 + S) with S of variance n Var(a)/m^2, and mean equal to it under P.
    for column, n in enumerate((500_000, 10**6)):
        spread = math.sqrt(n * variance) / 10**6
        normal = [0.0, 1.2815515655446004, 2.3263478740408408, 3.090232306167813, 4.753424308822899]
        reference = [1 / (1 + spread**2 - z * spread) for z in normal]
        np.testing.assert_allclose(trajectory.quantile_upper[:, column] * 1e6, reference, atol=0.01 * spread)


@pytest.mark.nightly
def test_indices_are_chosen_or_taken_as_given():
    assert trajectories.random_replacement(3, 1.0).indices.tolist() == [1, 2, 3]
    grid = trajectories.random_replacement(10**6, 1.0, points=201).indices
    assert grid.size == 201 and grid[0] == 1 and grid[-1] == 10**6
    assert trajectories.random_replacement(9, 1.0, indices=[7, 2, 7]).indices.tolist() == [2, 7]


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        ({"steps": 0}, ParameterError, "steps must be"),
        ({"steps": 1e10}, ParameterError, "steps must be at most 1e"),
        ({"eps0": 0.0}, ParameterError, "eps0 must be"),
        ({"weight": 1.5}, ParameterError, "weight must be"),
        ({"law": "CE"}, UnknownNameError, "unknown law 'CE'; did you mean"),
        ({"law": None}, UnknownNameError, "unknown law"),
        ({"record": "e"}, ParameterError, "record must be one of d, d'"),
        ({"levels": [0.5, 1.0]}, ParameterError, "levels must be"),
        ({"levels": []}, ParameterError, "levels must be a sequence with at least one"),
        ({"levels": 0.5}, ParameterError, "levels must be a sequence"),
        ({"points": 1}, ParameterError, "points must be"),
        ({"indices": [11]}, ParameterError, "indices must be an integer from"),
        ({"steps": 1e9, "law": "ACE"}, ParameterError, "points must be at most 15 with law ACE"),
    ],
)
@pytest.mark.nightly
def test_bad_trajectories_are_refused(bad, error, message):
    with pytest.raises(error, match=message):
        trajectories.random_replacement(**{"steps": 10, "eps0": 1.0, **bad})


@pytest.mark.nightly
def test_bad_swap_trajectories_are_refused():
    with pytest.raises(ParameterError, match="clients must be"):
        trajectories.random_swap(0.5, 1.0)
    with pytest.raises(ParameterError, match="clients must be at most"):
        trajectories.random_swap(1e12, 1.0)


@pytest.mark.nightly
def test_a_trajectory_becomes_plain_values_html_and_a_data_frame(monkeypatch):
    trajectory = trajectories.random_replacement(10, 1.0, 0.5, law="ACE", levels=[0.5, 0.99], points=4)
    facts = json.loads(json.dumps(trajectory.to_dict()))
    assert facts["params"] == {"steps": 10, "eps0": 1.0, "weight": 0.5, "law": "ACE", "record": "d"}
    assert facts["indices"] == [1, 4, 7, 10] and facts["quantile_upper"] == trajectory.quantile_upper.tolist()
    assert len(facts["eps_quantile_upper"][1]) == len(facts["envelope"]) == 4
    html = trajectory._repr_html_()
    assert "law = ACE" in html and f"{10 * trajectory.quantile_upper[1, 3]:.6g}" in html and "level 0.99" in html
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(PldcheckError, match="pandas"):
        trajectory.to_pandas()
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=dict))
    columns = trajectory.to_pandas()
    assert columns["quantile_upper.0.99"].tolist() == trajectory.quantile_upper[1].tolist()
    assert columns["index"].tolist() == [1, 4, 7, 10] and len(columns) == 7 + 3 * 2


@pytest.mark.nightly
def test_a_trajectory_cannot_be_changed():
    trajectory = trajectories.random_replacement(10, 1.0)
    with pytest.raises(ValueError, match="read-only"):
        trajectory.quantile_upper[0, 0] = 1.0

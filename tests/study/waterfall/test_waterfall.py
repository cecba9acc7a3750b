"""The waterfall: each level is an epsilon of its own, and they fall."""

from html import escape
from math import exp, log, sqrt, tanh

import mpmath
import numpy as np
import pytest

from pldcheck import pld
from pldcheck.core.errors import ParameterError, UnknownNameError
from pldcheck.study.waterfall.waterfall import THEOREMS, mixture, waterfall
from pldcheck.theorems import REGISTRY

# (m, eps0) -> L0, L1, L3 of the theory sheet (w = 1, delta = 1e-6), to 3 digits.  Its L2 (0.3679, 2.5498, 1.1651) is
# not reproduced: rounding every eps_i to a grid of 5e-6, down and up, encloses the first in [0.3489, 0.3539].
SHEET = {
    (1000, 1.0): (0.4749, 0.4739, 0.2527),
    (1000, 2.0): (3.0377, 2.9904, 1.1364),
    (100, 1.0): (1.5293, 1.4959, 0.8463),
}


def envelope_budgets(m, eps0):
    x, past = exp(eps0), np.arange(m)
    return np.log1p(x * (x - 1) / (past + x * (m - past)))


@pytest.mark.parametrize(("m", "eps0"), SHEET)
def test_published_numbers_are_reproduced(m, eps0):
    fall = waterfall("thm-3.2", steps=m, eps0=eps0, check_in_prob=1, delta=1e-6)
    ends = {level.name: level.interval for level in fall.levels}
    for name, reference in zip(("L0", "L1", "L3"), SHEET[m, eps0], strict=True):
        assert ends[name].upper == pytest.approx(reference, rel=3e-3)
    uppers = [level.interval.upper for level in fall.levels]
    assert uppers == sorted(uppers, reverse=True)


@pytest.mark.nightly
def test_optimal_composition_lies_between_those_of_rounded_losses():
    """Losses rounded up and down to a lattice, composed by a plain FFT: no code and no method in common."""
    m, eps0, delta, h, size = 200, 1.0, 1e-6, 2e-5, 2**17
    frequencies = 2 * np.pi * np.fft.rfftfreq(size)
    ends = []
    for to_grid in (np.floor, np.ceil):
        logs = np.zeros(frequencies.size, dtype=complex)
        for budget in envelope_budgets(m, eps0):
            p = 1 / (1 + exp(-budget))
            above, below = to_grid(budget / h), to_grid(-budget / h)
            logs += np.log(p * np.exp(-1j * frequencies * above) + (1 - p) * np.exp(-1j * frequencies * below))
        pmf = np.fft.irfft(np.exp(logs), size)
        losses = np.arange(size)
        losses = np.where(losses > size // 2, losses - size, losses) * h
        low, high = 0.0, 1.3
        while high - low > 1e-9:
            middle = (low + high) / 2
            inside = losses > middle
            if pmf[inside] @ -np.expm1(middle - losses[inside]) > delta:
                low = middle
            else:
                high = middle
        ends.append(low)
    interval = waterfall("thm-A.4", steps=m, eps0=eps0, weight=1, delta=delta).levels[2].interval
    assert ends[0] < interval.lower <= interval.upper < ends[1]
    assert interval.relative_width < 1e-6


@pytest.mark.nightly
def test_the_second_level_is_the_papers_composition_bound():
    budgets = envelope_budgets(200, 0.7)
    reference = sum(e * tanh(e / 2) for e in budgets) + sqrt(2 * log(1e5) * sum(e * e for e in budgets))
    level = waterfall("thm-4.3", window=200, eps0=0.7, delta=1e-5).levels[1].interval
    assert reference in level and level.relative_width < 1e-11


@pytest.mark.nightly
def test_swaps_have_their_own_steps():
    n, eps0 = 300, 0.5
    x = exp(eps0)
    budgets = [log(1 + x * x * (x - 1) / (x * x + i - 1 + (n - i) * x)) for i in range(1, n + 1)]
    reference = sum(e * tanh(e / 2) for e in budgets) + sqrt(2 * log(1e6) * sum(e * e for e in budgets))
    fall = waterfall("thm-5.1", clients=n, eps0=eps0, delta=1e-6)
    assert reference in fall.levels[1].interval
    assert fall.levels[0].interval.upper == pytest.approx(REGISTRY["thm-5.1"](clients=n, eps0=eps0, delta=1e-6).value)
    truth = pld.compose_all([pld.randomized_response(e) for e in budgets]).epsilon(1e-6)
    assert fall.levels[2].interval.lower <= truth.upper and truth.lower <= fall.levels[2].interval.upper


@pytest.mark.nightly
def test_grouped_steps_are_an_upper_bound_and_a_close_one(monkeypatch):
    import pldcheck.study.waterfall.waterfall as module

    arguments = {"steps": 300, "eps0": 1.0, "weight": 1.0, "delta": 1e-6}
    exact = waterfall("thm-A.4", **arguments)
    monkeypatch.setattr(module, "MOST_STEPS_RESPONSE", 50)
    monkeypatch.setattr(module, "MOST_STEPS_MIXTURE", 50)
    fall = waterfall("thm-A.4", **arguments)
    for level in (2, 3):
        assert exact.levels[level].interval.upper < fall.levels[level].interval.upper
        assert fall.levels[level].interval.upper < 1.03 * exact.levels[level].interval.upper


@pytest.mark.parametrize("weight", [0.001, 0.2, 1.0])
def test_the_mixture_dominates_each_law_and_is_attained_by_one(weight):
    eps0 = 1.3
    step = mixture(eps0, weight)
    with mpmath.workdps(40):
        x, w = mpmath.exp(mpmath.mpf(eps0)), mpmath.mpf(weight)
        vertices = {"A": (1 / x, 1 / x), "B": (1, 1 / x), "C": (x, 1), "D": (x, x), "E": (1, x), "F": (1 / x, 1)}
        laws = {
            "AD": (x / (x + 1), 1 / (x + 1)),
            "BE": (x / (x + 1), 1 / (x + 1)),
            "CF": (1 / (x + 1), x / (x + 1)),
            "ACE": (x / (x + 2), 1 / (x + 2), 1 / (x + 2)),
            "BDF": (x / (2 * x + 1), 1 / (2 * x + 1), x / (2 * x + 1)),
        }
        for epsilon in np.linspace(0, 1.2, 37) * weight:
            kappa, truths = mpmath.exp(mpmath.mpf(float(epsilon))), []
            for law, chances in laws.items():
                pairs = [(1 + w * (a - 1), 1 + w * (b - 1)) for a, b in (vertices[v] for v in law)]
                truths.append(sum(p * max(a - kappa * b, 0) for p, (a, b) in zip(chances, pairs, strict=True)))
            upper = step.delta(float(epsilon)).upper
            assert max(truths) <= upper <= 1.002 * max(truths) + 1e-5 * weight


@pytest.mark.parametrize("eps0", [1e-12, 1e-6, 0.01, 0.7, 5.0, 19.9])
@pytest.mark.parametrize("weight", [1e-9, 1e-3, 0.5, 1.0])
def test_the_mixture_is_above_its_laws_to_the_last_digit(eps0, weight):
    """At the kinks, next to the largest loss and between, against 60 digits and with no slack at all."""
    step = mixture(eps0, weight)
    with mpmath.workdps(60):
        x, w = mpmath.exp(mpmath.mpf(eps0)), mpmath.mpf(weight)
        vertices = {"A": (1 / x, 1 / x), "B": (1, 1 / x), "C": (x, 1), "D": (x, x), "E": (1, x), "F": (1 / x, 1)}
        largest = mpmath.log((1 + w * (x - 1)) / (1 + w * 0))
        shares = [0.0, 0.1, 0.5, 0.9, *(1 - 10.0**-k for k in range(2, 17, 2)), 1.0]
        for loss in (largest, mpmath.log(x), mpmath.log((1 + w * (x - 1)) / (1 - w * (1 - 1 / x)))):
            for share in shares:
                epsilon = float(loss * share)
                truth = max(_law(law, vertices, x, w, epsilon) for law in ("AD", "BE", "CF", "ACE", "BDF"))
                assert mpmath.mpf(step.delta(epsilon).upper) >= truth, (share, mpmath.nstr(truth, 20))


def _law(law, vertices, x, w, epsilon):
    """Return E(a - kappa b)+ of one law, whose chances solve that both ratios have mean 1."""
    rows = mpmath.matrix([[1] * len(law), [vertices[v][0] for v in law], [vertices[v][1] for v in law]])
    chances = mpmath.lu_solve(rows, mpmath.matrix([1, 1, 1]))
    kappa = mpmath.exp(mpmath.mpf(epsilon))
    pairs = [(1 + w * (vertices[v][0] - 1), 1 + w * (vertices[v][1] - 1)) for v in law]
    return sum(p * max(a - kappa * b, 0) for p, (a, b) in zip(chances, pairs, strict=True))


def test_refusals_name_what_is_wrong():
    assert set(THEOREMS) <= set(REGISTRY)
    with pytest.raises(UnknownNameError, match="thm-3.2-simple"):
        waterfall("thm-3.2-simple", steps=10)
    with pytest.raises(ParameterError, match="delta must be"):
        waterfall("thm-3.2", steps=10, eps0=1, check_in_prob=1, delta=2)


def test_a_waterfall_shows_itself():
    fall = waterfall("thm-4.3", window=20, eps0=0.7, delta=1e-5)
    assert all(escape(level.title) in fall._repr_html_() for level in fall.levels)
    assert [level["name"] for level in fall.to_dict()["levels"]] == ["L0", "L1", "L2", "L3", "L4"]


@pytest.mark.parametrize(("name", "count"), [("thm-A.4", "steps"), ("thm-5.1", "clients")])
@pytest.mark.nightly
def test_more_steps_than_can_be_added_up_are_refused(name, count):
    from pldcheck.core.errors import ParameterError

    arguments = {"eps0": 0.5, "delta": 1e-6} | ({"weight": 1.0} if name == "thm-A.4" else {})
    with pytest.raises(ParameterError, match=rf"{count} must be at most 1e\+07 for waterfalls"):
        waterfall(name, **arguments, **{count: 10**9})

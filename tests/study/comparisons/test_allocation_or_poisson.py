"""Random allocation next to Poisson sampling and replacement."""

import json
from fractions import Fraction
from math import erfc, exp, inf, sqrt

import numpy as np
import pytest

from pldcheck.cli import run
from pldcheck.core.errors import ParameterError
from pldcheck.protocols import RandomAllocation, SubsampledGaussian
from pldcheck.study.comparisons import allocation


@pytest.fixture(scope="module")
def comparison():
    return allocation(sigma=[2.0], steps=[100], epochs=[1, 10])


def gaussian_delta(mu, epsilon):
    """Return delta by Balle and Wang 2018, Theorem 8: Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu)."""
    first, second = (erfc((epsilon / mu - side * mu / 2) / sqrt(2)) / 2 for side in (1, -1))
    return first - exp(epsilon) * second


@pytest.mark.nightly
def test_rows_are_in_the_order_of_the_grids_and_what_their_heads_say(comparison):
    assert [(row.sigma, row.steps, row.epochs) for row in comparison.rows] == [(2.0, 100, 1), (2.0, 100, 10)]
    one, ten = comparison.rows
    assert (one.lower, one.upper) == tuple(RandomAllocation(100, 2.0).epsilon(1e-6))
    interval = RandomAllocation(100, 2.0, adjacency="replace").epsilon(1e-6)
    assert (one.replaced_lower, one.replaced_upper) == tuple(interval)
    assert (ten.lower, ten.upper) == tuple(RandomAllocation(100, 2.0, epochs=10).epsilon(1e-6))
    for row, uses in ((one, 100), (ten, 1000)):
        assert (row.poisson_lower, row.poisson_upper) == tuple(SubsampledGaussian(2.0, 0.01, uses).epsilon(1e-6))
        mu = sqrt(row.epochs) / 2.0
        assert gaussian_delta(mu, row.unamplified_upper * (1 + 1e-9)) < 1e-6
        assert gaussian_delta(mu, row.unamplified_lower * (1 - 1e-9)) > 1e-6
        assert row.unamplified_upper < row.unamplified_lower * (1 + 1e-9)


@pytest.mark.nightly
def test_published_values_are_reproduced(comparison):
    one, ten = comparison.rows
    # Theory sheet 5, section 1.3 (zero-out, antipodal orders) and 2.3, sigma = 2, m = 100.
    assert 0.20492528 <= one.upper and one.lower <= 0.20494037
    # Theory sheet 5, section 6: lattice bracket, Poisson sampling by dp_accounting, and their ratio.
    assert 0.69538 <= ten.upper and ten.lower <= 0.69590
    assert ten.poisson_lower == pytest.approx(0.7209, abs=1e-4)
    assert ten.ratio_lower == pytest.approx(0.965, abs=1e-3) and ten.ratio_upper < 1.0


@pytest.mark.nightly
def test_ratios_are_of_the_ends_outward(comparison):
    for row in comparison.rows:
        least = Fraction(row.lower) / Fraction(row.poisson_upper)
        most = Fraction(row.upper) / Fraction(row.poisson_lower)
        assert row.ratio_lower <= least <= most <= row.ratio_upper
        assert row.ratio_lower >= float(least) * (1 - 3e-16) and row.ratio_upper <= float(most) * (1 + 3e-16)
        assert row.ratio_upper < row.ratio_lower * (1 + 1e-3)


@pytest.mark.nightly
def test_the_bounds_are_in_order(comparison):
    for row in comparison.rows:
        assert row.upper < row.poisson_lower < row.replaced_lower < row.unamplified_lower
        # In the normal limit epsilon is about that of twice the sensitivity.
        assert 1.8 * row.upper < row.replaced_lower and row.replaced_upper < 2.1 * row.lower


@pytest.mark.nightly
def test_allocation_is_not_always_below_poisson_sampling():
    (row,) = allocation(sigma=[1.0], steps=[10], epochs=[1], delta=0.1).rows
    assert row.ratio_lower > 1.08
    # Simulated without the record, between the two epsilons: by the likelihood ratios of both schemes.
    c = exp(0.5 * (row.poisson_upper + row.lower))
    gains = np.random.default_rng(5).normal(size=(1_000_000, 10), loc=-0.5)
    np.exp(gains, out=gains)
    allocation_gains, sample_gains = gains.mean(axis=1), (0.9 + 0.1 * gains).prod(axis=1)
    for ratio, above in ((allocation_gains, True), (sample_gains, False)):
        payoffs = [np.maximum(ratio - c, 0.0), np.maximum(1.0 - c * ratio, 0.0)]
        worst = max(payoffs, key=np.mean)
        deviations = (worst.mean() - 0.1) / (worst.std() / 1000.0)
        assert deviations > 4.0 if above else deviations < -4.0


@pytest.mark.nightly
def test_what_is_not_known_is_none(comparison):
    (row,) = allocation(sigma=[0.4], steps=[100], epochs=[1]).rows
    assert row.replaced_lower is None and row.replaced_upper is None
    (row,) = allocation(sigma=[0.5], steps=[100], epochs=[1]).rows
    # Theory sheet 5, section 2.3.
    assert row.lower <= 6.3936407 and row.upper >= 6.3936404
    (row,) = allocation(sigma=[4.0], steps=[10], epochs=[1], delta=0.1).rows
    assert row.poisson_lower == 0.0 and row.ratio_lower is None and row.ratio_upper is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"sigma": [0.0]}, "sigma must be"), ({"steps": [0]}, "steps must be"), ({"delta": 1.0}, "delta must be")],
    ids=["sigma", "steps", "delta"],
)
@pytest.mark.nightly
def test_values_out_of_range_are_refused(arguments, message):
    with pytest.raises(ParameterError, match=message):
        allocation(**{"sigma": [1.0], "steps": [10], "epochs": [1], **arguments})


@pytest.mark.nightly
def test_a_quick_run_writes_its_table_and_files(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("pldcheck.cli.progress.SECONDS", inf)  # however long it takes, nothing is said of its progress
    assert run(["compare", "allocation", "--quick", "--out", "drawn"]) == 0
    streams = capsys.readouterr()
    lines = streams.out.splitlines()
    assert streams.err == ""
    head = ["sigma", "m", "E", "allocation", "Poisson", "ratio", "replaced", "no", "amplification"]
    assert lines[1] == "at delta = 1e-6" and lines[2].split() == head
    # Theory sheet 5, section 2.3 and 5: allocation, and the Gaussian mechanism itself.
    assert lines[3].split()[:3] == ["1", "100", "1"] and lines[3].split()[-1] == "4.8866"
    assert float(lines[3].split()[3]) == pytest.approx(0.85802, rel=1e-4)
    assert len(lines) == 13 and lines[7].startswith("m: steps of a pass")
    stem = tmp_path / "drawn" / "allocation-quick"
    facts = json.loads(stem.with_suffix(".json").read_text())
    assert [(row["sigma"], row["epochs"]) for row in facts["rows"]] == [(1, 1), (1, 100), (4, 1), (4, 100)]
    assert all(row["ratio_upper"] < 1.0 for row in facts["rows"])
    svg = stem.with_suffix(".svg").read_text()
    for text in (
        "Random allocation and Poisson sampling  (δ = 10⁻⁶)",
        "m = 10²",
        "σ = 1",
        "σ = 4",
        "ε of all epochs",
        "epochs E",
        "Poisson sampling, rate 1/m",
        "random allocation, one of m steps an epoch",
    ):
        assert f">{text}<" in svg


def test_the_figure_draws_the_bands_and_the_ratios(comparison):
    from pldcheck.study.comparisons import comparison_figures

    above, below = comparison_figures.FIGURES["allocation"](comparison).axes
    lines = [list(line.get_ydata()) for line in above.lines]
    for field in ("lower", "upper", "poisson_upper"):
        assert [getattr(row, field) for row in comparison.rows] in lines
    assert len(above.collections) == 1 and [text.get_text() for text in above.texts] == ["σ = 2"]
    assert [row.ratio_upper for row in comparison.rows] in [list(line.get_ydata()) for line in below.lines]
    assert list(above.get_xticks()) == [1, 10]

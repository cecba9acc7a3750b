"""The trade-off function of protocols, beside closed forms at 60 digits, and as text, table and picture."""

import json
import random
import sys
from types import SimpleNamespace

import mpmath as mp
import pytest
from matplotlib import pyplot

from pldcheck import AnswerTable, Gaussian, GaussianMean, ParameterError, RandomAllocation, RandomizedResponse
from pldcheck.core.errors import Unsupported
from pldcheck.protocols.tradeoff import TradeOff

mp.mp.dps = 60


def gaussian_rate(mu, alpha):
    """Return f_mu(alpha) = Phi(Phi^-1(1 - alpha) - mu), typed again from Dong, Roth and Su (2022)."""
    alpha = mp.mpf(alpha)
    return 1 - alpha if alpha in (0, 1) else mp.ncdf(mp.sqrt(2) * mp.erfinv(1 - 2 * alpha) - mp.mpf(mu))


def rates(many):
    draw = random.Random(3)
    return [0.0, 1.0, *(draw.random() ** draw.choice([1, 3, 12]) for _ in range(many))]


def test_gaussian_noise_is_between_the_ends():
    answer, widths = Gaussian(sigma=2.0, steps=9).tradeoff(), []
    for alpha in rates(40):
        exact, one = gaussian_rate(1.5, alpha), answer.fnr(alpha)
        assert one.lower <= exact <= one.upper
        power = answer.tpr(alpha)
        assert power.lower <= 1 - exact <= power.upper
        widths.append(one.width)
    assert max(widths) < 0.007


@pytest.mark.nightly
def test_randomized_response_is_two_lines():
    answer = RandomizedResponse(steps=1, eps0=1.0).tradeoff()
    kappa = mp.e
    for alpha in rates(40):
        alpha_ = mp.mpf(alpha)
        exact = max(1 - kappa * alpha_, (1 - alpha_) / kappa)
        one = answer.fnr(alpha)
        assert one.lower <= exact <= one.upper and one.width < 3e-6


@pytest.mark.nightly
def test_the_text_and_the_table_have_the_same_ends():
    answer = RandomizedResponse(steps=1, eps0=1.0).tradeoff()
    table = answer.fnr([0.25, 0.5])
    assert isinstance(table, AnswerTable) and table.parameter == "false positive rate"
    assert table.intervals == (answer.fnr(0.25), answer.fnr(0.5)) and table.quantity == "false negative rate"
    assert answer.tpr([0.5]).quantity == "true positive rate"
    assert str(answer).splitlines()[0].split("  ")[-1] == "false negative rate" and "<table>" in answer._repr_html_()
    assert TradeOff.from_dict(json.loads(json.dumps(answer.to_dict()))) == answer


@pytest.mark.nightly
def test_a_picture_and_a_frame(monkeypatch):
    answer = RandomizedResponse(steps=1, eps0=1.0).tradeoff()
    axes = answer.plot(rates=[0.0, 0.5, 0.99, 1.0])
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("false positive rate", "false negative rate")
    assert (axes.get_xscale(), axes.get_yscale()) == ("linear", "linear")
    pyplot.close("all")
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=lambda columns: columns))
    assert answer.to_pandas([0.5])["upper"] == (answer.fnr(0.5).upper,)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: Gaussian(1.0).tradeoff(epsilons=[-1.0]), "epsilon must be at least 0"),
        (lambda: Gaussian(1.0).tradeoff(epsilons=[701.0]), "epsilon must be below 700"),
        (lambda: Gaussian(1.0).tradeoff(points=1), "points must be an integer from 2"),
        (lambda: Gaussian(1.0).tradeoff(points=True), "points must be an integer from 2"),
        (lambda: Gaussian(1.0).tradeoff([0.5]).fnr(1.5), "false positive rate must be from 0 to 1"),
        (lambda: Gaussian(1.0).tradeoff([0.5]).fnr([-0.5]), "false positive rate must be from 0 to 1"),
        (lambda: Gaussian(1.0).tradeoff([0.5]).fnr("0.5"), "false positive rate must be a list of finite numbers"),
    ],
)
def test_what_is_no_question_is_refused(ask, message):
    with pytest.raises(ParameterError, match=message):
        ask()


@pytest.mark.nightly
def test_a_protocol_without_delta_says_so():
    with pytest.raises(Unsupported, match="gaussian-mean"):
        GaussianMean(clients=10, dimension=1).tradeoff()


@pytest.mark.nightly
@pytest.mark.parametrize("adjacency", ["remove", "add"])
def test_one_direction_is_not_symmetric(adjacency):
    # One slot that is used with probability 1/4: the likelihood ratio grows with the output, so tests are thresholds.
    answer = RandomAllocation(1, 1.0, check_in_prob=0.25, adjacency=adjacency).tradeoff(points=97)
    weight = mp.mpf("0.25")
    for place in range(-30, 31):
        x = mp.mpf(place) / 8
        without, with_it = mp.ncdf(x), (1 - weight) * mp.ncdf(x) + weight * mp.ncdf(x - 1)
        alpha, beta = (1 - without, with_it) if adjacency == "remove" else (with_it, 1 - without)
        near = float(alpha)
        above, below = (min(max(near + step * 1e-15, 0.0), 1.0) for step in (-1, 1))
        assert answer.fnr(below).lower <= beta <= answer.fnr(above).upper
        assert answer.fnr(near).width < 1e-3


@pytest.mark.nightly
def test_a_narrow_answer_costs_more_points():
    widths = [
        max(Gaussian(1.0).tradeoff(points=many).fnr(place / 32).width for place in range(33)) for many in (33, 129)
    ]
    assert widths[1] < widths[0] / 10

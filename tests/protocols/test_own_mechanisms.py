"""Mechanisms that a user states: tables against exact sums over all outputs, functions against what they return."""

import pickle
from fractions import Fraction
from itertools import product
from math import prod

import pytest
from scipy.stats import norm

import pldcheck
from pldcheck import Composition, Gaussian, OwnMechanism, TableMechanism, pld
from pldcheck.core.errors import ParameterError, PldcheckError
from pldcheck.witness import dumps, examine, of_question
from pldcheck.witness.upper_certificates import certificate

EXACT = TableMechanism(["1/3", "1/2", "1/6", "0"], ["1/7", "3/7", "2/7", "1/7"], steps=3)


def delta_of_outputs(table, factor):
    """Return the exact delta at epsilon = log(factor), by all sequences of outputs."""
    pairs = [*zip(*table.rows, strict=True)]
    laws = [[prod(pair[i] for pair in outputs) for outputs in product(pairs, repeat=table.steps)] for i in (0, 1)]
    return max(sum(max(a - factor * b, 0) for a, b in zip(*ways, strict=True)) for ways in (laws, laws[::-1]))


def test_a_table_has_the_delta_of_all_its_outputs(tmp_path):
    floats = TableMechanism([0.2, 0.7, 0.1], [0.5, 0.5, 0.0], 2)
    for table in (EXACT, floats, TableMechanism([Fraction(1, 3), Fraction(2, 3)], ["2/3", "1/3"], 6)):
        interval, exact = table.delta(0.0), delta_of_outputs(table, Fraction(1))
        assert Fraction(interval.lower) <= exact <= Fraction(interval.upper) and interval.relative_width < 1e-9
        assert pickle.loads(pickle.dumps(table)) == table and hash(table)
        # What attains the lower end of epsilon is a file that names the table.
        path = tmp_path / "table.json"
        path.write_bytes(dumps(of_question(table, 0.9 * interval.lower)))
        accepted, sentence = examine(path)
        assert accepted and "so table is not (" in sentence
    with pytest.raises(PldcheckError, match="no program of certificates knows tables"):
        certificate(EXACT, delta=0.5)
    third = pld.from_pmf([Fraction(1, 3), Fraction(2, 3)], [Fraction(2, 3), Fraction(1, 3)])
    assert third.compose(2).delta(0.0).upper >= 1 / 3 >= third.delta(0.0).lower


@pytest.mark.nightly
def test_a_function_may_return_a_loss_a_protocol_or_a_table():
    def densities(sigma):
        return pld.from_density(
            *(norm(mean, sigma) for mean in (1.0, 0.0)),
            between=(-40.0, 40.0),
            ratio="increasing",
            cdf_error=1e-13,
            loss_error=1e-12,
        )

    truth = Gaussian(2.0).epsilon(1e-6)
    cut = OwnMechanism(densities, (("sigma", 2.0),))
    assert cut.epsilon(1e-6).lower <= truth.upper and truth.lower <= cut.epsilon(1e-6).upper < 1.01 * truth.upper
    assert OwnMechanism(lambda: Gaussian(2.0)).epsilon(1e-6) == truth == Gaussian(2.0).loss.epsilon(1e-6)
    assert OwnMechanism(lambda: (EXACT.p, EXACT.q)).reduced == TableMechanism(EXACT.p, EXACT.q)
    joined = Composition([EXACT, "gaussian:2"]).delta(1.0)
    alone = pld.compose_all([EXACT.loss, pld.gaussian(2.0)]).delta(1.0)
    assert joined == alone

    @pldcheck.theorem(protocol=lambda sigma, steps: densities(sigma).compose(steps))
    def too_small(sigma, steps, delta):
        return 2.0

    cells = {"sigma": 2.0, "steps": [1, 2], "delta": 1e-6}
    assert [str(row.verdict) for row in pldcheck.verify(too_small, grid=cells).rows] == ["VIOLATED"] * 2

    @pldcheck.theorem(protocol=EXACT)
    def of_table(steps, delta):
        return 1.0

    # The theorem's steps stand in the place of the table's own.
    rows = pldcheck.verify(of_table, grid={"steps": [1, 6], "delta": 0.5}).rows
    assert [str(row.verdict) for row in rows] == ["HOLDS", "VIOLATED"]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TableMechanism("1/2", ["1/2"]), "p must be a list of probabilities"),
        (lambda: TableMechanism(["x"], [1.0]), "p or q must be of numbers, or texts such as 1/3, got 'x'"),
        (
            lambda: TableMechanism(["1/3", "1/3"], [0.5, 0.5]),
            "p must be of sum 1, as its fractions are exact, got '2/3'",
        ),
        (lambda: TableMechanism(["1/2", 0.5], [0.5, 0.5]), "p must be of floats or of fractions, not both"),
        (lambda: TableMechanism([0.5, 0.5], [0.5, 0.6]), "q must be of sum 1"),
        (lambda: TableMechanism([0.5, 0.5], [1.0]), "q must be as long as p"),
        (
            lambda: TableMechanism([Fraction(1, 10**400), 1 - Fraction(1, 10**400)], [0.5, 0.5]),
            "p must be 0 or at least",
        ),
        (
            lambda: OwnMechanism(3),
            "function must be one that returns a pldcheck.pld.PrivacyLossDistribution, a protocol",
        ),
        (lambda: OwnMechanism(lambda: 3).epsilon(0.1), "or two lists of probabilities, got 3"),
    ],
)
def test_what_a_user_states_wrongly_is_said(make, message):
    with pytest.raises(ParameterError, match=message):
        make()


def test_a_protocol_without_one_loss_is_refused_with_what_composes_it():
    run = pldcheck.Training(100, 10, 1, 1.0)
    for protocol, name in ((run, "training"), (pldcheck.CheckIn(10, 1.0), "check-in")):
        with pytest.raises(pldcheck.ParameterError, match=f"one loss, which {name} lacks; pldcheck.accounting"):
            pldcheck.Composition([pldcheck.Gaussian(5.0), protocol])

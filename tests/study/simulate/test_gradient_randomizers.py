"""Answers of clients: unbiased, eps0-DP, and the laws of the theory sheets."""

from collections import Counter
from fractions import Fraction
from math import exp, log

import numpy as np
import pytest

from pldcheck.core.errors import ParameterError
from pldcheck.study.simulate import empirical_values
from pldcheck.study.simulate.gradient_randomizers import GaussianAnswer, randomizer

TABLES = ("rr", "krr:3", "krr:4", "krr:7", "law:BE", "law:CF", "law:ACE", "worst")


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("eps0", [0.1, 1.0, 4.0])
def test_tables_are_unbiased_and_as_private_as_they_say(name, eps0):
    answer = randomizer(name, eps0)
    levels = np.linspace(-1.0, 1.0, len(answer.table))
    assert np.allclose(answer.table @ answer.values, levels, rtol=0, atol=1e-12 * max(abs(answer.values)))
    # The dummy is a neighbour of every answer as well: that is what the privacy proofs use.
    rows = np.vstack([answer.table, answer.reference])
    assert np.allclose(rows.sum(axis=1), 1.0, rtol=1e-12)
    ratios = rows[:, None, :] / rows[None, :, :]
    assert ratios.max() <= exp(eps0) * (1 + 1e-9)
    assert ratios[0, len(levels) - 1].max() == pytest.approx(exp(eps0), rel=1e-12)
    assert answer.noise_square(2) == pytest.approx(4 * (answer.table @ answer.values**2).max(), rel=1e-12)


GRADIENT = np.array([0.5, -0.1, 3.0])


@pytest.mark.parametrize("name", ["rr", "krr:4", "worst"])
def test_answers_have_the_law_of_a_random_coordinate_between_two_levels(name):
    answer, count = randomizer(name, 1.0, clip=2.0), 200_000
    clipped = GRADIENT * 2.0 / np.linalg.norm(GRADIENT)
    law, last = {}, len(answer.table) - 1
    for k, height in enumerate(clipped / 2.0):
        row = min(int(0.5 * (height + 1.0) * last), last - 1)
        up = 0.5 * (height + 1.0) * last - row
        for masses, chance in ((answer.table[row], 1.0 - up), (answer.table[row + 1], up)):
            for value, mass in zip(answer.values, masses, strict=True):
                key = (k, round(6.0 * value, 9))
                law[key] = law.get(key, 0.0) + chance * mass / 3.0
    sent = answer.answers(np.tile(GRADIENT, (count, 1)), np.random.default_rng(1))
    dummies = answer.dummies(count, 3, np.random.default_rng(2))
    own = {}
    for value, mass in zip(answer.values, answer.reference, strict=True):
        for k in range(3):
            own[k, round(6.0 * value, 9)] = own.get((k, round(6.0 * value, 9)), 0.0) + mass / 3.0
    for vectors, exact in ((sent, law), (dummies, own)):
        places = np.abs(vectors).argmax(axis=1)
        counts = Counter(zip(places.tolist(), vectors.sum(axis=1).round(9).tolist(), strict=True))
        for key, chance in exact.items():
            # The middle value of an odd table is 0: it names no coordinate.
            if key[1]:
                assert chance in empirical_values.share(counts[key], count, "answers", 1 - 1e-9), key


# Rows: replacement, record, reference; theory sheet 3, the table of one-step choices, at x = 3.
LAWS = {
    "law:BE": ([[1, 3], [3, 1]], [3, 1], 4),
    "law:CF": ([[1, 3], [3, 1]], [1, 3], 4),
    "law:ACE": ([[1, 1, 3], [1, 3, 1]], [3, 1, 1], 5),
}


@pytest.mark.parametrize("name", LAWS)
def test_worst_laws_are_those_of_one_hidden_slot(name):
    rows, reference, whole = LAWS[name]
    answer = randomizer(name, log(3.0))
    exact = [[float(Fraction(entry, whole)) for entry in row] for row in [*rows, reference]]
    assert np.allclose([*answer.table, answer.reference], exact, rtol=1e-14)


def test_gaussian_noise_is_over_the_diameter_of_the_gradients():
    answer = randomizer("gaussian:0.75", clip=2.0)
    assert isinstance(answer, GaussianAnswer) and answer.deviation == 3.0 and answer.noise_square(4) == 36.0
    gradients = np.array([[3.0, 4.0], [0.3, 0.4]])
    sent = answer.answers(np.repeat(gradients, 10**5, axis=0), np.random.default_rng(1)).reshape(2, -1, 2)
    assert np.allclose(sent.mean(axis=1), [[1.2, 1.6], [0.3, 0.4]], atol=0.06)
    assert np.allclose(sent.std(axis=1), 3.0, atol=0.04)


BAD = {
    "kind": (("laplace", 1.0), "randomizer"),
    "nothing after law": (("law:", 1.0), "randomizer"),
    "law": (("law:AD", 1.0), "randomizer"),
    "categories": (("krr:1", 1.0), "categories"),
    "sigma": (("gaussian:0", None), "sigma"),
    "no sigma": (("gaussian", None), "randomizer"),
    "no eps0": (("rr", None), "eps0"),
    "nan": (("worst", float("nan")), "eps0"),
}


@pytest.mark.parametrize(("arguments", "name"), BAD.values(), ids=BAD)
def test_bad_names_are_refused(arguments, name):
    with pytest.raises(ParameterError) as error:
        randomizer(*arguments)
    assert error.value.name == name and "\n" not in str(error.value)

"""Answers of clients: unbiased, eps0-DP, and the laws of the theory sheets; all by sums over every draw."""

from fractions import Fraction
from math import exp, log

import numpy as np
import pytest

from pldcheck.core.errors import ParameterError
from pldcheck.study.simulate.gradient_randomizers import ANSWER, GaussianAnswer, randomizer

TABLES = ("rr", "krr:3", "krr:4", "krr:7", "law:BE", "law:CF", "law:ACE", "worst")
EPS0 = (0.1, 1.0, 4.0)
GRADIENTS = (np.array([0.3, -0.2, 0.0]), np.array([1.0, 0.0, 0.0]), np.array([-0.6, 0.8, 0.0]), np.zeros(3))


class ScriptedDraws:
    """Draws that are told what to be."""

    def __init__(self, coordinate, rounding, output):
        self.coordinate, self.values = coordinate, {ANSWER + 1: rounding, ANSWER + 2: output}

    def below(self, i, size):
        assert i == ANSWER
        return self.coordinate

    def uniform(self, i):
        return self.values[i]


def law(kind, gradient):
    """Return (coordinate, value sent) -> probability, by trying the middle of every interval on which the
    draws decide.
    """
    size, clip = gradient.size, kind.clip
    levels = len(kind.table)
    chances = {}
    cuts = sorted({0.0, 1.0, *np.cumsum(kind.table, axis=1)[:, :-1].ravel()})
    for k in range(size):
        place = 0.5 * (gradient[k] / clip + 1.0) * (levels - 1)
        part = place - min(int(place), levels - 2)
        for low, high in ((0.0, part), (part, 1.0)):
            for left, right in zip(cuts, cuts[1:], strict=False):
                if high <= low or right <= left:
                    continue
                message = kind.answer(gradient, ScriptedDraws(k, (low + high) / 2, (left + right) / 2))
                assert np.count_nonzero(np.delete(message, k)) == 0
                key = (k, float(message[k]))
                chances[key] = chances.get(key, 0.0) + (high - low) * (right - left) / size
    return chances


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("eps0", EPS0)
def test_tables_are_unbiased_and_as_private_as_they_say(name, eps0):
    randomizer_object = randomizer(name, eps0)
    laws = [law(randomizer_object, gradient) for gradient in GRADIENTS]
    for gradient, chances in zip(GRADIENTS, laws, strict=True):
        mean = np.zeros(3)
        for (k, value), chance in chances.items():
            mean[k] += chance * value
        assert np.allclose(mean, gradient, rtol=0, atol=1e-12 * max(abs(randomizer_object.values)) * 3)
        assert sum(chances.values()) == pytest.approx(1.0, rel=1e-12)
        square = sum(chance * value**2 for (_, value), chance in chances.items())
        assert square <= randomizer_object.noise_square(3) * (1 + 1e-12)
    ratios = [a.get(key, 0.0) / b[key] for a in laws for b in laws for key in b]
    assert max(ratios) <= exp(eps0) * (1 + 1e-12)
    dummy = {}
    for k in range(3):
        cuts = [0.0, *np.cumsum(randomizer_object.reference)]
        for left, right in zip(cuts, cuts[1:], strict=False):
            message = randomizer_object.dummy(3, ScriptedDraws(k, 0.5, (left + right) / 2))
            dummy[k, float(message[k])] = dummy.get((k, float(message[k])), 0.0) + (right - left) / 3
    # The dummy is a neighbour of every answer as well: that is what the privacy proofs use.
    pairs = [(a, b) for chances in laws for a, b in ((chances, dummy), (dummy, chances))]
    assert max(a.get(key, 0.0) / b[key] for a, b in pairs for key in b) <= exp(eps0) * (1 + 1e-9)


def test_the_budget_is_used_up():
    for name in TABLES:
        randomizer_object = randomizer(name, 1.0)
        ends = law(randomizer_object, np.array([1.0])), law(randomizer_object, np.array([-1.0]))
        assert max(ends[0][key] / ends[1][key] for key in ends[1]) == pytest.approx(exp(1.0), rel=1e-12)
        squares = [sum(chance * value**2 for (_, value), chance in end.items()) for end in ends]
        assert max(squares) == pytest.approx(randomizer_object.noise_square(1), rel=1e-12)


# Rows: replacement, record, reference; theory sheet 3, the table of one-step choices, at x = 3.
LAWS = {
    "law:BE": ([[1, 3], [3, 1]], [3, 1], 4),
    "law:CF": ([[1, 3], [3, 1]], [1, 3], 4),
    "law:ACE": ([[1, 1, 3], [1, 3, 1]], [3, 1, 1], 5),
}


@pytest.mark.parametrize("name", LAWS)
def test_worst_laws_are_those_of_one_hidden_slot(name):
    rows, reference, whole = LAWS[name]
    randomizer_object = randomizer(name, log(3.0))
    exact = [[float(Fraction(entry, whole)) for entry in row] for row in [*rows, reference]]
    assert np.allclose([*randomizer_object.table, randomizer_object.reference], exact, rtol=1e-14)


def test_gaussian_noise_is_over_the_diameter_of_the_gradients():
    randomizer_object = randomizer("gaussian:0.75", clip=2.0)
    assert (
        isinstance(randomizer_object, GaussianAnswer)
        and randomizer_object.deviation == 3.0
        and randomizer_object.noise_square(4) == 36.0
    )

    class Ones:
        def normals(self, first, size):
            assert first == ANSWER
            return np.ones(size)

    assert np.allclose(randomizer_object.answer(np.array([3.0, 4.0]), Ones()), [1.2 + 3.0, 1.6 + 3.0])
    assert np.allclose(randomizer_object.answer(np.array([0.3, 0.4]), Ones()), [3.3, 3.4])
    assert np.allclose(randomizer_object.dummy(2, Ones()), [3.0, 3.0])


BAD = {
    "kind": (("laplace", 1.0), "randomizer"),
    "nothing after law": (("law:", 1.0), "randomizer"),
    "law": (("law:AD", 1.0), "randomizer"),
    "categories": (("krr:1", 1.0), "categories"),
    "sigma": (("gaussian:0", None), "sigma"),
    "no sigma": (("gaussian", None), "randomizer"),
    "no eps0": (("rr", None), "eps0"),
    "eps0": (("worst", -1.0), "eps0"),
    "nan": (("worst", float("nan")), "eps0"),
}


@pytest.mark.parametrize(("arguments", "name"), BAD.values(), ids=BAD)
@pytest.mark.nightly
def test_bad_names_are_refused(arguments, name):
    with pytest.raises(ParameterError) as error:
        randomizer(*arguments)
    assert error.value.name == name and "\n" not in str(error.value)

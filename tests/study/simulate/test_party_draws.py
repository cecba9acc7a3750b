"""The generator: reference outputs, the same numbers on both floors, and what is made of them."""

import math

import numpy as np
import pytest

from pldcheck.kernels import counter_random
from pldcheck.study.simulate.party_draws import Draws

# Vigna's splitmix64.c from state 1234567, as at rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64.
REFERENCE = (
    6457827717110365317,
    3203168211198807973,
    9817491932198370423,
    4593380528125082431,
    16408922859458223821,
)
EDGES = (0, 1, 2**31, 2**32 - 1, 2**53 + 1, 2**63, 2**64 - 1)


def test_the_generator_gives_its_reference_outputs():
    assert tuple(Draws(1234567).word(i) for i in range(5)) == REFERENCE
    assert tuple(int(counter_random.draw(np.uint64(1234567), i)) for i in range(5)) == REFERENCE


@pytest.mark.parametrize("seed", EDGES)
def test_kernels_and_python_draw_the_same_numbers(seed):
    for run, role, number in ((0, 0, 0), (3, 1, 7), (2**31, 3, 10**7)):
        draws = Draws.of(seed, run, role, number)
        stream = np.uint64(counter_random.stream(np.uint64(seed), run, role, number))
        assert int(stream) == draws.stream
        for i in (0, 1, 16, 10**6):
            assert int(counter_random.draw(stream, i)) == draws.word(i)
            assert counter_random.uniform(stream, i) == draws.uniform(i)
            for size in (1, 2, 3, 10**9):
                assert counter_random.below(stream, i, size) == draws.below(i, size)
        for size in (1, 2, 5):
            values = np.empty(size)
            counter_random.normals(stream, 16, values)
            # The same formula, of another libm perhaps.
            assert np.allclose(values, draws.normals(16, size), rtol=1e-14, atol=1e-15)


def test_uniform_draws_never_reach_an_end(monkeypatch):
    for word, value in ((0, 2.0**-53), (2**64 - 1, 1.0 - 2.0**-53)):
        monkeypatch.setattr(Draws, "word", lambda self, i, word=word: word)
        assert Draws(0).uniform(0) == value
        assert Draws(0).below(0, 3) == (0 if word == 0 else 2)


@pytest.mark.nightly
def test_streams_of_parties_look_independent():
    """Sums of products of neighbouring streams, whose limits hold for independent ones but once in 10^9."""
    size = 40_000
    words = np.array([Draws.of(5, 0, 0, j).uniform(0) for j in range(size)]) - 0.5
    roles = np.array([Draws.of(5, 0, 1, j).uniform(0) for j in range(size)]) - 0.5
    later = np.array([Draws.of(5, 1, 0, j).uniform(0) for j in range(size)]) - 0.5
    # Hoeffding: the mean of size products in [-1/4, 1/4] exceeds t with probability 2 exp(-8 size t^2).
    limit = math.sqrt(math.log(2e9) / (8 * size))
    for a, b in ((words, roles), (words, later), (words[:-1], words[1:])):
        assert abs(np.mean(a * b)) < limit
    # Dvoretzky, Kiefer and Wolfowitz with Massart's constant.
    steps = (np.arange(size) + 0.5) / size - 0.5
    assert np.max(np.abs(np.sort(words) - steps)) < math.sqrt(math.log(2e9) / (2 * size)) + 1 / size


def test_normals_have_the_normal_distribution():
    from scipy.special import ndtr

    size = 40_000
    values = np.sort(np.concatenate([Draws.of(6, 0, 0, j).normals(16, 5) for j in range(size // 5)]))
    steps = (np.arange(size) + 0.5) / size
    assert np.max(np.abs(ndtr(values) - steps)) < math.sqrt(math.log(2e9) / (2 * size)) + 1 / size

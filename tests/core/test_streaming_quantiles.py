"""Quantiles of streams against sorted lists, exact and in bins."""

import random
from math import nextafter
from statistics import median

import pytest

from pldcheck.core import streaming_quantiles
from pldcheck.core.streaming_quantiles import BIN_WIDTH, Quantiles


def fill(values):
    quantiles = Quantiles()
    for value in values:
        quantiles.add(value)
    return quantiles


def draws(count, seed):
    draw = random.Random(seed)
    return [10.0 ** draw.uniform(-300, 300) if draw.random() < 0.5 else 1.0 + draw.random() for _ in range(count)]


@pytest.mark.nightly
def test_few_values_have_exact_quantiles():
    for count in (1, 2, 3, 10, 99, 100):
        values = draws(count, count)
        quantiles = fill(values)
        assert quantiles.is_exact and quantiles.count == count
        assert (quantiles.least, quantiles.median, quantiles.most) == (min(values), median(values), max(values))
        assert [quantiles.value_at(place) for place in range(count)] == sorted(values)


def test_many_values_have_quantiles_from_narrow_bins(monkeypatch):
    monkeypatch.setattr(streaming_quantiles, "EXACT", 50)
    for count in (51, 52, 1000, 1001):
        values = draws(count, count)
        quantiles, ordered = fill(values), sorted(values)
        assert not quantiles.is_exact and not quantiles._values
        assert (quantiles.least, quantiles.most) == (ordered[0], ordered[-1])
        for place, value in enumerate(ordered):
            assert value * (1 - BIN_WIDTH) <= quantiles.value_at(place) <= value
        assert median(values) * (1 - BIN_WIDTH) <= quantiles.median <= median(values)
    # Bins differ in width, and the bound on it is attained.
    just_below = fill([nextafter(2.0, 0.0)] * 60 + [1.0])
    assert just_below.value_at(30) == 2.0 * (1 - 2.0**-11) and BIN_WIDTH == 2.0**-10


@pytest.mark.nightly
def test_zero_is_a_value_and_places_beyond_the_last_are_refused():
    quantiles = fill([0.0, 0.0, 1.0])
    assert (quantiles.least, quantiles.median) == (0.0, 0.0)
    for place in (-1, 3):
        with pytest.raises(IndexError):
            quantiles.value_at(place)

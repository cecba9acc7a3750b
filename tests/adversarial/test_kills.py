"""Rows of runs whose workers are killed and suspended at random: each once, and equal to those of a plain loop."""

import pytest

from . import kills


@pytest.mark.long
def test_ten_kills_and_suspensions_of_workers_lose_nothing_and_repeat_nothing():
    assert kills.in_pool(10, 20261127, 100) >= 1


@pytest.mark.long
def test_ten_kills_of_commands_lose_nothing():
    assert kills.commands(10, 20261127, 60) >= 1


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_ten_kills_of_the_workers_of_a_scheduler_lose_nothing():
    pytest.importorskip("distributed")
    assert kills.on_dask(10, 20261127, 60) >= 1


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_ten_kills_of_a_scheduler_lose_nothing():
    pytest.importorskip("distributed")
    assert kills.schedulers(10, 20261127, 60) >= 11

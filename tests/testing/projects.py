"""A user's project: three theorems on one hidden slot, one of them false, and tests of them."""

# Theorem 3.2 of Balle et al. (2020), as anyone would write it down.
OWN = '''
from math import exp, expm1, log, sqrt

import pldcheck


def fixed_window(steps, eps0, check_in_prob, delta):
    x, x_1 = exp(eps0), check_in_prob * expm1(eps0)
    return x_1 * sqrt(-2 * x * log(delta) / steps) + x_1**2 * x / (2 * steps)


@pldcheck.theorem(protocol="check-in", conditions=[("eps0 <= 3", lambda eps0, **_: eps0 <= 3)])
def whole(steps, eps0, check_in_prob, delta):
    """Random check-ins into a fixed window."""
    return fixed_window(steps, eps0, check_in_prob, delta)


@pldcheck.theorem(protocol="check-in")
def an_eighth(steps, eps0, check_in_prob, delta):
    """An eighth of it."""
    return fixed_window(steps, eps0, check_in_prob, delta) / 8


GRID = {"steps": [10, 1000, 100_000], "eps0": [1.0, 3.0, 4.0], "check_in_prob": 1.0, "delta": 1e-6}
'''

# What is expected of the false one: the cell, the claim, the interval, the witness and the command.
FALSE = (
    "*an_eighth is false at 1 of 1 cell (1 VIOLATED)",
    "*steps=1000, eps0=1.0, check_in_prob=1.0, delta=1e-06: VIOLATED",
    "*claimed    epsilon <= 0.0593656538438185*",
    # pldcheck eps hidden-slot --steps 1000 --eps0 1 --delta 1e-6
    "*certified  epsilon in [[]0.1305*, 0.1306*]",
    "*witness    3-ary randomizer ACE in every slot: delta >= 1e-6 at epsilon = 0.130566",
    "*reproduce  pldcheck eps hidden-slot --steps-per-epoch 1000 --eps0 1.0 --delta 1e-06",
    "*verify     pldcheck verify own.py:an_eighth --cell steps=1000 --cell eps0=1.0 *--cell delta=1e-06 --certify",
)

TESTS = """
import pytest

import pldcheck
from own import GRID, an_eighth, whole


@pytest.mark.pldcheck
def test_whole(pldcheck_golden):
    report = pldcheck.assert_sound(whole, grid=GRID)
    print("cells:", len(report.rows))
    pldcheck_golden.check(report, "whole")


def test_tight():
    pldcheck.assert_tightness(whole, at_most=5.2, grid={**GRID, "eps0": 1.0})


def test_eighth():
    pldcheck.assert_sound(an_eighth, grid=[{"steps": 1000, "eps0": 1.0, "check_in_prob": 1.0, "delta": 1e-6}])
"""

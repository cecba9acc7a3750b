"""Helpers of the tests of the chains: their steps by id, their sides at points, and what they must not survive."""

from dataclasses import replace
from random import Random
from types import SimpleNamespace

from flint import ctx

from pldcheck.study.audit.box_proof import Proved, Refuted, prove
from pldcheck.study.audit.measured import CHECKS, READINGS
from pldcheck.study.audit.point_checks import check
from pldcheck.study.audit.spans import POINT_BITS, exactly
from pldcheck.theorems.proof_step import Measured, Step


def steps_of(*modules):
    """Return the elementary steps of the files' chains, by id."""
    return {step.id: step for step in _all(modules) if isinstance(step, Step)}


def measured_of(*modules):
    """Return the measured steps with their checks, by id."""
    steps = [step for step in _all(modules) if isinstance(step, Measured)]
    return {
        step.id: SimpleNamespace(points=step.points, check=CHECKS[step.id], readings=READINGS.get(step.id, {}))
        for step in steps
    }


def _all(modules):
    return [step for module in modules for chain in module.CHAINS for step in chain.steps]


def value_at(function, **point):
    """Return a side at a point of decimals, as a float; ten digits more than that are carried."""
    with ctx.workprec(POINT_BITS):
        value = function(**{name: exactly(number) for name, number in point.items()})
        assert value.rel_accuracy_bits() > 90
        return float(value)


def points_in(step, seed, count=5, inside=None):
    """Return points of a step's box as decimals, the same for the same seed."""
    random, points = Random(seed), []
    for _ in range(count):
        point = {}
        for name, axis in step.box.items():
            low, high = (inside or {}).get(name, (axis.low, axis.high))
            share = random.random()
            value = low * (high / low) ** share if axis.scale == "log" else low + share * (high - low)
            point[name] = float(round(value)) if axis.whole else float(f"{value:.6g}")
        points.append(point)
    return points


def holds(step):
    """Return whether the step is proved on its box, or for an equality that its sides agree on the grid to all
    digits.
    """
    if not step.equal:
        return isinstance(prove(step), Proved) and not check(step).contradicted
    grid = check(step)
    return not grid.failures and grid.unclear == grid.points - grid.undefined > 200


def is_refuted(step, right):
    """Return whether the step is refuted with another right side, by its difference alone."""
    if step.equal:
        return bool(check(step, right).failures)
    return isinstance(prove(replace(step, right=right, margin=None)), Refuted)


def outcomes(check_at, points):
    """Return at each point whether the left side is certainly at most the right, certainly larger, or neither."""
    truths = []
    for point in points:
        left, right = check_at(**point)
        truths.append(True if left.upper <= right.lower else False if left.lower > right.upper else None)
    return truths

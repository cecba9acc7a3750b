"""The computation of ``upper_slot`` in floating point: about what it will find with a fineness."""

from __future__ import annotations

from math import exp, floor, log

import numpy as np

from .block_plans import Plan
from .slot_questions import Array, Question, StepLaws


def estimate(question: Question, plan: Plan) -> float:
    """Return about the delta that the program will find."""
    scale = question.weight / question.steps
    values = [_block_values(question.steps_of(laws), plan) for laws in question.choices]
    return scale * max(_many_blocks(one, question.start, plan) for one in values)


def _block_values(steps: StepLaws, plan: Plan) -> Array:
    """Return the values of the recursion, divided by the node spacing."""
    count = plan.left + plan.right + 1
    moves = []
    for law in steps.each:
        shares: dict[int, float] = {}
        for s, probability in zip(*law, strict=True):
            node = floor(s / plan.grid)
            part = s / plan.grid - node
            for end, share in ((max(node, -count), 1.0 - part), (max(node + 1, -count), part)):
                shares[end] = shares.get(end, 0.0) + probability * share
        moves.append(shares)
    before, beyond = max(-min(map(min, moves)), 0), max(*map(max, moves), 0)
    values = np.maximum(np.arange(-plan.left, plan.right + 1), 0).astype(float)
    row = np.empty(before + count + beyond)
    for _ in range(plan.block):
        row[:before] = values[0]
        row[before : before + count] = values
        row[before + count :] = values[-1] + np.arange(1, beyond + 1)
        values = np.zeros(count)
        for shares in moves:
            mean = np.zeros(count)
            for node, share in shares.items():
                mean += share * row[before + node : before + node + count]
            np.maximum(values, mean, out=values)
    return values


def _many_blocks(values: Array, start: float, plan: Plan) -> float:
    """Return V at the start; masses carry the factor e^(theta place) and are divided by their sum."""
    slopes = np.maximum.accumulate(np.diff(values[:: plan.join]) / plan.join)
    masses = np.diff(np.concatenate([[0.0], slopes, [max(1.0, slopes[-1])]]))[::-1]
    spacing, low = plan.join * plan.grid, -(plan.right // plan.join)
    constant = values[0] * plan.grid * 2.0**plan.doublings
    if not plan.doublings:
        return float(masses @ np.maximum(start + spacing * (low + np.arange(masses.size)), 0.0)) + constant
    log_size, left_out = 0.0, 0.0
    masses = masses * np.exp(plan.tilt * spacing * (low + np.arange(masses.size)))
    for _ in range(plan.doublings):
        while True:
            limit = float(masses.sum()) * 2.0**-plan.cut
            first = int(np.searchsorted(np.cumsum(masses), limit, "right"))
            last = masses.size - int(np.searchsorted(np.cumsum(masses[::-1]), limit, "right"))
            left_out += float(masses[:first].sum() + masses[last:].sum())
            masses, low = masses[first:last], low + first
            if masses.size <= plan.atoms:
                break
            masses, low = _coarser(masses, low, exp(plan.tilt * spacing))
            spacing *= 2.0
        size = float(masses.sum())
        left_out = 2.0 * left_out / size + (left_out / size) ** 2
        log_size = 2.0 * (log_size + log(size))
        masses, low = np.convolve(masses / size, masses / size), 2 * low
    places = spacing * (low + np.arange(masses.size))
    gaining = start + places > 0.0
    factors = np.exp(np.minimum(log_size - plan.tilt * places[gaining], 700.0))
    total = float(np.sum(masses[gaining] * (start + places[gaining]) * factors))
    return total + left_out * exp(min(log_size + plan.tilt * start - 1.0, 700.0)) / plan.tilt + constant


def _coarser(masses: Array, low: int, step: float) -> tuple[Array, int]:
    masses = np.concatenate([np.zeros(low % 2), masses])
    masses = np.concatenate([masses, np.zeros(1 - masses.size % 2)])
    even, odd = masses[::2].copy(), masses[1::2]
    even[:-1] += 0.5 * odd / step
    even[1:] += 0.5 * odd * step
    return even, low // 2

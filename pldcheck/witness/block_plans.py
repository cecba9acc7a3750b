"""Finenesses of ``upper_slot`` to try, and how long its computation takes with each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from math import ceil, exp, log, sqrt
from typing import Any

import numpy as np

from ..checkers import block_recursion, doubled_laws, upper_slot
from ..hidden_slot.worst.worst_upper import grid_step, tilt
from .slot_questions import PRODUCTS, Question, StepLaws

# The shortest block that is tried, unless all steps are fewer: shorter ones are not narrow enough.
SHORTEST = 6
# The longest block that is tried: with more steps the recursion takes minutes.
LONGEST = 4200
# The largest share of steps that is added to fill the blocks.
FILLED = 1.06
# Node spacings that are tried, in deviations of one step.
GRIDS = (1.0, 0.6, 0.4, 0.25, 0.16, 0.1, 0.06, 0.04, 0.025, 0.015, 0.01, 0.004, 0.002, 0.0005)
# Spacings of the joined nodes that are tried, in deviations of one block.
JOINS = (0.1, 0.06, 0.04, 0.025, 0.015, 0.01)
# The share of delta that each edge of the window may add.
EDGE = 2e-4
# The share of a law's tilted total that is left out, as a power of two, where no doubling follows.
CUT = 22
# The number of places between doublings, in those that a law with tails of the cut has.
ROOM = 1.45
# The largest tilt of one place.
STEEPEST = 1.9
# Seconds of the program for each node and step of a block with these laws.
NODE_SECONDS = 1.3e-6
# Seconds of one doubling for each place.
PLACE_SECONDS = 4e-6
# Seconds of one doubling for the product of large integers, which takes places^PRODUCT of these.
PRODUCT_SECONDS = 1.5e-7
PRODUCT = 1.58


@dataclass(frozen=True)
class Plan:
    """A fineness, its tilt being theta, with its predicted seconds of work."""

    block: int
    doublings: int
    grid: float
    left: int
    right: int
    join: int
    tilt: float
    cut: int
    atoms: int
    seconds: float

    def written(self) -> dict[str, Any]:
        """Return the fineness as a file has it."""
        numbers = {name: getattr(self, name) for name in upper_slot.INTEGERS}
        return numbers | {"grid": text(self.grid), "tilt": text(exp(self.tilt * self.join * self.grid))}


def text(value: float) -> str:
    """Return a number as a decimal text with ten digits."""
    return f"{Decimal(repr(value)):.9e}".replace("e+", "e")


class _Windows:
    """Distances from zero that the windows of a recursion must reach, by Chernoff bounds."""

    def __init__(self, question: Question, steps: StepLaws, theta: float) -> None:
        self.question, self.steps, self.theta = question, steps, theta
        thetas = np.geomspace(1e-9, 60.0, 1600) / max(float(steps.values.max()), 1e-3 * steps.deviation)
        with np.errstate(over="ignore"):
            rising = steps.cumulant(thetas)
            falling = np.max([np.log(np.exp(-thetas[:, None] * s) @ p) for s, p in map(steps.law, steps.laws)], axis=0)
        self.rising = rising[np.isfinite(rising)], thetas[np.isfinite(rising)]
        self.falling = falling[np.isfinite(falling)], thetas[np.isfinite(falling)]

    def left(self, block: int, copies: float) -> float:
        """Return a distance beyond which V adds no more than its share of delta."""
        cumulant, thetas = self.rising
        level = log(self.question.target * EDGE / copies)
        distance = float(np.min((block * cumulant - 1.0 - np.log(thetas) - level) / thetas))
        reach = block * float(self.steps.values.max())
        return max(min(distance, reach), self.steps.deviation)

    def right(self, block: int, copies: float) -> float:
        """Return a distance beyond which V - u adds no more than its share of delta."""
        cumulant, thetas = self.falling
        reach = -block * float(self.steps.values.min())
        if copies > 1.0:
            distance = float(
                np.min((block * cumulant - 1.0 - np.log(thetas) - log(EDGE / copies / self.theta)) / thetas)
            )
        else:  # the walk must come up from the start to be there
            distances = np.geomspace(1e-3, 1e3, 200) * self.steps.deviation * sqrt(block)
            costs = np.min(block * cumulant - thetas * distances[:, None] - 1.0 - np.log(thetas), axis=1)
            risen = block * float(self.steps.cumulant(np.array(self.theta))) + self.theta * self.question.start
            low = costs + np.minimum(risen - self.theta * distances, 0.0) <= log(self.question.target * EDGE)
            distance = float(distances[np.argmax(low)] if low.any() else distances[-1])
            reach = min(reach, max(self.question.start + block * float(self.steps.values.max()), 0.0))
        return max(min(distance, reach), self.steps.deviation)


class Planner:
    """The plans of one question, by the number of doublings and the spacings of nodes and of joined nodes."""

    def __init__(self, question: Question) -> None:
        self.question, self.steps = question, question.step_laws
        self.theta = tilt(self.steps, question.steps, question.start)
        self.spacings = {grid: grid_step(self.steps, grid, self.theta) for grid in GRIDS}
        windows, m, self.sides = _Windows(question, self.steps, self.theta), question.steps, {}
        for doublings in range(m.bit_length() + 1):
            block, copies = -(-m // 2**doublings), 2.0**doublings
            if block <= LONGEST and (block >= SHORTEST or not doublings) and block * 2**doublings <= FILLED * m:
                self.sides[doublings] = block, windows.left(block, copies), windows.right(block, copies)

    def plan(self, doublings: int, grid: float, joined: float) -> Plan | None:
        """Return a plan, or None where it is another one's double or too much work."""
        question, steps, spacing = self.question, self.steps, self.spacings[grid]
        block, left, right = self.sides[doublings]
        join = max(int(joined * steps.deviation * sqrt(block) / spacing), 1) if doublings else 1
        if join == 1 and joined > JOINS[0]:
            return None
        lefts, rights = (join * ceil(max(side, spacing) / spacing / join) for side in (left, right))
        nodes = lefts + rights + (steps.values.max() + min(-steps.values.min(), left + right)) / spacing
        atoms = min(doubled_laws.MOST_ATOMS, 64 + ceil(2.4 * sqrt(1.4 * (doublings + CUT)) * ROOM / joined))
        seconds = question.size * NODE_SECONDS * block * nodes
        seconds += doublings * (PLACE_SECONDS * atoms + PRODUCT_SECONDS * atoms**PRODUCT)
        gentle = min(self.theta, log(STEEPEST) / (join * spacing))
        products = nodes * block * PRODUCTS * question.size
        fits = nodes < 0.99 * block_recursion.MOST_NODES and products < 0.99 * block_recursion.MOST_PRODUCTS
        if not fits or len(question.choices) * doublings * atoms > doubled_laws.MOST_DOUBLED:
            return None
        return Plan(block, doublings, spacing, lefts, rights, join, gentle, doublings + CUT, atoms, seconds)


def plans(question: Question) -> Iterator[Plan]:
    """Yield finenesses to try, in no order."""
    planner = Planner(question)
    for doublings in planner.sides:
        for grid, joined in product(GRIDS, JOINS if doublings else JOINS[:1]):
            plan = planner.plan(doublings, grid, joined)
            if plan is not None:
                yield plan

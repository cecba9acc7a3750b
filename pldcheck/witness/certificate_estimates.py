"""The computation of ``upper_slot`` in floating point: finenesses to try, and about what they will find."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import ceil, exp, expm1, floor, log, log1p, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..hidden_slot.worst.step_laws import largest_cumulant, largest_deviation
from ..hidden_slot.worst.worst_upper import grid_step, tilt
from . import block_recursion, doubled_laws, slot_laws, upper_slot

Array = NDArray[np.float64]

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
# The products of a node in a step with the three laws of the worst randomizers.
PRODUCTS = 14
# Seconds of the program for each node and step of a block with these laws.
NODE_SECONDS = 1.3e-6
# Seconds of one doubling for each place.
PLACE_SECONDS = 4e-6
# Seconds of one doubling for the product of large integers, which takes places^PRODUCT of these.
PRODUCT_SECONDS = 1.5e-7
PRODUCT = 1.58


@dataclass(frozen=True, eq=False)
class Law:
    """A law of (a, a') in floating point: a - a', a' - 1 and the probabilities of its outputs."""

    difference: Array
    other: Array
    probabilities: Array

    @classmethod
    def of_outputs(cls, outputs: Sequence[tuple[Fraction, Fraction, Fraction]]) -> Law:
        """Return the law of exact outputs."""
        rows = [(a - b, b - 1, share) for a, b, share in outputs]
        return cls(*(np.array([float(row[k]) for row in rows]) for k in range(3)))

    def step(self, kappa_1: float) -> tuple[Array, Array]:
        """Return the values s = a - 1 - kappa (a' - 1) at kappa - 1, and their probabilities."""
        return self.difference - kappa_1 * self.other, self.probabilities


@dataclass(frozen=True, eq=False)
class StepLaws:
    """The laws of one step in floating point, each its values and their probabilities."""

    each: tuple[tuple[Array, Array], ...]

    @property
    def laws(self) -> tuple[int, ...]:
        """The places of the laws."""
        return tuple(range(len(self.each)))

    @property
    def values(self) -> Array:
        """The values of all outputs, each once."""
        return np.unique(np.concatenate([values for values, _ in self.each]))

    @property
    def deviation(self) -> float:
        """The largest standard deviation of one step."""
        return largest_deviation(self.each)

    def law(self, index: int) -> tuple[Array, Array]:
        """Return the values and the probabilities of one law."""
        return self.each[index]

    def cumulant(self, theta: ArrayLike) -> Array:
        """Return the largest log E exp(theta s) of the laws."""
        return largest_cumulant(self.each, theta)


@dataclass(frozen=True, eq=False)
class Question:
    """The claim that m hidden slots are (epsilon, delta)-DP, in floating point; ``choices`` are sets of laws."""

    steps: int
    weight: float
    choices: tuple[tuple[Law, ...], ...]
    epsilon: float
    delta: float

    @classmethod
    def of_slot(cls, slot: slot_laws.Slot) -> Question:
        """Return the claim that the program reads from a file."""
        choices = tuple(
            tuple(Law.of_outputs(slot_laws.outputs_of(law, slot.x)) for law in laws) for laws in slot.choices
        )
        return cls(slot.steps, float(slot.weight), choices, log1p(float(slot.kappa - 1)), float(slot.delta))

    def steps_of(self, laws: Iterable[Law]) -> StepLaws:
        """Return some laws at the claim's epsilon."""
        return StepLaws(tuple(law.step(expm1(self.epsilon)) for law in laws))

    @property
    def step_laws(self) -> StepLaws:
        """The laws of a step that some choice has."""
        return self.steps_of(law for laws in self.choices for law in laws)

    @property
    def size(self) -> float:
        """The products of a node in a step, over those of the three laws of the worst randomizers."""
        return sum(2 * law.probabilities.size for laws in self.choices for law in laws) / PRODUCTS

    @property
    def start(self) -> float:
        """The sum at which the walk begins."""
        return -expm1(self.epsilon) * self.steps / self.weight

    @property
    def target(self) -> float:
        """The value that V may have at the start."""
        return self.delta * self.steps / self.weight


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


def trivial(question: Question) -> bool:
    """Return whether the claim follows from the largest step alone."""
    values = question.step_laws.values
    largest = question.weight * float(values.max()) - expm1(question.epsilon)
    size = max(float(np.abs(law.difference).max()) for laws in question.choices for law in laws)
    return largest <= question.delta * (1.0 - 1e-12) - 1e-15 * size


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

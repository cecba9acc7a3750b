"""Inequalities that are false by construction, at random: whatever they are made of, none is ever proved."""

import random

import mpmath
import pytest

from pldcheck.study.audit.box_proof import Proved, Refuted, prove
from pldcheck.theorems.proof_step import Axis, Premise, Step

DIGITS = 60
# By how much of the size of the sides they are false, at one point.
SHARES = (1e-1, 1e-3, 1e-6, 1e-10)
UNARY = ("exp", "expm1", "log", "log1p", "sqrt", "neg", "square", "cube", "inverse", "half", "two_to")
BINARY = ("add", "sub", "mul", "div", "pow")


def tree(draw, depth):
    """Return a random expression in x and y: a name, a number, or an operation and its parts."""
    if depth == 0 or draw.random() < 0.15:
        return draw.choice(["x", "y", "x", "y", draw.randint(1, 5)])
    if draw.random() < 0.45:
        return (draw.choice(UNARY), tree(draw, depth - 1))
    return (draw.choice(BINARY), tree(draw, depth - 1), tree(draw, depth - 1))


def balls(part, x, y):
    """Return the expression in the prover's own arithmetic, as a step would be written."""
    if not isinstance(part, tuple):
        return {"x": x, "y": y}[part] if isinstance(part, str) else part + 0 * x
    values = [balls(each, x, y) for each in part[1:]]
    match part[0]:
        case "neg":
            return -values[0]
        case "square":
            return values[0] ** 2
        case "cube":
            return values[0] ** 3
        case "inverse":
            return 1 / values[0]
        case "half":
            return values[0] / 2
        case "two_to":
            return 2 ** values[0]
        case "add":
            return values[0] + values[1]
        case "sub":
            return values[0] - values[1]
        case "mul":
            return values[0] * values[1]
        case "div":
            return values[0] / values[1]
        case "pow":
            return values[0] ** values[1]
    return getattr(values[0], part[0])()


def exact(part, x, y):
    """Return its value by mpmath, which shares nothing with the prover; complex or infinite where it is no
    real number.
    """
    if not isinstance(part, tuple):
        return {"x": x, "y": y}[part] if isinstance(part, str) else mpmath.mpf(part)
    values = [exact(each, x, y) for each in part[1:]]
    functions = {
        "neg": lambda a: -a,
        "square": lambda a: a * a,
        "cube": lambda a: a * a * a,
        "inverse": lambda a: 1 / a,
        "half": lambda a: a / 2,
        "two_to": lambda a: mpmath.exp(a * mpmath.log(2)),
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b,
        "pow": lambda a, b: mpmath.exp(b * mpmath.log(a)),
    }
    return functions.get(part[0], getattr(mpmath, part[0], None))(*values)


def a_false_one(draw):
    """Return a step that fails at a point of its box where its premises hold, for certain; None if the draw has no
    value.
    """
    low, high = sorted(draw.uniform(0.05, 3.0) for _ in range(2))
    box = {"x": Axis(low, high, draw.choice(("linear", "log"))), "y": Axis(0.5, 0.5 + draw.random())}
    left, right = tree(draw, 3), tree(draw, 3)
    # Anywhere, or at an end, where faces are looked at.
    at = {name: draw.choice((axis.low, axis.high, draw.uniform(axis.low, axis.high))) for name, axis in box.items()}
    with mpmath.workdps(DIGITS):
        try:
            values = [exact(each, mpmath.mpf(at["x"]), mpmath.mpf(at["y"])) for each in (left, right)]
        except (ValueError, ArithmeticError):
            return None
        if any(isinstance(each, mpmath.mpc) or not mpmath.isfinite(each) or abs(each) > 1e30 for each in values):
            return None
        size = max(abs(values[0]), abs(values[1]), mpmath.mpf(1e-30))
        # right + lift < left at the point, by a share of their size.
        lift = float(values[0] - values[1] - draw.choice(SHARES) * size)
        if not values[1] + lift < values[0]:
            return None
    premises = ()
    if draw.random() < 0.4:  # which holds at the point, and often just so
        reach = draw.choice((0.0, 0.0, 0.1)) + at["x"] + at["y"]
        premises = (Premise("x + y <= c", lambda x, y: x + y - reach - 1e-12),)
    return Step(
        "t/false",
        "false",
        "",
        "",
        lambda x, y: balls(left, x, y),
        lambda x, y: balls(right, x, y) + lift,
        box,
        premises,
    )


@pytest.mark.parametrize("seed", range(60))
def test_a_false_inequality_is_never_proved(seed):
    draw, trials, refutations = random.Random(seed), 0, 0
    while trials < 12:
        step = a_false_one(draw)
        if step is None:
            continue
        trials += 1
        outcome = prove(step, most_boxes=150)
        assert not isinstance(outcome, Proved), (seed, trials)
        refutations += isinstance(outcome, Refuted)
    # The search is of use: it does not call everything undecided.
    assert refutations >= 2

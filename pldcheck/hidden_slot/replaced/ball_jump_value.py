r"""A lower end of V_m where one large step decides: the record removed until a large A, and the record added after it.

**Theorem.**  With T_n a sum of n independent copies of B, :math:`B = e^{sz - s^2/2}`, and F(k) = E(A - k)_+,

.. math:: V_m(0) \ge P(A \le c)^m \sum_{i=1}^m E F(c (i + T_{m-i})).

Proof.  Let the policy be that of the record removed, X' = A - c, until A first exceeds c, and that of the record added,
X' = 1 - cB, afterwards.  Where step i is the first, the sum is at least :math:`A_i - ci - cT_{m-i}`; the positive part
of that is 0 unless A_i > c.  The steps before are independent of that, and none of their A exceeds c with probability
:math:`P(A \le c)^{i-1}`.

F decreases and T_n increases with n: the terms of a block of i are at least as many times that of its largest i and
largest n.  The law of T is bounded by the lower curve of n steps of the record added, since -F is concave.
"""

from __future__ import annotations

from math import log

import numpy as np
from scipy.special import ndtr

from ...core.arrays import Array
from ...core.directed import UNIT
from ..known.slot_increments import TAIL
from .ball_node_plan import NodePlan
from .ball_step_curves import LowerCurve, lower_curve
from .ball_uneven_value import composed, hinge

# Ratio of the largest i of a block to that of the block before.
BLOCK_RATIO = 1.04
# Blocks of steps after which the sum of B has its own law: the last of them has half of all steps.
HALVES = 3


def value_below(s: float, c: float, steps: int, estimate: float, fine: float) -> float:
    """Return a lower bound of V_steps(0); ``estimate`` is about that."""
    plan = NodePlan.of(s, c, steps, 1, estimate, fine)
    nodes = plan.nodes
    first = composed(lower_curve(s, c, plan.of_curve.nodes, 0.0, False), LowerCurve.of(nodes, hinge(nodes)), nodes)
    sums = dict(_sums(first, nodes, steps))
    total, begin = 0.0, 0
    halves = [k for k in range(HALVES) if steps >> k]
    ends = [steps - (steps >> (k + 1)) for k in halves[:-1]] + [steps]
    for k, end in enumerate(ends):
        count = steps >> k
        total += _terms(s, c, sums[count], nodes, count, begin, end)
        begin = end
    # P(A <= c)^m >= 1 - m P(A > c)
    beyond = steps * float(ndtr(-(log(c) / s + 0.5 * s))) * (1.0 + 2.0 * TAIL)
    return max(total * (1.0 - beyond) * (1.0 - TAIL), 0.0)


def _sums(first: LowerCurve, nodes: Array, steps: int) -> list[tuple[int, LowerCurve]]:
    """Return the curves of all n = ``steps`` shifted right by 0, 1, ... digits, by doubling and adding one."""
    curve, count = first, 1
    result = [(count, curve)]
    for digit in f"{steps:b}"[1:]:
        curve, count = composed(curve, curve, nodes), 2 * count
        if digit == "1":
            curve, count = composed(first, curve, nodes), count + 1
        result.append((count, curve))
    return result


def _terms(s: float, c: float, curve: LowerCurve, nodes: Array, count: int, begin: int, end: int) -> float:
    """Return a lower bound of the sum of E F(c (i + T)) over i from begin + 1 to end, T of ``count`` steps."""
    ends = [begin]
    while ends[-1] < end:
        ends.append(min(max(ends[-1] + 1, int(ends[-1] * BLOCK_RATIO)), end))
    numbers = np.diff(ends).astype(np.float64)
    heavy = curve.masses > 0.0
    # The sum of 1 - cB is -y at a node y: cT = count + y; what is rounded up lowers F.
    places = (count + nodes[heavy])[None, :] * (1.0 + 8.0 * UNIT) + c * np.array(ends[1:], dtype=np.float64)[:, None]
    places *= 1.0 + 8.0 * UNIT
    strikes = np.maximum(places, c)
    d = np.log(strikes) / s
    upper, lower = ndtr(0.5 * s - d), strikes * ndtr(-0.5 * s - d)
    values = np.maximum(upper - lower - 2.0 * TAIL * (upper + lower), 0.0)
    rounding = 1.0 - (2.0 * values.size + 64.0) * UNIT
    return float(numbers @ (values @ curve.masses[heavy])) * rounding

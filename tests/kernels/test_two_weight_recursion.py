"""Blocks of slots with two weights: windows that grow with the steps against the recursion on all nodes."""

import numpy as np
import pytest

from pldcheck.hidden_slot.population.empty_slot_blocks import potentials
from pldcheck.hidden_slot.worst.step_laws import LAWS, VERTICES, Steps
from pldcheck.hidden_slot.worst.worst_upper import moves


def on_all_nodes(steps, weight, step, length, most, edge):
    """Return G of blocks by numbers of empty slots, with each step on all nodes of a three times wider window."""
    reach = 3 * edge
    nodes = np.arange(-reach, reach + 1)
    shifts = [moves(w * steps.values, step) for w in (1.0, weight)]

    def after(values, kind):
        """Return the largest mean of V after one step, by linear interpolation between nodes."""
        best = None
        for law in LAWS:
            mean = 0.0
            for name, probability in zip(law.name, law.probabilities(steps.eps0), strict=True):
                vertex = list(VERTICES).index(name)
                places = np.clip(nodes + shifts[kind][0][vertex], -reach, reach - 1) + reach
                fraction = shifts[kind][1][vertex]
                mean = mean + probability * ((1.0 - fraction) * values[places] + fraction * values[places + 1])
            best = mean if best is None else np.maximum(best, mean)
        return best

    rows = {0: np.maximum(nodes, 0.0)}
    for t in range(1, length + 1):
        rows = {
            e: sum(
                share * after(rows[e - 1 + kind], kind)
                for kind, share in ((0, e / t), (1, 1.0 - e / t))
                if share > 0.0 and e - 1 + kind in rows
            )
            for e in range(min(t, most) + 1)
        }
    window = slice(reach - edge, reach + edge + 1)
    return np.array([(rows[e] - np.maximum(nodes, 0.0))[window] for e in rows])


@pytest.mark.parametrize(("length", "most", "weight"), [(1, 1, 0.5), (6, 2, 0.3), (6, 6, 0.7), (5, 0, 0.4)])
def test_windows_that_grow_lose_nothing(length, most, weight):
    steps = Steps(1.0, 0.2)
    step = 0.05 * steps.deviation
    table = potentials(steps, weight, step, length, most)
    truth = on_all_nodes(steps, weight, step, length, most, -table.first)
    assert np.allclose(table.values, truth, rtol=0.0, atol=1e-9)
    # Right of its own window a row keeps its value there, which is not 0: rounding made the drift positive.
    assert np.all(table.values[:, -1] > 0.0)

"""Three records on a line: transforms of a step against quadrature of the densities, and slots of such records."""

import itertools
import math

import numpy as np
import pytest
from scipy.special import ndtr

from pldcheck.hidden_slot.replaced import line_step_curves, line_two_groups

NODES = np.concatenate([-np.exp(np.linspace(2.0, -6.0, 12)), [0.0], np.exp(np.linspace(-6.0, 2.0, 12))])
OUTPUTS = np.linspace(-14.0, 15.0, 60_001)
# A trapezoidal rule of a function with kinks is within its square of the spacing; the range leaves out 1e-40.
QUADRATURE = 1e-7


def density(place):
    return np.exp(-0.5 * (OUTPUTS - place) ** 2) / math.sqrt(2.0 * math.pi)


def transform(s, c, own, record, replacement):
    """Return the integrals of (p_i - c p_j + y p_o)_+."""
    i, j, o = (density(s * place) for place in (record, replacement, own))
    return np.array([np.maximum(i - c * j + y * o, 0.0).sum() for y in NODES]) * (OUTPUTS[1] - OUTPUTS[0])


PIECES = [(0.0, 0.0), (0.0, 0.1), (0.1, 0.3), (0.3, 0.5), (0.5, 0.52), (0.5, 0.9), (0.95, 1.0), (1.0, 1.0)]


@pytest.mark.nightly
@pytest.mark.parametrize(("s", "c"), [(1.0, 1.0), (1.0, 1.2), (1.0, 4.0), (1 / 3, 1.05), (0.6, 1.6), (0.1, 1.001)])
@pytest.mark.parametrize("family", "BNX")
def test_pieces_are_above_all_records_of_theirs(s, c, family):
    draw = np.random.default_rng(1)
    for first, last in PIECES:
        (curve,) = line_step_curves.upper_curves(s, c, NODES, ((first, last),), family).coarse
        for part in (0.0, 0.5, 1.0, *draw.random(3)):
            t, nearer = first + part * (last - first), draw.choice([0.0, 1.0, draw.random()])
            own, record, replacement = {
                "B": (t * nearer, 0.0, nearer),
                "N": (0.0, t, t + (1.0 - t) * nearer),
                "X": (0.0, 1.0 - t + t * nearer, 1.0 - t),
            }[family]
            if family == "B":  # own record between others that are less than 1 apart, wherever
                own, record, replacement = t, t * nearer, t + (1.0 - t) * draw.random()
            exact = transform(s, c, own, record, replacement)
            assert np.all(curve >= exact * (1 - QUADRATURE) - 1e-10)


@pytest.mark.nightly
@pytest.mark.parametrize(("s", "c"), [(1.0, 1.2), (1 / 3, 1.05)])
def test_pieces_of_one_record_are_hardly_above_it(s, c):
    for own in (0.0, 0.3, 1.0):
        (curve,) = line_step_curves.upper_curves(s, c, NODES, ((own, own),), "B").coarse
        exact = transform(s, c, own, 0.0, 1.0)
        assert np.all(curve <= exact * (1 + QUADRATURE) + 1e-9)


def two_slots(s, c, first, second):
    """Return delta at log c of a record at 0, its replacement at 1, in one of two slots of these records."""
    z, spacing = OUTPUTS[::60], OUTPUTS[60] - OUTPUTS[0]

    def laws(own):
        return [np.exp(-0.5 * (z - s * place) ** 2) / math.sqrt(2.0 * math.pi) for place in (0.0, 1.0, own)]

    (i, j, o), (k, m, p) = laws(first), laws(second)
    net = 0.5 * np.multiply.outer(i - c * j, p) + 0.5 * np.multiply.outer(o, k - c * m)
    return np.maximum(net, 0.0).sum() * spacing**2


@pytest.mark.nightly
@pytest.mark.parametrize("c", [1.0, 1.3])
def test_two_slots_are_below_the_bound(c):
    s = 1.0
    bound = line_two_groups.delta_upper(s, 2, math.log(c), 0.1)
    truth = max(two_slots(s, c, *owns) for owns in itertools.combinations_with_replacement((0.0, 0.3, 0.7, 1.0), 2))
    assert truth * (1 - 1e-4) <= bound <= 1.3 * truth


@pytest.mark.nightly
@pytest.mark.parametrize(("s", "steps"), [(1.0, 40), (1 / 3, 1000), (0.5, 3001)])
def test_slots_that_are_all_at_0_or_all_at_1_are_below_the_bound(s, steps):
    """The mean of e^(s z - s^2/2) - c or its mirror image: importance sampling of the larger hypothesis."""
    draw, samples = np.random.default_rng(2), 3000
    deviation = math.sqrt(math.expm1(s * s) / steps)
    for z in (1.5, 2.5):
        epsilon = z * deviation
        bound = line_two_groups.delta_upper(s, steps, epsilon, 0.01)
        for own in (0.0, 1.0):
            block = np.empty(samples)
            for k in range(samples):
                ratios = np.exp(s * draw.normal(size=min(steps, 2000)) - 0.5 * s * s)
                # Beyond 2,000 the mean of the others is normal to all that is seen here.
                rest = max(steps - 2000, 0)
                block[k] = (ratios.sum() + rest + math.sqrt(rest * math.expm1(s * s)) * draw.normal()) / steps
            gains = 1.0 - math.exp(epsilon) * block if own == 0.0 else block - math.exp(epsilon)
            values = np.maximum(gains, 0.0)
            assert values.mean() - 5 * values.std() / math.sqrt(samples) <= bound


@pytest.mark.nightly
def test_fewer_slots_reveal_more():
    bounds = [line_two_groups.delta_upper(0.5, steps, 0.05, 1e-3) for steps in (20, 60, 100)]
    assert bounds[0] > bounds[1] > bounds[2] > 0.0


def test_one_slot_reveals_what_gaussian_noise_does():
    s, epsilon = 1.0, 0.5
    exact = ndtr(0.5 * s - epsilon / s) - math.exp(epsilon) * ndtr(-0.5 * s - epsilon / s)
    assert exact <= line_two_groups.delta_upper(s, 1, epsilon, 0.1) <= exact * 1.01

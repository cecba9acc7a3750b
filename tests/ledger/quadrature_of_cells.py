r"""Bounds of what the Gauss-Legendre rules of ``kernels/gaussian_cells.py`` may miss of a cell, in units of its mass
times its width.

On [-1, 1] n nodes are off by at most :math:`\frac{64}{15} \frac{M \rho^{-2n}}{1 - \rho^{-2}}`, M the largest modulus on
the Bernstein ellipse of parameter rho (Trefethen, Approximation Theory and Practice, theorem 19.3).  With h half the
length of a cell within r of 0 and b = (rho + 1/rho)/2 the density is at most :math:`e^{rhb + h^2 b^2/2}` times that
at the centre, at least :math:`e^{-rh - h^2/2}` times that in the cell, and :math:`|e^{\pm sx} - 1|`, where x is at most
h(1 + b) in modulus, is at most :math:`(e^{sh(1 + b)} - 1)/(1 - e^{-2sh})` times the width of its part of the cell.
"""

from itertools import product
from math import exp, expm1

from pldcheck.kernels.gaussian_cells import RULES

UNIT = 2.0**-53
ELLIPSES = (8.0, 10.0, 12.0, 15.0, 20.0, 25.0, 30.0, 40.0, 60.0, 100.0, 200.0, 400.0, 1000.0)


def share_missed(nodes: int, h: float, reach: float, s: float) -> float:
    """Return a bound in units, by the best of some ellipses."""
    shares = []
    for rho in ELLIPSES:
        b = 0.5 * (rho + 1.0 / rho)
        density = reach * h * b + 0.5 * (h * b) ** 2 + reach * h + 0.5 * h * h
        gain = expm1(min(s * h * (1.0 + b), 700.0)) / -expm1(-2.0 * s * h)
        if density < 600.0:
            shares.append(64.0 / 30.0 * rho ** (-2 * nodes) / (1.0 - rho**-2) * exp(density) * gain)
    return min(shares) / UNIT


def worst(nodes: int, smooth: float) -> float:
    """Return the largest share over lengths, reaches and sensitivities with length (reach + s + 1) at most
    ``smooth``.
    """
    largest = 0.0
    shares = [0.0, *(10.0 ** (-3.0 + 0.05 * k) for k in range(61))]
    for reach, s in product([40.0 * share for share in shares], [0.0001 + 20.0 * share for share in shares]):
        h = 0.5 * smooth / (reach + s + 1.0)
        # a cell of that length reaches at least h
        largest = max(largest, share_missed(nodes, min(h, reach) if reach else 1e-6, reach, s))
        if reach < h:
            largest = max(largest, share_missed(nodes, h, h, s))
    return largest


if __name__ == "__main__":
    for smooth, nodes, _ in RULES:
        print(f"{len(nodes)} nodes up to {smooth}: {worst(len(nodes), smooth):.3g} units")

"""The weights of discrete Gaussian noise, enclosed.

The integer j has the weight e^(-j^2 / (2 sigma^2)), which is that of j - 1 times e^(-(2j - 1) / (2 sigma^2)).  As
(n + j)^2 >= n^2 + j (2n + 1), the weights from n + 1 on have a sum of at most that of n over e^((2n + 1) / (2 sigma^2))
- 1.
"""

from math import ceil, sqrt

from .directed_decimals import DIGITS, DOWN, UNIT, UP, Ends, exp_of


def weights_of(sigma):
    """Return Ends of the weights of 0 to some n >= 2, and an upper bound of the sum of those from n + 1 on.

    Those are below the last digit of decimals.
    """
    double = 2 * sigma**2
    n = ceil(sqrt(float(double) * DIGITS * 2.4)) + 2
    weights, quotient, fall = [Ends(UNIT, UNIT)], exp_of(-1 / double), exp_of(-2 / double)
    for _ in range(n):
        weights.append(weights[-1] * quotient)
        quotient *= fall
    return weights, UP.divide(weights[n][1], DOWN.subtract(exp_of((2 * n + 1) / double)[0], UNIT))

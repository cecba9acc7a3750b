"""Certificate programs with decimals so rough that a rounding in the wrong direction shows."""

import random
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

import mpmath
from mpmath import mpf
from program_files import modules_of

from pldcheck.checkers import directed_decimals


def _set_contexts(monkeypatch, program, up, down):
    """Let all files of a program round by two contexts."""
    for module in modules_of(program):
        for name, context in (("UP", up), ("DOWN", down)):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, context)


def roughen(monkeypatch, program):
    """Let a program compute with seven digits and short series."""
    up, down = (Context(prec=7, rounding=rounding) for rounding in (ROUND_CEILING, ROUND_FLOOR))
    _set_contexts(monkeypatch, program, up, down)
    monkeypatch.setattr(directed_decimals, "NOTHING", Decimal("0.002"))
    monkeypatch.setattr(directed_decimals, "DEPTH", 60)


def real(number):
    """A number as one of mpmath."""
    return mpf(number.numerator) / number.denominator if isinstance(number, Fraction | int) else mpf(str(number))


def normal_truth(x):
    """P(Z > x) of a standard normal Z."""
    return mpmath.erfc(x / mpmath.sqrt(2)) / 2


def draws(count, seed=0):
    """A random number generator, so many times."""
    draw = random.Random(seed)
    return [draw for _ in range(count)]


class Nudge:
    """A context in whose own direction one operation errs by far; ``turn`` counts operations of both contexts."""

    def __init__(self, context, turn):
        self.context, self.turn = context, turn

    def __getattr__(self, name):
        operation = getattr(self.context, name)
        if name not in ("add", "subtract", "multiply", "divide", "fma", "next_minus", "next_plus"):
            return operation

        def nudged(*args):
            result = operation(*args)
            self.turn[0] += 1
            if self.turn[0] != self.turn[1]:
                return result
            sign = 1 if self.context.rounding == ROUND_CEILING else -1
            return self.context.fma(abs(result), Decimal(sign) / 50, result)

        return nudged


def nudges(monkeypatch, program, compute):
    """Yield the result of a computation, for each of its operations with a large error of that one alone."""
    turn = [0, -1]
    up, down = directed_decimals.UP, directed_decimals.DOWN
    _set_contexts(monkeypatch, program, Nudge(up, turn), Nudge(down, turn))
    compute()
    for number in range(1, turn[0] + 1):
        turn[:] = [0, number]
        yield compute()
    turn[:] = [0, -1]
    _set_contexts(monkeypatch, program, up, down)

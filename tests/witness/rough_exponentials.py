"""Exponentials of the stand-alone programs with one that has wide ends: each must be counted from its safe end."""

from decimal import Decimal

from program_files import modules_of

from pldcheck.checkers import directed_decimals


class RoughExponentials:
    """``exp_of`` of :mod:`pldcheck.checkers.directed_decimals`, with ends that are a share apart at one of its calls.

    ``calls`` counts the calls since :meth:`begin`, whose argument is the number of the call that is rough, or None.
    """

    def __init__(self, monkeypatch, program, share):
        self._exact, self._share = directed_decimals.exp_of, Decimal(share)
        self.begin()
        for module in modules_of(program):
            if hasattr(module, "exp_of"):
                monkeypatch.setattr(module, "exp_of", self)

    def begin(self, rough=None):
        """Count from 0 again."""
        self.calls, self._rough = 0, rough

    def __call__(self, exponent):
        """Return the ends of the exponential."""
        low, high = self._exact(exponent)
        self.calls += 1
        if self.calls == self._rough:
            low, high = low * (1 - self._share), high * (1 + self._share)
        return directed_decimals.Ends(low, high)

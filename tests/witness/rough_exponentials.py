"""Exponentials of the stand-alone programs with one that has wide ends: each must be counted from its safe end."""

from decimal import Decimal

from pldcheck.witness import upper_loss


class RoughExponentials:
    """``exp_of`` of :mod:`pldcheck.witness.upper_loss`, with ends that are a share apart at one of its calls.

    ``calls`` counts the calls since :meth:`begin`, whose argument is the number of the call that is rough, or None.
    """

    def __init__(self, monkeypatch, share):
        self._exact, self._share = upper_loss.exp_of, Decimal(share)
        self.begin()
        monkeypatch.setattr(upper_loss, "exp_of", self)

    def begin(self, rough=None):
        """Count from 0 again."""
        self.calls, self._rough = 0, rough

    def __call__(self, exponent):
        """Return the ends of the exponential."""
        low, high = self._exact(exponent)
        self.calls += 1
        if self.calls == self._rough:
            low, high = low * (1 - self._share), high * (1 + self._share)
        return upper_loss.Ends(low, high)

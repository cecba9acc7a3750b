"""Work counted in place of time."""

import pytest

from pldcheck.pld.tilted_total import TiltedTotal


@pytest.fixture
def visits(monkeypatch):
    """Return a list to which each tilt and each characteristic function adds how many values of losses it visits.

    A visit takes some 40 ns (``pldcheck.pld.loss_inversion``), on whichever machine the tests run.
    """
    counts = []
    initialize, characteristic = TiltedTotal.__init__, TiltedTotal.log_characteristic

    def tilt(self, *arguments, **keywords):
        initialize(self, *arguments, **keywords)
        counts.append(self.total.size)

    def log_characteristic(self, frequencies):
        counts.append(self.visits(frequencies))
        return characteristic(self, frequencies)

    monkeypatch.setattr(TiltedTotal, "__init__", tilt)
    monkeypatch.setattr(TiltedTotal, "log_characteristic", log_characteristic)
    return counts

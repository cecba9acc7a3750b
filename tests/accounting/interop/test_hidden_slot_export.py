"""A check-in phase handed to other accountants: the loss of one epoch as a dp_accounting distribution."""

import pytest

from pldcheck import HiddenSlot, pld
from pldcheck.accounting import interop


@pytest.mark.nightly
def test_an_exported_epoch_brackets_the_certified_answer():
    slot = HiddenSlot(50, 1.0)
    losses = slot.losses(1e-10)[0]
    above = interop.to_dp_accounting(losses, discretization=1e-3)
    below = interop.to_dp_accounting(losses, discretization=1e-3, pessimistic=False)
    for epsilon in (0.1, 0.3, 0.5):
        truth = slot.delta(epsilon)
        assert above.get_delta_for_epsilon(epsilon) >= truth.lower
        assert below.get_delta_for_epsilon(epsilon) <= truth.upper
        assert above.get_delta_for_epsilon(epsilon) <= 1.1 * truth.upper


@pytest.mark.nightly
def test_a_check_in_phase_among_other_mechanisms():
    phase = HiddenSlot(50, 1.0).losses(1e-10)[0]
    together = pld.compose_all([phase, pld.gaussian(2.0)]).epsilon(1e-6)
    alone, slot = pld.gaussian(2.0).epsilon(1e-6), HiddenSlot(50, 1.0).epsilon(1e-6)
    assert alone.upper < together.lower < together.upper < alone.upper + slot.upper
    assert together.relative_width < 0.02

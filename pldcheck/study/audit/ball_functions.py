"""The quotients of :mod:`pldcheck.theorems.removable_quotients` on spans and jets, registered by the import."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...theorems.removable_quotients import image, saturation, saturation_by_type, saturation_slope
from .jets import Jet
from .spans import Span

if TYPE_CHECKING:
    from flint import arb


@image.register(Jet)
def jet_image(x: Jet, curve: Callable[[arb], arb], slope: Callable[[arb], arb]) -> Jet:
    """Return the image of a jet."""
    return x.through(x.value.monotone(curve), x.value.monotone(slope))


@image.register(Span)
def span_image(x: Span, curve: Callable[[arb], arb], slope: Callable[[arb], arb]) -> Span:
    """Return the image of a span."""
    return x.monotone(curve)


@saturation_by_type.register(Span)
def saturation_of_span(rate: Any, time: Any) -> Any:
    """Return the saturation of a span and a ball, or of two spans."""
    if isinstance(time, Jet):
        return saturation_of_jet(Jet(rate, {}), time)
    rate, time = (each if isinstance(each, Span) else Span(each, each) for each in (rate, time))
    return Span(saturation(rate.low, time.high), saturation(rate.high, time.low))


@saturation_by_type.register(Jet)
def saturation_of_jet(rate: Any, time: Any) -> Jet:
    """Return the saturation of a jet and a span or ball, or of two jets."""
    rate, time = (each if isinstance(each, Jet) else Jet(each, {}) for each in (rate, time))
    both = rate.value * time.value
    value = saturation(rate.value, time.value)
    by_rate = rate.through(value, (-both).exp())
    by_time = time.through(value, -(rate.value**2) * both.monotone(saturation_slope))
    return Jet(value, (by_rate + by_time).slopes)

"""The type of a check: both sides of a measured step at a point, as certified intervals."""

from collections.abc import Callable

from ....core.interval import Interval

Check = Callable[..., tuple[Interval, Interval]]

"""A mechanism that is known by two others: one that reveals no more, and one that reveals no less."""

from __future__ import annotations

from ..core.errors import ParameterError
from .distribution import PrivacyLossDistribution
from .law_bounds import CutBounds, LawBounds, Parts


def mechanism_between(less: PrivacyLossDistribution, more: PrivacyLossDistribution) -> PrivacyLossDistribution:
    """Return what is known of a mechanism that dominates ``less`` and that ``more`` dominates, in both directions.

    Both are of the same kind: they have as many steps, each as often, in the same order.  Each step has the lower law
    of the one and the upper law of the other.

    Parameters
    ----------
    less, more : PrivacyLossDistribution

    Returns
    -------
    PrivacyLossDistribution
        With the name of ``more``.

    Raises
    ------
    ParameterError
        If they are of different kinds.

    """
    if (less.backward is None) is not (more.backward is None):
        raise ParameterError("more", f"in as many directions as {less.name}", more.name)
    counts = [[count for _, count in one.forward + (one.backward or ())] for one in (less, more)]
    if counts[0] != counts[1]:
        raise ParameterError("more", f"of as many steps as {less.name}, each as often", more.name)
    if less.backward is None or more.backward is None:
        return PrivacyLossDistribution(more.name, _steps(less.forward, more.forward))
    return PrivacyLossDistribution(more.name, _steps(less.forward, more.forward), _steps(less.backward, more.backward))


def _steps(less: Parts, more: Parts) -> Parts:
    return tuple((_step(one, other), count) for (one, count), (other, _) in zip(less, more, strict=True))


def _step(less: LawBounds | CutBounds, more: LawBounds | CutBounds) -> LawBounds | CutBounds:
    if isinstance(less, CutBounds) and isinstance(more, CutBounds):
        return CutBounds(lambda count: LawBounds(more.cut(count).upper, less.cut(count).lower))
    return LawBounds(more.upper, less.lower)

"""A mechanism that is known by two others: one that reveals no more, and one that reveals no less."""

from __future__ import annotations

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

    """
    if less.backward is None or more.backward is None:
        assert less.backward is more.backward
        return PrivacyLossDistribution(more.name, _steps(less.forward, more.forward))
    return PrivacyLossDistribution(more.name, _steps(less.forward, more.forward), _steps(less.backward, more.backward))


def _steps(less: Parts, more: Parts) -> Parts:
    assert [count for _, count in less] == [count for _, count in more]
    return tuple((_step(one, other), count) for (one, count), (other, _) in zip(less, more, strict=True))


def _step(less: LawBounds | CutBounds, more: LawBounds | CutBounds) -> LawBounds | CutBounds:
    if isinstance(less, CutBounds) and isinstance(more, CutBounds):
        return CutBounds(lambda count: LawBounds(more.cut(count).upper, less.cut(count).lower))
    return LawBounds(more.upper, less.lower)

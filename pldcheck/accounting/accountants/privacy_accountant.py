"""An accountant with dp_accounting's interface, whose answers are certified.

It takes the place of ``dp_accounting.pld.PLDAccountant``: in ``calibrate_dp_mechanism``, in ledgers, and in libraries
that are handed an accountant.  Composition is lazy: what is composed is counted, and evaluated when it is asked for.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf

from dp_accounting import DpEvent, NeighboringRelation, PrivacyAccountant

from ...core.errors import ParameterError
from ...core.interval import Interval
from ...core.parameters import PARAMETERS, range_words
from ...pld import compose_all
from ...pld.certain_levels import delta_of_infinity, epsilon_of_zero
from ...pld.distribution import PrivacyLossDistribution
from ..interop.concentrated_loss import concentrated_loss
from ..interop.event_leaves import Leaf, concentrated, has_no_noise, leaves_of, shown_share
from ..interop.event_names import UnsupportedEventError
from ..interop.event_relations import restated
from ..interop.event_samples import released_sample
from ..interop.event_trees import EventLosses, relation_of

# The least delta at which events that amplify are known well, unless another one is named.
LEAST_DELTA = 1e-12


class Accountant(PrivacyAccountant):
    """A privacy accountant with certified ends: an upper one where dp_accounting asks for a number, and a lower one.

    ``get_epsilon`` and ``get_delta`` return upper ends: the privacy is at least that good.  ``epsilon`` and ``delta``
    return intervals, whose lower end says that it is no better.  Events are those of dp_accounting, of later versions
    as well, and of :mod:`~pldcheck.accounting.interop`; ``supports`` says which, and ``compose`` of another one says
    why not.

    Noise of 0 counts as ``NonPrivateDpEvent``: epsilon is infinite and delta is 1, from above, as searches for noise
    expect that begin with none.

    Parameters
    ----------
    neighboring_relation : NeighboringRelation of dp_accounting or its name
        All events are read for it, see :mod:`~pldcheck.accounting.interop.event_relations`: with REPLACE_ONE, Gaussian
        noise counts half, since the sum changes by twice the bound of the norms.
    least_delta : float
        The least delta that will be asked for; check-ins, random allocation and shuffling are known only coarsely below
        it.

    Examples
    --------
    >>> import dp_accounting as dpa
    >>> from pldcheck.accounting import Accountant
    >>> step = dpa.PoissonSampledDpEvent(0.01, dpa.GaussianDpEvent(1.0))
    >>> accountant = Accountant().compose(step, 1000)
    >>> print(accountant.epsilon(1e-6))
    epsilon in [...]
    >>> accountant.get_epsilon(1e-6) == accountant.epsilon(1e-6).upper
    True

    """

    def __init__(
        self,
        neighboring_relation: NeighboringRelation | str = NeighboringRelation.ADD_OR_REMOVE_ONE,
        *,
        least_delta: float = LEAST_DELTA,
    ) -> None:
        relation = relation_of(neighboring_relation)
        if relation is None:
            raise ParameterError("neighboring_relation", "a relation of dp_accounting", neighboring_relation)
        super().__init__(relation)
        self._losses = EventLosses(PARAMETERS["delta"].parse(least_delta), relation)
        self._counts: dict[tuple[str, str], int] = {}
        self._concentrated = (Fraction(0), Fraction(0))
        # How often something was released without noise, by the probability that it shows the record.
        self._samples: dict[Fraction, int] = {}
        self._composed: PrivacyLossDistribution | None = None

    def supports(self, event: DpEvent) -> bool:
        """Return whether the event is answered for this relation, with its parameters."""
        try:
            return super().supports(event)
        except ParameterError:
            return False

    def _maybe_compose(
        self, event: DpEvent, count: int, do_compose: bool
    ) -> PrivacyAccountant.CompositionErrorDetails | None:
        leaf: Leaf | None = None
        try:
            leaves = list(leaves_of(event, "", count))
            for leaf in leaves:
                if has_no_noise(leaf.event):
                    restated(leaf.event, leaf.position, self._losses.relation)
                elif concentrated(leaf.event) is None:
                    self._losses.loss(leaf)
        except UnsupportedEventError as error:
            return self.CompositionErrorDetails(event if leaf is None else leaf.event, str(error))
        if do_compose:
            for leaf in leaves:
                self._count(leaf)
            self._composed = None
        return None

    def _count(self, leaf: Leaf) -> None:
        if has_no_noise(leaf.event):
            share = shown_share(leaf.event)
            self._samples[share] = self._samples.get(share, 0) + leaf.count
        elif (budget := concentrated(leaf.event)) is not None:
            rho, xi = self._concentrated
            self._concentrated = rho + leaf.count * budget[0], xi + leaf.count * budget[1]
        else:
            self._counts[leaf.key] = self._counts.get(leaf.key, 0) + leaf.count

    @property
    def loss(self) -> PrivacyLossDistribution | None:
        """The loss of all that was composed, infinite from above with an event without noise; None if nothing was."""
        if self._composed is None:
            parts = [self._losses.memo[key].compose(count) for key, count in self._counts.items()]
            parts += [released_sample(rate).compose(count) for rate, count in self._samples.items()]
            if any(self._concentrated):
                parts.append(concentrated_loss(*self._concentrated))
            self._composed = compose_all(parts) if parts else None
        return self._composed

    def epsilon(self, delta: float) -> Interval:
        """Return the smallest epsilon at which all that was composed is (epsilon, delta)-DP, as an interval.

        Parameters
        ----------
        delta : float from 0 to 1

        Raises
        ------
        ParameterError
            If ``delta`` is not a number from 0 to 1.

        """
        if 1 in self._samples:
            return Interval(inf, inf, "epsilon")
        if not 0.0 <= delta <= 1.0:
            raise ParameterError("delta", range_words(0, 1), delta)
        loss = self.loss
        if loss is None or delta == 1.0:
            return Interval(0.0, 0.0, "epsilon")
        return epsilon_of_zero(loss) if delta == 0.0 else loss.epsilon(delta)

    def delta(self, epsilon: float) -> Interval:
        """Return the smallest delta at which all that was composed is (epsilon, delta)-DP, as an interval.

        Parameters
        ----------
        epsilon : float from 0 on, or infinity

        Raises
        ------
        ParameterError
            If ``epsilon`` is negative or no number.

        """
        if 1 in self._samples:
            return Interval(1.0, 1.0, "delta")
        if not epsilon >= 0.0:
            raise ParameterError("epsilon", range_words(0, inf), epsilon)
        loss = self.loss
        if loss is None:
            return Interval(0.0, 0.0, "delta")
        return delta_of_infinity(loss) if epsilon == inf else loss.delta(epsilon)

    def get_epsilon(self, target_delta: float) -> float:
        """Return the certified upper end of epsilon at this delta."""
        return self.epsilon(target_delta).upper

    def get_delta(self, target_epsilon: float) -> float:
        """Return the certified upper end of delta at this epsilon."""
        return self.delta(target_epsilon).upper

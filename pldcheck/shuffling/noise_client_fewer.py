r"""Shuffled Gaussian noise, from above, by its own hidden slot with one client fewer.

**Corollary.**  Let all n clients add Gaussian noise of deviation sigma to records in [0, 1].  With the tau that
:mod:`pldcheck.shuffling.blanket_excess` bounds, all kappa >= 1 and zeta >= 0, and all data,

.. math:: \delta_n(\kappa + \zeta) \le \delta_{HS}(\kappa) + \tau(\kappa, \zeta),

where HS has n - 1 slots, each with one of the others' records as its own, and the record takes a random one.

*Proof.*  Steps 1 to 3 of :mod:`pldcheck.shuffling.one_client_fewer` are statements on densities of messages at places,
which no budget bounds: they hold for any randomizer, and pairs of others with equal records have no excess.  Step 4 is
that of :mod:`pldcheck.shuffling.blanket_excess`, with the smaller of the densities about 0 and 1 as the blanket.  The
hidden slot for all records in [0, 1] is bounded by :mod:`pldcheck.hidden_slot.replaced.line_two_groups`.

For Laplace noise this holds, too, but the tau of :mod:`pldcheck.shuffling.known_client_fewer` is smaller: 1,000 clients
of budget 1 have a zeta of .05 to .14 of kappa - 1 here and of .02 there at delta 1e-6.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, expm1, inf, log, log1p

from ..core.directed import Ends, Side, enlarge, roundoff, shrink
from ..core.roots import cross
from ..hidden_slot.replaced import line_two_groups
from ..pld.curve_candidates import Candidate
from .blanket_excess import BlanketExcess, gaussian_gains
from .known_slot_bounds import Upper
from .message_candidates import estimate
from .message_gains import Messages
from .noise_cells import gaussian

NAME = "the proven reduction of shuffled noise to n − 1 slots of the same noise"
# Least number of clients: with fewer the reduction gains nothing.
FEWEST_CLIENTS = 64
# Shares of delta that may be given to tau.
SHARES = (0.01, 0.03, 0.1, 0.3)
# Fineness of the nodes where an epsilon of the slots is searched.
FINE = 1.4
# Trials of that search, which begins next to the answer.
TRIALS = 5
# It ends where delta is as near to the target, relatively.
CLOSE = 0.02
# An upper end is looked for first at so much above the estimate, relatively.
FIRST_DISTANCE = 0.01
# The largest epsilon that is asked for.
LARGEST_EPSILON = 50.0
# The mass beyond the cells of the record's messages, as a share of what is asked.
BEYOND_SHARE = 1e-3
# The least delta that is served: below it masses are beyond the cells.
LEAST_DELTA = 1e-100
# A zeta is used with this margin, as it is searched at another kappa.
MARGIN = 1.05


@dataclass(frozen=True, eq=False)
class NoiseBound:
    """The corollary for n clients.

    ``slots``: takes a delta and returns an upper bound of the slots' delta for epsilons where it is about that.
    ``attained``: messages of data that are nearly the worst, for estimates.  ``largest``: an epsilon where delta is 0,
    or beyond all that are asked for.
    """

    n: int
    excess: BlanketExcess
    slots: Callable[[float], Upper]
    attained: Sequence[Messages]
    largest: float = LARGEST_EPSILON

    def candidate(self, start: float) -> Candidate:
        """Return the bound as a candidate; ``start`` is an epsilon near those that are asked for."""
        return Candidate(NAME, self.delta, self.epsilon, None, start)

    def epsilon(self, delta: float) -> tuple[float, float, Ends]:
        """Return 0, an epsilon at which shuffling has at most ``delta``, and the ends of delta there."""
        nothing = 0.0, inf, Ends(0.0, 0.0, 0.0, 0.0)
        if delta <= LEAST_DELTA:
            return nothing
        start, slope = estimate(self.attained, self.n, self.largest, delta)
        near = exp(start * (1.0 + FIRST_DISTANCE))
        costs = [
            (log1p(self.excess.zeta(near, share * delta) / near) - log1p(-share) / slope, share) for share in SHARES
        ]
        cost, share = min(costs)
        if cost == inf:
            return nothing
        slots, goal = self.slots(delta), shrink(delta * (1.0 - share), 4)
        slot = cross(
            slots, goal, start * (1.0 + FIRST_DISTANCE), slope, self.largest,
            side=Side.UPPER, trials=TRIALS, close=CLOSE,
        )  # fmt: skip
        if slot >= self.largest:
            return nothing
        # kappa is rounded above e^slot, where the slots have less.
        kappa = enlarge(exp(slot), 4)
        zeta = self.excess.zeta(kappa, share * delta)
        if zeta == inf:
            return nothing
        return 0.0, enlarge(log1p(expm1(slot) + zeta), 16) + roundoff(16), Ends(0.0, delta, 0.0, 0.0)

    def delta(self, epsilon: float) -> Ends:
        """Return 0 and an upper bound of delta(epsilon), as ends."""
        trivial = Ends(0.0, 1.0, 0.0, 0.0)
        if not 0.0 < epsilon < self.largest:
            return trivial
        coarse = self.slots(LEAST_DELTA)(epsilon)
        if not LEAST_DELTA < coarse < 1.0:
            return trivial
        # By a first-order estimate, so that the slots are asked once more only.
        slope = estimate(self.attained, self.n, self.largest, coarse)[1]
        zetas = [(MARGIN * self.excess.zeta(exp(epsilon), share * coarse), share * coarse) for share in SHARES]
        zeta, target = min(zetas, key=lambda one: one[0] * slope + one[1] / coarse)
        kappa = shrink(exp(epsilon), 4) - zeta
        if not kappa >= 1.0 or self.excess.zeta(kappa, target) > zeta:
            return trivial
        least = max(shrink(log(kappa), 4), 0.0)
        return Ends(0.0, min(enlarge(self.slots(coarse)(least) + target, 4), 1.0), 0.0, 0.0)


def of_gaussian(n: int, sigma: float, attained: Sequence[Messages]) -> NoiseBound:
    """Return the bound for Gaussian noise on records in [0, 1]."""

    def messages(target: float) -> Messages:
        return gaussian(sigma, n, BEYOND_SHARE * target).above

    def slots(target: float) -> Upper:
        return lru_cache(maxsize=None)(
            lambda epsilon: line_two_groups.delta_upper(1.0 / sigma, n - 1, epsilon, target, FINE)
        )

    return NoiseBound(n, BlanketExcess(n, gaussian_gains(sigma), messages), slots, attained)

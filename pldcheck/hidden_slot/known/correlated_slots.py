r"""Gaussian noise that an encoder correlates, a record in the same one of several bins in all epochs: both ends.

**Adaptive vectors.**  Given which bins the others are in, which does not depend on the record, their part of a row is
known from the past; a mean over it does not raise a curve.  Let the record be in bin j with probability 1/m, and h_tj
the largest length of what it adds to row t of C g + z, :math:`h_{tj} = \sum_s C_{ts}` over its steps s.  Given the
past, the row has, with the record in bin j, the likelihood ratio :math:`e^{X_j - E X_j^2 / 2}` to that without, where
X_j is the part of the noise z_t along what is added, over sigma^2: jointly Gaussian, and by the inequality of Cauchy
and Schwarz

.. math:: E X_i X_j \le h_{ti} h_{tj} / \sigma^2 .

Kahane's inequality (1985): if E X_i X_j <= E Y_i Y_j for all i and j, also i = j, then for convex phi and p_j >= 0

.. math:: E \phi\Big(\sum_j p_j e^{X_j - E X_j^2/2}\Big) \le E \phi\Big(\sum_j p_j e^{Y_j - E Y_j^2/2}\Big) .

Replace the rows from the last to the first by independent one-dimensional ones with h_tj in place of what is added:
given the past, p_j is the ratio so far over m, and X_j is that of this row plus those of later rows, which do not
depend on the past any more.  So for both directions, phi(s) = (s - kappa)_+ and phi(s) = (1 - kappa s)_+, the worst is

.. math:: S = \frac1m \sum_j e^{X_j - E X_j^2/2}, \qquad E X_i X_j = \mu_i \cdot \mu_j / \sigma^2,

with the products of :mod:`~pldcheck.hidden_slot.known.encoder_gram`, and it is attained.  (The entries of C are not
negative, so that the h_tj are sums.)  A record that is replaced has two such sums, for which this does not hold.

**One factor.**  If all products are at most c for i != j and at most c + r for i = j, S is below the same with X_j = Y
+ Z_j, one Y of variance c / sigma^2 for all and independent Z_j of variance r / sigma^2.  Then S is a product of two
independent ratios: that of Gaussian noise on a number sqrt(c), and that of random allocation of a number sqrt(r) to m
steps.  So their composition dominates; and it is dominated if all products are at least c, and c + r.

**From above**, also: reveal the bin's number modulo g.  By convexity the curve is at most the mean of those of the g
classes of bins, each with at least floor(m / g) bins at distances g, 2 g, ..., and fewer bins have the larger curve.
For an encoder of few bands the bins of a class have nothing in common.

**From below**, also: cut the bins into blocks of k neighbours.  With the least product c of two in one block, i = j
too, S is above the same with one variable of variance c / sigma^2 for each block: random allocation of a number sqrt(c)
to m / k steps.

**Cyclic Poisson samples.**  Let the record's batch be known, the record be in it with probability q, anew in each
epoch, and no two columns of one batch have a row in common.  Then the likelihood ratio is the product over epochs of
1 - q + q R_e, where R_e is the product of the ratios of the rows of that epoch's column.  Given the past, it is linear
in the ratio of each row: by Jensen's inequality rows may be replaced from the last to the first by independent ones
with the largest lengths.  So each epoch is one run of Gaussian noise on a Poisson sample, with a number as long as the
column.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...core.directed import enlarge, shrink
from .encoder_gram import Gram


@dataclass(frozen=True)
class OneFactor:
    """Gaussian noise on a number, composed with random allocation of another one to ``bins`` steps.

    ``common`` and ``own`` are the squares of both numbers.
    """

    bins: int
    common: float
    own: float


def models_above(gram: Gram) -> list[OneFactor]:
    """Return models whose curves are nowhere below that of the correlated noise."""
    models, gap, largest = [], 1, float(gram.high[0])
    while True:
        multiples = gram.high[gap::gap]
        # No product of two bins is larger than the largest of a bin with itself (Cauchy and Schwarz).
        common = min(float(multiples.max(initial=0.0)), largest)
        models.append(OneFactor(max(gram.bins // gap, 1), common, enlarge(largest - common, 2)))
        if common == 0.0 or gap >= gram.bins:
            return models
        # From this distance on bins have nothing in common.
        apart_from = gram.bins - int((gram.high[::-1] > 0.0).argmax())
        gap = min(2 * gap, apart_from)


def models_below(gram: Gram) -> list[OneFactor]:
    """Return models whose curves are nowhere above that of the correlated noise."""
    least, bins = float(gram.low[0]), gram.bins
    common = min(float(gram.low[1:].min(initial=least)), least)
    models = [OneFactor(bins, common, shrink(least - common, 2))]
    for length in (k for k in range(2, bins + 1) if bins % k == 0):
        common = float(gram.low[:length].min())
        if common <= 0.0:
            break
        models.append(OneFactor(bins // length, 0.0, common))
    return models

"""The idea of each page of the method in a few sentences, by the page's slug."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_LESSONS = {
    "intervals": r"""
An accountant that returns one number asks to be believed. An interval can be checked: its lower end is attained by
some data, its upper end is exceeded by none.

Two rules keep an interval true on a machine that rounds. Every bound counts the operations behind it and is moved
outward by as many units in the last place. Whatever a library computes is granted an error that is written in one
place, :mod:`pldcheck.core.assumed`. The same holds for printed digits: the lower end is rounded down and the upper
end up.
""",
    "privacy-losses": r"""
For two laws P and Q of an output, the privacy loss is :math:`L = \log(P/Q)`, seen under P. It says all there is to
say:

.. math:: \delta(\epsilon) = E\left[\left(1 - e^{\epsilon - L}\right)_+\right].

Losses of mechanisms that run one after another add up, so a composition is a sum of independent variables, and its
law is a convolution. Fourier inversion computes that in one step, whatever the number of mechanisms. Three errors
have to be bounded: losses are moved to a grid, upward for an upper end and downward for a lower one; tails are cut;
and the inversion is a sum in place of an integral.
""",
    "mechanisms": r"""
Some losses are known in closed form. Gaussian noise of deviation :math:`\sigma` on a sum that moves by 1 has a normal
loss with mean :math:`1/(2\sigma^2)` and variance :math:`1/\sigma^2`, so that

.. math:: \delta(\epsilon) = \Phi\left(\frac{1}{2\sigma} - \epsilon\sigma\right)
          - e^{\epsilon}\,\Phi\left(-\frac{1}{2\sigma} - \epsilon\sigma\right).

Randomized response has two losses, Laplace noise two atoms and a density. Where a sum of such losses has a formula of
its own, it is used, and it serves as a check of the inversion.
""",
    "hidden-slot": r"""
A record enters one of m slots, chosen uniformly, and nobody is told which. Every slot runs an :math:`\epsilon_0`-DP
randomizer, which may depend on all earlier outputs. How bad can it get?

An observer watches the likelihood ratio of each slot. Their mean is the ratio of the whole run, so that the question
is about a mean of m terms, each between :math:`e^{-\epsilon_0}` and :math:`e^{\epsilon_0}`. Only extreme randomizers
matter: their outputs have ratios at the ends of that range. A recursion over the slots finds the policy that picks
the worst one after every history. Its value from above is the upper end; the policy itself, played out, is the lower
end.
""",
    "known-randomizers": r"""
If the randomizer is known, the worst case is too pessimistic. With Laplace noise the ratios are spread over a range,
not concentrated at its ends, and large ones are rare. The mean of m independent ratios is again computed by
inversion, and the pair of neighbours that is worst is proved for each kind of noise. A Gaussian sum in one of many
steps, random allocation, is the same question with unbounded ratios.
""",
    "approximate": r"""
An :math:`(\epsilon_0, \delta_0)`-DP randomizer may reveal the record outright with probability :math:`\delta_0`. In
one of m slots that costs about :math:`\delta_0` once, not m times, since the record is in one slot only. What remains
is how much more the randomizer may gain by spending :math:`\delta_0` otherwise; both ends of that are bounded.
""",
    "replacement": r"""
Replacing a record is not removing it twice. Under the two laws the record and its replacement sit in the same slot,
and the observer compares two means of ratios, not a mean with 1. The record, its replacement and the reference record
of the other slots are a triangle whose sides are at most 1, in the unit of the noise's sensitivity: its shape decides
which pair is worst.
""",
    "population": r"""
Without knowledge of the other clients, a slot that nobody else uses gives its record away as far as its randomizer
allows. With n clients most slots are used by several, one of which is chosen: the record's slot may show another
client. So :math:`\epsilon` falls with n, down to the rate of shuffling; the number of occupied slots has to be
averaged over.
""",
    "shuffling": r"""
Messages of n clients are seen in random order. Seen so, the other messages are a crowd: for K-ary randomized response
each of them is, with some probability, independent of its sender's record, and hides one of the two that differ. The
whole shuffle is dominated by a pair of laws on three symbols, counted by a multinomial variable; some known
randomizers have a pair that is exact.
""",
    "verdicts": r"""
A theorem claims a number; an interval contains the truth. The claim HOLDS if it is at least the upper end, is
VIOLATED if it is below the lower end, and otherwise the interval is narrowed until one of both is so. Each verdict
leaves a file: a table of exact probabilities that attains the lower end, or the plan of a proof of the upper end,
which small programs check without the engine.
""",
}
# The idea of each page, as the text of a docstring.
LESSONS: Mapping[str, str] = MappingProxyType({slug: text.strip() for slug, text in _LESSONS.items()})

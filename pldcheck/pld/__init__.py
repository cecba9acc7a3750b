"""Certified privacy loss distributions: what composes, and how it is inverted.

Read :mod:`~pldcheck.pld.step_losses` first (the losses of one step), then :mod:`~pldcheck.pld.loss_total` (their sum
and its cumulants), :mod:`~pldcheck.pld.loss_inversion` (delta of epsilon by Fourier inversion, both ends) and
:mod:`~pldcheck.pld.distribution` (what users hold).  Sums of laws on one lattice, for hidden slots, are inverted in
:mod:`~pldcheck.pld.lattice_fourier`; read :mod:`~pldcheck.pld.lattice_contour` before it.

>>> from pldcheck import pld
>>> pld.randomized_response(0.1).compose(1024).epsilon(delta=1e-12)
Interval(lower=26.9131286631..., upper=26.9131286631..., quantity='epsilon')
"""

from __future__ import annotations

from .distribution import DeltaCurve as DeltaCurve
from .distribution import PrivacyLossDistribution as PrivacyLossDistribution
from .distribution import compose_all as compose_all
from .mechanisms import discrete_gaussian as discrete_gaussian
from .mechanisms import discrete_laplace as discrete_laplace
from .mechanisms import from_curve as from_curve
from .mechanisms import from_pmf as from_pmf
from .mechanisms import gaussian as gaussian
from .mechanisms import laplace as laplace
from .mechanisms import randomized_response as randomized_response
from .mechanisms import randomized_responses as randomized_responses
from .sampled_mechanisms import fixed_size_gaussian as fixed_size_gaussian
from .sampled_mechanisms import subsampled_gaussian as subsampled_gaussian
from .sampled_mechanisms import subsampled_laplace as subsampled_laplace
from .sampled_mechanisms import subsampled_pmf as subsampled_pmf
from .sampled_mechanisms import subsampled_randomized_response as subsampled_randomized_response

__all__ = [
    "DeltaCurve",
    "PrivacyLossDistribution",
    "compose_all",
    "discrete_gaussian",
    "discrete_laplace",
    "fixed_size_gaussian",
    "from_curve",
    "from_pmf",
    "gaussian",
    "laplace",
    "randomized_response",
    "randomized_responses",
    "subsampled_gaussian",
    "subsampled_laplace",
    "subsampled_pmf",
    "subsampled_randomized_response",
]

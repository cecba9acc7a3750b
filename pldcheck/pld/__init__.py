"""Certified privacy loss distributions.

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
from .sampled import fixed_size_gaussian as fixed_size_gaussian
from .sampled import subsampled_gaussian as subsampled_gaussian
from .sampled import subsampled_laplace as subsampled_laplace
from .sampled import subsampled_pmf as subsampled_pmf
from .sampled import subsampled_randomized_response as subsampled_randomized_response

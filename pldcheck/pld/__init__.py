"""Certified privacy loss distributions, their composition, and its inversion to epsilon and delta.

Read :mod:`~pldcheck.pld.step_losses` first (the losses of one step), then :mod:`~pldcheck.pld.loss_total` (their
sum), :mod:`~pldcheck.pld.tilted_total` (its cumulants), :mod:`~pldcheck.pld.loss_inversion` (delta of epsilon by
Fourier inversion, both ends) and :mod:`~pldcheck.pld.distribution` (the objects that users hold).  Sums of laws on
one lattice, for hidden slots, are inverted in :mod:`~pldcheck.pld.lattice_fourier`; read
:mod:`~pldcheck.pld.lattice_contour` before it.

Evaluation is lazy.  Losses are not put on a grid: the payoff is smoothed by a Gaussian mechanism so weak that its
effect on delta is enclosed to second order, and the characteristic function of the sum, which is exact for discrete,
Gaussian and Laplace losses, is inverted at a tilt where delta = 1e-30 is as accurate, relatively, as 1e-3.  Continuous
pairs without a closed form (sampled Gaussians) are cut into cells: the mass of a cell goes to its two ends for the
upper bound and into one output for the lower one.  Up to eight such steps are not inverted but folded into two, whose
sums are added up pair by pair (:mod:`~pldcheck.pld.folded_steps`, :mod:`~pldcheck.pld.paired_sum`).  A list of
different randomized responses enters by a dozen sums of powers, however long it is.  Infinite loss is kept apart, and
epsilon is infinite where that alone exceeds delta.

>>> from pldcheck import pld
>>> pld.randomized_response(0.1).compose(1024).epsilon(delta=1e-12)
Interval(lower=26.9131286631..., upper=26.9131286631..., quantity='epsilon')
>>> steps = [pld.gaussian(sigma=5.0), pld.laplace(scale=20.0), pld.from_pmf([0.7, 0.3], [0.6, 0.4])]
>>> mixed = pld.compose_all([*steps, pld.subsampled_gaussian(sigma=1.0, rate=0.01).compose(500)])
>>> print(mixed.epsilon(delta=1e-6))
epsilon in [...]
>>> curve = mixed.delta([0.5, 1.0, 2.0])  # lower and upper, which pandas can load
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.lazy import lazy_parts

__all__ = [
    "DeltaCurve",
    "PrivacyLossDistribution",
    "compose_all",
    "discrete_gaussian",
    "discrete_laplace",
    "fixed_size_gaussian",
    "from_curve",
    "from_density",
    "from_pmf",
    "gaussian",
    "gaussian_mixture",
    "laplace",
    "randomized_response",
    "randomized_responses",
    "replaced_subsampled_gaussian",
    "subsampled_gaussian",
    "subsampled_laplace",
    "subsampled_pmf",
    "subsampled_randomized_response",
    "truncated_gaussian",
]

if TYPE_CHECKING:
    from . import certain_levels as certain_levels
    from . import discrete_gaussian_moments as discrete_gaussian_moments
    from . import gaussian_balls as gaussian_balls
    from . import gaussian_parameter as gaussian_parameter
    from . import largest_batch as largest_batch
    from . import loss_sides as loss_sides
    from . import places_in_batch as places_in_batch
    from . import response_budgets as response_budgets
    from . import tradeoff_lines as tradeoff_lines
    from .delta_curve import DeltaCurve as DeltaCurve
    from .distribution import PrivacyLossDistribution as PrivacyLossDistribution
    from .distribution import compose_all as compose_all
    from .line_densities import from_density as from_density
    from .mechanisms import discrete_gaussian as discrete_gaussian
    from .mechanisms import discrete_laplace as discrete_laplace
    from .mechanisms import from_curve as from_curve
    from .mechanisms import from_pmf as from_pmf
    from .mechanisms import gaussian as gaussian
    from .mechanisms import laplace as laplace
    from .mechanisms import randomized_response as randomized_response
    from .mechanisms import randomized_responses as randomized_responses
    from .random_lengths import gaussian_mixture as gaussian_mixture
    from .replaced_gaussian import replaced_subsampled_gaussian as replaced_subsampled_gaussian
    from .sampled_mechanisms import fixed_size_gaussian as fixed_size_gaussian
    from .sampled_mechanisms import subsampled_gaussian as subsampled_gaussian
    from .sampled_mechanisms import subsampled_laplace as subsampled_laplace
    from .sampled_mechanisms import subsampled_pmf as subsampled_pmf
    from .sampled_mechanisms import subsampled_randomized_response as subsampled_randomized_response
    from .truncated_sample import truncated_gaussian as truncated_gaussian
else:
    __getattr__, __dir__ = lazy_parts(
        __name__,
        {
            "certain_levels": (),
            "delta_curve": ("DeltaCurve",),
            "discrete_gaussian_moments": (),
            "distribution": ("PrivacyLossDistribution", "compose_all"),
            "gaussian_balls": (),
            "gaussian_parameter": (),
            "largest_batch": (),
            "line_densities": ("from_density",),
            "loss_sides": (),
            "mechanisms": (
                "discrete_gaussian",
                "discrete_laplace",
                "from_curve",
                "from_pmf",
                "gaussian",
                "laplace",
                "randomized_response",
                "randomized_responses",
            ),
            "places_in_batch": (),
            "random_lengths": ("gaussian_mixture",),
            "replaced_gaussian": ("replaced_subsampled_gaussian",),
            "response_budgets": (),
            "sampled_mechanisms": (
                "fixed_size_gaussian",
                "subsampled_gaussian",
                "subsampled_laplace",
                "subsampled_pmf",
                "subsampled_randomized_response",
            ),
            "tradeoff_lines": (),
            "truncated_sample": ("truncated_gaussian",),
        },
        __all__,
    )

"""The double sum behind the hidden slot of one client fewer (pldcheck.shuffling.one_client_fewer, step 4)."""

from ._jit import kernel

# This number replaces a density ratio of zero, by which zeta is divided.
NEARLY_ZERO = 1e-290


@kernel
def positive_parts(masses, ratios, kappa, slip, zeta, rho, x_in, q_in, x_out, q_out, error):
    """Return the sum over k of masses[k] times the largest sum over L of (r x_2 - zeta q_2)(l), r = ratios[k] - kappa.

    ``ratios`` increase, ``rho`` = x_2/q_2 decreases: for r > 0 the best L are the places up to some one, for r < 0
    those from one on.  ``x_in`` and ``q_in`` are sums up to each place, ``x_out`` and ``q_out`` are sums from each
    place on; all four have the relative error ``error``.  r is known up to ``slip`` and is moved away from zero by it,
    where the sum grows.
    """
    total = 0.0
    inside = outside = 0
    for k in range(masses.size):
        above = max(ratios[k] - kappa + slip, NEARLY_ZERO)
        below = min(ratios[k] - kappa - slip, -NEARLY_ZERO)
        least, most = zeta / above, zeta / below
        while inside < rho.size and rho[inside] > least:
            inside += 1
        while outside < rho.size and rho[outside] >= most:
            outside += 1
        gain = above * x_in[inside] * (1.0 + error) - zeta * q_in[inside] * (1.0 - error)
        other = below * x_out[outside] * (1.0 + error) - zeta * q_out[outside] * (1.0 - error)
        total += masses[k] * max(gain, other, 0.0)
    return total

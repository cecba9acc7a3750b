"""The double sum behind the hidden slot of one client fewer (pldcheck.shuffling.one_client_fewer, step 4)."""

from ._jit import kernel

# This number replaces a density ratio of zero, by which zeta is divided.
NEARLY_ZERO = 1e-290


@kernel
def positive_parts(masses, ratios, kappa, slip, zeta, kept, rho, x_in, q_in, x_out, q_out, error):
    """Return the sum over k of masses[k] times the largest sum over L of (r ((1 - nu) x_2 + nu q_2) - zeta q_2)(l).

    Here r = ratios[k] - kappa and nu = ``kept``.  ``ratios`` increase, ``rho`` = x_2/q_2 decreases: for r > 0 the best
    L are the places up to some one, for r < 0 those from one on.  ``x_in`` and ``q_in`` are sums up to each place,
    ``x_out`` and ``q_out`` are sums from each place on; all four have the relative error ``error``, but x_in, which
    falls in the end, that of its largest value so far.  r is known up to ``slip`` and is moved away from zero by it,
    where the sum grows.
    """
    total, most, rest = 0.0, 0.0, 1.0 - kept
    inside = outside = 0
    for k in range(masses.size):
        above = max(ratios[k] - kappa + slip, NEARLY_ZERO)
        below = min(ratios[k] - kappa - slip, -NEARLY_ZERO)
        least, largest = (zeta / above - kept) / rest, (zeta / below - kept) / rest
        while inside < rho.size and rho[inside] > least:
            inside += 1
            most = max(most, x_in[inside])
        while outside < rho.size and rho[outside] >= largest:
            outside += 1
        # With nu above 0 terms of x_in may cancel, beyond the place where rho is 0.  Up to there x_in is its largest
        # value so far: what is far in the tail is not blurred by the error of all that is near the centre.
        gain = above * rest * (x_in[inside] + most * error) * (1.0 + error)
        gain += q_in[inside] * (above * kept * (1.0 + error) - zeta * (1.0 - error))
        other = below * rest * x_out[outside] * (1.0 + error)
        other -= q_out[outside] * (zeta - below * kept) * (1.0 - error)
        total += masses[k] * max(gain, other, 0.0)
    return total

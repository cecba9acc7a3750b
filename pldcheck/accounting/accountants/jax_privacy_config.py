"""A configuration of jax_privacy by which its accounting of a training has certified upper ends.

jax_privacy's ``DpsgdTrainingAccountant`` makes an event of a training (steps, noise, batches, schedules of both) and
composes it by an accountant that a *configuration* creates: its own are ``RdpAccountantConfig`` and
``PldAccountantConfig``.  The one here creates :class:`~pldcheck.accounting.Accountant`.
"""

from __future__ import annotations

from typing import Any

from ...core.errors import Unsupported
from .privacy_accountant import LEAST_DELTA, Accountant


def jax_privacy_config(least_delta: float = LEAST_DELTA) -> Any:
    """Return a configuration for the training accountants of jax_privacy.

    It takes the place of ``PldAccountantConfig()``, of whose class it is, since jax_privacy asks for that where batches
    are truncated.  ``DpsgdTrainingUserLevelAccountant`` asks for dp_accounting's own accountant and refuses all others.

    Parameters
    ----------
    least_delta : float
        The least delta that will be asked for, as of :class:`~pldcheck.accounting.Accountant`.

    Returns
    -------
    jax_privacy.accounting.PldAccountantConfig
        ``create_accountant()`` returns an accountant for a record added or removed, whose ``get_epsilon`` is a
        certified upper end.

    Raises
    ------
    Unsupported
        If jax_privacy is not installed.
    ParameterError
        If ``least_delta`` is out of its range.

    Examples
    --------
    One line of a script changes, the first here, and epsilon is certified from above::

        config = pldcheck.accounting.jax_privacy_config()  # in place of accounting.PldAccountantConfig()
        accountant = accounting.DpsgdTrainingAccountant(dp_accountant_config=config)
        training = accounting.DpParams(noise_multipliers=1.0, batch_size=512, num_samples=60000, delta=1e-5)
        accountant.compute_epsilon(1000, training)

    """
    try:
        from jax_privacy.accounting import PldAccountantConfig
    except ImportError:
        raise Unsupported(
            "jax_privacy_config", "accountants to create", "it needs jax_privacy: pip install 'pldcheck[jax-privacy]'"
        ) from None
    Accountant(least_delta=least_delta)  # raises now what it has to say of a bad parameter

    class CertifiedConfig(PldAccountantConfig):  # type: ignore[misc, unused-ignore]
        def create_accountant(self) -> Accountant:
            """Return an accountant that has composed nothing."""
            return Accountant(least_delta=least_delta)

    return CertifiedConfig()

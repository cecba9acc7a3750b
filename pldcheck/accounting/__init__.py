"""Tools for accountants: exchange with other libraries, comparison with other accountants, and calibration.

Read :mod:`~pldcheck.accounting.calibration` first, then :mod:`~pldcheck.accounting.accountants`,
:mod:`~pldcheck.accounting.peers` and :mod:`~pldcheck.accounting.interop`.  :mod:`~pldcheck.accounting.corpus` writes
certified points for others' tests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.lazy import lazy_parts

__all__ = ["Accountant", "OpacusAccountant", "jax_privacy_config", "register_with_opacus"]

if TYPE_CHECKING:
    from .accountants.jax_privacy_config import jax_privacy_config as jax_privacy_config
    from .accountants.opacus_accountant import OpacusAccountant as OpacusAccountant
    from .accountants.opacus_accountant import register_with_opacus as register_with_opacus
    from .accountants.privacy_accountant import Accountant as Accountant
else:
    __getattr__, __dir__ = lazy_parts(
        __name__,
        {
            "accountants.jax_privacy_config": ("jax_privacy_config",),
            "accountants.opacus_accountant": ("OpacusAccountant", "register_with_opacus"),
            "accountants.privacy_accountant": ("Accountant",),
        },
        __all__,
    )

"""Accountants that other libraries drive: dp_accounting's interface, jax_privacy's and Opacus', with certified answers.

:class:`~pldcheck.accounting.accountants.privacy_accountant.Accountant` stands where dp_accounting's ``PLDAccountant``
does, and where jax_privacy makes one of it by
:func:`~pldcheck.accounting.accountants.jax_privacy_config.jax_privacy_config`;
:class:`~pldcheck.accounting.accountants.opacus_accountant.OpacusAccountant` stands where Opacus' accountants do.
Their ``get_epsilon`` is a certified upper end; ``epsilon`` has the lower one beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.lazy import lazy_parts

__all__ = ["Accountant", "OpacusAccountant", "jax_privacy_config", "register_with_opacus"]

if TYPE_CHECKING:
    from .jax_privacy_config import jax_privacy_config as jax_privacy_config
    from .opacus_accountant import OpacusAccountant as OpacusAccountant
    from .opacus_accountant import register_with_opacus as register_with_opacus
    from .privacy_accountant import Accountant as Accountant
else:
    __getattr__, __dir__ = lazy_parts(
        __name__,
        {
            "jax_privacy_config": ("jax_privacy_config",),
            "opacus_accountant": ("OpacusAccountant", "register_with_opacus"),
            "privacy_accountant": ("Accountant",),
        },
        __all__,
    )
